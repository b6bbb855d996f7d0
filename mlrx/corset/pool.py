"""Sampling a pool of candidate rules: consequents first, then antecedents for each.

References
----------
CORSET paper, the two-step sampling scheme of equation (5).
"""

from __future__ import annotations

from concurrent.futures import Executor
from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp

from ..bits import all_rows, intersect, unpack
from ..table import BinaryTable
from .antecedents import ALL, Growth
from .cliques import ColumnSets, likely_cliques
from .consequents import Drawn
from .drawing import CLIQUES, COUPLING, GREEDY, REJECTION, Memory, Output, Tables, Task, fill
from .pairs import PairLaw

METHODS = {"greedy": GREEDY, "coupling": COUPLING, "rejection": REJECTION, "cliques": CLIQUES}
# A pool is cut into this many pieces, each with a random stream of its own, whatever the number of threads.
N_PIECES = 4
# Room for counts that draws of one consequent share, and the most prefixes of antecedents it is shared out to.
MEMORY_BYTES = 128_000_000
MAX_PREFIXES = 128
# More item sets than this do not fit a reduced antecedent space.
MAX_ITEM_SETS = 200_000


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
    n_consequents : int, default=0
        Size of the enumerated space that consequents come from, 0 where there is none.

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
        n_consequents: int = 0,
    ) -> None:
        self.items, self.law, self.growth = items, law, growth
        # Pairs are told apart by single items, or in the reduced space by the item sets that a row contains.
        self.sets = ColumnSets.from_tuples([(k,) for k in range(items.n_columns)])
        telling = items
        if method == "cliques":
            self.sets = likely_cliques(items, min_clique_probability, MAX_ITEM_SETS)
            if self.sets.is_capped:
                raise ValueError(
                    f"more than {MAX_ITEM_SETS} item sets reach min_clique_probability={min_clique_probability:g}; "
                    f"raise min_clique_probability, or choose antecedents='greedy'"
                )
            telling = membership(items, self.sets)
        largest_row = int(np.diff(telling.indptr).max(initial=1))
        self.task = Task(METHODS[method], candidates, uncovered_only, items.n_rows, largest_row)
        self.tables = Tables(
            *(telling.indptr, telling.indices, telling.bits, telling.frequencies),
            *(self.sets.indptr, self.sets.indices),
            *(items.bits, items.frequencies, labels.bits, all_rows(items.n_rows)),
        )
        self.width = self._width()
        # Counts are those of all rows with the consequent; where covered ones drop out, they hold for one pool only.
        self.n_remembered = 0 if uncovered_only or method != "greedy" else n_consequents
        self.memory = self._memory()

    def _memory(self) -> Memory:
        """Return room for counts; without that for consequents by number where it would hold too little."""
        n_items = self.items.n_columns
        n_prefixes = MEMORY_BYTES // (12 * max(1, n_items) * (self.n_remembered + N_PIECES))
        if n_prefixes < 4:
            self.n_remembered = 0
        shape = self.n_remembered + N_PIECES, min(max(n_prefixes, 4), MAX_PREFIXES)
        # Pages of an empty array take memory only once they are written to.
        return Memory(
            np.empty((*shape, 2, n_items), dtype=np.int32),
            np.empty((*shape, n_items), dtype=np.int32),
            np.zeros(shape[0], dtype=np.int64),
        )

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
        drawn: Drawn,
        uncovered: np.ndarray,
        executor: Executor | None = None,
    ) -> Pool:
        """Draw as many antecedents for each consequent as it was drawn times.

        Parameters
        ----------
        rng : numpy.random.Generator
        drawn : Drawn
        uncovered : ndarray of uint64 of shape (n_labels, n_words)
            Used where positives are counted on uncovered label occurrences only.
        executor : Executor or None, default=None
            Runs the pieces of the pool; the result does not depend on it.

        Returns
        -------
        Pool
        """
        consequents, times = drawn.sets, drawn.times
        if self.task.method == GREEDY and self.task.candidates == ALL:
            times = np.minimum(times, 1)  # nothing is drawn, so that one antecedent a consequent is all there is
        numbers = drawn.numbers if self.n_remembered else np.full_like(drawn.numbers, -1)
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

        output = Output(pool.antecedents, pool.lengths, pool.matched, pool.n_covered, pool.n_correct, pool.accuracy)
        settings = self.task, self.law, self.growth, self.tables, self.memory

        def run(piece: tuple[np.random.Generator, int, int, int]) -> int:
            return fill(*piece, ends, consequents.indptr, consequents.indices, numbers, *settings, uncovered, output)

        pieces = zip(rng.spawn(N_PIECES), range(N_PIECES), borders[:-1].tolist(), borders[1:].tolist(), strict=True)
        n_trials = sum((executor.map if executor else map)(run, pieces))
        return Pool(**{**vars(pool), "n_trials": int(n_trials)})


def membership(items: BinaryTable, sets: ColumnSets) -> BinaryTable:
    """Tell which row contains which item set, as a table of rows by sets."""
    columns = [
        np.flatnonzero(unpack(intersect(items.bits, sets[k], items.n_rows), items.n_rows)) for k in range(len(sets))
    ]
    indptr = np.concatenate([[0], np.cumsum([c.size for c in columns], dtype=np.int64)])
    indices = np.concatenate(columns) if columns else np.zeros(0, dtype=np.int64)
    ones = np.ones(indices.size, dtype=np.uint8)
    return BinaryTable.from_matrix(sp.csc_array((ones, indices, indptr), shape=(items.n_rows, len(sets))))
