"""Making a proven box larger: rows near by are taken in, and sides of intervals moved outwards."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from .cells import Box, ForestCells
from .oracle import ABOVE, find_lost_target, meeting_leaves
from .reach import Reach

# Steps of the bisection of one side.
MAX_STEPS = 6
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
    cells: ForestCells, box: Box, columns: Sequence[int], margins: Sequence[np.ndarray], budget: int
) -> tuple[Box, int]:
    """Move each side of the intervals of some columns outwards by bisection, as long as all targets are proven.

    Parameters and returns are those of `take_in_rows`. A column never becomes wholly free: leaving it out was tried
    before.
    """
    reach, n_boxes = Reach(cells, box, [[f] for f in columns]), 0
    for unit, f in enumerate(columns):
        if reach.box.lower[f] > reach.box.upper[f]:
            n_boxes += _allow_known(reach, unit, f, margins, budget)
        if reach.box.lower[f] <= reach.box.upper[f]:
            for side in ("lower", "upper"):
                n_boxes += _widen_side(reach, unit, f, side, margins, budget)
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


def _widen_side(reach: Reach, unit: int, f: int, side: str, margins: Sequence[np.ndarray], budget: int) -> int:
    """Move one side of the interval of column f to the farthest end that bisection finds proven."""
    last = reach.cells.n_cells[f] - 1
    lower, upper = int(reach.box.lower[f]), int(reach.box.upper[f])
    good = lower if side == "lower" else upper
    goal, direction = (0, -1) if side == "lower" else (last, 1)
    if (side == "lower" and upper == last) or (side == "upper" and lower == 0):
        goal -= direction  # all cells would be the column left out
    n_boxes, step = 0, abs(goal - good)
    for _ in range(MAX_STEPS):
        if step <= 0:
            break
        box = _with_end(reach.box, f, side, good + direction * step)
        answer = find_lost_target(reach.cells, box, reach.with_unit(unit, box), margins, budget)
        n_boxes += answer.n_boxes
        if answer.status == ABOVE:
            reach.grow(unit, box)
            good += direction * step
            step = min(step // 2, abs(goal - good))
        else:
            step //= 2
    return n_boxes


def _with_end(box: Box, f: int, side: str, cell: int) -> Box:
    ends = getattr(box, side).copy()
    ends[f] = cell
    return replace(box, **{side: ends})
