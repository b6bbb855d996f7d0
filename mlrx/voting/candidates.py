"""Candidate rules: single items and the paths of shallow trees, one for each set of rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp
from numba import njit

from ..bits import all_rows, pack, popcount, popcount_word
from ..rules import Condition, opposite
from .trees import grow_tree

DEPTH = 3
MIN_ROWS = 5  # fewest rows on either side of a split
N_TARGETS = 8  # mixtures of labels that a tree tells apart
MOST_ROWS = 500  # rows that a tree is grown on
ITEM_SHARE = 0.1  # share of the items that a node may split on
MIN_ITEMS = 10  # and fewest of them, where there are as many
MOST_CANDIDATES = 4000
MIN_COVERED = 3


@dataclass(frozen=True)
class Candidates:
    """Candidate rules and what selection needs to know of them.

    Attributes
    ----------
    literals : ndarray of int32 of shape (n_candidates, depth)
        item + 1 where the item must be there, -(item + 1) where it must be absent, 0 for nothing; ascending.
    bits : ndarray of uint64 of shape (n_candidates, n_words)
        Rows covered, packed.
    n_covered : ndarray of int of shape (n_candidates,)
    products : ndarray of float of shape (n_candidates, n_labels)
        Sum over the covered rows of what each label has above its mean.
    """

    literals: np.ndarray
    bits: np.ndarray
    n_covered: np.ndarray
    products: np.ndarray

    def __len__(self) -> int:
        return len(self.literals)

    def __getitem__(self, chosen: np.ndarray) -> Candidates:
        return Candidates(self.literals[chosen], self.bits[chosen], self.n_covered[chosen], self.products[chosen])


def make_candidates(
    items: sp.csr_array, positives: sp.csr_array, features: np.ndarray, n_trees: int, rng: np.random.Generator
) -> Candidates:
    """Make candidates from the items and the paths of trees.

    Parameters
    ----------
    items : csr_array of shape (n_rows, n_items)
        Of zeros and ones.
    positives : csr_array of shape (n_rows, n_labels)
        Of zeros and ones.
    features : ndarray of int of shape (n_items,)
        Original column of each item; of the candidates for the same rows the one with the fewest columns is kept.
    n_trees : int
    rng : numpy.random.Generator

    Returns
    -------
    Candidates
        At most MOST_CANDIDATES, those that fit the labels best by themselves; none covers all rows or fewer than
        MIN_COVERED.

    Notes
    -----
    A tree tells N_TARGETS random mixtures of the weighted labels apart, so that its cost does not grow with their
    number, on at most MOST_ROWS rows, which bounds its cost for long tables.
    """
    n_rows, n_items = items.shape
    singles = np.zeros((n_items, DEPTH), dtype=np.int32)
    singles[:, -1] = np.arange(1, n_items + 1)
    literals = np.concatenate([singles, *_paths(items, positives, n_trees, rng)])
    literals = _ordered(np.unique(np.sort(literals, axis=1), axis=0), features)
    bits = literal_bits(literals, pack(items), n_rows)
    n_covered = popcount(bits)
    kept = np.flatnonzero((n_covered >= min(MIN_COVERED, n_rows)) & (n_covered < n_rows))
    _, first = np.unique(bits[kept].view(f"V{8 * bits.shape[1]}").ravel(), return_index=True)
    kept = kept[np.sort(first)]
    literals, bits, n_covered = literals[kept], bits[kept], n_covered[kept]
    products = common_rows(bits, pack(positives)) - np.outer(n_covered, label_means(positives))
    candidates = Candidates(literals, bits, n_covered, products)
    if len(candidates) <= MOST_CANDIDATES:
        return candidates
    fits = ((products * label_weights(positives)) ** 2).sum(axis=1) / (n_covered + MIN_COVERED)
    return candidates[np.sort(np.argsort(-fits, kind="stable")[:MOST_CANDIDATES])]


def label_means(positives: sp.csr_array) -> np.ndarray:
    """Return the share of rows that carry each label, shape (n_labels,)."""
    return np.bincount(positives.indices, minlength=positives.shape[1]) / positives.shape[0]


def label_weights(positives: sp.csr_array) -> np.ndarray:
    """Return what each label is multiplied with while rules are sought and chosen, shape (n_labels,).

    One over the root of its standard deviation, so that its squared error counts by one over that deviation: rare
    labels get rules of their own, and frequent ones still count for more. Scaled to the same total as without weights.
    A label of no row or of all, as a fold may have, tells nothing whatever its weight.
    """
    means = label_means(positives)
    variances = np.maximum(means * (1 - means), 1 / positives.shape[0] ** 2)  # for labels of no row or of all
    total = np.sqrt(variances).sum() or 1.0  # of the weighted variances; there may be no label at all
    return variances**-0.25 * np.sqrt(variances.sum() / total)


def _paths(items: sp.csr_array, positives: sp.csr_array, n_trees: int, rng: np.random.Generator) -> list[np.ndarray]:
    n_rows, n_items = items.shape
    n_labels = positives.shape[1]
    indptr, indices = items.indptr.astype(np.int64), items.indices.astype(np.int32)
    share = min(1.0, max(ITEM_SHARE, MIN_ITEMS / max(n_items, 1)))
    targets = np.zeros((n_rows, min(n_labels, N_TARGETS)), dtype=np.float32)
    weights = label_weights(positives)[:, None].astype(np.float32)
    paths = []
    for _ in range(n_trees):
        rows = rng.choice(n_rows, MOST_ROWS, replace=False) if n_rows > MOST_ROWS else rng.integers(n_rows, size=n_rows)
        if n_labels > N_TARGETS:
            mixtures = weights * rng.standard_normal((n_labels, N_TARGETS), dtype=np.float32)
            targets[rows] = positives[rows] @ mixtures
        elif not paths:
            targets = positives.toarray() * weights.T
        allowed = rng.random((2**DEPTH - 1, n_items), dtype=np.float32) < share
        paths.append(grow_tree(indptr, indices, allowed, rows.astype(np.int64), targets, MIN_ROWS))
    return paths


def _ordered(literals: np.ndarray, features: np.ndarray) -> np.ndarray:
    """Sort by the number of original columns."""
    columns = np.sort(np.where(literals != 0, features[np.abs(literals) - 1], -1), axis=1)
    n_columns = (columns >= 0).sum(axis=1) - ((columns[:, 1:] == columns[:, :-1]) & (columns[:, 1:] >= 0)).sum(axis=1)
    return literals[np.argsort(n_columns, kind="stable")]


def literal_bits(literals: np.ndarray, item_bits: np.ndarray, n_rows: int) -> np.ndarray:
    """Return the rows, packed, in which all literals of each candidate hold.

    Parameters
    ----------
    literals : ndarray of int of shape (n_candidates, depth)
        As of `Candidates`.
    item_bits : ndarray of uint64 of shape (n_items, n_words)
    n_rows : int

    Returns
    -------
    ndarray of uint64 of shape (n_candidates, n_words)
    """
    bits = np.tile(all_rows(n_rows), (len(literals), 1))
    _intersect(literals, item_bits, bits)
    return bits


@njit(cache=True, nogil=True)
def _intersect(literals, item_bits, bits):
    for j in range(literals.shape[0]):
        for literal in literals[j]:
            if literal > 0:
                for w in range(bits.shape[1]):
                    bits[j, w] &= item_bits[literal - 1, w]
            elif literal < 0:
                for w in range(bits.shape[1]):
                    bits[j, w] &= ~item_bits[-literal - 1, w]


@njit(cache=True, nogil=True)
def common_rows(bits, other_bits):
    """Count the rows that each pair of packed sets has in common.

    Parameters
    ----------
    bits, other_bits : ndarray of uint64 of shape (n, n_words), (m, n_words)

    Returns
    -------
    ndarray of int64 of shape (n, m)
    """
    common = np.zeros((bits.shape[0], other_bits.shape[0]), dtype=np.int64)
    for i in range(bits.shape[0]):
        for j in range(other_bits.shape[0]):
            for w in range(bits.shape[1]):
                common[i, j] += np.int64(popcount_word(bits[i, w] & other_bits[j, w]))
    return common


def antecedent(literals: np.ndarray, items: Sequence[Condition], known: np.ndarray) -> list[Condition]:
    """Return the conditions of one candidate on the original columns.

    Parameters
    ----------
    literals : ndarray of int of shape (depth,)
    items : sequence of Condition
        What each item says.
    known : ndarray of bool
        For each original column whether training rows know its value throughout. Where they do not, the absence of an
        item holds for a missing value.

    Returns
    -------
    list of Condition
    """
    present = [items[literal - 1] for literal in literals if literal > 0]
    absent = [
        opposite(items[-literal - 1], missing=not known[items[-literal - 1].feature])
        for literal in literals
        if literal < 0
    ]
    return present + absent
