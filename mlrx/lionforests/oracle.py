"""The exact oracle: whether some point of a box brings the sum of a label's margins down to a bound.

Branch and bound. The sum over trees of the smallest margin among the leaves that meet the box bounds it from below.
Where the smallest leaves of all trees meet pairwise they have a common cell, as intervals do, so the bound is
attained: the search is complete. A column that may be known or missing is no interval; it is split into the two first.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numba import njit

from .cells import Box, ForestCells

ABOVE, FOUND, UNDECIDED = 1, 0, -1
# Prices on the cells of one column, and places where it may be cut: those of a wide one are taken in blocks.
MAX_PRICES, MAX_CUTS = 16, 64
# A walk to lower sums, from the first box and then from one in so many, finds nearly all low points there are.
DESCENT_STEPS, DESCENT_EVERY = 20, 16
HUGE = np.iinfo(np.int64).max


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
        answer = find_low_point(cells, part, left, margins, bound, budget - n_boxes)
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
    lower, upper = _inside(cells.lower, cells.upper, leaves, free, first, last)
    tree = np.searchsorted(cells.forest.leaf_start, leaves, side="right") - 1
    first_cell = _renumber(lower, upper, first, last)
    status, n_boxes, place = _search(lower, upper, tree, margins[leaves], first, last, bound, budget)
    point = np.where(box.lower > box.upper, -1, box.lower)
    point[free] = first_cell[np.arange(free.size), place]
    return Answer(status, point if status == FOUND else None, n_boxes)


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
def _inside(lower, upper, leaves, columns, first, last):
    """Return the part of each leaf inside the box, as two arrays of shape (n_columns, n_leaves)."""
    lows, highs = np.empty((2, columns.size, leaves.size), np.int32)
    for k in range(leaves.size):
        for g in range(columns.size):
            lows[g, k] = max(lower[leaves[k], columns[g]], first[g])
            highs[g, k] = min(upper[leaves[k], columns[g]], last[g])
    return lows, highs


@njit(cache=True, nogil=True)
def _renumber(lower, upper, first, last):
    """Renumber the cells from 0, in place, so that only those are told apart that some leaf tells apart.

    Returns the first old cell of each new one, of shape (n_columns, n_cells).
    """
    n_columns, n = lower.shape
    widest = 1
    for f in range(n_columns):
        widest = max(widest, last[f] - first[f] + 1)
    first_cell, number = np.zeros((n_columns, widest), np.int64), np.empty(widest, np.int32)
    for f in range(n_columns):
        start, width = first[f], last[f] - first[f] + 1
        number[:width] = 0
        for i in range(n):
            number[lower[f, i] - start] = 1
            if upper[f, i] < last[f]:
                number[upper[f, i] + 1 - start] = 1
        number[0], count = 0, 0
        first_cell[f, 0] = start
        for c in range(width):
            count += number[c]
            if number[c]:
                first_cell[f, count] = start + c
            number[c] = count
        for i in range(n):
            lower[f, i], upper[f, i] = number[lower[f, i] - start], number[upper[f, i] - start]
        first[f], last[f] = 0, count
    return first_cell


@njit(cache=True, nogil=True)
def _search(lower, upper, tree, margin, first, last, bound, budget):
    """Depth-first branch and bound over boxes [a, b].

    A box on the stack has its parent's list of leaves, still to be narrowed by the column just split, and the sum
    `base` of the trees that are constant on the parent. Lists lie one after the other in `leaves`.
    """
    n_columns, n = lower.shape
    leaves = np.empty(2 * n, np.int32)
    leaves[:n] = _by_gap(tree, margin)
    capacity, depth = 8, 1
    firsts, lasts = np.empty((capacity, n_columns), np.int32), np.empty((capacity, n_columns), np.int32)
    lists, column, bases = np.zeros((capacity, 2), np.int64), np.full(capacity, -1), np.zeros(capacity, np.int64)
    firsts[0], lasts[0], lists[0, 1] = first, last, n
    least = np.empty(tree[-1] + 1, np.int32)
    widest = 2
    for f in range(n_columns):
        widest = max(widest, last[f] - first[f] + 1)
    low_gain, high_gain = np.empty((2, n_columns, MAX_CUTS), np.int64)
    change = np.empty((n_columns, widest + 1), np.int64)
    changed, is_parted = np.zeros(n_columns, np.bool_), np.empty((n_columns, least.size), np.bool_)
    begins, cost, shares = (
        np.empty(least.size + 1, np.int64),
        np.empty(n, np.int64),
        np.empty((least.size, MAX_PRICES), np.int64),
    )
    n_boxes = 0
    while depth:
        depth -= 1
        a, b, base = firsts[depth].copy(), lasts[depth].copy(), bases[depth]
        start, stop = lists[depth]
        if 2 * stop - start > leaves.size:
            leaves = np.append(leaves, np.empty(2 * stop, np.int32))
        changed[:] = False
        if column[depth] >= 0:
            changed[column[depth]] = True
        begin, f = stop, 0
        while True:  # until the box gets no smaller
            n_boxes += 1
            if n_boxes > budget:
                return UNDECIDED, budget, first
            stop, n_active, base, spread = _narrow(
                leaves, start, stop, begin, lower, upper, tree, margin, changed, a, b, base, least, begins
            )
            start = begin
            low = base
            for k in range(n_active):
                low += margin[least[k]]
            if low > bound:
                f = -1
                break
            if low + spread <= bound:
                return FOUND, n_boxes, a
            place = _greedy_point(lower, upper, a, b, least, n_active)
            n_steps = DESCENT_STEPS if n_boxes % DESCENT_EVERY == 1 else 0
            if _descend(leaves, start, stop, lower, upper, margin, a, b, base, place, change, n_steps) <= bound:
                return FOUND, n_boxes, place
            parted, middle = _common_cell(lower, upper, a, least, n_active)
            if parted < 0:
                return FOUND, n_boxes, middle
            low = base + _share_out(
                leaves, begins, n_active, lower, upper, margin, a, b, cost, least, shares, is_parted
            )
            if low > bound:
                f = -1
                break
            _gains(leaves, begins, n_active, lower, upper, cost, a, b, least, low_gain, high_gain)
            if not _shrink(a, b, low_gain, high_gain, bound - low, changed):
                break
            if (a > b).any():
                f = -1
                break
        if f < 0:
            continue
        f, cut, low_side = _best_split(a, b, low_gain, high_gain)
        if f < 0:  # no part gains anything: the trees have other leaves that are as small
            f, cut = parted, middle[parted]
        if depth + 2 > capacity:
            firsts, lasts = np.concatenate((firsts, firsts)), np.concatenate((lasts, lasts))
            lists, column, bases = np.concatenate((lists, lists)), np.append(column, column), np.append(bases, bases)
            capacity *= 2
        for k in (depth, depth + 1):  # the second is looked at first: the side with the lower bound
            firsts[k], lasts[k], lists[k, 0], lists[k, 1], column[k], bases[k] = a, b, start, stop, f, base
            if (k == depth) != low_side:
                lasts[k, f] = cut - 1
            else:
                firsts[k, f] = cut
        depth += 2
    return ABOVE, n_boxes, first


@njit(cache=True, nogil=True)
def _by_gap(tree, margin):
    """Return the leaves tree by tree, those trees first whose margins differ most."""
    starts = np.append(np.flatnonzero(np.append(np.array([True]), tree[1:] != tree[:-1])), tree.size)
    gaps = np.empty(starts.size - 1, np.int64)
    for t in range(gaps.size):
        own = margin[starts[t] : starts[t + 1]]
        gaps[t] = own.min() - own.max()
    order, n = np.empty(tree.size, np.int32), 0
    for t in np.argsort(gaps):
        for i in range(starts[t], starts[t + 1]):
            order[n] = i
            n += 1
    return order


@njit(cache=True, nogil=True)
def _narrow(leaves, start, stop, begin, lower, upper, tree, margin, changed, a, b, base, least, begins):
    """List at `begin` those of the leaves from `start` to `stop` that meet the box in the columns that changed.

    Trees whose margin is constant leave the list and go into `base`. Returns where the new list ends, the number of
    trees in it, the new base, and how far their margins spread in sum; `least` receives the leaf with the least
    margin of each tree, `begins` where its leaves begin in the list.
    """
    columns = np.flatnonzero(changed)
    end, n_active, spread, k = begin, 0, 0, start
    while k < stop:
        t, own, lowest, highest = tree[leaves[k]], end, -1, -1
        while k < stop and tree[leaves[k]] == t:
            i = leaves[k]
            k += 1
            meets = True
            for f in columns:
                meets &= lower[f, i] <= b[f] and upper[f, i] >= a[f]
            if meets:
                leaves[end] = i
                end += 1
                if lowest < 0 or margin[i] < margin[lowest]:
                    lowest = i
                if highest < 0 or margin[i] > margin[highest]:
                    highest = i
        if margin[lowest] == margin[highest]:
            base += margin[lowest]
            end = own
        else:
            least[n_active], begins[n_active] = lowest, own
            spread += margin[highest] - margin[lowest]
            n_active += 1
    begins[n_active] = end
    return end, n_active, base, spread


@njit(cache=True, nogil=True)
def _greedy_point(lower, upper, a, b, least, n_active):
    """Return a point that is in many of the trees' smallest leaves: intersect them while they meet."""
    p, q = a.copy(), b.copy()
    for k in range(n_active):
        i, meets = least[k], True
        for f in range(a.size):
            if lower[f, i] > q[f] or upper[f, i] < p[f]:
                meets = False
                break
        if meets:
            for f in range(a.size):
                p[f], q[f] = max(p[f], lower[f, i]), min(q[f], upper[f, i])
    return p


