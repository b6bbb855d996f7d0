"""Rules that are proven: the shortest that dropping finds, the provably smallest, or one that covers more rows."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..rules import Rule
from .cells import MARGIN_UNIT, Box, ForestCells
from .drop import Left, drop
from .smallest import FEW_ROUNDS, MAX_ROUNDS, smallest_units
from .violation import Target, check_budget, targets_of
from .widen import take_in_rows, widen

PREFERENCES = ("short", "coverage")
DEFAULT_BUDGET = 200
# Widening asks many questions, none of which matters much: each gets one part in so many of the budget.
WIDENING_SHARE = 16


@dataclass(frozen=True)
class Certificate:
    """A rule for one row, and what is proven about it.

    Parameters
    ----------
    status : {"certified", "certified-irreducible", "tie"}
        "certified": every row of the rule keeps the labels. "certified-irreducible": and no single feature can be left
        out, which is proven too. "tie": the row itself is so close to a tie that rounding may decide; nothing is
        certified.
    rule : Rule or None
        None for a tie.
    box : Box or None
        What the rule covers, in cells.
    margin : float
        The least of the row's mean margins over the labels asked about, positive where the forest predicts them.
    undecided : tuple of int
        Columns that were kept because the budget was used up.
    is_smallest : bool
        Whether no conclusive rule that fixes columns at the row's cells has fewer of them; proven.
    n_boxes : int
        Boxes that the oracle looked at.
    """

    status: str
    rule: Rule | None
    box: Box | None
    margin: float
    undecided: tuple[int, ...] = ()
    is_smallest: bool = False
    n_boxes: int = 0


def certify(
    forest: Any,
    x: Any,
    labels: Iterable[int],
    guarantee: str = "labels",
    *,
    groups: Sequence[Sequence[int]] = (),
    rows: Any = None,
    prefer: str = "short",
    smallest: bool = False,
    budget: int = DEFAULT_BUDGET,
) -> Certificate:
    """Find a rule that covers a row and for which the forest provably keeps predicting the labels.

    Starts from the cell of the row. The fewest features that must stay are searched by hitting sets of counterexamples;
    where that takes too long, features are left out one by one, the least harmful first, as long as the additive bound
    or, where it fails, the exact oracle proves the labels. Then each interval is widened.

    Parameters
    ----------
    forest : RandomForestClassifier, ExtraTreesClassifier, Pipeline, FlatForest or ForestCells
    x : array-like or Series of shape (n_features,)
        The row. A missing value stays allowed in the rule; a known one gives a rule about known values.
    labels : iterable of int
        Labels that are predicted for x.
    guarantee : {"labels", "labelset"}, default="labels"
        With "labelset", all other labels stay absent.
    groups : sequence of sequence of int, default=()
        Columns that count as one feature, such as those of one category; they are left out together if possible.
    rows : array-like of shape (n_samples, n_features) or None, default=None
        Rows that the rule should cover as well, where ``prefer="coverage"``.
    prefer : {"short", "coverage"}, default="short"
        "coverage" takes in `rows` with the same labels near x before it leaves out features: more rows, more features.
    smallest : bool, default=False
        Look longer for the provably smallest number of features; without it, too, most rows get there.
    budget : int, default=200
        Boxes that the oracle may look at, for each question and label.

    Returns
    -------
    Certificate

    Raises
    ------
    ValueError
        When the forest does not predict the labels for x, or an argument is out of its domain; the message names it.

    Notes
    -----
    Leaving out takes tens of looks at the leaves and few questions to the oracle; widening asks one to three for each
    side.

    The rule is about float32 values, or, for a Pipeline, about float64 values of the original columns: its bounds are
    the last values that the pipeline's own arithmetic puts on one side of a threshold. Rows of other precisions are to
    be cast first.

    Examples
    --------
    >>> from sklearn.ensemble import RandomForestClassifier
    >>> X = [[0.0, 7.0], [1.0, 7.0], [2.0, 7.0], [3.0, 7.0]]
    >>> model = RandomForestClassifier(9, bootstrap=False, random_state=0).fit(X, [0, 0, 1, 1])
    >>> certificate = certify(model, [3.0, 5.0], [0])
    >>> [(c.feature, c.lower, c.upper) for c in certificate.rule.antecedent], certificate.status
    ([(0, 1.5, inf)], 'certified-irreducible')
    """
    cells = ForestCells.of(forest)
    targets = targets_of(labels, guarantee, cells.forest.n_labels)
    units = _units(groups, cells.forest.n_features)
    check_budget(budget)
    if prefer not in PREFERENCES:
        raise ValueError(f"prefer must be one of {PREFERENCES}, got {prefer!r}")
    check_preference(prefer, smallest)
    row = cells.forest.row(x)
    place = cells.locate(row[None])[0]
    margin = margin_of_row(cells, row, targets)
    if is_tie(cells, margin):
        return Certificate("tie", None, None, margin)
    margins = [target.margins(cells) for target in targets]
    box = cells.box_of_cell(place)
    n_boxes = 0
    if prefer == "coverage" and rows is not None:
        box, n_boxes = take_in_rows(cells, box, cells.locate(rows), margins, budget)
    n_rounds = 0 if prefer == "coverage" else MAX_ROUNDS if smallest else FEW_ROUNDS
    left = _leave_out(cells, box, units, margins, budget, n_rounds)
    columns = np.flatnonzero((left.box.lower > 0) | (left.box.upper < cells.n_cells - 1))
    widening_budget = max(1, budget // WIDENING_SHARE)
    box, n = widen(cells, left.box, columns, margins, widening_budget, left.counterexamples)
    return Certificate(
        "certified" if left.undecided else "certified-irreducible",
        cells.rule_of_box(box, [target.label for target in targets if target.is_present]),
        box,
        margin,
        tuple(left.undecided),
        left.is_smallest,
        n_boxes + left.n_boxes + n,
    )


def check_preference(prefer: str, smallest: bool) -> None:
    """Raise ValueError for two wishes that exclude each other."""
    if smallest and prefer == "coverage":
        raise ValueError("smallest=True needs prefer='short', got prefer='coverage', which takes more features")


def _leave_out(
    cells: ForestCells,
    box: Box,
    units: Sequence[Sequence[int]],
    margins: Sequence[np.ndarray],
    budget: int,
    n_rounds: int,
) -> Left:
    """Leave out units: all but the smallest set, if `n_rounds` suffice to find it, or one by one; then single columns.

    Columns of a kept unit are left out one by one.
    """
    left = smallest_units(cells, box, units, margins, budget, n_rounds) if n_rounds else None
    if left is None or not left.is_smallest:
        dropped = drop(cells, box, units, margins, budget)
        left = dropped if left is None else dropped.after(left)
    columns = [[f] for unit in left.kept if len(units[unit]) > 1 for f in units[unit]]
    undecided = [f for unit in left.undecided for f in units[unit]]
    if columns:
        inner = drop(cells, left.box, columns, margins, budget).after(left)
        undecided += [columns[k][0] for k in inner.undecided if columns[k][0] not in undecided]
        left = replace(inner, is_smallest=left.is_smallest)
    return replace(left, undecided=undecided)


def margin_of_row(cells: ForestCells, row: np.ndarray, targets: Sequence[Target]) -> float:
    """Return the least mean margin of the targets at a row, and raise ValueError when one is lost there."""
    row_margins = cells.forest.margins(row[None])[0]
    signed = [row_margins[t.label] if t.is_present else -row_margins[t.label] for t in targets]
    tolerance = cells.tie_bound / MARGIN_UNIT / cells.forest.n_trees
    for target, margin in zip(targets, signed):
        if margin < -tolerance:
            predicted = np.flatnonzero(cells.forest.predict_labels(row[None])[0]).tolist()
            wanted = "present" if target.is_present else "absent"
            raise ValueError(f"label {target.label} must be {wanted} for x, but the forest predicts {predicted}")
    return float(min(signed))


def is_tie(cells: ForestCells, margin: float) -> bool:
    """Tell whether a mean margin is so small that another order of summation may turn it."""
    return margin <= cells.tie_bound / MARGIN_UNIT / cells.forest.n_trees


def _units(groups: Sequence[Sequence[int]], n_features: int) -> list[list[int]]:
    """Return the groups, checked, and every other column by itself."""
    units = [[int(f) for f in group] for group in groups]
    listed = [f for unit in units for f in unit]
    for f in listed:
        if not 0 <= f < n_features:
            raise ValueError(f"groups must hold columns from 0 to {n_features - 1}, got {f}")
        if listed.count(f) > 1:
            raise ValueError(f"groups must be disjoint, column {f} comes twice")
    return [unit for unit in units if unit] + [[f] for f in range(n_features) if f not in set(listed)]
