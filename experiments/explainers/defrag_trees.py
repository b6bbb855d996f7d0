"""DefragTrees: the regions of a forest summed up by a few boxes a label, found as a mixture model."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from numbers import Integral
from typing import Any, NamedTuple

import numpy as np
from scipy.special import logsumexp
from sklearn.utils._param_validation import Interval

from mlrx.lionforests import Box, ForestCells
from mlrx.rules import Rule

from ..forests import Fold
from .deadline import Deadline
from .explainer import Explainer, FittedExplainer, parameter_check
from .label_rules import RuleLists, constant, fit_model

N_RULES, N_STARTS = 10, 3
# A probability this close to 0 or 1 makes a bound of the rule.
KAPPA = 1e-3
# Least probability in a logarithm, least gain of the likelihood that goes on, and most rounds.
EPSILON, TOLERANCE, MAX_ROUNDS = 1e-10, 1e-6, 100
CONSTRAINTS = {
    "n_rules": [Interval(Integral, 1, None, closed="left")],
    "n_starts": [Interval(Integral, 1, None, closed="left")],
}


def fit(fold: Fold, seed: int, parameters: dict[str, Any]) -> FittedExplainer:
    """Find `n_rules` (10) boxes for each label, the best of `n_starts` (3) random starts.

    A row is the 0/1 vector that says which of the forest's thresholds it is above, with the forest's label of it.
    A mixture of `n_rules` components, each with a probability for every entry and for the label, is fitted to the
    training rows [1]_; thresholds that a component is sure of are the bounds of its rule.

    Notes
    -----
    The paper fits by factorised asymptotic Bayesian inference, which also drops components; here by expectation
    maximisation with all of them, which its code offers too, from ten starts. Conditions without which a rule covers
    no more training rows are dropped. The start of least training error counts. Where several rules cover a row, the
    one of the heaviest component speaks, where none does, the majority of the training rows; the published code leaves
    that open.

    O(n_labels * n_starts * n_rounds * n_samples * n_vectors * n_rules), thresholds between the same training values
    counting as one vector.

    References
    ----------
    .. [1] S. Hara, K. Hayashi. Making tree ensembles interpretable: a Bayesian model selection approach.
       AISTATS 2018, PMLR 84, 77-85. arXiv:1606.09066
    """
    return fit_model(_learn, fold, seed, parameters)


def _learn(fold: Fold, truth: np.ndarray, seed: int, parameters: dict[str, Any], deadline: Deadline) -> RuleLists:
    cells, rng = ForestCells.of(fold.forest), np.random.default_rng(seed)
    rows = cells.locate(fold.X_train)
    above = Thresholds.of(rows)
    n_rules, n_starts = parameters.get("n_rules", N_RULES), parameters.get("n_starts", N_STARTS)
    lists = []
    for label, present in enumerate(truth.T):
        if present.all() or not present.any():
            lists.append([constant(label, bool(present.all()))])
            continue
        starts = [
            _list_of_start(cells, rows, above, present, label, n_rules, rng) for _ in deadline.each(range(n_starts))
        ]
        lists.append(min(starts, key=lambda start: start[0])[1])
    return RuleLists(lists)


@dataclass(frozen=True, eq=False)
class Thresholds:
    """Which thresholds each row is above; those that part the rows alike, of one column, are one vector.

    Parameters
    ----------
    above : ndarray of float64 of shape (n_samples, n_vectors)
        0 and 1, never all the same.
    column, first, last : ndarray of int64 of shape (n_vectors,)
        The column, and the first and last of its cells that end at one of the thresholds.
    """

    above: np.ndarray
    column: np.ndarray
    first: np.ndarray
    last: np.ndarray

    @classmethod
    def of(cls, rows: np.ndarray) -> Thresholds:
        """Find the vectors of rows that are given by their cells, of shape (n_samples, n_features).

        Examples
        --------
        >>> found = Thresholds.of(np.array([[0], [3], [5]]))
        >>> found.above.T.tolist(), found.first.tolist(), found.last.tolist()
        ([[0.0, 1.0, 1.0], [0.0, 0.0, 1.0]], [0, 3], [2, 4])
        """
        vectors, places = [], []
        for column, values in enumerate(rows.T):
            distinct = np.unique(values)
            for low, high in pairwise(distinct):
                vectors.append(values > low)
                places.append((column, low, high - 1))
        table = np.array(vectors, dtype=np.float64).reshape(-1, len(rows)).T
        return cls(table, *np.array(places, dtype=np.int64).reshape(-1, 3).T)

    @property
    def n_thresholds(self) -> np.ndarray:
        """How many cells end at a threshold of each vector, of shape (n_vectors,)."""
        return self.last - self.first + 1


class Mixture(NamedTuple):
    """Components: their weights, the probability of the label, and that of being above each vector's thresholds."""

    weight: np.ndarray
    label: np.ndarray
    above: np.ndarray


