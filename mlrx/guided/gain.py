"""What a rule is worth, and the best consequent of an antecedent."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from ..bits import lowest_row, popcount_word


class Price(NamedTuple):
    """What a rule pays for what it predicts.

    Attributes
    ----------
    target_f1 : float
        F1 that the rule set aims at (F).
    size_price : float
        Price of the square root of the number of cells newly predicted (kappa): about their standard deviation, so
        that small gains of chance do not pay.
    """

    target_f1: float
    size_price: float


class Labels(NamedTuple):
    """Labels by rows (CSR) and by packed columns; the fields of `BinaryTable` of the same names."""

    indptr: np.ndarray
    indices: np.ndarray
    bits: np.ndarray


@njit(cache=True, nogil=True)
def gain(n_true: int, n_false: int, price: Price) -> float:
    """Return ``(2 - F) n_true - F n_false - kappa sqrt(n_true + n_false)``.

    Parameters
    ----------
    n_true, n_false : int
        Cells (row, label) that the rule newly predicts, rightly and wrongly.
    price : Price

    Notes
    -----
    Without the last term, the F1 of a rule set is above F exactly when the gains of its rules sum to more than
    F times the number of ones: ``2 TP / (2 TP + FP + FN) > F`` is ``(2 - F) TP - F FP > F (TP + FN)`` after
    multiplying out, where TP + FN does not depend on the rules.
    """
    return (2.0 - price.target_f1) * n_true - price.target_f1 * n_false - price.size_price * np.sqrt(n_true + n_false)


@njit(cache=True, nogil=True)
def least_right(best: float, price: Price) -> int:
    """Return how many right cells an antecedent needs so that it, or a longer one, can gain more than `best` >= 0.

    Notes
    -----
    A longer antecedent keeps a part of the right cells, and at best no wrong one. ``(2 - F) n - kappa sqrt(n)`` is
    convex in n, and 0 for none: where it is positive it grows, and exceeds `best` beyond the root of a quadratic
    equation in sqrt(n). Gains that differ by a billionth are taken for equal.
    """
    weight = 2.0 - price.target_f1
    root = (price.size_price + np.sqrt(price.size_price**2 + 4.0 * weight * best)) / (2.0 * weight)
    return np.int64(np.floor(root * root * (1.0 + 1e-9))) + 1


@njit(cache=True, nogil=True)
def best_consequent(n_true, n_false, price):
    """Find the consequent that gains most under one antecedent.

    Parameters
    ----------
    n_true, n_false : ndarray of int of shape (n_labels,)
        Cells that each label would newly predict, rightly and wrongly.
    price : Price

    Returns
    -------
    consequent : ndarray of int
        Labels, ascending; empty when none gains anything.
    gain : float

    Notes
    -----
    Exact among all label sets: the gain is convex in (sum of own gains, sum of cells), so that a best set is where a
    line cuts the labels by own gain per cell, which is a prefix of the labels in this order. O(n ** 2) at worst in the
    labels of positive gain.
    """
    n_labels = n_true.size
    order, per_cell = np.empty(n_labels, np.int64), np.empty(n_labels)
    n_worth = 0
    for label in range(n_labels):
        own = (2.0 - price.target_f1) * n_true[label] - price.target_f1 * n_false[label]
        if own > 0.0:
            # Insertion, the best first.
            share = own / (n_true[label] + n_false[label])
            k = n_worth
            while k > 0 and per_cell[k - 1] < share:
                order[k], per_cell[k] = order[k - 1], per_cell[k - 1]
                k -= 1
            order[k], per_cell[k] = label, share
            n_worth += 1
    best, n_best, sum_true, sum_false = 0.0, 0, 0, 0
    for k in range(n_worth):
        sum_true += n_true[order[k]]
        sum_false += n_false[order[k]]
        value = gain(sum_true, sum_false, price)
        if value > best:
            best, n_best = value, k + 1
    return _ascending(order, n_best), best


@njit(cache=True, nogil=True)
def _ascending(values, n):
    """Return the first n values in ascending order (short lists; a library's sort takes seconds to compile)."""
    ordered = np.empty(n, np.int64)
    for k in range(n):
        place = k
        while place > 0 and ordered[place - 1] > values[k]:
            ordered[place] = ordered[place - 1]
            place -= 1
        ordered[place] = values[k]
    return ordered


@njit(cache=True, nogil=True)
def count_cells(rows, labels, predicted, n_true, n_false):
    """Count for each label the cells of a row set that are not yet predicted.

    Parameters
    ----------
    rows : ndarray of uint64 of shape (n_words,)
        Packed rows.
    labels : Labels
    predicted : ndarray of uint64 of shape (n_labels, n_words)
        Rows where each label is predicted already.
    n_true, n_false : ndarray of int of shape (n_labels,)
        Receive the counts. `n_false` is left at 0 where `n_true` is: such a label never pays.

    Notes
    -----
    O(label occurrences of the rows + n_words * (1 + labels that occur in the rows)).
    """
    n_true[:] = 0
    n_false[:] = 0
    for w in range(rows.size):
        word = rows[w]
        while word:
            i = lowest_row(word, w)
            low = word & (~word + np.uint64(1))
            word ^= low
            for k in range(labels.indptr[i], labels.indptr[i + 1]):
                label = labels.indices[k]
                n_true[label] += (predicted[label, w] & low) == 0
    for label in range(n_true.size):
        if n_true[label] > 0:
            n_open = 0
            for w in range(rows.size):
                n_open += popcount_word(rows[w] & ~predicted[label, w])
            n_false[label] = np.int64(n_open) - n_true[label]