@njit(cache=True, nogil=True)
def _descend(leaves, start, stop, lower, upper, margin, a, b, base, place, change, n_steps):
    """Walk to lower sums, one column at a time, in place; return the sum at the end.

    For each column the sum is known at all its cells after one look at the leaves: those that contain the point
    in all other columns add their margin to an interval. `change` holds differences between neighbouring cells.
    """
    total = base
    for step in range(n_steps + 1):
        change[:], total = 0, base
        for k in range(start, stop):
            i, outside, n_outside = leaves[k], 0, 0
            for f in range(a.size):
                if lower[f, i] > place[f] or upper[f, i] < place[f]:
                    outside = f
                    n_outside += 1
                    if n_outside == 2:
                        break
            if n_outside == 0:
                total += margin[i]
                for f in range(a.size):
                    change[f, max(lower[f, i] - a[f], 0)] += margin[i]
                    change[f, min(upper[f, i], b[f]) - a[f] + 1] -= margin[i]
            elif n_outside == 1:
                change[outside, max(lower[outside, i] - a[outside], 0)] += margin[i]
                change[outside, min(upper[outside, i], b[outside]) - a[outside] + 1] -= margin[i]
        best, best_f, best_cell = total, -1, 0
        for f in range(a.size):
            value = base
            for c in range(b[f] - a[f] + 1):
                value += change[f, c]
                if value < best:
                    best, best_f, best_cell = value, f, a[f] + c
        if best_f < 0 or step == n_steps:
            break
        place[best_f], total = best_cell, best
    return total


