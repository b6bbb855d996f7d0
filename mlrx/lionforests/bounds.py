"""Lower bounds for the sum of margins over a box, and what follows from them: where to shrink and to split it.

In all of this, `leaves` lists leaves tree by tree, those of the k-th tree from ``begins[k]`` to ``begins[k + 1] - 1``;
leaf i spans the cells ``lower[f, i]`` to ``upper[f, i]`` of column f, and the box those from ``a[f]`` to ``b[f]``.
"""

from __future__ import annotations

import numpy as np
from numba import njit

HUGE = np.iinfo(np.int64).max
# Prices on the cells of one column, and places where it may be cut: those of a wide one are taken in blocks.
MAX_PRICES, MAX_CUTS = 16, 64


@njit(cache=True, nogil=True)
def least_sum(leaf_start, leaves, margins):
    """Return the additive bound: the sum over trees of the least margin among the given leaves.

    Parameters
    ----------
    leaf_start : ndarray of int64 of shape (n_trees + 1,)
    leaves : ndarray of int64
        Ascending, at least one of each tree.
    margins : ndarray of int64 of shape (n_leaves,)
    """
    total, k = 0, 0
    for end in leaf_start[1:]:
        least = margins[leaves[k]]
        while k < leaves.size and leaves[k] < end:
            least = min(least, margins[leaves[k]])
            k += 1
        total += least
    return total


@njit(cache=True, nogil=True)
def share_out(leaves, begins, n_active, lower, upper, margin, a, b, cost, least, shares, parts):
    """Raise the additive bound: let the trees agree, column by column, on what each cell costs them.

    A price on the cells of a column, paid by some trees and received by others, changes no sum at any point. Prices are
    such that each tree's least margin over the leaves at a cell becomes the mean of the trees that the column parts:
    one round of block-coordinate ascent on the dual of the linear relaxation (min-sum diffusion). Cells of a wide
    column share a price with their neighbours. `cost` receives the margins with prices, each leaf's price being the
    lowest of its cells; what a tree pays for every leaf is left out, so that only leaves that the column parts change.
    `least` receives the leaf of least cost of each tree. `shares` and `parts` are room to work in. Returns the bound.
    """
    for k in range(begins[0], begins[n_active]):
        cost[leaves[k]] = margin[leaves[k]]
    total, bound = np.empty(MAX_PRICES, np.int64), 0
    ends = np.empty(n_active, np.int64)
    for f in range(a.size):
        if a[f] == b[f]:
            continue
        shift = _shift(b[f] - a[f], MAX_PRICES)
        n_prices = ((b[f] - a[f]) >> shift) + 1
        total[:] = 0
        n_parted, n_parts = 0, 0
        for t in range(n_active):
            begin, whole = n_parts, HUGE
            for k in range(begins[t], begins[t + 1]):
                i = np.uintp(leaves[k])  # without a sign there is no check for counting from the end
                is_part = (lower[f, i] > a[f]) | (upper[f, i] < b[f])
                parts[n_parts] = i
                n_parts += is_part
                whole = min(whole, HUGE if is_part else cost[i])
            if n_parts > begin:
                _least_of_cells(
                    parts, begin, n_parts, lower, upper, f, a[f], b[f], shift, n_prices, cost, whole, shares, n_parted
                )
                for c in range(n_prices):
                    total[c] += shares[n_parted, c]
                ends[n_parted] = n_parts
                n_parted += 1
        for c in range(n_prices if n_parted else 0):
            total[c] //= n_parted  # rounded down: the prices sum to no more than 0
        begin = 0
        for row in range(n_parted):
            lowest = HUGE
            for c in range(n_prices):
                shares[row, c] = total[c] - shares[row, c]
                lowest = min(lowest, shares[row, c])
            bound += lowest
            _pay(parts, begin, ends[row], lower, upper, f, a[f], b[f], shift, shares, row, lowest, cost)
            begin = ends[row]
    for t in range(n_active):
        best = leaves[begins[t]]
        for k in range(begins[t], begins[t + 1]):
            if cost[leaves[k]] < cost[best]:
                best = leaves[k]
        least[t] = best
        bound += cost[best]
    return bound


# No slices of arrays in what follows: making one costs as much as the loop over it.
@njit(inline="always")
def _least_of_cells(parts, begin, end, lower, upper, f, first, last, shift, n_prices, cost, whole, least, row):
    """Find the least cost of a tree at each price of column f: of some leaves, and of those that it does not part."""
    for c in range(n_prices):
        least[row, c] = whole
    for k in range(begin, end):
        i = parts[k]
        for c in range(max(lower[f, i] - first, 0) >> shift, ((min(upper[f, i], last) - first) >> shift) + 1):
            least[row, c] = min(least[row, c], cost[i])


