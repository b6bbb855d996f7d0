"""Counterexamples near a row: walks that change few columns, and the units that such a point must differ in."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numba import njit

from .cells import ForestCells


def walk(
    cells: ForestCells, place: np.ndarray, free: np.ndarray, leaves: np.ndarray, margins: Sequence[np.ndarray]
) -> np.ndarray | None:
    """Walk from a row towards low sums of margins, one column at a time, the steepest change first.

    Parameters
    ----------
    cells : ForestCells
    place : ndarray of int64 of shape (n_features,)
        The row's cells, -1 for missing.
    free : ndarray of int64
        Columns that may change, to any known value.
    leaves : ndarray of int64
        Leaves that hold the row in all other columns.
    margins : sequence of ndarray of int64 of shape (n_leaves,)
        Margins of each target.

    Returns
    -------
    ndarray of int64 of shape (n_features,) or None
        Cells at which a target is lost; None when no walk leads there, which proves nothing.

    Notes
    -----
    One look at the leaves and the cells a step, and at most one step a column and target.
    """
    offset = np.concatenate([[0], np.cumsum(cells.n_cells + 1)])
    at_place = cells.leaves_at(place)
    for target in sorted(margins, key=lambda target: target[at_place].sum()):
        point = place.copy()
        if _walk(point, free, leaves, cells.lower, cells.upper, cells.missing, target, offset, cells.tie_bound):
            return point
    return None


def needed_differences(
    cells: ForestCells,
    unit_of: np.ndarray,
    place: np.ndarray,
    point: np.ndarray,
    leaves: np.ndarray,
    margins: Sequence[np.ndarray],
) -> list[np.ndarray]:
    """Find units in which a counterexample must differ from the row, so that a target stays lost.

    Parameters
    ----------
    cells, place, margins
        As in `walk`.
    unit_of : ndarray of int64 of shape (n_features,)
        The unit of each column.
    point : ndarray of int64 of shape (n_features,)
        Cells at which a target is lost.
    leaves : ndarray of int64
        At least all that hold the row or the point, whichever, in each column.

    Returns
    -------
    list of ndarray
        Two sets of units: units are set back one by one, as long as a target stays lost, from the last one and from
        the first. The row changed in such a set alone loses a target.
    """
    tables = cells.lower, cells.upper, cells.missing
    leaves = _holding_either(leaves, place, point, *tables)
    differing = np.flatnonzero(place != point)
    order = np.unique(unit_of[differing])
    unit_of = np.searchsorted(order, unit_of[differing])
    targets = np.array([target[leaves] for target in margins])
    args = differing, unit_of, place, point, leaves, *tables, targets, cells.tie_bound
    found = [_set_back(one, *args) for one in (np.arange(order.size)[::-1], np.arange(order.size))]
    return [order[left] for left in found]


@njit(inline="always")
def _holds(leaf, f, cell, lower, upper, missing):
    return missing[leaf, f] if cell < 0 else lower[leaf, f] <= cell <= upper[leaf, f]


@njit(cache=True, nogil=True)
def _walk(point, free, leaves, lower, upper, missing, margins, offset, bound):
    """Change the point in place; tell whether its sum of margins came down to the bound.

    The sum is known at all cells of a column after one look at the leaves: those that hold the point in all other
    columns add their margin to an interval. `change` has the differences between neighbouring cells.
    """
    change = np.empty(offset[-1], np.int64)
    for _ in range(free.size + 1):
        change[:], total = 0, 0
        for leaf in leaves:
            outside, n_outside = -1, 0
            for f in free:
                if not _holds(leaf, f, point[f], lower, upper, missing):
                    outside = f
                    n_outside += 1
                    if n_outside == 2:
                        break
            if n_outside == 0:
                total += margins[leaf]
                for f in free:
                    _add(change, offset[f], lower[leaf, f], upper[leaf, f], margins[leaf])
            elif n_outside == 1:
                _add(change, offset[outside], lower[leaf, outside], upper[leaf, outside], margins[leaf])
        if total <= bound:
            return True
        best, best_f, best_cell = total, -1, 0
        for f in free:
            value = 0
            for c in range(offset[f + 1] - offset[f] - 1):
                value += change[offset[f] + c]
                if value < best:
                    best, best_f, best_cell = value, f, c
        if best_f < 0:
            return False
        point[best_f] = best_cell
    return False


@njit(inline="always")
def _add(change, offset, first, last, margin):
    if first <= last:
        change[offset + first] += margin
        change[offset + last + 1] -= margin


@njit(cache=True, nogil=True)
def _holding_either(leaves, place, point, lower, upper, missing):
    """Return those of some leaves that hold one of two points, or both, in each column."""
    holding, n = np.empty(leaves.size, np.int64), 0
    for leaf in leaves:
        holds = True
        for f in range(place.size):
            if not (
                _holds(leaf, f, place[f], lower, upper, missing) or _holds(leaf, f, point[f], lower, upper, missing)
            ):
                holds = False
                break
        if holds:
            holding[n] = leaf
            n += 1
    return holding[:n].copy()


@njit(cache=True, nogil=True)
def _set_back(order, columns, unit_of, place, point, leaves, lower, upper, missing, margins, bound):
    """Set units of the point back to the row's cells, in order, as long as a target stays lost; return those left."""
    at_place, at_point = np.zeros((2, leaves.size, order.size), np.int8)
    n_outside = np.zeros(leaves.size, np.int32)
    for k in range(leaves.size):
        for g, f in enumerate(columns):
            at_place[k, unit_of[g]] |= not _holds(leaves[k], f, place[f], lower, upper, missing)
            at_point[k, unit_of[g]] |= not _holds(leaves[k], f, point[f], lower, upper, missing)
        n_outside[k] = at_point[k].sum()
    left, n = np.empty(order.size, np.int64), 0
    for unit in order:
        sums = np.zeros(len(margins), np.int64)
        for k in range(leaves.size):
            n_outside[k] += at_place[k, unit] - at_point[k, unit]
            if n_outside[k] == 0:
                sums += margins[:, k]
        if sums.min() > bound:
            for k in range(leaves.size):
                n_outside[k] -= at_place[k, unit] - at_point[k, unit]
            left[n] = unit
            n += 1
    return left[:n].copy()