@njit(cache=True, nogil=True)
def _share_out(leaves, begins, n_active, lower, upper, margin, a, b, cost, least, shares, is_parted):
    """Raise the additive bound: let the trees agree, column by column, on what each cell costs them.

    A price on the cells of a column, paid by some trees and received by others, changes no sum at any point. Prices are
    such that each tree's least margin over the leaves at a cell becomes the mean of the trees that the column parts:
    one round of block-coordinate ascent on the dual of the linear relaxation (min-sum diffusion). Cells of a wide
    column share a price with their neighbours. `cost` receives the margins with prices, each leaf's price being the
    lowest of its cells; `least` the leaf of least cost of each tree. Returns the sum of these costs.
    """
    for k in range(begins[0], begins[n_active]):
        cost[leaves[k]] = margin[leaves[k]]
    _find_parted(leaves, begins, n_active, lower, upper, a, b, is_parted)
    total = np.empty(MAX_PRICES, np.int64)
    for f in range(a.size):
        shift = _shift(b[f] - a[f], MAX_PRICES)
        n_prices = ((b[f] - a[f]) >> shift) + 1
        total[:] = 0
        n_parted = 0
        for t in range(n_active):
            if is_parted[f, t]:
                _least_of_cells(
                    leaves,
                    begins[t],
                    begins[t + 1],
                    lower,
                    upper,
                    f,
                    a[f],
                    b[f],
                    shift,
                    n_prices,
                    cost,
                    shares,
                    n_parted,
                )
                for c in range(n_prices):
                    total[c] += shares[n_parted, c]
                n_parted += 1
        if n_parted == 0:
            continue
        for c in range(n_prices):
            total[c] //= n_parted  # rounded down: the prices sum to no more than 0
        n_parted = 0
        for t in range(n_active):
            if is_parted[f, t]:
                for c in range(n_prices):
                    shares[n_parted, c] = total[c] - shares[n_parted, c]
                _pay(
                    leaves,
                    begins[t],
                    begins[t + 1],
                    lower,
                    upper,
                    f,
                    a[f],
                    b[f],
                    shift,
                    n_prices,
                    shares,
                    n_parted,
                    cost,
                )
                n_parted += 1
    low = 0
    for t in range(n_active):
        best = leaves[begins[t]]
        for k in range(begins[t], begins[t + 1]):
            if cost[leaves[k]] < cost[best]:
                best = leaves[k]
        least[t] = best
        low += cost[best]
    return low