@njit(inline="always")
def _pay(parts, begin, end, lower, upper, f, first, last, shift, price, row, lowest, cost):
    """Add to the cost of some leaves how far the lowest price among their cells is above that of all cells."""
    for k in range(begin, end):
        i, paid = parts[k], HUGE
        for c in range(max(lower[f, i] - first, 0) >> shift, ((min(upper[f, i], last) - first) >> shift) + 1):
            paid = min(paid, price[row, c])
        cost[i] += paid - lowest


@njit(cache=True, nogil=True)
def gains_of_parts(leaves, begins, n_active, lower, upper, cost, a, b, least, low_gain, high_gain):
    """Find how far the bound rises on each part of the box that a cut makes.

    The cells of a wide column are taken in blocks of ``2 ** shift``, see `_shift`: ``low_gain[f, c]`` is for the first
    c + 1 blocks, ``high_gain[f, c]`` for the last c + 1. Only trees whose leaf of least cost is outside gain anything.
    """
    room = np.empty(MAX_CUTS, np.int64)
    low_gain[:], high_gain[:] = 0, 0
    for f in range(a.size):
        shift = _shift(b[f] - a[f], MAX_CUTS)
        last = (b[f] - a[f]) >> shift
        for t in range(n_active):
            i = least[t]
            width = max(lower[f, i] - a[f], 0) >> shift
            if width > 0:
                for c in range(width):
                    room[c] = HUGE
                for k in range(begins[t], begins[t + 1]):
                    c = max(lower[f, leaves[k]] - a[f], 0) >> shift
                    if c < width:
                        room[c] = min(room[c], cost[leaves[k]])
                _add_running_minimum(room, width, cost[i], low_gain, f)
            width = last - ((min(upper[f, i], b[f]) - a[f]) >> shift)
            if width > 0:
                for c in range(width):
                    room[c] = HUGE
                for k in range(begins[t], begins[t + 1]):
                    c = last - ((min(upper[f, leaves[k]], b[f]) - a[f]) >> shift)
                    if c < width:
                        room[c] = min(room[c], cost[leaves[k]])
                _add_running_minimum(room, width, cost[i], high_gain, f)


@njit(inline="always")
def _shift(width, most):
    """Return the power of 2 of cells in a block, so that there are at most so many blocks."""
    shift = 0
    while width >> shift >= most:
        shift += 1
    return shift


@njit(inline="always")
def _add_running_minimum(room, width, start, gain, f):
    least = HUGE
    for c in range(width):
        least = min(least, room[c])
        gain[f, c] += least - start


@njit(cache=True, nogil=True)
def shrink(a, b, low_gain, high_gain, deficit, changed):
    """Take from the box the parts whose bound rises by more than the deficit; tell whether there are any.

    Nothing is left, ``a > b`` in some column, where the parts from both sides overlap.
    """
    changed[:] = False
    for f in range(a.size):
        shift = _shift(b[f] - a[f], MAX_CUTS)
        last, c, d = (b[f] - a[f]) >> shift, 0, 0
        while c < last and low_gain[f, c] > deficit:
            c += 1
        while d < last and high_gain[f, d] > deficit:
            d += 1
        changed[f] = c + d > 0
        if d > 0:
            b[f] = a[f] + ((last + 1 - d) << shift) - 1
        a[f] += c << shift
    return changed.any()


@njit(cache=True, nogil=True)
def common_cell(lower, upper, a, least, n_active):
    """Return a column in which two of the trees' smallest leaves do not meet, -1 for none, and their greatest corner.

    Without such a column the corner is in all of them.
    """
    parted, corner = -1, a.copy()
    for f in range(a.size):
        end = HUGE
        for k in range(n_active):
            corner[f], end = max(corner[f], lower[f, least[k]]), min(end, upper[f, least[k]])
        if corner[f] > end:
            parted = f
    return parted, corner


@njit(cache=True, nogil=True)
def best_split(a, b, low_gain, high_gain):
    """Return the column and the cut whose weaker part gains most, and whether the low part gains less."""
    best, best_f, best_cut, low_side = 0.0, -1, 0, False
    for f in range(a.size):
        shift = _shift(b[f] - a[f], MAX_CUTS)
        last = (b[f] - a[f]) >> shift
        for c in range(last):
            low, high = low_gain[f, c], high_gain[f, last - 1 - c]
            score = min(low, high) + 1e-3 * (low + high)
            if score > best:
                best, best_f, best_cut, low_side = score, f, a[f] + ((c + 1) << shift), low < high
    return best_f, best_cut, low_side