def fit_mixture(
    above: np.ndarray, counts: np.ndarray, present: np.ndarray, n_rules: int, rng: np.random.Generator
) -> Mixture:
    """Fit a mixture by expectation maximisation from a random start.

    Parameters
    ----------
    above : ndarray of float64 of shape (n_samples, n_vectors)
    counts : ndarray of int64 of shape (n_vectors,)
        How often each vector counts.
    present : ndarray of bool of shape (n_samples,)
    n_rules : int
    rng : Generator

    Returns
    -------
    Mixture
        Arrays of shape (n_rules,), (n_rules,) and (n_rules, n_vectors).
    """
    mixture = Mixture(rng.dirichlet(np.ones(n_rules)), rng.random(n_rules), rng.random((n_rules, above.shape[1])))
    before = -np.inf
    for _ in range(MAX_ROUNDS):
        joint = _log_joint(mixture, above, counts, present)
        total = logsumexp(joint, axis=1)
        shares = np.exp(joint - total[:, None])
        sizes = np.maximum(shares.sum(axis=0), EPSILON)
        mixture = Mixture(sizes / sizes.sum(), shares.T @ present / sizes, (shares.T @ above) / sizes[:, None])
        if total.sum() - before < TOLERANCE:
            break
        before = total.sum()
    return mixture


def _log_joint(mixture: Mixture, above: np.ndarray, counts: np.ndarray, present: np.ndarray) -> np.ndarray:
    """Return log P(component, row), of shape (n_samples, n_rules)."""
    weight, label, lies_above = (np.maximum(values, EPSILON) for values in mixture)
    absent, lies_below = np.maximum(1 - label, EPSILON), np.maximum(1 - lies_above, EPSILON)
    log_label = np.where(present[:, None], np.log(label), np.log(absent))
    odds = counts * (np.log(lies_above) - np.log(lies_below))
    return above @ odds.T + np.log(lies_below) @ counts + log_label + np.log(weight)


def boxes_of(mixture: Mixture, thresholds: Thresholds, cells: ForestCells) -> list[Box]:
    """Return the box of each component: bounded by the thresholds that it is sure of."""
    boxes = []
    for above in mixture.above:
        box = cells.whole()
        sure = above > 1 - KAPPA
        np.maximum.at(box.lower, thresholds.column[sure], thresholds.last[sure] + 1)
        sure = above < KAPPA
        np.minimum.at(box.upper, thresholds.column[sure], thresholds.first[sure])
        boxes.append(box)
    return boxes


def drop_idle(box: Box, whole: Box, rows: np.ndarray) -> None:
    """Open, in place, one after another the sides of a box without which it holds no more rows."""
    sides = [
        (own, ends, f)
        for f in range(rows.shape[1])
        for own, ends in ((box.lower, whole.lower), (box.upper, whole.upper))
    ]
    n_held = box.holds(rows).sum()
    for own, ends, f in sides:
        kept, own[f] = own[f], ends[f]
        if box.holds(rows).sum() > n_held:
            own[f] = kept


def _list_of_start(
    cells: ForestCells,
    rows: np.ndarray,
    thresholds: Thresholds,
    present: np.ndarray,
    label: int,
    n_rules: int,
    rng: np.random.Generator,
) -> tuple[float, list[Rule]]:
    """Return the training error of a start, and its list."""
    mixture = fit_mixture(thresholds.above, thresholds.n_thresholds, present, n_rules, rng)
    default = bool(2 * present.sum() > present.size)
    found, says, left = [], np.full(present.size, default), np.ones(present.size, dtype=bool)
    boxes = boxes_of(mixture, thresholds, cells)
    for k in np.argsort(-mixture.weight, kind="stable"):
        if boxes[k].holds(rows).any():
            drop_idle(boxes[k], cells.whole(), rows)
            held = boxes[k].holds(rows)
            is_present = bool(mixture.label[k] > 0.5)
            found.append(cells.rule_of_box(boxes[k], (label,) if is_present else ()))
            says[held & left] = is_present
            left &= ~held
    return float((says != present).mean()), [*found, constant(label, default)]


check = parameter_check("defrag-trees", CONSTRAINTS)
EXPLAINER = Explainer(fit, check, ("all", "each"))