@njit(cache=True, nogil=True)
def _find_parted(leaves, begins, n_active, lower, upper, a, b, is_parted):
    """Tell which columns part which trees' leaves inside the box, in an array of shape (n_columns, n_trees)."""
    for f in range(a.size):
        is_parted[f, :n_active] = False
        if a[f] == b[f]:
            continue
        for t in range(n_active):
            for k in range(begins[t], begins[t + 1]):
                if lower[f, leaves[k]] > a[f] or upper[f, leaves[k]] < b[f]:
                    is_parted[f, t] = True
                    break


# No slices of arrays in what follows: making one costs as much as the loop over it.
@njit(inline="always")
def _least_of_cells(leaves, begin, end, lower, upper, f, first, last, shift, n_prices, cost, least, row):
    """Find the least cost of some leaves at each price of column f."""
    whole = HUGE
    for c in range(n_prices):
        least[row, c] = HUGE
    for k in range(begin, end):
        i = leaves[k]
        if lower[f, i] <= first and upper[f, i] >= last:
            whole = min(whole, cost[i])
        else:
            for c in range(max(lower[f, i] - first, 0) >> shift, ((min(upper[f, i], last) - first) >> shift) + 1):
                least[row, c] = min(least[row, c], cost[i])
    for c in range(n_prices):
        least[row, c] = min(least[row, c], whole)


@njit(inline="always")
def _pay(leaves, begin, end, lower, upper, f, first, last, shift, n_prices, price, row, cost):
    """Add to the cost of some leaves the lowest price among their cells."""
    lowest = HUGE
    for c in range(n_prices):
        lowest = min(lowest, price[row, c])
    for k in range(begin, end):
        i = leaves[k]
        paid = lowest
        if lower[f, i] > first or upper[f, i] < last:
            paid = HUGE
            for c in range(max(lower[f, i] - first, 0) >> shift, ((min(upper[f, i], last) - first) >> shift) + 1):
                paid = min(paid, price[row, c])
        cost[i] += paid


@njit(cache=True, nogil=True)
def _gains(leaves, begins, n_active, lower, upper, cost, a, b, least, low_gain, high_gain):
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
def _shrink(a, b, low_gain, high_gain, deficit, changed):
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
def _common_cell(lower, upper, a, least, n_active):
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
def _best_split(a, b, low_gain, high_gain):
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
