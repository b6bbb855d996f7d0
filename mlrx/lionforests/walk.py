"""Counterexamples near a row: points that lose a target and differ from the row in few columns.

A walk knows for each leaf in how many columns the point is outside it, and the sum of their numbers: where there is
one such column, the sum names it, and changing that column alone can bring the point in.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numba import njit

from .cells import ForestCells


class Walker:
    """Walks from a row to points at which a target is lost.

    Parameters
    ----------
    cells : ForestCells
    place : ndarray of int64 of shape (n_features,)
        The row's cells, -1 for missing.
    margins : sequence of ndarray of int64 of shape (n_leaves,)
        Margins of each target.

    Notes
    -----
    Holds for each leaf the columns in which the row is outside, a bit each: so it takes a moment to list the leaves
    that points which differ from the row in some columns only can be in.
    """

    def __init__(self, cells: ForestCells, place: np.ndarray, margins: Sequence[np.ndarray]) -> None:
        self._place, self._bound = place, cells.tie_bound
        self._tables = cells.lower, cells.upper, cells.missing
        self._away, self._count, self._which = _outside(place, *self._tables)
        at_place = self._count == 0
        self._targets = sorted(margins, key=lambda target: target[at_place].sum())  # those most in danger first
        self._offset = np.concatenate([[0], np.cumsum(cells.n_cells + 1)])

    def walk(self, is_free: np.ndarray) -> np.ndarray | None:
        """Change free columns one by one, to known values, the steepest change first, until a target is lost.

        Parameters
        ----------
        is_free : ndarray of bool of shape (n_features,)

        Returns
        -------
        ndarray of int64 of shape (n_features,) or None
            Cells at which a target is lost; None when no walk leads there, which proves nothing.

        Notes
        -----
        A step looks at each leaf twice and at each cell once; no more steps than free columns for each target.
        """
        leaves, free = _away_only(self._away, is_free), np.flatnonzero(is_free)
        near = self._count[leaves], self._which[leaves]
        for target in self._targets:
            point, count, which = self._place.copy(), near[0].copy(), near[1].copy()
            if _walk(point, count, which, free, leaves, *self._tables, target, self._offset, self._bound):
                return point
        return None

    def set_back(self, point: np.ndarray, units: Sequence[np.ndarray]) -> np.ndarray:
        """Set columns of a counterexample back to the row's cells, unit by unit, as long as a target stays lost.

        Parameters
        ----------
        point : ndarray of int64 of shape (n_features,)
        units : sequence of ndarray of int64
            Columns that are set back together, in order; they hold all in which the point differs from the row.

        Returns
        -------
        ndarray of int64 of shape (n_features,)
            A counterexample that differs from the row in fewer units, or in the same.
        """
        leaves = _away_only(self._away, point != self._place)
        count, which = self._count[leaves], self._which[leaves]
        point, targets = point.copy(), [target[leaves] for target in self._targets]
        for f in np.flatnonzero(point != self._place):
            _move(count, which, f, self._place[f], point[f], leaves, *self._tables)
        for columns in units:
            for f in columns:
                _move(count, which, f, point[f], self._place[f], leaves, *self._tables)
            if any(_sum_inside(count, target) <= self._bound for target in targets):
                point[columns] = self._place[columns]
            else:
                for f in columns:
                    _move(count, which, f, self._place[f], point[f], leaves, *self._tables)
        return point


@njit(inline="always")
def _is_inside(leaf, f, cell, lower, upper, missing):
    return missing[leaf, f] if cell < 0 else (lower[leaf, f] <= cell) & (cell <= upper[leaf, f])


@njit(cache=True, nogil=True)
def _outside(place, lower, upper, missing):
    """Return for each leaf the columns in which it does not hold the row: as bits, their number, and their sum."""
    away = np.zeros((lower.shape[0], (place.size + 63) // 64), np.uint64)
    count, which = np.zeros(lower.shape[0], np.int16), np.zeros(lower.shape[0], np.int32)
    for leaf in range(count.size):
        n, total = 0, 0
        for f in range(place.size):
            # No branch, which would be mispredicted half the time.
            outside = 1 - _is_inside(leaf, f, place[f], lower, upper, missing)
            away[leaf, f >> 6] |= np.uint64(outside) << np.uint64(f & 63)
            n += outside
            total += outside * f
        count[leaf], which[leaf] = n, total
    return away, count, which


@njit(cache=True, nogil=True)
def _away_only(away, is_free):
    """Return the leaves that hold the row in all columns but the free ones."""
    kept = np.zeros(away.shape[1], np.uint64)
    for f in range(is_free.size):
        if not is_free[f]:
            kept[f // 64] |= np.uint64(1) << np.uint64(f % 64)
    leaves, n = np.empty(away.shape[0], np.int64), 0
    for leaf in range(away.shape[0]):
        is_near = True
        for word in range(kept.size):
            is_near &= away[leaf, word] & kept[word] == 0
        if is_near:
            leaves[n] = leaf
            n += 1
    return leaves[:n].copy()


@njit(cache=True, nogil=True)
def _move(count, which, f, old, new, leaves, lower, upper, missing):
    """Keep the counts when column f goes from one cell to another."""
    for k in range(leaves.size):
        was = _is_inside(leaves[k], f, old, lower, upper, missing)
        now = _is_inside(leaves[k], f, new, lower, upper, missing)
        if was != now:
            count[k] += 1 if was else -1
            which[k] += f if was else -f


@njit(cache=True, nogil=True)
def _sum_inside(count, margins):
    total = 0
    for k in range(count.size):
        if count[k] == 0:
            total += margins[k]
    return total


@njit(cache=True, nogil=True)
def _walk(point, count, which, free, leaves, lower, upper, missing, margins, offset, bound):
    """Change the point in place; tell whether its sum of margins came down to the bound.

    The sum is known at all cells of a column after one look at the leaves, those that hold the point and those that
    hold it in all other columns. `change` has the differences between neighbouring cells.
    """
    change = np.empty(offset[-1], np.int64)
    for _ in range(free.size + 1):
        change[:], total = 0, 0
        for k in range(count.size):
            leaf = leaves[k]
            if count[k] == 0:
                total += margins[leaf]
                for f in free:  # what is lost beyond the leaf's sides
                    if lower[leaf, f] > 0:
                        change[offset[f]] -= margins[leaf]
                        change[offset[f] + lower[leaf, f]] += margins[leaf]
                    if upper[leaf, f] + 1 < offset[f + 1] - offset[f] - 1:
                        change[offset[f] + upper[leaf, f] + 1] -= margins[leaf]
            elif count[k] == 1:
                f = which[k]
                if lower[leaf, f] <= upper[leaf, f]:
                    change[offset[f] + lower[leaf, f]] += margins[leaf]
                    change[offset[f] + upper[leaf, f] + 1] -= margins[leaf]
        if total <= bound:
            return True
        best, best_f, best_cell = total, -1, 0
        for f in free:
            value = total
            for c in range(offset[f + 1] - offset[f] - 1):
                value += change[offset[f] + c]
                if value < best:
                    best, best_f, best_cell = value, f, c
        if best_f < 0:
            return False
        _move(count, which, best_f, point[best_f], best_cell, leaves, lower, upper, missing)
        point[best_f] = best_cell
    return False
