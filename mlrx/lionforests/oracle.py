"""The exact oracle: whether some point of a box brings the sum of a label's margins down to a bound.

Branch and bound. The sum over trees of the smallest margin among the leaves that meet the box bounds it from below;
prices on cells, on which the trees agree, raise the bound. Where the smallest leaves of all trees meet pairwise they
have a common cell, as intervals do, so the additive bound is attained: the search is complete. A column that may be
known or missing is no interval; it is split into the two first.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numba import njit

from .bounds import least_sum
from .cells import Box, ForestCells
from .search import ABOVE, FOUND, UNDECIDED, renumber, search

__all__ = ["ABOVE", "FOUND", "UNDECIDED", "Answer", "find_lost_target", "find_low_point", "meeting_leaves"]


@dataclass(frozen=True)
class Answer:
    """What the oracle found.

    Parameters
    ----------
    status : int
        `ABOVE`: the sum of margins is above the bound in the whole box. `FOUND`: it is not at `cells`. `UNDECIDED`:
        the budget was used up.
    cells : ndarray of int64 of shape (n_features,) or None
        -1 for missing.
    n_boxes : int
        Boxes looked at.
    """

    status: int
    cells: np.ndarray | None
    n_boxes: int


def find_low_point(
    cells: ForestCells, box: Box, leaves: np.ndarray, margins: np.ndarray, bound: int, budget: int
) -> Answer:
    """Look for a point of a box at which the sum of margins over all trees is at most `bound`.

    Parameters
    ----------
    cells : ForestCells
    box : Box
        Not empty.
    leaves : ndarray of int64
        The leaves that meet the box, ascending; see `meeting_leaves`.
    margins : ndarray of int64 of shape (n_leaves,)
        Margin of each leaf of the forest, for one label: a row of `ForestCells.margins`.
    bound : int
    budget : int
        Number of boxes that may be looked at.

    Returns
    -------
    Answer

    Notes
    -----
    Exponential in the number of columns at worst; each box costs O(leaves that meet it), plus O(columns * trees) and
    the number of cells where it is split.
    """
    is_mixed = box.missing & (box.lower <= box.upper)
    if not is_mixed.any():
        return _find_in_intervals(cells, box, leaves, margins, bound, budget)
    if least_sum(cells.forest.leaf_start, leaves, margins) > bound:
        return Answer(ABOVE, None, 1)
    f, n_boxes = np.flatnonzero(is_mixed)[0], 1
    for part in _known_and_missing(box, f, cells.n_cells[f]):
        left = leaves[_meets(cells, part, leaves)]
        answer = find_low_point(cells, part, left, margins, bound, max(budget - n_boxes, 0))
        n_boxes += answer.n_boxes
        if answer.status != ABOVE:
            return replace(answer, n_boxes=n_boxes)
    return Answer(ABOVE, None, n_boxes)


def find_lost_target(
    cells: ForestCells, box: Box, leaves: np.ndarray, targets: Sequence[np.ndarray], budget: int
) -> Answer:
    """Look for a point of a box at which one of several sums of margins is no longer above the tie bound.

    Parameters
    ----------
    cells, box, leaves, budget
        As in `find_low_point`; the budget is for each target.
    targets : sequence of ndarray of int64 of shape (n_leaves,)
        The margins of each target.

    Returns
    -------
    Answer
        `ABOVE` when all targets are above it everywhere; else what came first, those most in danger being asked first.
    """
    sums = [least_sum(cells.forest.leaf_start, leaves, margins) for margins in targets]
    n_boxes = 0
    for k in np.argsort(sums, kind="stable"):
        if sums[k] > cells.tie_bound:
            break
        answer = find_low_point(cells, box, leaves, targets[k], cells.tie_bound, budget)
        n_boxes += answer.n_boxes
        if answer.status != ABOVE:
            return replace(answer, n_boxes=n_boxes)
    return Answer(ABOVE, None, n_boxes)


def meeting_leaves(cells: ForestCells, box: Box) -> np.ndarray:
    """Return the leaves that some row of the box reaches when each column is looked at alone, ascending."""
    return np.flatnonzero(_meets(cells, box, slice(None)))


def _meets(cells: ForestCells, box: Box, leaves: np.ndarray | slice) -> np.ndarray:
    meets = np.ones(cells.lower[leaves].shape[0], dtype=bool)
    narrow = (box.lower > 0) | (box.upper < cells.n_cells - 1)
    for f in np.flatnonzero(narrow | box.missing | cells.has_unknown_leaves):
        known = (cells.lower[leaves, f] <= box.upper[f]) & (cells.upper[leaves, f] >= box.lower[f])
        meets &= known | cells.missing[leaves, f] if box.missing[f] else known
    return meets


def _known_and_missing(box: Box, f: int, n_cells: int) -> tuple[Box, Box]:
    """Split a column that may be known or missing."""
    missing, lower, upper = box.missing.copy(), box.lower.copy(), box.upper.copy()
    missing[f], lower[f], upper[f] = False, n_cells, -1
    return replace(box, missing=missing), replace(box, lower=lower, upper=upper)


def _find_in_intervals(
    cells: ForestCells, box: Box, leaves: np.ndarray, margins: np.ndarray, bound: int, budget: int
) -> Answer:
    """Look for a low point in a box whose columns are known or missing, not either."""
    free = np.flatnonzero(box.lower < box.upper)
    first, last = box.lower[free].astype(np.int32), box.upper[free].astype(np.int32)
    lower, upper, tree, margin = _inside(
        cells.lower, cells.upper, cells.forest.leaf_start, leaves, margins, free, first, last
    )
    first_cell = renumber(lower, upper, first, last)
    status, n_boxes, place = search(lower, upper, tree, margin, first, last, bound, budget)
    point = np.where(box.lower > box.upper, -1, box.lower)
    point[free] = first_cell[np.arange(free.size), place]
    return Answer(status, point if status == FOUND else None, n_boxes)


@njit(cache=True, nogil=True)
def _inside(lower, upper, leaf_start, leaves, margins, columns, first, last):
    """Return the part of each leaf inside the box, as two arrays of shape (n_columns, n_parts), its tree and margin.

    Neighbours of one tree and one margin, such as leaves that differ in other labels only, become one part.
    """
    lows, highs = np.empty((2, leaves.size, columns.size), np.int32)
    trees, margin, n, tree = np.empty(leaves.size, np.int64), np.empty(leaves.size, np.int64), 0, 0
    for leaf in leaves:
        while leaf_start[tree + 1] <= leaf:
            tree += 1
        for g in range(columns.size):
            lows[n, g] = max(lower[leaf, columns[g]], first[g])
            highs[n, g] = min(upper[leaf, columns[g]], last[g])
        trees[n], margin[n] = tree, margins[leaf]
        n += 1
        # Leaves come in the order of the tree, so that siblings stand next to each other once both are whole.
        while n > 1 and trees[n - 2] == tree and margin[n - 2] == margin[n - 1] and _unite(lows, highs, n - 2, n - 1):
            n -= 1
    return lows[:n].T.copy(), highs[:n].T.copy(), trees[:n].copy(), margin[:n].copy()


@njit(inline="always")
def _unite(lower, upper, i, k):
    """Make part i the union of two parts if that is a box, that is if they differ in one column and touch there."""
    n_different, f = 0, 0
    for g in range(lower.shape[1]):
        if lower[i, g] != lower[k, g] or upper[i, g] != upper[k, g]:
            n_different, f = n_different + 1, g
            if n_different == 2:
                break
    if n_different != 1 or (lower[k, f] != upper[i, f] + 1 and lower[i, f] != upper[k, f] + 1):
        return False
    lower[i, f], upper[i, f] = min(lower[i, f], lower[k, f]), max(upper[i, f], upper[k, f])
    return True
