"""The best antecedent of a consequent: a beam over items and their opposites, cut by an exact bound.

A literal is an item k, which holds in its rows, or ``~k`` (-1 - k), which holds in all others.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from ..bits import count, lowest_row
from .gain import gain, least_right


class Items(NamedTuple):
    """Items by rows, by packed columns, and where many are set also as a table.

    Attributes
    ----------
    indptr, indices, bits, frequencies : ndarray
        As in `BinaryTable`.
    dense : ndarray of uint8 of shape (n_rows, n_items) or (0, n_items)
    """

    indptr: np.ndarray
    indices: np.ndarray
    bits: np.ndarray
    frequencies: np.ndarray
    dense: np.ndarray


class Cells(NamedTuple):
    """The cells (row, label) of a consequent, by row.

    Attributes
    ----------
    n_right : ndarray of int32 of shape (n_rows,)
        Labels that the row has and no other rule predicts there.
    n_closed : ndarray of int32 of shape (n_rows,)
        Labels that other rules predict there.
    n_labels : int
        Labels of the consequent. The rest of them are cells that would be predicted wrongly.
    """

    n_right: np.ndarray
    n_closed: np.ndarray
    n_labels: int


class Beam(NamedTuple):
    """Antecedents in hand, at most as many as the beam is wide.

    Attributes
    ----------
    rows : ndarray of uint64 of shape (width, n_words)
        Rows of each that have an open cell.
    counts : ndarray of int32 of shape (width, 2, n_items)
        Cells right and wrong in those rows, for each item.
    totals : ndarray of int64 of shape (width, 2)
        Cells right and wrong in those rows.
    literals : ndarray of int64 of shape (width, max_conditions)
    """

    rows: np.ndarray
    counts: np.ndarray
    totals: np.ndarray
    literals: np.ndarray


@njit(cache=True, nogil=True)
def _new_beam(width, n_words, n_items, max_conditions):
    return Beam(
        np.zeros((width, n_words), np.uint64),
        np.zeros((width, 2, n_items), np.int32),
        np.zeros((width, 2), np.int64),
        np.zeros((width, max_conditions), np.int64),
    )


@njit(cache=True, nogil=True)
def search_antecedent(items, cells, price, max_conditions, width, floor):
    """Find an antecedent that gains more than `floor`.

    Parameters
    ----------
    items : Items
    cells : Cells
    price : Price
    max_conditions : int
    width : int
        Antecedents kept at each length.
    floor : float
        Gain of the antecedent in hand, which is to be surpassed.

    Returns
    -------
    literals : ndarray of int64
        In the order of choice.
    gain : float
        `floor` when nothing surpasses it; the literals are then empty, as they are for the rule without conditions.

    Notes
    -----
    An antecedent is left out when it, with any more literals, cannot surpass the best one found: that costs nothing.
    A literal and its opposite share their counts, and only the side with fewer rows is counted.
    O(max_conditions * width * (items in the rows counted + n_items + n_words)).
    """
    n_items, n_words = items.bits.shape
    beam = _new_beam(width, n_words, n_items, max_conditions)
    other = _new_beam(width, n_words, n_items, max_conditions)
    _fill_root(items, cells, beam)
    best = max(floor, gain(beam.totals[0, 0], beam.totals[0, 1], price))
    best_literals, n_best = np.empty(max_conditions, np.int64), 0
    parents, literals = np.empty(width, np.int64), np.empty(width, np.int64)
    totals, values = np.empty((width, 2), np.int64), np.empty(width)
    n_kept = np.int64(1)
    for length in range(max_conditions):
        n_kept, better = _choose(items, beam, n_kept, price, best, parents, literals, totals, values)
        if n_kept == 0:
            break
        if better >= 0:
            best, n_best = values[better], length + 1
        for k in range(n_kept):
            for place in range(length):
                other.literals[k, place] = beam.literals[parents[k], place]
            other.literals[k, length] = literals[k]
            other.totals[k, 0], other.totals[k, 1] = totals[k, 0], totals[k, 1]
            if k == better:
                for place in range(n_best):
                    best_literals[place] = other.literals[k, place]
            if length + 1 < max_conditions:
                _extend(items, cells, beam, parents[k], literals[k], other, k)
        beam, other = other, beam
    return best_literals[:n_best].copy(), best


@njit(cache=True, nogil=True)
def _fill_root(items, cells, beam):
    """Make the first antecedent of the beam the empty one.

    Rows without a right or a closed cell are not looked at: their counts follow from how frequent the items are.
    """
    n_rows = cells.n_right.size
    right, closed = beam.counts[0, 0], beam.counts[0, 1]
    sum_right = sum_closed = 0
    for i in range(n_rows):
        if cells.n_closed[i] < cells.n_labels:
            beam.rows[0, i >> 6] |= np.uint64(1) << np.uint64(i & 63)
        sum_right += cells.n_right[i]
        sum_closed += cells.n_closed[i]
        _add_row(items, i, cells.n_right[i], right)
        _add_row(items, i, cells.n_closed[i], closed)
    for item in range(right.size):
        closed[item] = cells.n_labels * items.frequencies[item] - closed[item] - right[item]
    beam.totals[0, 0] = sum_right
    beam.totals[0, 1] = cells.n_labels * n_rows - sum_closed - sum_right


@njit(cache=True, nogil=True)
def _add_row(items, i, weight, counts):
    """Add a weight to the counts of the items of row i."""
    if weight == 0:
        return
    if items.dense.shape[0]:
        row = items.dense[i]
        for item in range(row.size):
            counts[item] += weight * row[item]
    else:
        for k in range(items.indptr[i], items.indptr[i + 1]):
            counts[items.indices[k]] += weight


@njit(cache=True, nogil=True)
def _choose(items, beam, n_beam, price, best, parents, literals, totals, values):
    """Choose the longer antecedents that gain most; return their number and the place of one better than `best`."""
    n_kept, better, width = 0, -1, parents.size
    least = least_right(best, price)
    right_weight, wrong_weight = 2.0 - price.target_f1, price.target_f1
    for parent in range(n_beam):
        all_right, all_wrong = beam.totals[parent, 0], beam.totals[parent, 1]
        for item in range(beam.counts.shape[2]):
            right, wrong = np.int64(beam.counts[parent, 0, item]), np.int64(beam.counts[parent, 1, item])
            if right + wrong == 0 or (right == all_right and wrong == all_wrong):
                continue  # the item tells none of the rows apart
            for literal in (item, ~item):
                if literal < 0:
                    right, wrong = all_right - right, all_wrong - wrong
                if right < least:
                    continue
                # Most fall short of the last one kept without the price of their size.
                if n_kept == width and right_weight * right - wrong_weight * wrong <= values[n_kept - 1]:
                    continue
                value = gain(right, wrong, price)
                if n_kept == width and value <= values[n_kept - 1]:
                    continue
                if _is_repeated(items, beam, parent, literal, right, wrong, parents, literals, totals, n_kept):
                    continue
                # Insertion, the best first.
                n_kept = min(n_kept + 1, width)
                k = n_kept - 1
                while k > 0 and values[k - 1] < value:
                    parents[k], literals[k], values[k] = parents[k - 1], literals[k - 1], values[k - 1]
                    totals[k, 0], totals[k, 1] = totals[k - 1, 0], totals[k - 1, 1]
                    k -= 1
                parents[k], literals[k], values[k] = parent, literal, value
                totals[k, 0], totals[k, 1] = right, wrong
                if value > best:
                    best, better = value, 0
                    least = least_right(best, price)
    return n_kept, better


@njit(cache=True, nogil=True)
def _is_repeated(items, beam, parent, literal, right, wrong, parents, literals, totals, n_kept):
    """Tell whether an antecedent with the same rows is among those kept."""
    for k in range(n_kept):
        if totals[k, 0] != right or totals[k, 1] != wrong:
            continue
        same = True
        for w in range(beam.rows.shape[1]):
            if _literal_word(items, beam, parent, literal, w) != _literal_word(items, beam, parents[k], literals[k], w):
                same = False
                break
        if same:
            return True
    return False


@njit(cache=True, nogil=True)
def _literal_word(items, beam, parent, literal, w):
    """Return word w of the rows of an antecedent with one literal more."""
    if literal >= 0:
        return beam.rows[parent, w] & items.bits[literal, w]
    return beam.rows[parent, w] & ~items.bits[~literal, w]


@njit(cache=True, nogil=True)
def _extend(items, cells, beam, parent, literal, other, place):
    """Write rows and counts of a longer antecedent to a place in the other beam."""
    rows, right_counts, wrong_counts = other.rows[place], other.counts[place, 0], other.counts[place, 1]
    for w in range(rows.size):
        rows[w] = _literal_word(items, beam, parent, literal, w)
    parent_rows = beam.rows[parent]
    is_smaller = 2 * count(rows) <= count(parent_rows)
    for item in range(right_counts.size):
        right_counts[item] = wrong_counts[item] = 0
    for w in range(rows.size):
        word = rows[w] if is_smaller else parent_rows[w] & ~rows[w]
        while word:
            i = lowest_row(word, w)
            word &= word - np.uint64(1)
            right = cells.n_right[i]
            _add_row(items, i, right, right_counts)
            _add_row(items, i, cells.n_labels - cells.n_closed[i] - right, wrong_counts)
    if not is_smaller:
        for item in range(right_counts.size):
            right_counts[item] = beam.counts[parent, 0, item] - right_counts[item]
            wrong_counts[item] = beam.counts[parent, 1, item] - wrong_counts[item]
