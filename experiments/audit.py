"""Audit: points that try hard to lose a label inside proven rules, put to the forest itself."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields

import numpy as np

from mlrx.lionforests import Box, ForestCells
from mlrx.rules import Rule

from .explainers.explainer import PROVEN
from .explainers.lionforests import EXPLAINER
from .forests import Fold

SETS = ("foodtruck", "water-quality", "flags", "ai4i")
# Leaves that a point tries to lie in, one after the other.
N_LEAVES = 100
# Points of each rule that scikit-learn's own forest is asked about, besides all that lose a label.
N_CONFIRMED = 5
FAR = 1e30


@dataclass
class Audit:
    """What came of the audit of a fold.

    Parameters
    ----------
    dataset : str
    rows : int
        Rows explained.
    rules : int
    unproven : int
        Explanations without a proven rule; they are not tried.
    not_own : int
        Rules that do not cover the row that they explain.
    points : int
        Points tried, all inside their rule.
    lost : int
        Points at which a label of the rule is not predicted.
    confirmed : int
        Points that scikit-learn's own `predict` was asked about.
    differing : int
        Those of them for which it says something else.
    """

    dataset: str
    rows: int = 0
    rules: int = 0
    unproven: int = 0
    not_own: int = 0
    points: int = 0
    lost: int = 0
    confirmed: int = 0
    differing: int = 0

    @property
    def is_clean(self) -> bool:
        """Whether nothing was found, among at least one rule."""
        return self.rules > 0 and self.not_own == self.lost == self.differing == 0

    def cells(self) -> list[str]:
        """Return the fields as text, in their order."""
        return [str(getattr(self, field.name)) for field in fields(self)]


def audit(
    fold: Fold, n_rows: int | None = None, strategies: tuple[str, ...] = ("all", "each"), n_points: int = 1000
) -> Audit:
    """Try all proven rules of the test rows of a fold.

    Parameters
    ----------
    fold : Fold
    n_rows : int or None, default=None
        How many of the rows with a predicted label; None takes all.
    strategies : tuple of str, default=("all", "each")
    n_points : int, default=1000
        Points a rule.

    Returns
    -------
    Audit

    Notes
    -----
    O(rules * n_points * trees * depth), after the explanations.
    """
    fitted, found, rng = EXPLAINER.fit(fold, 0, {}), Audit(fold.name), np.random.default_rng(0)
    cells, asked = fold.cells, []
    for row in np.flatnonzero(fold.predicted.any(axis=1))[:n_rows]:
        x, labels = fold.X_test[row], fold.labels_of(row)
        explained = fitted.explain(x, labels, strategies)
        found.rows += 1
        for one in {one.labels: one for strategy in explained.values() for one in strategy}.values():
            if one.status != PROVEN:
                found.unproven += 1
                continue
            found.rules += 1
            found.not_own += not one.rule.covers(x[None])[0]
            points = adversarial_points(cells, one.rule, one.labels, x, n_points, rng)
            is_lost = ~fold.forest.predict_labels(points)[:, list(one.labels)].all(axis=1)
            found.points += len(points)
            found.lost += int(is_lost.sum())
            sample = np.linspace(0, len(points) - 1, N_CONFIRMED, dtype=int)
            asked.append(points[np.union1d(np.flatnonzero(is_lost), sample)])
    if asked:
        points = np.vstack(asked)
        found.confirmed = len(points)
        found.differing = int((fold.model.predict(points) != fold.forest.predict_labels(points)).any(axis=1).sum())
    return found


def adversarial_points(
    cells: ForestCells, rule: Rule, labels: Sequence[int], x: np.ndarray, n_points: int, rng: np.random.Generator
) -> np.ndarray:
    """Return points inside a rule at which a label is likely to be lost, if it can be.

    Parameters
    ----------
    cells : ForestCells
    rule : Rule
    labels : sequence of int
    x : ndarray of shape (n_features,)
        The explained row.
    n_points : int
    rng : numpy.random.Generator

    Returns
    -------
    ndarray of shape (n_points, n_features)
        Of the forest's precision, all covered by the rule. A quarter are corners of the rule, open sides far outside
        the data; a quarter is the row with some values moved next to a bound, to the last bit of float64 or of float32,
        and values that the rule leaves free anywhere; half lie in as many leaves that vote against a label as fit
        together, tried in random order.

    Notes
    -----
    Leaves come from the cells of the forest; what the rule covers is told by the rule itself.
    """
    box = cells.box_of_rule(rule)
    n_corners, n_near = n_points // 4, n_points // 4
    shape = (n_corners, box.lower.size)
    at_ends = np.where(rng.random(shape) < 0.5, box.lower, box.upper)
    against = _cells_against(cells, box, labels, n_points - n_corners - n_near, rng)
    points = np.vstack(
        [_values(cells, at_ends, rng), _near_points(cells, box, rule, x, n_near, rng), _values(cells, against, rng)]
    )
    # In the precision in which the forest tells rows apart, so that no rounding takes a point out of the rule.
    points = points.astype(cells.forest.dtype)
    for condition in rule.antecedent:
        column = points[:, condition.feature]
        np.clip(column, *cells.interval(condition, rule.dtype), out=column)
    return points[rule.covers(points)]


def _values(cells: ForestCells, numbers: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Return the first or the last value of each cell; cells are of shape (n_points, n_features)."""
    takes_last, values = rng.random(numbers.shape) < 0.5, np.empty(numbers.shape)
    for f, cut in enumerate(cells.cuts):
        cut = cut.astype(np.float64)
        first, last = np.append(-FAR, np.nextafter(cut, np.inf)), np.append(cut, FAR)
        values[:, f] = np.where(takes_last[:, f], last[numbers[:, f]], first[numbers[:, f]])
    return values


