"""Which leaves a box reaches, kept up to date while the box grows one unit of columns at a time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numba import njit

from .cells import Box, ForestCells


class Reach:
    """The leaves that a growing box reaches, and those that it would reach were one unit larger.

    Parameters
    ----------
    cells : ForestCells
    box : Box
        Where to start.
    units : sequence of sequence of int
        Columns that grow together, disjoint.

    Attributes
    ----------
    box : Box
        The box as it is now.

    Notes
    -----
    For each leaf it holds the number of units in which the box does not meet it, and the sum of their numbers: where
    there is one such unit, the sum names it. O(n_leaves * n_features) to make, O(n_leaves) for each question.
    """

    def __init__(self, cells: ForestCells, box: Box, units: Sequence[Sequence[int]]) -> None:
        self.cells, self.box = cells, box
        self.columns = [np.array(unit, dtype=np.int64) for unit in units]
        unit_of = np.full(cells.forest.n_features, -1)
        for unit, columns in enumerate(self.columns):
            unit_of[columns] = unit
        order = np.argsort(unit_of, kind="stable")
        self._count, self._sum = _outside(order, unit_of[order], *self.tables, *_arrays(box))

    @property
    def tables(self) -> tuple[np.ndarray, ...]:
        """The leaves of the forest as `ForestCells` has them: lower, upper and missing."""
        return self.cells.lower, self.cells.upper, self.cells.missing

    def inside(self) -> np.ndarray:
        """Return the leaves that the box reaches, ascending."""
        return np.flatnonzero(self._count == 0)

    def with_unit(self, unit: int, box: Box) -> np.ndarray:
        """Return the leaves that `box` reaches, ascending; it holds the present box and differs from it in one unit."""
        return _reached(self._count, self._sum, unit, self.columns[unit], *self.tables, *_arrays(box))

    def grow(self, unit: int, box: Box) -> None:
        """Take over a box that holds the present one and differs from it in one unit."""
        _take_in(self._count, self._sum, unit, self.columns[unit], *self.tables, *_arrays(self.box), *_arrays(box))
        self.box = box

    def freed(self, unit: int) -> Box:
        """Return the box with every known value in the columns of a unit; a missing one stays where it was."""
        columns, lower, upper = self.columns[unit], self.box.lower.copy(), self.box.upper.copy()
        lower[columns], upper[columns] = 0, self.cells.n_cells[columns] - 1
        return replace(self.box, lower=lower, upper=upper)

    def bounds_when_freed(self, margins: np.ndarray) -> np.ndarray:
        """Return for each unit the additive bound of a target were the unit freed, of shape (n_units,).

        One look at the leaves: a tree's least margin is that of the leaves that are reached, or of those that only
        this unit keeps away.
        """
        return _bounds_when_freed(self.cells.forest.leaf_start, self._count, self._sum, margins, len(self.columns))


def _arrays(box: Box) -> tuple[np.ndarray, ...]:
    return box.lower, box.upper, box.missing


@njit(cache=True, nogil=True)
def _is_outside(leaf, columns, lower, upper, missing, first, last, with_missing):
    """Tell whether a leaf does not meet a box in some of the columns."""
    for f in columns:
        known = lower[leaf, f] <= last[f] and upper[leaf, f] >= first[f]
        if not (known or (with_missing[f] and missing[leaf, f])):
            return True
    return False


@njit(cache=True, nogil=True)
def _outside(columns, unit_of, lower, upper, missing, first, last, with_missing):
    """Return for each leaf the number of units that keep it away, and the sum of their numbers.

    The columns of a unit stand together. A column of no unit, -1, never grows: it counts as two.
    """
    count, total = np.zeros(lower.shape[0], np.int16), np.zeros(lower.shape[0], np.int32)
    for leaf in range(count.size):
        unit = -2
        for k in range(columns.size):
            f = columns[k]
            if unit_of[k] == unit and unit >= 0:
                continue
            if (lower[leaf, f] > last[f] or upper[leaf, f] < first[f]) and not (with_missing[f] and missing[leaf, f]):
                unit = unit_of[k]
                count[leaf] += 1 if unit >= 0 else 2
                total[leaf] += max(unit, 0)
    return count, total


@njit(cache=True, nogil=True)
def _reached(count, total, unit, columns, lower, upper, missing, first, last, with_missing):
    leaves, n = np.empty(count.size, np.int64), 0
    for leaf in range(count.size):
        if count[leaf] == 0 or (
            count[leaf] == 1
            and total[leaf] == unit
            and not _is_outside(leaf, columns, lower, upper, missing, first, last, with_missing)
        ):
            leaves[n] = leaf
            n += 1
    return leaves[:n].copy()


@njit(cache=True, nogil=True)
def _take_in(
    count, total, unit, columns, lower, upper, missing, first, last, with_missing, new_first, new_last, new_missing
):
    for leaf in range(count.size):
        if (
            count[leaf] > 0
            and _is_outside(leaf, columns, lower, upper, missing, first, last, with_missing)
            and not _is_outside(leaf, columns, lower, upper, missing, new_first, new_last, new_missing)
        ):
            count[leaf] -= 1
            total[leaf] -= unit


@njit(cache=True, nogil=True)
def _bounds_when_freed(leaf_start, count, total, margins, n_units):
    bounds, least = np.zeros(n_units, np.int64), np.empty(n_units, np.int64)
    everywhere = 0
    for t in range(leaf_start.size - 1):
        inside = np.iinfo(np.int64).max
        least[:] = inside
        for leaf in range(leaf_start[t], leaf_start[t + 1]):
            if count[leaf] == 0:
                inside = min(inside, margins[leaf])
            elif count[leaf] == 1:
                least[total[leaf]] = min(least[total[leaf]], margins[leaf])
        everywhere += inside
        for unit in range(n_units):
            bounds[unit] += min(least[unit], inside) - inside
    return everywhere + bounds
