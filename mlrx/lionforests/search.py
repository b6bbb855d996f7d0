"""Branch and bound for a low sum of margins, in a box of intervals."""

from __future__ import annotations

import numpy as np
from numba import njit

from .bounds import MAX_CUTS, MAX_PRICES, best_split, common_cell, gains_of_parts, share_out, shrink

ABOVE, FOUND, UNDECIDED = 1, 0, -1
# A walk to lower sums, from the first box and then from one in so many, finds nearly all low points there are.
DESCENT_STEPS, DESCENT_EVERY = 20, 16


@njit(cache=True, nogil=True)
def search(lower, upper, tree, margin, first, last, bound, budget):
    """Depth-first branch and bound over boxes [a, b].

    A box on the stack has its parent's list of leaves, still to be narrowed by the column just split, and the sum
    `base` of the trees that are constant on the parent. Lists lie one after the other in `leaves`.
    """
    n_columns, n = lower.shape
    leaves = np.empty(2 * n, np.int32)
    leaves[:n] = _by_gap(tree, margin)
    widest, n_cuts = 2, 0
    for f in range(n_columns):
        widest = max(widest, last[f] - first[f] + 1)
        n_cuts += last[f] - first[f]
    most_boxes = min(n_cuts, budget) + 2  # one box more on the stack with each cut and each box looked at
    firsts, lasts = np.empty((2, most_boxes, n_columns), np.int32)
    lists, column, bases = np.zeros((most_boxes, 2), np.int64), np.full(most_boxes, -1), np.zeros(most_boxes, np.int64)
    firsts[0], lasts[0], lists[0, 1] = first, last, n
    least, begins = np.empty(tree[-1] + 1, np.int32), np.empty(tree[-1] + 2, np.int64)
    low_gain, high_gain = np.empty((2, n_columns, MAX_CUTS), np.int64)
    change, changed = np.empty((n_columns, widest + 1), np.int64), np.zeros(n_columns, np.bool_)
    parts, cost = np.empty(n + 1, np.int32), np.empty(n, np.int64)
    shares = np.empty((least.size, MAX_PRICES), np.int64)
    depth = 1
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
            parted, middle = common_cell(lower, upper, a, least, n_active)
            if parted < 0:
                return FOUND, n_boxes, middle
            low = base + share_out(leaves, begins, n_active, lower, upper, margin, a, b, cost, least, shares, parts)
            if low > bound:
                f = -1
                break
            gains_of_parts(leaves, begins, n_active, lower, upper, cost, a, b, least, low_gain, high_gain)
            if not shrink(a, b, low_gain, high_gain, bound - low, changed):
                break
            if (a > b).any():
                f = -1
                break
        if f < 0:
            continue
        f, cut, low_side = best_split(a, b, low_gain, high_gain)
        if f < 0:  # no part gains anything: the trees have other leaves that are as small
            f, cut = parted, middle[parted]
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
        is_last = step == n_steps
        total = base
        for f in range(a.size):
            change[f, : b[f] - a[f] + 2] = 0
        for k in range(start, stop):
            i, outside, n_outside = leaves[k], 0, 0
            for f in range(a.size):
                if lower[f, i] > place[f] or upper[f, i] < place[f]:
                    outside = f
                    n_outside += 1
                    if is_last or n_outside == 2:
                        break
            if n_outside == 0:
                total += margin[i]
            if is_last:
                continue
            if n_outside == 0:
                for f in range(a.size):
                    change[f, max(lower[f, i] - a[f], 0)] += margin[i]
                    change[f, min(upper[f, i], b[f]) - a[f] + 1] -= margin[i]
            elif n_outside == 1:
                change[outside, max(lower[outside, i] - a[outside], 0)] += margin[i]
                change[outside, min(upper[outside, i], b[outside]) - a[outside] + 1] -= margin[i]
        if is_last:
            break
        best, best_f, best_cell = total, -1, 0
        for f in range(a.size):
            value = base
            for c in range(b[f] - a[f] + 1):
                value += change[f, c]
                if value < best:
                    best, best_f, best_cell = value, f, a[f] + c
        if best_f < 0:
            break
        place[best_f] = best_cell
    return total


@njit(cache=True, nogil=True)
def renumber(lower, upper, first, last):
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
