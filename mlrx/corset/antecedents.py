"""Drawing one antecedent: uniformly among the sets that tell a pair of rows apart, or greedily from the pair.

References
----------
CORSET paper, Algorithm 3 (line of the uniform draw) and Algorithm 5, equation (14).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from ..bits import popcount_word

# Where the greedy growth takes its candidates from: D+ \ D-, D+ | D-, or all items (no pair is drawn).
DIFFERENCE, UNION, ALL = 0, 1, 2


class Growth(NamedTuple):
    """Settings of the greedy antecedent; see `CorsetClassifier` for what each means."""

    negative_weight: float
    normalize_gain: bool
    patience: int
    max_conditions: int
    min_positive_share: float


class Support(NamedTuple):
    """A row set as its non-empty words: the word indices, the words, and how many there are."""

    place: np.ndarray
    words: np.ndarray
    size: np.ndarray


@njit(cache=True, nogil=True)
def draw_subset(rng, indptr, indices, i, different, n_different, min_items, chosen):
    """Draw uniformly among the item sets of row i that are not in row j and have the least number of items.

    Parameters
    ----------
    rng : numpy.random.Generator
    indptr, indices : ndarray
        The items of each row.
    i : int
        The positive row.
    different : ndarray of int32
        Its items that the negative row lacks, `n_different` >= 1 of them.
    min_items : {1, 2}
    chosen : ndarray of int32
        Receives the items, ascending.

    Returns
    -------
    int
        Number of items chosen.

    Notes
    -----
    Tosses a coin for each item until some item of `different` is in; a set has to be thrown away at most half of the
    time, so O(|D+|).
    """
    while True:
        n = d = n_telling = 0
        for k in range(indptr[i], indptr[i + 1]):
            is_telling = d < n_different and different[d] == indices[k]
            d += is_telling
            if rng.random() < 0.5:
                chosen[n] = indices[k]
                n += 1
                n_telling += is_telling
        if n_telling > 0 and n >= min_items:
            return n


@njit(cache=True, nogil=True)
def new_support(n_words):
    """Return room for a row set."""
    return Support(np.empty(n_words, np.int64), np.empty(n_words, np.uint64), np.zeros(1, np.int64))


@njit(cache=True, nogil=True)
def set_support(support, bits):
    """Make `support` the packed set `bits`."""
    n = 0
    for w in range(bits.size):
        if bits[w]:
            support.place[n] = w
            support.words[n] = bits[w]
            n += 1
    support.size[0] = n


@njit(cache=True, nogil=True)
def narrow_support(support, column):
    """Intersect `support` with a packed column."""
    n = 0
    for k in range(support.size[0]):
        word = support.words[k] & column[support.place[k]]
        if word:
            support.place[n] = support.place[k]
            support.words[n] = word
            n += 1
    support.size[0] = n


@njit(cache=True, nogil=True)
def count_support(support, column):
    """Return how many rows of `support` the packed column has."""
    total = 0
    for k in range(support.size[0]):
        total += popcount_word(support.words[k] & column[support.place[k]])
    return np.int64(total)


@njit(cache=True, nogil=True)
def grow_greedily(candidates, bits, frequencies, n_positive, n_negative, positive, negative, growth, first, chosen):
    """Grow an antecedent one item at a time, maximising ``phi(H) = |D+[H]| - gamma |D-[H]|``, equation (14).

    Parameters
    ----------
    candidates : ndarray of int32
        Items to choose from. Overwritten.
    bits : ndarray of uint64 of shape (n_items, n_words)
        Rows of each item.
    frequencies : ndarray of int
        Number of rows of each item.
    n_positive, n_negative : int
        Sizes of `positive` and `negative`.
    positive, negative : Support
        Row sets, narrowed as the antecedent grows.
    growth : Growth
    first : ndarray of int of shape (2, n_items)
        Counts of single items among the positives and the negatives, -1 where not known yet; shared by all draws of
        one consequent.
    chosen : ndarray of int32
        Receives the items in the order of choice.

    Returns
    -------
    int
        Length of the prefix with the best phi; 0 when no item keeps enough positives.

    Notes
    -----
    An item is dropped for good once it keeps too few positives, and its negatives are counted only when its
    positives alone could win: phi never exceeds |D+[H]|.
    """
    floor = max(2.0, growth.min_positive_share * n_positive)
    phi = n_positive - growth.negative_weight * n_negative
    n_left, length, best_length, best_phi, n_stale = candidates.size, 0, 0, -np.inf, 0
    while n_left > 0 and length < growth.max_conditions:
        best, best_gain, k = -1, -np.inf, 0
        while k < n_left:
            item = candidates[k]
            n_plus = first[0, item] if length == 0 else np.int64(-1)
            if n_plus < 0:
                n_plus = count_support(positive, bits[item])
                if length == 0:
                    first[0, item] = n_plus
            if n_plus < floor:
                n_left -= 1
                candidates[k] = candidates[n_left]
                continue
            scale = frequencies[item] if growth.normalize_gain else 1
            if (n_plus - phi) / scale > best_gain:
                n_minus = first[1, item] if length == 0 else np.int64(-1)
                if n_minus < 0:
                    n_minus = count_support(negative, bits[item])
                    if length == 0:
                        first[1, item] = n_minus
                gain = (n_plus - growth.negative_weight * n_minus - phi) / scale
                if gain > best_gain:
                    best, best_gain = k, gain
            k += 1
        if best < 0:
            break
        item = candidates[best]
        phi += best_gain * (frequencies[item] if growth.normalize_gain else 1)
        if phi <= best_phi:
            n_stale += 1
            if n_stale >= growth.patience:
                break
        else:
            best_phi, n_stale = phi, 0
            best_length = length + 1
        chosen[length] = item
        length += 1
        n_left -= 1
        candidates[best] = candidates[n_left]
        narrow_support(positive, bits[item])
        narrow_support(negative, bits[item])
        if negative.size[0] == 0:
            break
    return best_length


@njit(cache=True, nogil=True)
def merge_items(indptr, indices, i, j, merged):
    """Write the items of row i or row j into `merged`, ascending; return their number."""
    a, b, n = indptr[i], indptr[j], 0
    while a < indptr[i + 1] or b < indptr[j + 1]:
        if b == indptr[j + 1] or (a < indptr[i + 1] and indices[a] <= indices[b]):
            merged[n] = indices[a]
            b += b < indptr[j + 1] and indices[b] == indices[a]
            a += 1
        else:
            merged[n] = indices[b]
            b += 1
        n += 1
    return n


def drop_idle_items(items: np.ndarray, bits: np.ndarray) -> np.ndarray:
    """Leave out items that change nothing: those without which the antecedent has the same rows.

    Parameters
    ----------
    items : ndarray of int
        An antecedent, not empty.
    bits : ndarray of uint64 of shape (n_items, n_words)

    Returns
    -------
    ndarray of int
        Ascending; never empty. Of items that stand for one another, that with the lowest index stays.

    Notes
    -----
    Exact draws bring along constant items and copies of others; this is done to rules that were selected, after the
    draw, so that no sampling law is touched.
    """
    kept = np.sort(items)
    rows = np.bitwise_and.reduce(bits[kept], axis=0)
    for item in kept[::-1]:
        others = kept[kept != item]
        if others.size and np.array_equal(np.bitwise_and.reduce(bits[others], axis=0), rows):
            kept = others
    return kept
