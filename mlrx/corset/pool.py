"""Sampling a pool of candidate rules: consequents first, then antecedents for each.

References
----------
CORSET paper, the two-step sampling scheme of equation (5).
"""

from __future__ import annotations

from concurrent.futures import Executor
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import scipy.sparse as sp
from numba import njit

from ..bits import all_rows, intersect, unpack
from .antecedents import (
    ALL,
    UNION,
    Growth,
    draw_subset,
    forget,
    grow_greedily,
    merge_items,
    new_work,
)
from .cliques import ColumnSets, likely_cliques
from .objective import adjusted_accuracy, count
from .pairs import (
    EASY_STEPS,
    MAX_STEPS,
    PairLaw,
    draw_pair_by_coupling,
    draw_pair_by_rejection,
    pair_rows,
    split_items,
    without_idle,
)
from .table import BinaryTable

GREEDY, COUPLING, REJECTION, CLIQUES = 0, 1, 2, 3
METHODS = {"greedy": GREEDY, "coupling": COUPLING, "rejection": REJECTION, "cliques": CLIQUES}
# A pool is cut into this many pieces, each with a random stream of its own, whatever the number of threads.
N_PIECES = 4
# More item sets than this do not fit a reduced antecedent space.
MAX_ITEM_SETS = 200_000


class Task(NamedTuple):
    """How antecedents are drawn: the method, the candidates of the greedy one, where positives are counted, sizes."""

    method: int
    candidates: int
    uncovered_only: bool
    n_rows: int
    largest_row: int


@dataclass(frozen=True)
class Pool:
    """Candidate rules, one entry each.

    Attributes
    ----------
    antecedents : ndarray of int32 of shape (n_candidates, width)
        Items, the first `lengths` of each row; a length of 0 marks a draw that gave no rule.
    lengths : ndarray of int
    consequents : ColumnSets
        The distinct consequents of the pool.
    groups : ndarray of int
        Which of them each candidate has.
    matched : ndarray of uint64 of shape (n_candidates, n_words)
        Rows that match the whole rule, packed.
    n_covered, n_correct : ndarray of int
        Rows that match the antecedent, and those that match the whole rule.
    accuracy : ndarray of float
        Adjusted accuracy.
    n_trials : int
        Proposals of pairs (for coupling, steps) that the pool took.
    """

    antecedents: np.ndarray
    lengths: np.ndarray
    consequents: ColumnSets
    groups: np.ndarray
    matched: np.ndarray
    n_covered: np.ndarray
    n_correct: np.ndarray
    accuracy: np.ndarray
    n_trials: int

    def __len__(self) -> int:
        return self.lengths.size

    def consequent(self, k: int) -> np.ndarray:
        """Return the labels of candidate k."""
        group = self.groups[k]
        return self.consequents.indices[self.consequents.indptr[group] : self.consequents.indptr[group + 1]]


