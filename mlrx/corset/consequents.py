"""Sampling consequents by uncovered area.

Both samplers keep their weights up to date as rules are selected, and share one protocol: ``draw(rng, size)`` returns
distinct consequents with their multiplicities, and ``cover(matched, consequent)`` takes in a selected rule.

References
----------
CORSET paper, Algorithms 2 and 4, equations (7) to (11).
"""

from __future__ import annotations

import logging
from dataclasses import dataclass

import numpy as np
from numba import njit

from ..bits import count_common, unpack
from ..table import BinaryTable
from .cliques import ColumnSets, likely_cliques

logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class Drawn:
    """Distinct consequents, how often each was drawn, and their numbers in an enumerated space (-1 without one)."""

    sets: ColumnSets
    times: np.ndarray
    numbers: np.ndarray


# More label sets than this are no longer "interpretable", and slow every draw; larger sets are then left out.
MAX_LABEL_SETS = 20_000


class CliqueConsequents:
    """Consequents from the likely cliques of labels, each drawn with probability proportional to its uncovered area.

    Parameters
    ----------
    labels : BinaryTable
        Rows by labels.
    min_clique_probability : float
        Threshold alpha on the product of a clique's edge probabilities.

    Notes
    -----
    The paper draws a row and then a set in it; as the space is enumerated here, the set is drawn at once with
    the same law. Selecting a rule costs one pass over the sets that share a label with it.
    """

    def __init__(self, labels: BinaryTable, min_clique_probability: float) -> None:
        self._labels = labels
        self.sets = likely_cliques(labels, min_clique_probability, MAX_LABEL_SETS)
        if self.sets.is_capped:
            longest = int(np.diff(self.sets.indptr).max())
            logger.warning(
                "more than %d label sets reach min_clique_probability=%g: sets of more than %d labels are left out",
                MAX_LABEL_SETS, min_clique_probability, longest,
            )  # fmt: skip
        self.n_sets = len(self.sets)
        self.uncovered = labels.bits.copy()
        self.areas = np.zeros(len(self.sets), dtype=np.int64)
        every_label = np.arange(labels.n_columns, dtype=np.int32)
        _add_areas(self.areas, self.sets.indptr, self.sets.indices, labels.bits, every_label, self.uncovered, 1)

    def draw(self, rng: np.random.Generator, size: int) -> Drawn | None:
        """Draw `size` consequents with replacement.

        Returns
        -------
        Drawn or None
            None when everything is covered.
        """
        alive = np.flatnonzero(self.areas)
        if alive.size == 0:
            return None
        weights = self.areas[alive].astype(np.float64)
        times = rng.multinomial(size, weights / weights.sum())
        drawn = alive[times > 0]
        return Drawn(self.sets.take(drawn), times[times > 0], drawn)

    def cover(self, matched: np.ndarray, consequent: np.ndarray) -> None:
        """Take in a selected rule: rows `matched` (packed) are now covered for the labels of `consequent`."""
        newly = matched & self.uncovered[consequent]
        _add_areas(self.areas, self.sets.indptr, self.sets.indices, self._labels.bits, consequent, newly, -1)
        self.uncovered[consequent] &= ~matched


@njit(cache=True, nogil=True)
def _add_areas(areas, indptr, indices, bits, labels, rows, sign):
    """Add to each set's area the cells (row, label) with label in `labels`, row in `rows` and carrying the set."""
    place = np.full(bits.shape[0], -1)
    place[labels] = np.arange(labels.size)
    support = np.empty(bits.shape[1], dtype=np.uint64)
    for k in range(areas.size):
        members = indices[indptr[k] : indptr[k + 1]]
        is_ready = False
        for label in members:
            if place[label] < 0:
                continue
            if not is_ready:
                support[:] = bits[members[0]]
                for other in members[1:]:
                    support &= bits[other]
                is_ready = True
            areas[k] += sign * count_common(support, rows[place[label]])


class FullConsequents:
    """Consequents from all label sets: a row by weight (11), then a subset by its number of uncovered labels.

    Parameters
    ----------
    labels : BinaryTable
        Rows by labels.

    Notes
    -----
    A row's weight is ``|uncovered| * 2 ** (n_labels_of_row - 1)``, held as a logarithm because it overflows a float at
    about a thousand labels. After a selected rule only the rows that it matches change. One draw of a pool costs
    O(n_rows) for the weights.
    """

    def __init__(self, labels: BinaryTable) -> None:
        self._labels = labels
        self.n_sets = 0  # they are not enumerated
        self.uncovered = labels.bits.copy()
        self._row_sizes = np.diff(labels.indptr)
        self._n_uncovered = self._row_sizes.copy()

    def draw(self, rng: np.random.Generator, size: int) -> Drawn | None:
        """Draw `size` consequents with replacement; see `CliqueConsequents.draw`."""
        rows = np.flatnonzero(self._n_uncovered)
        if rows.size == 0:
            return None
        logs = np.log2(self._n_uncovered[rows]) + self._row_sizes[rows]
        weights = np.exp2(logs - logs.max())
        drawn = rows[
            np.searchsorted(np.cumsum(weights), rng.random(size) * weights.sum(), side="right").clip(max=rows.size - 1)
        ]
        indptr, indices = _draw_subsets(rng, drawn, self._labels.indptr, self._labels.indices, self.uncovered)
        times: dict[tuple[int, ...], int] = {}
        for k in range(size):
            consequent = tuple(indices[indptr[k] : indptr[k + 1]].tolist())
            times[consequent] = times.get(consequent, 0) + 1
        sets = ColumnSets.from_tuples(list(times))
        return Drawn(sets, np.array(list(times.values()), dtype=np.int64), np.full(len(sets), -1))

    def cover(self, matched: np.ndarray, consequent: np.ndarray) -> None:
        """Take in a selected rule; see `CliqueConsequents.cover`."""
        newly = matched & self.uncovered[consequent]
        self._n_uncovered -= unpack(newly, self._labels.n_rows).sum(axis=0)
        self.uncovered[consequent] &= ~matched


@njit(cache=True, nogil=True)
def _draw_subsets(rng, rows, indptr, indices, uncovered):
    """Draw for each row a subset of its labels with weight equal to the number of uncovered labels in it.

    One uncovered label, chosen uniformly, is in; every other label of the row is in with probability one half. That
    gives a subset T the probability |T & uncovered| / (|uncovered| * 2 ** (n_labels_of_row - 1)).
    """
    room = 0
    for i in rows:
        room += indptr[i + 1] - indptr[i]
    starts = np.zeros(rows.size + 1, dtype=np.int64)
    chosen = np.empty(room, dtype=np.int32)
    n_chosen = 0
    for k in range(rows.size):
        i = rows[k]
        word, bit = i >> 6, np.uint64(i & 63)
        n_open = 0
        for c in range(indptr[i], indptr[i + 1]):
            n_open += np.int64((uncovered[indices[c], word] >> bit) & np.uint64(1))
        pick = np.int64(rng.random() * n_open)
        for c in range(indptr[i], indptr[i + 1]):
            is_open = (uncovered[indices[c], word] >> bit) & np.uint64(1)
            is_picked = is_open and pick == 0
            pick -= np.int64(is_open)
            if is_picked or rng.random() < 0.5:
                chosen[n_chosen] = indices[c]
                n_chosen += 1
        starts[k + 1] = n_chosen
    return starts, chosen[:n_chosen]
