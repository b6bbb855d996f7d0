"""The objective: what makes one rule good, and two rules different.

All functions are compiled and take packed row sets (see `mlrx.bits`), so that the pool, the selector and the tests
share one definition.

References
----------
CORSET paper, equations (1) to (4) and Problem 1.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from ..bits import count_common


@njit(cache=True, nogil=True)
def divergence(p: float, q: float) -> float:
    """Return KL(Bin(p) || Bin(q)) in nats, with 0 log 0 = 0; infinite where q excludes what p allows."""
    total = 0.0
    if p > 0.0:
        total += p * np.log(p / q) if q > 0.0 else np.inf
    if p < 1.0:
        total += (1.0 - p) * np.log((1.0 - p) / (1.0 - q)) if q < 1.0 else np.inf
    return total


@njit(cache=True, nogil=True)
def adjusted_accuracy(n_correct: int, n_covered: int, n_positive: int, n_rows: int) -> float:
    """Return a(R), equation (3): the divergence of confidence from base rate where confidence is the higher one.

    Parameters
    ----------
    n_correct, n_covered : int
        Rows that match the whole rule, and rows that match its antecedent.
    n_positive, n_rows : int
        Rows that carry the consequent, and all rows.
    """
    # Integers decide, so that rounding never makes a useless rule look better than its base rate.
    if n_covered == 0 or n_correct * n_rows <= n_positive * n_covered:
        return 0.0
    return divergence(n_correct / n_covered, n_positive / n_rows)


@njit(cache=True, nogil=True)
def uncovered_area(matched, consequent, uncovered) -> int:
    """Return area(R; selected), equation (2): label occurrences that the rule matches and no selected rule covers.

    Parameters
    ----------
    matched : ndarray of uint64 of shape (n_words,)
        Rows that match the whole rule.
    consequent : ndarray of int of shape (n_labels_of_rule,)
    uncovered : ndarray of uint64 of shape (n_labels, n_words)
        For each label, the rows that carry it and where no selected rule covers it.
    """
    area = 0
    for label in consequent:
        area += count_common(matched, uncovered[label])
    return area


@njit(cache=True, nogil=True)
def n_shared(a, b) -> int:
    """Return the number of labels in both sorted consequents."""
    i = j = shared = 0
    while i < a.size and j < b.size:
        if a[i] == b[j]:
            shared += 1
            i += 1
            j += 1
        elif a[i] < b[j]:
            i += 1
        else:
            j += 1
    return shared


@njit(cache=True, nogil=True)
def distance(matched_a, n_matched_a, n_labels_a, matched_b, n_matched_b, n_labels_b, n_shared_labels) -> float:
    """Return the Jaccard distance of two rules' coverages, sets of (row, label) pairs.

    Both coverages are products of a row set and a label set, so the size of their intersection is a product too,
    and no pair is ever built.
    """
    if n_shared_labels == 0:
        return 1.0
    common = n_shared_labels * count_common(matched_a, matched_b)
    return 1.0 - common / (n_matched_a * n_labels_a + n_matched_b * n_labels_b - common)
