"""Forward selection of rules that together fit all labels with least squared error."""

from __future__ import annotations

import numpy as np
from numba import njit

from ..bits import popcount_word
from .candidates import Candidates


def select(
    candidates: Candidates, weights: np.ndarray, n_rows: int, n_rules: int, ridge: float, price: float
) -> np.ndarray:
    """Choose candidates one by one, each time the one that lowers the objective most.

    The objective of a choice is the squared error of the best points, plus `ridge` times their squares, each label
    having a constant of its own and counting by the square of its weight. The gain of a candidate is summed over the
    labels for which it is above `price`, less that price: a rule that helps a few labels much is worth more than one
    that helps many a little.

    Parameters
    ----------
    candidates : Candidates
    weights : ndarray of float of shape (n_labels,)
        What the labels are multiplied with.
    n_rows : int
    n_rules : int
        Most rules to choose.
    ridge : float
        Above 0.
    price : float
        What points for a label cost, in squared error.

    Returns
    -------
    ndarray of int
        Indices of the candidates chosen, in order; fewer than `n_rules` where no other has a gain.

    Notes
    -----
    With C the covers (centred), S the choice, Y the labels (centred, times their weights) and W the points,
    ``C.T @ (Y - C_S @ W)`` and the Schur complement of each candidate are kept up to date by one step of a Cholesky
    factorisation a choice: O(n_candidates * (n_rows / 64 + n_chosen + n_labels)) each, exact gains of solving anew
    included.
    """
    rest = candidates.products * weights
    n_rules = min(int(n_rules), rest.shape[0])
    return _select(candidates.bits, candidates.n_covered, rest, float(n_rows), n_rules, ridge, price)


@njit(cache=True, nogil=True)
def _select(bits, n_covered, rest, n_rows, n_rules, ridge, price):
    n_candidates = rest.shape[0]
    curvature = n_covered - n_covered * (n_covered / n_rows) + ridge
    floor = curvature * 1e-9  # below it a candidate adds nothing to those chosen but rounding
    factors = np.zeros((n_rules, n_candidates))
    chosen = np.full(n_rules, -1)
    for k in range(n_rules):
        best, best_gain = -1, 1e-9
        for j in range(n_candidates):
            if curvature[j] > floor[j]:
                gain = _gain(rest[j], curvature[j], price)
                if gain > best_gain:
                    best, best_gain = j, gain
        if best < 0:
            return chosen[:k]
        chosen[k] = best
        scale = 1 / np.sqrt(curvature[best])
        step = rest[best] * scale
        _covariances(bits, n_covered, n_rows, best, factors[k])
        for i in range(k):
            factors[k] -= factors[i] * factors[i, best]
        factors[k] *= scale
        for j in range(n_candidates):
            curvature[j] -= factors[k, j] ** 2
            for label in range(rest.shape[1]):
                rest[j, label] -= factors[k, j] * step[label]
        curvature[best] = 0.0
    return chosen


@njit(cache=True, nogil=True)
def _gain(rest, curvature, price):
    gain = 0.0
    for value in rest:
        gain += max(value * value - price * curvature, 0.0)
    return gain / curvature


@njit(cache=True, nogil=True)
def _covariances(bits, n_covered, n_rows, chosen, covariances):
    """Fill in the centred products of one candidate with all."""
    for j in range(bits.shape[0]):
        common = 0
        for w in range(bits.shape[1]):
            common += np.int64(popcount_word(bits[chosen, w] & bits[j, w]))
        covariances[j] = common - n_covered[chosen] * (n_covered[j] / n_rows)
