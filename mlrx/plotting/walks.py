"""How rows go down the trees of a forest: the splits in their order, which a path as a box does not tell."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from ..lionforests import FlatForest


def split_features(forest: FlatForest, x: Any) -> np.ndarray:
    """Return the feature that each tree asks about at each depth, for one row.

    Parameters
    ----------
    forest : FlatForest
    x : array-like of shape (n_features,)

    Returns
    -------
    ndarray of int of shape (n_trees, depth)
        Of the deepest of these paths; -1 after the end of a path.
    """
    levels = [nodes[0] for nodes in _levels(forest, np.asarray(x)[None]) if (nodes >= 0).any()]
    if not levels:
        return np.empty((forest.n_trees, 0), dtype=np.intp)
    nodes = np.stack(levels, axis=1)
    return np.where(nodes >= 0, forest.feature[np.maximum(nodes, 0)], -1)


def leaf_shares(forest: FlatForest, X: Any) -> np.ndarray:
    """Return the share of the rows that end in each leaf, of shape (n_leaves,); those of a tree add up to 1.

    Notes
    -----
    O(n_samples * n_trees * depth), and n_samples * n_trees numbers in memory.
    """
    *_, leaves = _levels(forest, X)
    return np.bincount(~leaves.ravel(), minlength=forest.leaf_start[-1]) / len(leaves)


def _levels(forest: FlatForest, X: Any) -> Iterator[np.ndarray]:
    """Yield where rows are in the trees, depth by depth: nodes, or ``~leaf``, of shape (n_samples, n_trees)."""
    values = forest.scaling.transform(forest.rows(X))
    nodes = np.tile(forest.roots, (len(values), 1))
    while True:
        yield nodes
        rows, trees = np.nonzero(nodes >= 0)
        if rows.size == 0:
            return
        inner = nodes[rows, trees]
        seen = values[rows, forest.feature[inner]]
        goes_left = (seen <= forest.threshold[inner]) | (np.isnan(seen) & forest.missing_left[inner])
        nodes = nodes.copy()
        nodes[rows, trees] = np.where(goes_left, forest.left[inner], forest.right[inner])
