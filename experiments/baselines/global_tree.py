"""GS, the global surrogate tree, as a model that predicts: one decision tree that copies a forest's labels."""

from __future__ import annotations

import time
from typing import Any

import numpy as np

from ..explainers import global_tree
from ..explainers.grid import best_surrogate, grid_for
from ..splits import Split
from .method import Fitted, Method
from .tree import leaf_lengths


def fit(split: Split, n_rules: int | None, seed: int, parameters: dict[str, Any]) -> Fitted:
    """Fit the tree of the grid that copies the labels best in cross-validation; the search is part of its seconds."""
    X, Y = split.train.X.to_numpy(dtype=np.float64), np.asarray(split.train.Y, dtype=bool)
    start = time.perf_counter()
    surrogate = best_surrogate(X, Y, grid_for(parameters.get("mode", "sound")), seed)
    seconds = time.perf_counter() - start
    lengths = leaf_lengths(surrogate.tree)
    return Fitted(lambda X: surrogate.predict(X.to_numpy()).astype(np.uint8), seconds, len(lengths), sum(lengths))


METHOD = Method(fit, global_tree.check)
