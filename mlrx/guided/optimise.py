"""One rule made as good as can be: antecedent and consequent in turn."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from ..bits import lowest_row
from .antecedents import Cells, search_antecedent
from .gain import best_consequent, count_cells


class Search(NamedTuple):
    """How far to search for a rule; see `GuidedRulesClassifier` for what each means."""

    max_conditions: int
    beam_width: int
    n_rounds: int


@njit(cache=True, nogil=True)
def covered_by(literals, bits, n_rows):
    """Return the rows, packed, in which all literals hold."""
    rows = np.full(bits.shape[1], ~np.uint64(0))
    if n_rows % 64:
        rows[-1] = (np.uint64(1) << np.uint64(n_rows % 64)) - np.uint64(1)
    for literal in literals:
        for w in range(rows.size):
            rows[w] &= bits[literal, w] if literal >= 0 else ~bits[~literal, w]
    return rows


@njit(cache=True, nogil=True)
def cells_of(consequent, labels, predicted, n_rows):
    """Count the right and the closed cells of a consequent in each row."""
    cells = Cells(np.zeros(n_rows, np.int32), np.zeros(n_rows, np.int32), np.int64(consequent.size))
    for label in consequent:
        for w in range(predicted.shape[1]):
            closed = predicted[label, w]
            right = labels.bits[label, w] & ~closed
            while right:
                cells.n_right[lowest_row(right, w)] += 1
                right &= right - np.uint64(1)
            while closed:
                cells.n_closed[lowest_row(closed, w)] += 1
                closed &= closed - np.uint64(1)
    return cells


@njit(cache=True, nogil=True)
def optimise_rule(items, labels, predicted, consequent, price, search):
    """Alternate from a consequent: its best antecedent, the best consequent of that, and so on while the gain grows.

    Returns
    -------
    literals, consequent : ndarray of int
        Of the best rule on the way.
    gain : float
        Of that rule; 0, with an empty consequent, where nothing gains.
    """
    n_rows = labels.indptr.size - 1
    n_true, n_false = np.zeros(labels.bits.shape[0], np.int64), np.zeros(labels.bits.shape[0], np.int64)
    best_literals, best_labels, best = np.empty(0, np.int64), np.empty(0, np.int64), 0.0
    for _ in range(search.n_rounds):
        cells = cells_of(consequent, labels, predicted, n_rows)
        literals, value = search_antecedent(items, cells, price, search.max_conditions, search.beam_width, best)
        if value <= best:
            break
        best_literals, best_labels, best = literals, consequent, value
        rows = covered_by(literals, items.bits, n_rows)
        count_cells(rows, labels, predicted, n_true, n_false)
        consequent, value = best_consequent(n_true, n_false, price)
        if value <= best + 1e-9 * best:
            break
        best_labels, best = consequent, value
    return best_literals, best_labels, best


@njit(cache=True, nogil=True)
def predict_too(rows, consequent, predicted):
    """Mark the labels of a consequent as predicted in a row set."""
    for label in consequent:
        for w in range(rows.size):
            predicted[label, w] |= rows[w]
