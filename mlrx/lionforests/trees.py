"""The nodes and leaves of fitted trees as flat arrays."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from .scaling import round_down

# Class weights that are added up in two orders differ by so much at most.
PROBABILITY_ROUNDING = 1e-10


def flatten(trees: Sequence[Any]) -> dict[str, np.ndarray]:
    """Return the node and leaf arrays of all trees together, as `FlatForest` describes them.

    Parameters
    ----------
    trees : sequence of sklearn.tree._tree.Tree
        Their public arrays suffice.

    Notes
    -----
    O(n_nodes * n_labels).
    """
    n_nodes = np.array([tree.node_count for tree in trees])
    start = np.concatenate([[0], np.cumsum(n_nodes)])
    left = np.concatenate([tree.children_left for tree in trees])
    right = np.concatenate([tree.children_right for tree in trees])
    is_leaf = left < 0
    is_inner = ~is_leaf
    leaves_before = np.concatenate([[0], np.cumsum(is_leaf)])
    code = np.where(is_leaf, ~leaves_before[:-1], np.cumsum(is_inner) - 1).astype(np.int32)
    offset = np.repeat(start[:-1], n_nodes)[is_inner]
    stated = np.concatenate([tree.threshold for tree in trees])[is_inner]
    # A split of missing from known may have the threshold NaN: no known value is at or below it, as for -inf.
    stated = np.where(np.isnan(stated), -np.inf, stated)
    votes = np.concatenate([tree.value[tree.children_left < 0] for tree in trees])
    if votes.shape[2] == 1:
        votes = np.concatenate([votes, np.zeros_like(votes)], axis=2)
    return {
        "roots": code[start[:-1]],
        "feature": np.concatenate([tree.feature for tree in trees])[is_inner].astype(np.int32),
        "left": code[left[is_inner] + offset],
        "right": code[right[is_inner] + offset],
        "threshold": round_down(stated, np.float32),
        "stated_threshold": stated,
        "missing_left": np.concatenate([tree.missing_go_to_left for tree in trees])[is_inner].astype(bool),
        "leaf_start": leaves_before[start],
        "votes": np.ascontiguousarray(votes),
    }


def check_probabilities(votes: np.ndarray) -> None:
    """Raise ValueError when a leaf holds other values than class probabilities.

    Parameters
    ----------
    votes : ndarray of float64 of shape (n_leaves, n_labels, 2)
    """
    is_none = ~((votes >= -PROBABILITY_ROUNDING) & (votes <= 1 + PROBABILITY_ROUNDING))
    if is_none.any():
        leaf, label, _ = np.argwhere(is_none)[0]
        raise ValueError(
            f"leaf {leaf} of the forest has the values {votes[leaf, label].tolist()} for label {label}; class "
            "probabilities, from 0 to 1, are allowed (negative sample weights in training lead to others)"
        )