class PoolSampler:
    """Draws antecedents for given consequents.

    Parameters
    ----------
    items, labels : BinaryTable
        Rows by binary items, and rows by labels.
    method : {"greedy", "coupling", "rejection", "cliques"}
    law : PairLaw
    growth : Growth
    candidates : {DIFFERENCE, UNION, ALL}
    uncovered_only : bool
    min_clique_probability : float
        Threshold of the reduced antecedent space, for ``method="cliques"``.

    Raises
    ------
    ValueError
        When more than `MAX_ITEM_SETS` item sets reach `min_clique_probability`.
    """

    def __init__(
        self,
        items: BinaryTable,
        labels: BinaryTable,
        method: str,
        law: PairLaw,
        growth: Growth,
        candidates: int,
        uncovered_only: bool,
        min_clique_probability: float,
    ) -> None:
        self.items, self.labels, self.law, self.growth = items, labels, law, growth
        # Pairs are told apart by single items, or in the reduced space by the item sets that a row contains.
        self.sets = ColumnSets.from_tuples([(k,) for k in range(items.n_columns)])
        self.telling = items
        if method == "cliques":
            self.sets = likely_cliques(items, min_clique_probability, MAX_ITEM_SETS)
            if self.sets.is_capped:
                raise ValueError(
                    f"more than {MAX_ITEM_SETS} item sets reach min_clique_probability={min_clique_probability:g}; "
                    f"raise min_clique_probability, or choose antecedents='greedy'"
                )
            self.telling = _membership(items, self.sets)
        largest_row = int(np.diff(self.telling.indptr).max(initial=1))
        self.task = Task(METHODS[method], candidates, uncovered_only, items.n_rows, largest_row)
        self.everything = all_rows(items.n_rows)
        self.width = self._width()

    def _width(self) -> int:
        """Return the largest number of items that an antecedent can have."""
        if self.task.method == CLIQUES:
            return int(np.diff(self.sets.indptr).max(initial=1))
        if self.task.method == GREEDY:
            return min(self.growth.max_conditions, max(1, self.items.n_columns))
        return self.task.largest_row

    def draw(
        self,
        rng: np.random.Generator,
        consequents: ColumnSets,
        times: np.ndarray,
        uncovered: np.ndarray,
        executor: Executor | None = None,
    ) -> Pool:
        """Draw `times` antecedents for each consequent.

        Parameters
        ----------
        rng : numpy.random.Generator
        consequents : ColumnSets
        times : ndarray of int
        uncovered : ndarray of uint64 of shape (n_labels, n_words)
            Used where positives are counted on uncovered label occurrences only.
        executor : Executor or None, default=None
            Runs the pieces of the pool; the result does not depend on it.

        Returns
        -------
        Pool
        """
        if self.task.method == GREEDY and self.task.candidates == ALL:
            times = np.minimum(times, 1)  # nothing is drawn, so that one antecedent a consequent is all there is
        ends = np.cumsum(times)
        size = int(ends[-1]) if ends.size else 0
        pool = Pool(
            np.zeros((size, self.width), dtype=np.int32),
            np.zeros(size, dtype=np.int64),
            consequents,
            np.repeat(np.arange(len(consequents)), times),
            np.zeros((size, self.items.bits.shape[1]), dtype=np.uint64),
            np.zeros(size, dtype=np.int64),
            np.zeros(size, dtype=np.int64),
            np.zeros(size, dtype=np.float64),
            0,
        )
        # Whole consequents go to a piece: the one in which their last candidate falls.
        borders = np.searchsorted(ends, np.linspace(0, size, N_PIECES + 1)[1:], side="left")
        borders = np.concatenate([[0], np.minimum(borders + 1, len(consequents))])
        borders[-1] = len(consequents)

        def run(piece: tuple[np.random.Generator, int, int]) -> int:
            return _fill(*piece, pool, self, ends, uncovered)

        pieces = zip(rng.spawn(N_PIECES), borders[:-1].tolist(), borders[1:].tolist(), strict=True)
        n_trials = sum((executor.map if executor else map)(run, pieces))
        return Pool(**{**vars(pool), "n_trials": int(n_trials)})


def _membership(items: BinaryTable, sets: ColumnSets) -> BinaryTable:
    """Return rows by item sets: which row contains which set."""
    columns = [
        np.flatnonzero(unpack(intersect(items.bits, sets[k], items.n_rows), items.n_rows)) for k in range(len(sets))
    ]
    indptr = np.concatenate([[0], np.cumsum([c.size for c in columns], dtype=np.int64)])
    indices = np.concatenate(columns) if columns else np.zeros(0, dtype=np.int64)
    ones = np.ones(indices.size, dtype=np.uint8)
    return BinaryTable.from_matrix(sp.csc_array((ones, indices, indptr), shape=(items.n_rows, len(sets))))


def _fill(rng, start: int, stop: int, pool: Pool, sampler: PoolSampler, ends: np.ndarray, uncovered: np.ndarray) -> int:
    """Draw the candidates of consequents `start` to `stop` into the pool; return the number of proposals."""
    items, telling = sampler.items, sampler.telling
    return _fill_compiled(
        rng, start, stop, ends, pool.consequents.indptr, pool.consequents.indices,
        sampler.task, sampler.law, sampler.growth,
        telling.indptr, telling.indices, telling.bits, telling.frequencies,
        sampler.sets.indptr, sampler.sets.indices,
        items.bits, items.frequencies, sampler.labels.bits, uncovered, sampler.everything,
        pool.antecedents, pool.lengths, pool.matched, pool.n_covered, pool.n_correct, pool.accuracy,
    )  # fmt: skip


