"""Making a proven box larger: rows near by are taken in, and sides of intervals moved outwards."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numba import njit

from .cells import Box, ForestCells
from .oracle import ABOVE, FOUND, find_lost_target, meeting_leaves
from .reach import Reach

# Questions about one side for which the budget does not suffice.
MAX_UNDECIDED = 2
# Rows near by that are tried.
MAX_ROWS = 100


def take_in_rows(
    cells: ForestCells, box: Box, rows: np.ndarray, margins: Sequence[np.ndarray], budget: int
) -> tuple[Box, int]:
    """Extend a box to rows near by, one after the other, as long as all targets are proven.

    Parameters
    ----------
    cells : ForestCells
    box : Box
    rows : ndarray of int64 of shape (n_rows, n_features)
        Cells of rows. Those near by are tried: those with the fewest columns outside the box, then the fewest cells.
    margins : sequence of ndarray of int64 of shape (n_leaves,)
        Margins of each target.
    budget : int

    Returns
    -------
    box : Box
    n_boxes : int
        Boxes that the oracle looked at.
    """
    n_boxes, tried = 0, np.zeros(len(rows), dtype=bool)
    tried[(rows < 0).any(axis=1)] = True  # a rule allows a missing value only where the explained row has one
    for _ in range(MAX_ROWS):
        away = np.maximum(box.lower - rows, rows - box.upper).clip(0)
        tried |= (away == 0).all(axis=1)
        if tried.all():
            break
        distance = (away > 0).sum(axis=1) + (away / cells.n_cells).mean(axis=1)
        nearest = np.argmin(np.where(tried, np.inf, distance))
        tried[nearest] = True
        row = rows[nearest]
        larger = replace(box, lower=np.minimum(box.lower, row), upper=np.maximum(box.upper, row))
        answer = find_lost_target(cells, larger, meeting_leaves(cells, larger), margins, budget)
        n_boxes += answer.n_boxes
        if answer.status == ABOVE:
            box = larger
    return box, n_boxes


def widen(
    cells: ForestCells,
    box: Box,
    columns: Sequence[int],
    margins: Sequence[np.ndarray],
    budget: int,
    counterexamples: Sequence[np.ndarray] = (),
) -> tuple[Box, int]:
    """Move each side of the intervals of some columns outwards, as long as all targets are proven.

    Parameters and returns are those of `take_in_rows`. A column never becomes wholly free: leaving it out was tried
    before. `counterexamples` are cells at which a target is lost: no side needs to be tried beyond one that lies in the
    box in all other columns.
    """
    reach, n_boxes, lost = Reach(cells, box, [[f] for f in columns]), 0, list(counterexamples)
    for unit, f in enumerate(columns):
        if reach.box.lower[f] > reach.box.upper[f]:
            n_boxes += _allow_known(reach, unit, f, margins, budget)
        if reach.box.lower[f] <= reach.box.upper[f]:
            for side in ("lower", "upper"):
                n_boxes += _widen_side(reach, unit, side, margins, budget, lost)
    return reach.box, n_boxes


def _allow_known(reach: Reach, unit: int, f: int, margins: Sequence[np.ndarray], budget: int) -> int:
    """Take the first or the last cell of a column that must be missing, if one of them is proven."""
    n_boxes = 0
    for cell in (0, reach.cells.n_cells[f] - 1):
        box = _with_end(_with_end(reach.box, f, "lower", cell), f, "upper", cell)
        answer = find_lost_target(reach.cells, box, reach.with_unit(unit, box), margins, budget)
        n_boxes += answer.n_boxes
        if answer.status == ABOVE:
            reach.grow(unit, box)
            break
    return n_boxes


def _widen_side(
    reach: Reach, unit: int, side: str, margins: Sequence[np.ndarray], budget: int, lost: list[np.ndarray]
) -> int:
    """Move one side of the interval of a unit's column outwards; add the counterexamples found on the way to `lost`.

    First to the cell before the nearest counterexample; where the oracle cannot decide, a quarter as far.
    """
    (f,) = reach.columns[unit]
    goal, direction = (0, -1) if side == "lower" else (reach.cells.n_cells[f] - 1, 1)
    other = reach.box.upper[f] if side == "lower" else reach.box.lower[f]
    if other == reach.cells.n_cells[f] - 1 - goal:
        goal -= direction  # all cells would be the column left out
    for point in lost:
        goal = _nearer(reach, unit, side, margins, goal, point)
    n_boxes, n_undecided = 0, 0
    while n_undecided < MAX_UNDECIDED:
        end = getattr(reach.box, side)[f]
        if goal * direction <= end * direction:
            break
        box = _with_end(reach.box, f, side, goal)
        answer = find_lost_target(reach.cells, box, reach.with_unit(unit, box), margins, budget)
        n_boxes += answer.n_boxes
        if answer.status == ABOVE:
            reach.grow(unit, box)
            break
        if answer.status == FOUND:
            lost.append(answer.cells)
            goal = _nearer(reach, unit, side, margins, goal, answer.cells)
        else:
            n_undecided += 1
            goal = end + int(goal - end) // (4 * direction) * direction
    return n_boxes


def _nearer(reach: Reach, unit: int, side: str, margins: Sequence[np.ndarray], goal: int, point: np.ndarray) -> int:
    """Return the farthest end, up to the goal, that leaves out a counterexample and all like it but for this column.

    Nothing follows from a counterexample outside the present box in another column.
    """
    (f,) = reach.columns[unit]
    end, direction = getattr(reach.box, side)[f], -1 if side == "lower" else 1
    if (point[f] - end) * direction <= 0 or (goal - point[f]) * direction < 0:
        return goal
    moved = point.copy()
    moved[f] = end
    if not reach.box.holds(moved[None])[0]:
        return goal
    leaves = reach.with_unit(unit, _with_end(reach.box, f, side, point[f]))
    for target in margins:
        sums = sums_along(point, f, leaves, *reach.tables, target, reach.cells.n_cells[f])
        between = np.arange(end + direction, point[f] + direction, direction)
        is_lost = sums[between] <= reach.cells.tie_bound
        if is_lost.any():
            goal = between[is_lost.argmax()] - direction
    return goal


def _with_end(box: Box, f: int, side: str, cell: int) -> Box:
    ends = getattr(box, side).copy()
    ends[f] = cell
    return replace(box, **{side: ends})


@njit(cache=True, nogil=True)
def sums_along(point, f, leaves, lower, upper, missing, margins, n_cells):
    """Return the sum of margins at each cell of column f, the other columns being those of a point."""
    change = np.zeros(n_cells + 1, np.int64)
    for leaf in leaves:
        holds = True
        for g in range(point.size):
            c = point[g]
            if g != f and not (missing[leaf, g] if c < 0 else lower[leaf, g] <= c <= upper[leaf, g]):
                holds = False
                break
        if holds and lower[leaf, f] <= upper[leaf, f]:
            change[lower[leaf, f]] += margins[leaf]
            change[upper[leaf, f] + 1] -= margins[leaf]
    return np.cumsum(change)[:n_cells]