def _near_points(
    cells: ForestCells, box: Box, rule: Rule, x: np.ndarray, n_points: int, rng: np.random.Generator
) -> np.ndarray:
    points = np.tile(x, (n_points, 1))
    anywhere = _values(cells, rng.integers(box.lower, box.upper + 1, size=points.shape), rng)
    near = {condition.feature: _neighbours(condition.lower, condition.upper) for condition in rule.antecedent}
    for f in range(x.size):
        moved = rng.random(n_points) < 0.5
        others = rng.choice(near[f], n_points) if f in near and near[f].size else anywhere[:, f]
        points[moved, f] = others[moved]
    return points


def _neighbours(lower: float, upper: float) -> np.ndarray:
    """Return the values in (lower, upper] that are next to a bound, in float64 and in float32."""
    near = []
    for bound in filter(np.isfinite, (lower, upper)):
        rounded = np.float32(bound)
        near += [bound, np.nextafter(bound, -np.inf), np.nextafter(bound, np.inf), rounded]
        near += [np.nextafter(rounded, np.float32(-np.inf)), np.nextafter(rounded, np.float32(np.inf))]
    values = np.array(near, dtype=np.float64)
    return np.unique(values[(values > lower) & (values <= upper)])


def _cells_against(
    cells: ForestCells, box: Box, labels: Sequence[int], n_points: int, rng: np.random.Generator
) -> np.ndarray:
    """Return cells in the box that lie in many leaves that vote against a label."""
    meets = ((cells.lower <= box.upper) & (cells.upper >= box.lower)).all(axis=1)
    lower, upper = np.tile(box.lower, (n_points, 1)), np.tile(box.upper, (n_points, 1))
    label_of_point = rng.choice(np.asarray(labels), n_points)
    for label in np.unique(label_of_point):
        points = np.flatnonzero(label_of_point == label)
        leaves = np.flatnonzero(meets & (cells.margins[0, label] < 0))
        if not leaves.size:
            continue
        # Drawn in proportion to how clearly they vote against the label.
        weights = np.cumsum(-cells.margins[0, label, leaves].astype(np.float64))
        for _ in range(N_LEAVES):
            drawn = np.searchsorted(weights, rng.random(points.size) * weights[-1])
            chosen = leaves[np.minimum(drawn, leaves.size - 1)]
            low, high = np.maximum(lower[points], cells.lower[chosen]), np.minimum(upper[points], cells.upper[chosen])
            fits = (low <= high).all(axis=1)
            lower[points[fits]], upper[points[fits]] = low[fits], high[fits]
    return rng.integers(lower, upper + 1)
