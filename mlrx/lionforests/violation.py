"""Is a rule conclusive? A proof, a counterexample, or neither within the budget: for any rule from any method."""

from __future__ import annotations

import operator
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..rules import Rule
from .cells import Box, ForestCells
from .oracle import ABOVE, FOUND, UNDECIDED, find_low_point, meeting_leaves

GUARANTEES = ("labels", "labelset")
VERDICT_BUDGET = 20_000


@dataclass(frozen=True)
class Target:
    """A label that must stay present, or absent."""

    label: int
    is_present: bool

    def margins(self, cells: ForestCells) -> np.ndarray:
        """Return the margin of each leaf, positive where it votes for the target; see `ForestCells.margins`."""
        return cells.margins[0 if self.is_present else 1, self.label]


@dataclass(frozen=True)
class Verdict:
    """What `find_violation` found.

    Parameters
    ----------
    status : {"proven", "counterexample", "undecided"}
        "undecided" also where the forest comes so close to a tie that rounding decides.
    point : ndarray of shape (n_features,) or None
        The counterexample, NaN for missing; in the precision in which the forest tells rows apart.
    violated : tuple of Target
        What the forest's own `predict` does not keep at `point`.
    undecided : tuple of Target
        What is neither proven nor refuted; empty with a counterexample, after which the search stops.
    n_boxes : int
        Boxes that the search looked at.
    """

    status: str
    point: np.ndarray | None
    violated: tuple[Target, ...]
    undecided: tuple[Target, ...]
    n_boxes: int


def find_violation(
    forest: Any, rule: Rule, labels: Iterable[int], guarantee: str = "labels", budget: int = VERDICT_BUDGET
) -> Verdict:
    """Look for a row that a rule covers and for which the forest does not predict the labels.

    Rows have the precision in which the forest tells them apart: float32 values for a bare forest, whatever the
    precision of the rule; float64 values for a Pipeline, since scalers see those (and would round differently if they
    were given float32). A column without a condition may
    have any known value; a missing value is looked at only where a condition of the rule allows it.

    Parameters
    ----------
    forest : RandomForestClassifier, ExtraTreesClassifier, Pipeline, FlatForest or ForestCells
        ForestCells, made once, save the reading when many rules are asked about.
    rule : Rule
        Only its antecedent counts.
    labels : iterable of int
        Indices of the labels that must be predicted for every row.
    guarantee : {"labels", "labelset"}, default="labels"
        With "labelset", all other labels must be predicted absent for every row.
    budget : int, default=20000
        Boxes that the search may look at, for each label.

    Returns
    -------
    Verdict
        A counterexample is confirmed by the forest's own `predict`.

    Raises
    ------
    ValueError
        When the rule is about columns that the forest lacks or about categories, `labels` has an unknown one or is
        empty without ``guarantee="labelset"``, or an option is unknown.
    TypeError
        When `rule` is no Rule, or `labels` are names.

    Notes
    -----
    See `find_low_point` for the cost; the confirmation is one call of scikit-learn's `predict`. A label counts as
    proven only if its margin, summed over the trees, is above 1e-9 a tree everywhere, which no order of summation can
    turn.

    Examples
    --------
    >>> from sklearn.ensemble import RandomForestClassifier
    >>> from mlrx import Condition, Rule
    >>> model = RandomForestClassifier(9, random_state=0).fit([[0.0], [1.0], [2.0], [3.0]], [0, 0, 1, 1])
    >>> find_violation(model, Rule([Condition(0, lower=2.0)], [0]), [0]).status
    'proven'
    >>> find_violation(model, Rule([Condition(0, lower=0.5)], [0]), [0]).point
    array([0.50000006], dtype=float32)
    """
    if not isinstance(rule, Rule):
        raise TypeError(f"rule must be a Rule, such as the `rule` of an Explanation, got {type(rule).__name__}")
    cells = ForestCells.of(forest)
    targets = targets_of(labels, guarantee, cells.forest.n_labels)
    check_budget(budget)
    box = cells.box_of_rule(rule)
    if box.is_empty:
        return Verdict("proven", None, (), (), 0)
    leaves, n_boxes, undecided = meeting_leaves(cells, box), 0, []
    for target in targets:
        status, point, n = _violate(cells, rule, box, leaves, target, budget)
        n_boxes += n
        if status == FOUND:
            present = cells.forest.predict_by_model(point)
            violated = tuple(t for t in targets if present[t.label] != t.is_present)
            return Verdict("counterexample", point, violated, (), n_boxes)
        if status == UNDECIDED:
            undecided.append(target)
    return Verdict("undecided" if undecided else "proven", None, (), tuple(undecided), n_boxes)


def targets_of(labels: Iterable[int], guarantee: str, n_labels: int) -> list[Target]:
    """Return what must hold for the labels, checked; those that must be present first."""
    if guarantee not in GUARANTEES:
        raise ValueError(f"guarantee must be one of {GUARANTEES}, got {guarantee!r}")
    try:
        wanted = sorted({operator.index(label) for label in labels})
    except TypeError:
        raise TypeError(f"labels must list indices of labels, from 0 to {n_labels - 1}, got {labels!r}") from None
    for label in wanted:
        if not 0 <= label < n_labels:
            raise ValueError(f"labels must be from 0 to {n_labels - 1}, got {label}")
    if guarantee == "labels":
        if not wanted:
            raise ValueError("labels is empty: only guarantee='labelset' says something about no label")
        return [Target(label, True) for label in wanted]
    return [Target(label, True) for label in wanted] + [Target(k, False) for k in range(n_labels) if k not in wanted]


def check_budget(budget: int) -> None:
    """Raise when the budget is no positive whole number."""
    if isinstance(budget, bool) or operator.index(budget) < 1:
        raise ValueError(f"budget must be a whole number from 1, got {budget!r}")


def _violate(
    cells: ForestCells, rule: Rule, box: Box, leaves: np.ndarray, target: Target, budget: int
) -> tuple[int, np.ndarray | None, int]:
    """Look for a row at which `predict` loses the target; return what was found, the row, and the boxes looked at."""
    margins, n_boxes = target.margins(cells), 0
    # The first search may end where the margin is so near 0 that `predict` keeps the target; the second asks for more.
    for bound in (cells.tie_bound, -cells.tie_bound):
        answer = find_low_point(cells, box, leaves, margins, bound, budget - n_boxes)
        n_boxes += answer.n_boxes
        if answer.status == UNDECIDED:
            return UNDECIDED, None, n_boxes
        if answer.status == ABOVE:
            return (ABOVE if bound > 0 else UNDECIDED), None, n_boxes
        point = cells.point(answer.cells, rule)
        if cells.forest.predict_by_model(point)[target.label] != target.is_present:
            return FOUND, point, n_boxes
    return UNDECIDED, None, n_boxes
