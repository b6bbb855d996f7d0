"""The compiled loop that draws antecedents for one consequent after the other and evaluates the rules."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from ..bits import count, popcount_word
from .antecedents import ALL, UNION, Work, draw_subset, forget, grow_greedily, merge_items
from .objective import adjusted_accuracy
from .pairs import (
    EASY_STEPS,
    MAX_STEPS,
    draw_pair_by_coupling,
    draw_pair_by_rejection,
    pair_rows,
    without_idle,
)

GREEDY, COUPLING, REJECTION, CLIQUES = 0, 1, 2, 3


class Task(NamedTuple):
    """How antecedents are drawn: the method, the candidates of the greedy one, where positives are counted, sizes."""

    method: int
    candidates: int
    uncovered_only: bool
    n_rows: int
    largest_row: int


class Tables(NamedTuple):
    """The data: what tells pairs apart, by rows and by columns, as sets of items; the items; the labels; all rows.

    Single items tell pairs apart, or in the reduced space the item sets that a row contains.
    """

    indptr: np.ndarray
    indices: np.ndarray
    telling_bits: np.ndarray
    telling_frequencies: np.ndarray
    set_ptr: np.ndarray
    set_items: np.ndarray
    bits: np.ndarray
    frequencies: np.ndarray
    label_bits: np.ndarray
    everything: np.ndarray


class Memory(NamedTuple):
    """Counts that draws of the same consequent share, also from pool to pool; see `Work` for the three arrays.

    The first places belong to consequents by their number, the last ones, one for each piece of a pool, to
    consequents without number: theirs are forgotten at once.
    """

    counts: np.ndarray
    longer: np.ndarray
    n_prefixes: np.ndarray


class Output(NamedTuple):
    """Where the candidates go; see `Pool`."""

    antecedents: np.ndarray
    lengths: np.ndarray
    matched: np.ndarray
    n_covered: np.ndarray
    n_correct: np.ndarray
    accuracy: np.ndarray


@njit(cache=True, nogil=True)
def fill(
    rng, piece, start, stop, ends, label_ptr, label_of, numbers, task, law, growth, tables, memory, uncovered, output
):  # fmt: skip
    """Draw the candidates of consequents `start` to `stop`.

    Parameters
    ----------
    rng : numpy.random.Generator
    piece, start, stop : int
    ends : ndarray of int
        Where the candidates of each consequent end in `output`; they begin where those before end.
    label_ptr, label_of : ndarray of int
        The labels of each consequent.
    numbers : ndarray of int
        The number of each consequent in the enumerated space; -1 for none.
    task, law, growth, tables, memory : Task, PairLaw, Growth, Tables, Memory
    uncovered : ndarray of uint64 of shape (n_labels, n_words)
    output : Output

    Returns
    -------
    int
        Number of proposals, or for coupling of steps.
    """
    room = np.empty(task.largest_row + 1, dtype=np.int32), np.empty(tables.bits.shape[0], dtype=np.int32)
    n_words = tables.everything.size
    plus, minus = np.empty(n_words, np.uint64), np.empty(n_words, np.uint64)
    plus_live, minus_live = np.empty(n_words, np.int64), np.empty(n_words, np.int64)
    n_trials = 0
    for g in range(start, stop):
        consequent = label_of[label_ptr[g] : label_ptr[g + 1]]
        positive_bits = common_rows(consequent, tables.label_bits, tables.everything)
        counted_bits = positive_bits & any_rows(consequent, uncovered) if task.uncovered_only else positive_bits
        place = numbers[g] if numbers[g] >= 0 else memory.n_prefixes.size - 1 - piece
        work = Work(
            plus, minus, plus_live, minus_live,
            memory.counts[place], memory.longer[place], memory.n_prefixes[place : place + 1],
        )  # fmt: skip
        if numbers[g] < 0 or work.n_prefixes[0] == 0:
            forget(work)
        first = ends[g - 1] if g > 0 else 0
        n_trials += _fill_one(
            rng, first, ends[g], positive_bits, counted_bits, task, law, growth, tables, work, room, output
        )
    return n_trials


@njit(cache=True, nogil=True)
def _fill_one(rng, first, end, positive_bits, counted_bits, task, law, growth, tables, work, room, output):
    """Draw candidates `first` to `end`, all of one consequent, and evaluate them."""
    n_positive, n_trials = count(positive_bits), 0
    negative_bits = tables.everything & ~positive_bits
    is_drawn = task.method != GREEDY or task.candidates != ALL
    rows = pair_rows(tables.indptr, positive_bits, law)
    # A coupling must not be given up and begun again, so that rows of weight 0 go first; see `_draw_pair` for others.
    is_pruned = task.method == COUPLING
    if is_pruned:
        rows = without_idle(tables.indptr, tables.indices, tables.telling_frequencies, rows, law)
    for k in range(first, end):
        i = j = n_different = np.int64(0)
        if is_drawn:
            if rows.positives.size == 0:
                break
            i, j, n_different, n = _draw_pair(rng, rows, is_pruned, task, law, tables, room[0])
            n_trials += n
            if i < 0 and not is_pruned:
                is_pruned = True
                rows = without_idle(tables.indptr, tables.indices, tables.telling_frequencies, rows, law)
                if rows.positives.size == 0:
                    break
                i, j, n_different, n = _draw_pair(rng, rows, is_pruned, task, law, tables, room[0])
                n_trials += n
            if i < 0:
                continue
        chosen = output.antecedents[k]
        length = _draw_antecedent(
            rng,
            i,
            j,
            n_different,
            counted_bits,
            negative_bits,
            task,
            law,
            growth,
            tables,
            work,
            room[0],
            room[1],
            chosen,
        )
        output.lengths[k] = length
        if length > 0:
            n_covered, n_correct = _match(
                chosen[:length], tables.bits, tables.everything, positive_bits, output.matched[k]
            )
            output.n_covered[k], output.n_correct[k] = n_covered, n_correct
            output.accuracy[k] = adjusted_accuracy(n_correct, n_covered, n_positive, task.n_rows)
    return n_trials


@njit(cache=True, nogil=True)
def _draw_pair(rng, rows, is_pruned, task, law, tables, different):
    """Draw a pair of rows; by rejection only a few trials at first, while rows of weight 0 may be in the way."""
    indptr, indices, bits = tables.indptr, tables.indices, tables.telling_bits
    if task.method == COUPLING:
        return draw_pair_by_coupling(rng, indptr, indices, bits, rows, law, different, MAX_STEPS)
    n_steps = MAX_STEPS if is_pruned else EASY_STEPS
    return draw_pair_by_rejection(rng, indptr, indices, bits, rows, law, different, n_steps)


@njit(cache=True, nogil=True)
def _draw_antecedent(
    rng, i, j, n_different, counted_bits, negative_bits, task, law, growth, tables, work, different, candidates, chosen
):  # fmt: skip
    """Draw an antecedent from a pair of rows; return its length."""
    indptr, indices = tables.indptr, tables.indices
    if task.method == CLIQUES:
        k = different[np.int64(rng.random() * n_different)]
        length = tables.set_ptr[k + 1] - tables.set_ptr[k]
        chosen[:length] = tables.set_items[tables.set_ptr[k] : tables.set_ptr[k + 1]]
        return length
    if task.method != GREEDY:
        return draw_subset(rng, indptr, indices, i, different, n_different, law.min_items, chosen)
    n = n_different
    if task.candidates == ALL:
        n = candidates.size
        candidates[:] = np.arange(n)
    elif task.candidates == UNION:
        n = merge_items(indptr, indices, i, j, candidates)
    else:
        candidates[:n] = different[:n]
    return grow_greedily(
        candidates[:n], tables.bits, tables.frequencies, counted_bits, negative_bits, growth, work, chosen
    )


@njit(cache=True, nogil=True)
def _match(items, bits, everything, positive_bits, matched):
    """Write the positive rows that have all items into `matched`; return how many rows have them, and positive ones."""
    n_covered = n_correct = np.uint64(0)
    for w in range(everything.size):
        word = everything[w]
        for item in items:
            word &= bits[item, w]
        matched[w] = word & positive_bits[w]
        n_covered += popcount_word(word)
        n_correct += popcount_word(matched[w])
    return np.int64(n_covered), np.int64(n_correct)


@njit(cache=True, nogil=True)
def common_rows(columns, bits, everything):
    """Return the rows in which all columns are one."""
    rows = everything.copy()
    for column in columns:
        rows &= bits[column]
    return rows


@njit(cache=True, nogil=True)
def any_rows(columns, bits):
    """Return the rows in which some column is one."""
    rows = np.zeros(bits.shape[1], dtype=np.uint64)
    for column in columns:
        rows |= bits[column]
    return rows
