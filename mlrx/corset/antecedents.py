"""Drawing one antecedent: uniformly among the sets that tell a pair of rows apart, or greedily from the pair.

References
----------
CORSET paper, Algorithm 3 (line of the uniform draw) and Algorithm 5, equation (14).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from ..bits import count, popcount_word

# Where the greedy growth takes its candidates from: D+ \ D-, D+ | D-, or all items (no pair is drawn).
DIFFERENCE, UNION, ALL = 0, 1, 2


class Growth(NamedTuple):
    """Settings of the greedy antecedent; see `CorsetClassifier` for what each means."""

    negative_weight: float
    normalize_gain: bool
    patience: int
    max_conditions: int
    min_positive_share: float


class Work(NamedTuple):
    """Room for the growth of antecedents of one consequent.

    The positive and negative rows of the antecedent in hand with the places of their words in use; and for the
    prefixes grown so far, numbered from the empty one, the counts of each item added to it among the positives and
    the negatives (-1 where unknown), the number of the prefix that results (-1 for none), and how many there are.
    Prefixes that find no room are counted anew each time.
    """

    plus: np.ndarray
    minus: np.ndarray
    plus_live: np.ndarray
    minus_live: np.ndarray
    counts: np.ndarray
    longer: np.ndarray
    n_prefixes: np.ndarray


@njit(cache=True, nogil=True)
def forget(work):
    """Forget all counts: those of another consequent, or of rows that no longer count."""
    work.n_prefixes[0] = 0
    _add_prefix(work)


@njit(cache=True, nogil=True)
def _add_prefix(work):
    """Return the number of a new prefix, for which nothing is counted yet."""
    prefix = work.n_prefixes[0]
    work.counts[prefix] = -1
    work.longer[prefix] = -1
    work.n_prefixes[0] = prefix + 1
    return prefix


@njit(cache=True, nogil=True)
def _extend_prefix(work, prefix, item):
    """Return the number of a prefix with one item more; -1 when there is no room for it."""
    if work.longer[prefix, item] < 0 and work.n_prefixes[0] < work.counts.shape[0]:
        work.longer[prefix, item] = _add_prefix(work)
    return np.int64(work.longer[prefix, item])


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
    Tosses a coin for each item until the set will do: twice on average at most, for `min_items` of 2 four times at
    most. O(|D+|).
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


# Inlined: the call would cost several times what it does.
@njit(inline="always")
def count_item(words, live, n_live, bits, item):
    """Return how many rows of the set `words` have the item.

    Parameters
    ----------
    words : ndarray of uint64 of shape (n_words,)
        A packed row set.
    live : ndarray of int
        Indices of its words that are not zero, the first `n_live` of them.
    bits : ndarray of uint64 of shape (n_items, n_words)
    item : int
    """
    total = np.uint64(0)
    # Word by word, going through all of them is five times as fast as picking those that are not zero.
    if 5 * n_live > words.size:
        for w in range(words.size):
            total += popcount_word(words[w] & bits[item, w])
    else:
        for k in range(n_live):
            total += popcount_word(words[live[k]] & bits[item, live[k]])
    return np.int64(total)


@njit(cache=True, nogil=True)
def narrow(words, bits, item, target, live):
    """Write the rows of `words` that have the item into `target`; return how many of its words are not zero."""
    n = 0
    for w in range(words.size):
        target[w] = words[w] & bits[item, w]
        live[n] = w
        n += target[w] != 0
    return n


@njit(cache=True, nogil=True)
def grow_greedily(candidates, bits, frequencies, positive_bits, negative_bits, growth, work, chosen):
    """Grow an antecedent one item at a time, maximising ``phi(H) = |D+[H]| - gamma |D-[H]|``, equation (14).

    Parameters
    ----------
    candidates : ndarray of int32
        Items to choose from. Overwritten.
    bits : ndarray of uint64 of shape (n_items, n_words)
        Rows of each item.
    frequencies : ndarray of int
        Number of rows of each item.
    positive_bits, negative_bits : ndarray of uint64 of shape (n_words,)
        Rows that count for and against an antecedent, packed.
    growth : Growth
    work : Work
        Shared by all draws of one consequent.
    chosen : ndarray of int32
        Receives the items in the order of choice.

    Returns
    -------
    int
        Length of the prefix with the best phi; 0 when no item keeps enough positives.
    """
    n_positive, n_negative = count(positive_bits), count(negative_bits)
    floor = max(2.0, growth.min_positive_share * n_positive)
    phi = n_positive - growth.negative_weight * n_negative
    plus, minus = positive_bits, negative_bits
    n_plus_live = n_minus_live = plus.size
    n_left, length, best_length, best_phi, n_stale = candidates.size, 0, 0, -np.inf, 0
    # The prefix in hand (-1 when it is not remembered), and the last remembered one that it extends.
    prefix = shorter = np.int64(0)
    while length < growth.max_conditions and n_minus_live > 0:
        # Without patience an item must raise phi, and phi never exceeds the number of positives kept.
        bar = best_phi if growth.patience == 1 else -np.inf
        best, gain, n_left = _best_candidate(
            candidates, n_left, bits, frequencies, plus, work.plus_live, n_plus_live, minus, work.minus_live,
            n_minus_live, phi, floor, bar, growth, prefix >= 0, work.counts[max(prefix, 0)], work.counts[shorter, 0],
        )  # fmt: skip
        if best < 0:
            break
        item = candidates[best]
        phi += gain
        n_stale = 0 if phi > best_phi else n_stale + 1
        if n_stale >= growth.patience:
            break
        chosen[length] = item
        length += 1
        if n_stale == 0:
            best_phi, best_length = phi, length
        n_left -= 1
        candidates[best] = candidates[n_left]
        n_plus_live = narrow(plus, bits, item, work.plus, work.plus_live)
        n_minus_live = narrow(minus, bits, item, work.minus, work.minus_live)
        plus, minus = work.plus, work.minus
        if prefix >= 0:
            shorter, prefix = prefix, _extend_prefix(work, prefix, item)
    return best_length


@njit(cache=True, nogil=True)
def _best_candidate(
    candidates, n_left, bits, frequencies, plus, plus_live, n_plus_live, minus, minus_live, n_minus_live,
    phi, floor, bar, growth, is_remembered, counts, shorter_counts,
):  # fmt: skip
    """Return the place of the best candidate (-1 for none), its gain in phi, and how many candidates are left.

    A candidate is dropped for good once it keeps fewer positives than `floor` or no more than `bar`, which its
    count with one item less may tell already. Its negatives are counted only when its positives alone could win.
    """
    plus_counts, minus_counts = counts[0], counts[1]
    # Numbers of positives that keep a candidate and that give it a chance, in integers: most are settled by those.
    least = np.int64(max(np.ceil(floor), np.floor(max(bar, -1.0)) + 1))
    needed = least
    best, best_value, best_gain, k = -1, -np.inf, 0.0, 0
    while k < n_left:
        item = np.uint64(candidates[k])  # an index that cannot be negative is quicker to follow
        n_plus = np.int64(plus_counts[item]) if is_remembered else np.int64(-1)
        if n_plus < 0:
            if 0 <= shorter_counts[item] < least:
                n_plus = np.int64(0)
            else:
                n_plus = count_item(plus, plus_live, n_plus_live, bits, item)
                if is_remembered:
                    plus_counts[item] = n_plus
        if n_plus < needed:
            if n_plus < least:
                n_left -= 1
                candidates[k] = candidates[n_left]
            else:
                k += 1
            continue
        n_minus = np.int64(minus_counts[item]) if is_remembered else np.int64(-1)
        if n_minus < 0:
            n_minus = count_item(minus, minus_live, n_minus_live, bits, item)
            if is_remembered:
                minus_counts[item] = n_minus
        gain = n_plus - growth.negative_weight * n_minus - phi
        value = gain / frequencies[item] if growth.normalize_gain else gain
        if value > best_value:
            best, best_value, best_gain = k, value, gain
            if not growth.normalize_gain:
                needed = max(least, np.int64(np.floor(gain + phi)) + 1)
        k += 1
    return best, best_gain, n_left


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
