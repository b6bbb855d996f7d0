"""The exact oracle: whether some point of a box brings the sum of a label's margins down to a bound.

Branch and bound. The sum over trees of the smallest margin among the leaves that meet the box bounds it from below.
Where the smallest leaves of all trees meet pairwise they have a common cell, as intervals do, so the bound is
attained: the search is complete. A column that may be known or missing is no interval; it is split into the two first.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numba import njit

from .cells import Box, ForestCells

ABOVE, FOUND, UNDECIDED = 1, 0, -1


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
    lower = np.ascontiguousarray(cells.lower[np.ix_(leaves, free)].T, dtype=np.int32)
    upper = np.ascontiguousarray(cells.upper[np.ix_(leaves, free)].T, dtype=np.int32)
    tree = np.searchsorted(cells.forest.leaf_start, leaves, side="right") - 1
    first, last = box.lower[free].astype(np.int32), box.upper[free].astype(np.int32)
    np.clip(lower, first[:, None], None, out=lower)
    np.clip(upper, None, last[:, None], out=upper)
    status, n_boxes, place = _search(lower, upper, tree, margins[leaves], first, last, bound, budget)
    point = np.where(box.lower > box.upper, -1, box.lower)
    point[free] = place
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
def _search(lower, upper, tree, margin, first, last, bound, budget):
    """Depth-first branch and bound over boxes [a, b].

    A box on the stack has its parent's list of leaves, which it narrows by the column just split, and the sum `base`
    of the trees that are constant on the parent. Lists lie one after the other in `leaves`.
    """
    n_columns, n = lower.shape
    n_trees = tree[-1] + 1
    leaves = np.empty(2 * n, np.int32)
    leaves[:n] = _by_gap(tree, margin)
    capacity, depth = 8, 1
    firsts, lasts = np.empty((capacity, n_columns), np.int32), np.empty((capacity, n_columns), np.int32)
    lists, column, bases = np.zeros((capacity, 2), np.int64), np.full(capacity, -1), np.zeros(capacity, np.int64)
    firsts[0], lasts[0], lists[0, 1] = first, last, n
    least, gap = np.empty(n_trees, np.int32), np.empty(n_trees, np.int64)
    widest = 2
    for f in range(n_columns):
        widest = max(widest, last[f] - first[f] + 2)
    below, above = np.empty(widest), np.empty(widest)
    n_boxes = 0
    while depth:
        depth -= 1
        n_boxes += 1
        if n_boxes > budget:
            return UNDECIDED, budget, first
        a, b, base = firsts[depth].copy(), lasts[depth].copy(), bases[depth]
        start, stop = lists[depth]
        if 2 * stop - start > leaves.size:
            leaves = np.append(leaves, np.empty(2 * stop, np.int32))
        stop, end, n_active, base, spread = _narrow(
            leaves, start, stop, lower, upper, tree, margin, column[depth], a, b, base, least, gap
        )
        low = base
        for k in range(n_active):
            low += margin[least[k]]
        if low > bound:
            continue
        if low + spread <= bound:
            return FOUND, n_boxes, a
        is_low, place = _greedy_point(leaves, stop, end, lower, upper, margin, a, b, base, least, n_active, bound)
        if is_low:
            return FOUND, n_boxes, place
        f, cut, low_side = _best_split(lower, upper, a, b, least, gap, n_active, below, above)
        if f < 0:
            for k in range(n_active):
                for g in range(n_columns):
                    a[g] = max(a[g], lower[g, least[k]])
            return FOUND, n_boxes, a
        if depth + 2 > capacity:
            firsts, lasts = np.concatenate((firsts, firsts)), np.concatenate((lasts, lasts))
            lists, column, bases = np.concatenate((lists, lists)), np.append(column, column), np.append(bases, bases)
            capacity *= 2
        for k in (depth, depth + 1):  # the second is looked at first: the side with more small leaves
            firsts[k], lasts[k], lists[k, 0], lists[k, 1], column[k], bases[k] = a, b, stop, end, f, base
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
def _narrow(leaves, start, stop, lower, upper, tree, margin, f, a, b, base, least, gap):
    """List the leaves that still meet the box after a split of column f, behind the parent's list.

    Trees whose margin is constant leave the list and go into `base`. Returns where the new list starts and ends, the
    number of trees in it, the new base, and the sum of their gaps; `least` and `gap` receive the leaf with the least
    margin of each tree and the difference to the greatest.
    """
    end, n_active, spread, k = stop, 0, 0, start
    while k < stop:
        t, begin, lowest, highest = tree[leaves[k]], end, -1, -1
        while k < stop and tree[leaves[k]] == t:
            i = leaves[k]
            k += 1
            if f < 0 or (lower[f, i] <= b[f] and upper[f, i] >= a[f]):
                leaves[end] = i
                end += 1
                if lowest < 0 or margin[i] < margin[lowest]:
                    lowest = i
                if highest < 0 or margin[i] > margin[highest]:
                    highest = i
        if margin[lowest] == margin[highest]:
            base += margin[lowest]
            end = begin
        else:
            least[n_active], gap[n_active] = lowest, margin[highest] - margin[lowest]
            spread += gap[n_active]
            n_active += 1
    return stop, end, n_active, base, spread


@njit(cache=True, nogil=True)
def _greedy_point(leaves, start, end, lower, upper, margin, a, b, base, least, n_active, bound):
    """Intersect the trees' smallest leaves while they meet; tell whether the sum at a point of that is low."""
    n_columns = a.size
    p, q = a.copy(), b.copy()
    for k in range(n_active):
        i, meets = least[k], True
        for f in range(n_columns):
            if lower[f, i] > q[f] or upper[f, i] < p[f]:
                meets = False
                break
        if meets:
            for f in range(n_columns):
                p[f], q[f] = max(p[f], lower[f, i]), min(q[f], upper[f, i])
    total = base
    for k in range(start, end):
        i, holds = leaves[k], True
        for f in range(n_columns):
            if lower[f, i] > p[f] or upper[f, i] < p[f]:
                holds = False
                break
        if holds:
            total += margin[i]
    return total <= bound, p


@njit(cache=True, nogil=True)
def _best_split(lower, upper, a, b, least, gap, n_active, below, above):
    """Return the column and cut that best part the trees' smallest leaves, weighted by gaps; column -1 if none does.

    The third value tells whether more of the weight lies below the cut.
    """
    best, best_f, best_cut, low_side = 0.0, -1, 0, False
    for f in range(a.size):
        width = b[f] - a[f]
        if width == 0:
            continue
        below[: width + 1] = 0
        above[: width + 2] = 0
        for k in range(n_active):
            i = least[k]
            if upper[f, i] < b[f]:
                below[upper[f, i] - a[f] + 1] += gap[k]
            if lower[f, i] > a[f]:
                above[lower[f, i] - a[f]] += gap[k]
        for c in range(1, width + 1):
            below[c] += below[c - 1]
        for c in range(width, 0, -1):
            above[c] += above[c + 1]
            if above[c] > 0 and below[c] > 0:
                score = min(below[c], above[c]) + 1e-3 * (below[c] + above[c])
                if score > best:
                    best, best_f, best_cut, low_side = score, f, a[f] + c, below[c] > above[c]
    return best_f, best_cut, low_side
