"""Shallow trees over binary items, grown for many labels at once; the paths to their nodes are candidate rules."""

from __future__ import annotations

import numpy as np
from numba import njit


@njit(cache=True, nogil=True)
def grow_tree(indptr, indices, allowed, rows, targets, min_rows):
    """Grow one tree and return the paths to its nodes.

    Parameters
    ----------
    indptr, indices : ndarray of int
        The items of each row, ascending.
    allowed : ndarray of bool of shape (2**depth - 1, n_items)
        Items that each inner node may split on; as many nodes as a tree of the wanted depth can have.
    rows : ndarray of int64 of shape (n_drawn,)
        Rows to grow on; a row may come several times. Their order changes.
    targets : ndarray of float32 of shape (n_rows, n_targets)
        What the tree is to tell apart, in squared error.
    min_rows : int
        Fewest rows on either side of a split.

    Returns
    -------
    ndarray of int32 of shape (n_nodes - 1, depth)
        For each node but the root the literals on the way to it: item + 1 where the item is there, -(item + 1) where
        it is absent, 0 behind the last.

    Notes
    -----
    O(n_drawn * items in a row * n_targets) a level.
    """
    n_inner = len(allowed)
    depth = int(np.round(np.log2(n_inner + 1)))
    paths = np.zeros((2 * n_inner + 1, depth), dtype=np.int32)
    ends = np.zeros((2 * n_inner + 1, 2), dtype=np.int64)
    levels = np.zeros(2 * n_inner + 1, dtype=np.int64)
    ends[0, 1] = rows.size
    n_nodes, node, inner = 1, 0, 0
    while node < n_nodes:
        start, end = ends[node]
        if levels[node] < depth and end - start >= 2 * min_rows:
            item = _best_item(indptr, indices, rows[start:end], targets, allowed[inner], min_rows)
            inner += 1
            if item >= 0:
                middle = start + _partition(indptr, indices, rows[start:end], item)
                for sign in (1, -1):
                    paths[n_nodes] = paths[node]
                    paths[n_nodes, levels[node]] = sign * (item + 1)
                    ends[n_nodes, 0], ends[n_nodes, 1] = (start, middle) if sign > 0 else (middle, end)
                    levels[n_nodes] = levels[node] + 1
                    n_nodes += 1
        node += 1
    return paths[1:n_nodes]


@njit(cache=True, nogil=True)
def _best_item(indptr, indices, rows, targets, allowed, min_rows):
    """Return the item whose split lowers the squared error most, -1 where none does; one pass counts every item."""
    n_targets = targets.shape[1]
    items = np.flatnonzero(allowed)
    slots = np.full(allowed.size, -1)  # sums of the items allowed lie side by side, in fast memory
    slots[items] = np.arange(items.size)
    counts, sums = np.zeros(items.size, dtype=np.int64), np.zeros((items.size, n_targets))
    total = np.zeros(n_targets)
    for row in rows:
        for k in range(n_targets):
            total[k] += targets[row, k]
        for at in range(indptr[row], indptr[row + 1]):
            slot = slots[indices[at]]
            if slot >= 0:
                counts[slot] += 1
                for k in range(n_targets):
                    sums[slot, k] += targets[row, k]
    best, best_gain = -1, 1e-9 + (total * total).sum() / rows.size
    for slot in range(items.size):
        n_in, n_out = counts[slot], rows.size - counts[slot]
        if n_in < min_rows or n_out < min_rows:
            continue
        inside, outside = 0.0, 0.0
        for k in range(n_targets):
            inside += sums[slot, k] ** 2
            outside += (total[k] - sums[slot, k]) ** 2
        gain = inside / n_in + outside / n_out
        if gain > best_gain:
            best, best_gain = items[slot], gain
    return best


@njit(cache=True, nogil=True)
def _partition(indptr, indices, rows, item):
    """Put the rows that have the item before the others; return how many have it."""
    n_with = 0
    for i in range(rows.size):
        row = rows[i]
        at = indptr[row] + np.searchsorted(indices[indptr[row] : indptr[row + 1]], item)
        if at < indptr[row + 1] and indices[at] == item:
            rows[i], rows[n_with] = rows[n_with], row
            n_with += 1
    return n_with
