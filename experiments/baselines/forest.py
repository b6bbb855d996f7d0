"""A random forest for all labels, with one threshold on its votes: what can be had without rules to read."""

from __future__ import annotations

import time
from typing import Any

import numpy as np

from ..splits import Split
from .encoding import make_encoder
from .method import Fitted, Method, check_names, names_of, predict_table
from .threshold import best_threshold

RESERVED = ("random_state", "n_jobs", "oob_score", "bootstrap", "criterion")


def fit(split: Split, n_rules: int | None, seed: int, parameters: dict[str, Any]) -> Fitted:
    """Fit a forest on labels as numbers 0 and 1; a label is present from a threshold of the mean over the trees on.

    Notes
    -----
    The threshold is the one with the highest micro-F1 of the out-of-bag means of the training rows. Splits by variance
    of a number that is 0 or 1 are those by the Gini impurity. A forest has no size here: it is no rule set to be read.
    """
    from sklearn.ensemble import RandomForestRegressor

    encode = make_encoder(split.train)
    model = RandomForestRegressor(random_state=seed, oob_score=_no_score, **parameters)
    X, Y = encode(split.train.X), np.asarray(split.train.Y, dtype=np.float64)
    start = time.perf_counter()
    model.fit(X, Y)
    threshold, _ = best_threshold(model.oob_prediction_.reshape(Y.shape), Y)
    seconds = time.perf_counter() - start
    return Fitted(lambda X: (predict_table(model, encode(X)) >= threshold).astype(np.uint8), seconds)


def _no_score(truth: np.ndarray, predicted: np.ndarray) -> float:
    """Stand in for a score that nobody asks for: only the out-of-bag means themselves are used."""
    return 0.0


def check(parameters: dict[str, Any]) -> None:
    """Refuse parameters that `RandomForestRegressor` does not take, and values out of their domain."""
    from sklearn.ensemble import RandomForestRegressor

    check_names(parameters, names_of(RandomForestRegressor), RESERVED)
    RandomForestRegressor(**parameters)._validate_params()


METHOD = Method(fit, check)
