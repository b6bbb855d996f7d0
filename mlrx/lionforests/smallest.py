"""The provably smallest set of features: hitting sets of counterexamples, with the exact oracle.

Every point at which a target is lost differs from the explained row in some units; a conclusive rule keeps at least
one of them. The smallest set that hits all counterexamples known so far is a lower bound; once the oracle proves it,
it is the smallest rule.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from scipy.optimize import Bounds, LinearConstraint, milp

from .cells import Box, ForestCells
from .drop import Dropped
from .oracle import ABOVE, FOUND, find_lost_target, meeting_leaves

MAX_ROUNDS = 500


@dataclass(frozen=True)
class Smallest:
    """The smallest box found, whether no other has fewer units, and how many boxes the oracle looked at."""

    box: Box
    is_proven: bool
    n_boxes: int


def smallest_units(
    cells: ForestCells,
    place: np.ndarray,
    units: Sequence[Sequence[int]],
    margins: Sequence[np.ndarray],
    dropped: Dropped,
    budget: int,
) -> Smallest:
    """Find the fewest units that must stay at the row's cells.

    Parameters
    ----------
    cells : ForestCells
    place : ndarray of int64 of shape (n_features,)
        The row's cells.
    units : sequence of sequence of int
    margins : sequence of ndarray of int64 of shape (n_leaves,)
        Margins of each target.
    dropped : Dropped
        What greedy dropping left; its counterexamples are the first to be hit, and its box is returned when nothing
        smaller is found.
    budget : int

    Notes
    -----
    Exponential in the number of units at worst; given up after 500 rounds or when the oracle cannot decide.
    """
    hits = [_differs(cells, place, units, point, margins) for point in dropped.counterexamples]
    n_boxes = 0
    for _ in range(MAX_ROUNDS):
        kept = smallest_hitting_set(np.array(hits).reshape(-1, len(units)))
        if kept.sum() == len(dropped.kept):
            return Smallest(dropped.box, True, n_boxes)
        box = _box_keeping(cells, place, units, kept)
        answer = find_lost_target(cells, box, meeting_leaves(cells, box), margins, budget)
        n_boxes += answer.n_boxes
        if answer.status == ABOVE:
            return Smallest(box, True, n_boxes)
        if answer.status != FOUND:
            break
        hits.append(_differs(cells, place, units, answer.cells, margins))
    return Smallest(dropped.box, False, n_boxes)


def smallest_hitting_set(sets: np.ndarray) -> np.ndarray:
    """Return a smallest choice of columns that has one in every row.

    Parameters
    ----------
    sets : ndarray of bool of shape (n_sets, n_columns)
        Each row with at least one true entry.

    Returns
    -------
    ndarray of bool of shape (n_columns,)

    Examples
    --------
    >>> smallest_hitting_set(np.array([[1, 1, 0], [0, 1, 1]], dtype=bool)).tolist()
    [False, True, False]
    """
    if len(sets) == 0:
        return np.zeros(sets.shape[1], dtype=bool)
    n = sets.shape[1]
    found = milp(np.ones(n), constraints=LinearConstraint(sets.astype(float), lb=1), integrality=1, bounds=Bounds(0, 1))
    return found.x > 0.5


def _box_keeping(cells: ForestCells, place: np.ndarray, units: Sequence[Sequence[int]], kept: np.ndarray) -> Box:
    whole = cells.whole()
    is_kept = np.zeros(place.size, dtype=bool)
    for unit in np.flatnonzero(kept):
        is_kept[units[unit]] = True
    is_missing = place < 0
    lower = np.where(is_kept, np.where(is_missing, cells.n_cells, place), whole.lower)
    upper = np.where(is_kept, np.where(is_missing, -1, place), whole.upper)
    return replace(whole, lower=lower, upper=upper, missing=is_missing)


def _differs(
    cells: ForestCells,
    place: np.ndarray,
    units: Sequence[Sequence[int]],
    point: np.ndarray,
    margins: Sequence[np.ndarray],
) -> np.ndarray:
    """Return the units in which a counterexample differs from the row, as few as it can do with.

    Units are set back to the row's cells one by one, as long as some target stays lost.
    """
    point = point.copy()
    differs = np.array([(point[unit] != place[unit]).any() for unit in map(list, units)])
    for unit in np.flatnonzero(differs):
        columns = list(units[unit])
        nearer = point.copy()
        nearer[columns] = place[columns]
        if _is_lost(cells, nearer, margins):
            point, differs[unit] = nearer, False
    return differs


def _is_lost(cells: ForestCells, point: np.ndarray, margins: Sequence[np.ndarray]) -> bool:
    leaves = cells.leaves_at(point)
    return any(target[leaves].sum() <= cells.tie_bound for target in margins)
