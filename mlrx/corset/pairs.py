"""Drawing pairs of rows (D+, D-), the first step of sampling antecedents by discriminativity.

``q_disc(H; T) = |D+[H]| * (|D-| - |D-[H]|)`` counts the pairs of a positive and a negative row such that H is in the
first and not in the second. So a pair is drawn with weight w = the number of such H, and then H uniformly among
them. Rejection and coupling from the past draw exactly by this law; all weights are kept as ratios, since they are
powers of two of row sizes.

References
----------
CORSET paper, equations (6), (12), (13) and Algorithm 3; Boley et al., coupling from the past for pattern sampling.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from ..bits import count, popcount_word

# Weight of a pair: the number of item sets that tell it apart, or the number of items in D+ and not in D-.
SUBSETS, SIZE = 0, 1
# Proposal for a pair: w1(D+) alone, the tight bound; or sqrt(w1(D+) w2(D-)), that of Boley et al.
TIGHT, BOLEY = 0, 1
# A guard against proposals so loose that no draw would ever be accepted, and the failures after which rejection looks
# for rows that can never be accepted.
MAX_STEPS = 1 << 24
EASY_STEPS = 256
# Negative rows are drawn from all rows, without a list, unless fewer than one row in so many is negative.
MAX_MISSES = 16


class PairLaw(NamedTuple):
    """The law of the pairs: SUBSETS or SIZE, the least number of items of a set, TIGHT or BOLEY, the columns in all."""

    weight: int
    min_items: int
    proposal: int
    n_columns: int


class Rows(NamedTuple):
    """Rows that can be in a pair: each side with the running sums of its proposal weights.

    An empty `negatives` beside positives stands for all rows that are not in `positive_bits`; they are then drawn from
    all rows, without a list of them.
    """

    positives: np.ndarray
    positive_sums: np.ndarray
    negatives: np.ndarray
    negative_sums: np.ndarray
    positive_bits: np.ndarray


@njit(cache=True, nogil=True)
def weight_ratio(n_different, n_positive, n_negative, law):
    """Return w / w_bar of a pair, in [0, 1].

    Parameters
    ----------
    n_different, n_positive, n_negative : int
        Number of items in D+ and not in D-, in D+, and in D-.
    law : PairLaw
    """
    if law.weight == SIZE:
        if law.proposal == TIGHT:
            return n_different / n_positive
        return n_different / np.sqrt(n_positive * (law.n_columns - n_negative))
    # Shares of 2 ** |D+|: the sets that tell the pair apart, and all sets in D+ of the least size or more.
    share = 1.0 - 2.0**-n_different
    share_1 = 1.0 - 2.0**-n_positive
    if law.min_items == 2:
        share -= n_different * 2.0**-n_positive
        share_1 -= n_positive * 2.0**-n_positive
    # The subtraction of equal numbers may leave a rounding error where no set tells the pair apart.
    if n_different == 0 or n_positive < law.min_items:
        return 0.0
    if law.proposal == TIGHT:
        return share / share_1
    log_ratio = 0.5 * (n_positive - law.n_columns)
    return share / np.sqrt(share_1 * negative_share(n_negative, law)) * 2.0**log_ratio


@njit(cache=True, nogil=True)
def negative_share(n_negative, law):
    """Return w2(D-) / 2 ** n_columns: the share of item sets that are not in D-."""
    n_absent = law.n_columns - n_negative
    share = 1.0 - 2.0**-n_absent
    if law.min_items == 2:
        share -= n_absent * 2.0**-law.n_columns
    return share


@njit(cache=True, nogil=True)
def pair_rows(indptr, positive_bits, law):
    """Find the rows that can be in a pair, with their proposal weights.

    Parameters
    ----------
    indptr : ndarray of int
        Where the items of each row begin.
    positive_bits : ndarray of uint64 of shape (n_words,)
        The rows that carry the consequent.
    law : PairLaw

    Returns
    -------
    Rows
        Without positives when one side is empty.

    Notes
    -----
    O(number of positives), unless the negatives need a list: then O(number of rows).
    """
    n_rows = indptr.size - 1
    n_negative = n_rows - count(positive_bits)
    positives = _listed(positive_bits, indptr, law.min_items)
    negatives = np.empty(0, dtype=np.int64)
    if n_negative == 0:
        positives = negatives
    elif law.proposal == BOLEY or n_negative * MAX_MISSES < n_rows:
        negatives = _others(_listed(positive_bits, indptr, 0), n_rows)
    return _weighted(indptr, positives, negatives, positive_bits, law)


@njit(cache=True, nogil=True)
def without_idle(indptr, indices, frequencies, rows, law):
    """Leave out the rows that have weight 0 in every pair.

    Those are positives all of whose items are in every negative row, and negatives that contain every item of the
    positives. Leaving them out changes no law, but where nearly all rows are alike, draws would take for ever.

    Parameters
    ----------
    indptr, indices, frequencies : ndarray
        The items of each row, and the number of rows of each item.
    rows : Rows
    law : PairLaw

    Returns
    -------
    Rows
        Without positives when no pair has a positive weight: then there is nothing to draw.

    Notes
    -----
    O(number of ones).
    """
    n_rows = indptr.size - 1
    all_positives = _listed(rows.positive_bits, indptr, 0)
    negatives = _others(all_positives, n_rows)
    in_negatives = frequencies.copy()
    for i in all_positives:
        for k in range(indptr[i], indptr[i + 1]):
            in_negatives[indices[k]] -= 1
    in_positives = np.zeros(frequencies.size, dtype=np.bool_)
    is_telling = np.zeros(rows.positives.size, dtype=np.bool_)
    for p in range(rows.positives.size):
        for k in range(indptr[rows.positives[p]], indptr[rows.positives[p] + 1]):
            in_positives[indices[k]] = True
            is_telling[p] |= in_negatives[indices[k]] < negatives.size
    n_union = np.count_nonzero(in_positives)
    is_told = np.zeros(negatives.size, dtype=np.bool_)
    for n in range(negatives.size):
        n_inside = 0
        for k in range(indptr[negatives[n]], indptr[negatives[n] + 1]):
            n_inside += in_positives[indices[k]]
        is_told[n] = n_inside < n_union
    return _weighted(indptr, rows.positives[is_telling], negatives[is_told], rows.positive_bits, law)


@njit(cache=True, nogil=True)
def _weighted(indptr, positives, negatives, positive_bits, law):
    sums = _positive_sums(indptr, positives, law), _negative_sums(indptr, negatives, law)
    return Rows(positives, sums[0], negatives, sums[1], positive_bits)


@njit(cache=True, nogil=True)
def _others(rows, n_rows):
    """Return the rows that are not among `rows`, ascending."""
    is_other = np.ones(n_rows, dtype=np.bool_)
    is_other[rows] = False
    return np.flatnonzero(is_other)


@njit(cache=True, nogil=True)
def _listed(bits, indptr, min_items):
    """Return the rows of a packed set that have so many items, ascending."""
    rows = np.empty(count(bits), dtype=np.int64)
    n = 0
    for w in range(bits.size):
        word = bits[w]
        while word:
            lowest = word & (~word + np.uint64(1))
            i = (w << 6) + np.int64(popcount_word(lowest - np.uint64(1)))
            word ^= lowest
            if indptr[i + 1] - indptr[i] >= min_items:
                rows[n] = i
                n += 1
    return rows[:n]


@njit(cache=True, nogil=True)
def _positive_sums(indptr, positives, law):
    sums = np.empty(positives.size, dtype=np.float64)
    largest, total = 0, 0.0
    for i in positives:
        largest = max(largest, indptr[i + 1] - indptr[i])
    for k in range(positives.size):
        size = indptr[positives[k] + 1] - indptr[positives[k]]
        weight = np.float64(size)
        if law.weight == SUBSETS:
            n_small = 1 if law.min_items == 1 else size + 1
            weight = 2.0 ** (size - largest) * (1.0 - n_small * 2.0**-size)
        total += weight if law.proposal == TIGHT else np.sqrt(weight)
        sums[k] = total
    return sums


@njit(cache=True, nogil=True)
def _negative_sums(indptr, negatives, law):
    if law.proposal == TIGHT:
        return np.empty(0)
    sums = np.empty(negatives.size, dtype=np.float64)
    total = 0.0
    for k in range(negatives.size):
        size = indptr[negatives[k] + 1] - indptr[negatives[k]]
        total += np.sqrt(law.n_columns - size if law.weight == SIZE else negative_share(size, law))
        sums[k] = total
    return sums


@njit(cache=True, nogil=True)
def draw_index(rng, sums):
    """Draw an index with probability proportional to the steps of the running sums."""
    return min(np.searchsorted(sums, rng.random() * sums[-1], side="right"), sums.size - 1)


@njit(cache=True, nogil=True)
def propose(rng, rows, law, n_rows):
    """Draw a pair from the proposal."""
    i = rows.positives[draw_index(rng, rows.positive_sums)]
    if law.proposal == BOLEY:
        return i, rows.negatives[draw_index(rng, rows.negative_sums)]
    if rows.negatives.size:
        return i, rows.negatives[np.int64(rng.random() * rows.negatives.size)]
    while True:
        j = np.int64(rng.random() * n_rows)
        if not (rows.positive_bits[j >> 6] >> np.uint64(j & 63)) & np.uint64(1):
            return i, j


@njit(cache=True, nogil=True)
def split_items(indptr, indices, bits, i, j, different):
    """Write the items of row i that row j lacks into `different`; return their number.

    Looks up each item in the packed columns, which is faster than merging two rows: no branch depends on the data.
    """
    n = 0
    word, place = j >> 6, np.uint64(j & 63)
    for k in range(indptr[i], indptr[i + 1]):
        different[n] = indices[k]
        n += 1 - np.int64((bits[indices[k], word] >> place) & np.uint64(1))
    return n


@njit(cache=True, nogil=True)
def draw_pair_by_rejection(rng, indptr, indices, bits, rows, law, different, max_steps):
    """Draw a pair with probability proportional to w: propose, and accept with probability w / w_bar.

    Parameters
    ----------
    rng : numpy.random.Generator
    indptr, indices, bits : ndarray
        The items of each row, and the packed rows of each item.
    rows : Rows
        Not empty; see `pair_rows`.
    law : PairLaw
    different : ndarray of int32
        One longer than the largest row.
    max_steps : int
        After so many proposals without success the draw is given up. As trials are independent, drawing again, also
        from fewer rows of weight 0, keeps the law.

    Returns
    -------
    i, j, n_different, n_trials : int
        The rows, the number of items of row i that row j lacks (which stand in `different`), and the number of
        proposals it took; i is -1 when the draw was given up.
    """
    for trial in range(1, max_steps + 1):
        i, j = propose(rng, rows, law, indptr.size - 1)
        n_different = split_items(indptr, indices, bits, i, j, different)
        if rng.random() < weight_ratio(n_different, indptr[i + 1] - indptr[i], indptr[j + 1] - indptr[j], law):
            return i, j, n_different, trial
    return -1, -1, 0, max_steps


@njit(cache=True, nogil=True)
def draw_pair_by_coupling(rng, indptr, indices, bits, rows, law, different, max_steps):
    """Draw a pair with probability proportional to w by coupling from the past.

    Proposals C(t) and uniforms u(t) are fixed for t = -1, -2, ...; the chain accepts C(t) in state D when
    ``u(t) < r(C(t)) / r(D)`` with r = w / w_bar. As r <= 1, ``u(t) < r(C(t))`` accepts from any state: from there on
    all chains are one. The horizon doubles, with the same past, until that happens. No burn-in is needed.

    Parameters and returns are those of `draw_pair_by_rejection`, the last value being the horizon. A draw given up
    must not be repeated: its result depends on its horizon. So rows of weight 0 have to be left out before.
    """
    capacity = 1
    i_past, j_past = np.empty(capacity, np.int64), np.empty(capacity, np.int64)
    r_past, u_past = np.empty(capacity), np.empty(capacity)
    start, horizon = 0, 1
    while horizon <= max_steps:
        if horizon > capacity:
            i_past, j_past = np.append(i_past, np.empty_like(i_past)), np.append(j_past, np.empty_like(j_past))
            r_past, u_past = np.append(r_past, np.empty_like(r_past)), np.append(u_past, np.empty_like(u_past))
            capacity *= 2
        coalesced = -1
        for t in range(start, horizon):
            i_past[t], j_past[t] = propose(rng, rows, law, indptr.size - 1)
            i, j = i_past[t], j_past[t]
            n_different = split_items(indptr, indices, bits, i, j, different)
            r_past[t] = weight_ratio(n_different, indptr[i + 1] - indptr[i], indptr[j + 1] - indptr[j], law)
            u_past[t] = rng.random()
            if coalesced < 0 and u_past[t] < r_past[t]:
                coalesced = t
        if coalesced >= 0:
            state = coalesced
            for t in range(coalesced - 1, -1, -1):
                if u_past[t] * r_past[state] < r_past[t]:
                    state = t
            i, j = i_past[state], j_past[state]
            return i, j, split_items(indptr, indices, bits, i, j, different), horizon
        start, horizon = horizon, 2 * horizon
    return -1, -1, 0, max_steps
