"""Interpretable sets: the likely cliques of the graph in which co-occurring columns are joined.

The same construction serves labels (the reduced consequent space) and binary items (the reduced antecedent space).

References
----------
CORSET paper, section on the interpretable label space; the undirected edge probability and the threshold on the
product of edge probabilities follow the released code.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp

from ..bits import intersect, popcount
from ..table import BinaryTable


@dataclass(frozen=True)
class ColumnSets:
    """A list of column sets, stored end to end.

    Attributes
    ----------
    indptr, indices : ndarray of int
        Set k is ``indices[indptr[k]:indptr[k + 1]]``, ascending.
    is_capped : bool
        Whether larger sets exist that were left out for their number.
    """

    indptr: np.ndarray
    indices: np.ndarray
    is_capped: bool = False

    @classmethod
    def from_tuples(cls, sets: list[tuple[int, ...]], is_capped: bool = False) -> ColumnSets:
        """Build from a list of ascending tuples."""
        indptr = np.concatenate([[0], np.cumsum([len(columns) for columns in sets], dtype=np.int64)])
        indices = np.fromiter((column for columns in sets for column in columns), dtype=np.int32, count=indptr[-1])
        return cls(indptr.astype(np.int64), indices, is_capped)

    def __len__(self) -> int:
        return self.indptr.size - 1

    def __getitem__(self, k: int) -> tuple[int, ...]:
        return tuple(self.indices[self.indptr[k] : self.indptr[k + 1]].tolist())

    def take(self, numbers: np.ndarray) -> ColumnSets:
        """Return the sets of the given numbers, in that order."""
        sizes = np.diff(self.indptr)[numbers]
        indptr = np.concatenate([[0], np.cumsum(sizes)])
        places = np.arange(indptr[-1]) + np.repeat(self.indptr[numbers] - indptr[:-1], sizes)
        return ColumnSets(indptr, self.indices[places])


def edge_probabilities(table: BinaryTable) -> sp.csr_array:
    """Return the probability of each undirected edge of the confidence graph.

    ``p(u, v) = |D[u] & D[v]| / |D[u]|`` for columns that co-occur, and ``p{u, v} = 1 - (1 - p(u, v))(1 - p(v, u))``.

    Returns
    -------
    csr_array of shape (n_columns, n_columns)
        Symmetric, without diagonal.

    Notes
    -----
    O(sum of squared row sizes), and never a dense matrix of columns by columns.
    """
    shape = (table.n_rows, table.n_columns)
    ones = np.ones(table.n_ones, dtype=np.int64)
    matrix = sp.csr_array((ones, table.indices, table.indptr), shape=shape)
    together = sp.coo_array(matrix.T @ matrix)
    u, v = together.coords
    off_diagonal = u != v
    u, v, n_together = u[off_diagonal], v[off_diagonal], together.data[off_diagonal]
    n_u, n_v = table.frequencies[u], table.frequencies[v]
    # In integers up to the last division, so that certain edges (one column implies the other) come out as exactly 1.
    probability = 1.0 - ((n_u - n_together) * (n_v - n_together)) / (n_u * n_v)
    return sp.csr_array((probability, (u, v)), shape=(table.n_columns, table.n_columns))


def likely_cliques(table: BinaryTable, min_probability: float, max_sets: int) -> ColumnSets:
    """Enumerate the column sets whose product of edge probabilities reaches a threshold and that occur in some row.

    Parameters
    ----------
    table : BinaryTable
    min_probability : float
        The threshold (alpha) on the product; single columns have probability 1.
    max_sets : int
        Sets are enumerated by growing size; a size that would bring the number above `max_sets` is left out whole,
        with all larger ones, and the result says that it is capped.

    Returns
    -------
    ColumnSets

    Notes
    -----
    The product only falls as a set grows, so every subset of a listed set is listed, and size k + 1 is built from
    size k. O(number of sets times degree).
    """
    edges = _edges_upward(table, min_probability)
    level = [((int(u),), 1.0, edges[int(u)]) for u in np.flatnonzero(table.frequencies)]
    sets = [columns for columns, _, _ in level]
    while level:
        level = _grow(level, edges, min_probability, max_sets - len(sets))
        if level is None:
            return ColumnSets.from_tuples(_occurring(table, sets), is_capped=True)
        sets += [columns for columns, _, _ in level]
    return ColumnSets.from_tuples(_occurring(table, sets))


def _edges_upward(table: BinaryTable, min_probability: float) -> list[dict[int, float]]:
    """Return for each column its neighbours of higher index with their edge probability, if that is high enough."""
    edges: list[dict[int, float]] = [{} for _ in range(table.n_columns)]
    coo = sp.coo_array(edge_probabilities(table))
    keep = (coo.data >= min_probability) & (coo.coords[0] < coo.coords[1])
    for u, v, p in zip(*(c[keep].tolist() for c in coo.coords), coo.data[keep].tolist(), strict=True):
        edges[u][v] = p
    return edges


def _grow(level: list, edges: list[dict[int, float]], min_probability: float, room: int) -> list | None:
    """Return the sets one column larger, each with its probability and what can extend it; None when too many."""
    grown = []
    for columns, probability, extensions in level:
        for v, p in sorted(extensions.items()):
            product = probability * p
            if product < min_probability:
                continue
            if len(grown) == room:
                return None
            # What extends the grown set must be joined to v too; its value is the product of its edges to the set.
            joined = {w: q * edges[v][w] for w, q in extensions.items() if w > v and w in edges[v]}
            grown.append(((*columns, v), product, joined))
    return grown


def _occurring(table: BinaryTable, sets: list[tuple[int, ...]]) -> list[tuple[int, ...]]:
    """Leave out sets of three or more columns that no row contains; pairs of neighbours occur by construction."""
    return [s for s in sets if len(s) < 3 or popcount(intersect(table.bits, s, table.n_rows)) > 0]
