"""Folds of a few rows whose forest, one full tree without bootstrap, predicts the given labels exactly."""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from experiments.forests import Fold
from mlrx.datasets import MultilabelData


def make_fold(
    X: np.ndarray, Y: np.ndarray, groups: dict[str, tuple[int, ...]] | None = None, kinds: Sequence[str] | None = None
) -> Fold:
    """Return a fold whose training and test rows are the same."""
    names = [f"f{k}" for k in range(X.shape[1])]
    labels = [f"l{k}" for k in range(Y.shape[1])]
    table = pd.DataFrame(np.asarray(X, dtype=np.float64), columns=names)
    kinds = kinds or ["numeric"] * len(names)
    data = MultilabelData(table, np.asarray(Y, dtype=np.uint8), names, labels, kinds, "small")
    return Fold("small", data, data, "", {"n_estimators": 1, "bootstrap": False, "max_features": None}, groups or {})


def make_steps_fold(n_times: int = 1) -> Fold:
    """Return the rows 0 to 7 of one column, without labels up to 2, with the first from 3, with both from 6."""
    X = np.tile(np.arange(8.0), n_times)[:, None]
    return make_fold(X, np.column_stack([X[:, 0] >= 3, X[:, 0] >= 6]))


def make_mixed_fold(n_rows: int = 60) -> Fold:
    """Return rows with two numbers, a binary column and one of three categories; three labels, one of all columns."""
    rng = np.random.default_rng(1)
    numbers, binary = rng.normal(size=(n_rows, 2)) * [1, 1000], rng.integers(2, size=n_rows)
    category = rng.integers(3, size=n_rows)
    X = np.column_stack([numbers, binary, category == 0, category == 1, category == 2])
    Y = np.column_stack([numbers[:, 0] > 0, numbers[:, 1] > 500 * category, (binary == 1) ^ (numbers[:, 0] > 0.5)])
    return make_fold(X, Y, {"category": (3, 4, 5)}, ["numeric", "numeric", "binary", "binary", "binary", "binary"])
