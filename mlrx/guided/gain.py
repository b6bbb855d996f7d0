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
def most_gain(n_true: int, price: Price) -> float:
    """Return the most that any longer antecedent can gain: it keeps a part of the right cells, at best no wrong one.

    The gain of right cells alone is convex in their number, and 0 for none: the most is at an end.
    """
    return max(0.0, gain(n_true, 0, price))


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
    O(n log n) in the labels of positive gain, and exact among all label sets: the gain is convex in (sum of own gains,
    sum of cells), so that a best set is where a line cuts the labels by own gain per cell. That is a prefix of the
    labels in this order.
    """
    free = Price(price.target_f1, 0.0)
    own = np.empty(n_true.size)
    n_worth = 0
    worth = np.empty(n_true.size, np.int64)
    for label in range(n_true.size):
        own[label] = gain(n_true[label], n_false[label], free)
        if own[label] > 0.0:
            worth[n_worth] = label
            n_worth += 1
    worth = worth[:n_worth]
    cells = (n_true + n_false)[worth]
    order = np.argsort(-own[worth] / cells, kind="mergesort")
    best, n_best, sum_true, sum_false = 0.0, 0, 0, 0
    for k in range(n_worth):
        label = worth[order[k]]
        sum_true += n_true[label]
        sum_false += n_false[label]
        value = gain(sum_true, sum_false, price)
        if value > best:
            best, n_best = value, k + 1
    return np.sort(worth[order[:n_best]]), best


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