@njit(cache=True, nogil=True)
def _fill_compiled(
    rng, start, stop, ends, label_ptr, label_of, task, law, growth,
    indptr, indices, telling_bits, telling_frequencies, set_ptr, set_items,
    bits, frequencies, label_bits, uncovered, everything,
    antecedents, lengths, matched, n_covered, n_correct, accuracy,
):  # fmt: skip
    n_words = everything.size
    different = np.empty(task.largest_row + 1, dtype=np.int32)
    candidates = np.empty(bits.shape[0], dtype=np.int32)
    work = new_work(n_words, bits.shape[0])
    is_drawn = task.method != GREEDY or task.candidates != ALL
    n_trials = 0
    for g in range(start, stop):
        consequent = label_of[label_ptr[g] : label_ptr[g + 1]]
        positive_bits = common_rows(consequent, label_bits, everything)
        rows = pair_rows(indptr, positive_bits, law)
        is_pruned = task.method == COUPLING
        if is_pruned:
            rows = without_idle(indptr, indices, telling_frequencies, rows, law)
        n_positive = count(positive_bits)
        negative_bits = everything & ~positive_bits
        counted_bits = positive_bits & any_rows(consequent, uncovered) if task.uncovered_only else positive_bits
        forget(work)
        for k in range(ends[g - 1] if g > 0 else 0, ends[g]):
            i = j = np.int64(0)
            if is_drawn:
                if rows.positives.size == 0:
                    break
                if task.method == COUPLING:
                    i, j, n = draw_pair_by_coupling(rng, indptr, indices, telling_bits, rows, law, different, MAX_STEPS)
                else:
                    steps = MAX_STEPS if is_pruned else EASY_STEPS
                    i, j, n = draw_pair_by_rejection(rng, indptr, indices, telling_bits, rows, law, different, steps)
                    if i < 0 and not is_pruned:
                        is_pruned = True
                        rows = without_idle(indptr, indices, telling_frequencies, rows, law)
                        if rows.positives.size == 0:
                            break
                        i, j, n = draw_pair_by_rejection(
                            rng, indptr, indices, telling_bits, rows, law, different, MAX_STEPS
                        )
                n_trials += n
                if i < 0:
                    continue
            n_different = split_items(indptr, indices, telling_bits, i, j, different)
            if task.method == GREEDY:
                n = _gather(task.candidates, indptr, indices, i, j, different, n_different, candidates)
                length = grow_greedily(
                    candidates[:n], bits, frequencies, counted_bits, negative_bits, growth, work, antecedents[k]
                )
            elif task.method == CLIQUES:
                chosen = different[np.int64(rng.random() * n_different)]
                length = set_ptr[chosen + 1] - set_ptr[chosen]
                antecedents[k, :length] = set_items[set_ptr[chosen] : set_ptr[chosen + 1]]
            else:
                length = draw_subset(rng, indptr, indices, i, different, n_different, law.min_items, antecedents[k])
            lengths[k] = length
            if length > 0:
                covered = common_rows(antecedents[k, :length], bits, everything)
                matched[k] = covered & positive_bits
                n_covered[k], n_correct[k] = count(covered), count(matched[k])
                accuracy[k] = adjusted_accuracy(n_correct[k], n_covered[k], n_positive, task.n_rows)
    return n_trials


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


@njit(cache=True, nogil=True)
def _gather(source, indptr, indices, i, j, different, n_different, candidates):
    """Write the items that a greedy antecedent may choose from into `candidates`; return their number."""
    if source == ALL:
        candidates[:] = np.arange(candidates.size)
        return candidates.size
    if source == UNION:
        return merge_items(indptr, indices, i, j, candidates)
    candidates[:n_different] = different[:n_different]
    return n_different
