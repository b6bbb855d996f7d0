"""The surrogate tree of a grid that copies the forest best on rows left out."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import product
from typing import Any

import numpy as np
from sklearn import config_context
from sklearn.model_selection import KFold

from .surrogate import Surrogate

N_SPLITS = 10
DEPTHS, LEAF_SIZES = (1, 5, 10, None), (1, 2, 5, 10)
# Shares of the columns that are looked at for a split: the published grid has all four, ours the last.
PUBLISHED_FEATURES, ALL_FEATURES = ("sqrt", "log2", 0.75, None), (None,)
PUBLISHED_SEED = 10


def grid_for(mode: str) -> tuple[str | float | None, ...]:
    """Return the values of `max_features` that a mode tries."""
    return PUBLISHED_FEATURES if mode == "paper" else ALL_FEATURES


def best_surrogate(
    X: np.ndarray,
    Y: np.ndarray,
    max_features: Sequence[str | float | None],
    seed: int,
    sample_weight: np.ndarray | None = None,
) -> Surrogate:
    """Return the tree of the best depth, share of columns and leaf size, fitted on all rows.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
    Y : ndarray of bool of shape (n_samples, n_labels)
        What the forest predicts.
    max_features : sequence
        Values of the parameter of that name; depths and leaf sizes are `DEPTHS` and `LEAF_SIZES`.
    seed : int
        Of every tree.
    sample_weight : ndarray of shape (n_samples,) or None, default=None
        Counts in the fits and in the scores.

    Notes
    -----
    The weighted F1, averaged over 10 parts of consecutive rows, or as many as there are rows; of equal ones the first
    in the order (depth, columns, leaf size). This is what `GridSearchCV` returns, with fewer fits: a tree that does
    not reach a depth limit is the tree of that limit. Where all rows have the same labels there is nothing to choose.
    At most 16 * len(max_features) * 10 + 1 fits.
    """
    n_features = [_n_features(value, X.shape[1]) for value in max_features]
    candidates = list(product(DEPTHS, n_features, LEAF_SIZES))
    best = candidates[0]
    if len(X) > 1 and (Y[0] != Y).any():
        splits = KFold(min(N_SPLITS, len(X))).split(X)
        # Checking parameters takes a part of the time of a small fit.
        with config_context(skip_parameter_validation=True):
            scores = np.column_stack(
                [_scores(X, Y, sample_weight, trained, tested, candidates, seed) for trained, tested in splits]
            )
        best = candidates[scores.mean(axis=1).argmax()]
    return Surrogate.fit(X, Y, seed, sample_weight, **_parameters(best))


def _scores(
    X: np.ndarray,
    Y: np.ndarray,
    sample_weight: np.ndarray | None,
    trained: np.ndarray,
    tested: np.ndarray,
    candidates: list[tuple[int | None, int, int]],
    seed: int,
) -> list[float]:
    """Return the candidates' scores on the tested rows."""
    scores, shallowest = {}, {}
    weights = (None, None) if sample_weight is None else (sample_weight[trained], sample_weight[tested])
    for candidate in sorted(candidates, key=lambda candidate: -_limit(candidate)):
        limit, others = _limit(candidate), candidate[1:]
        if others in shallowest and (shallowest[others][0] == limit or shallowest[others][1] < limit):
            scores[candidate] = shallowest[others][2]
            continue
        surrogate = Surrogate.fit(X[trained], Y[trained], seed, weights[0], **_parameters(candidate))
        scores[candidate] = weighted_f1(Y[tested], surrogate.predict(X[tested]), weights[1])
        shallowest[others] = (limit, surrogate.depth, scores[candidate])
    return [scores[candidate] for candidate in candidates]


def _limit(candidate: tuple[int | None, int, int]) -> float:
    return math.inf if candidate[0] is None else candidate[0]


def _parameters(candidate: tuple[int | None, int, int]) -> dict[str, Any]:
    return dict(zip(("max_depth", "max_features", "min_samples_leaf"), candidate))


def _n_features(share: str | float | None, n_features: int) -> int:
    """Return the number of columns that scikit-learn makes of `max_features`."""
    if share is None:
        return n_features
    number = {"sqrt": math.sqrt, "log2": math.log2}.get(share, lambda n: share * n)(n_features)
    return max(1, int(number))


def weighted_f1(truth: np.ndarray, predicted: np.ndarray, sample_weight: np.ndarray | None = None) -> float:
    """Return the F1 of each label, 0 where it is not defined, averaged by how often the label is present.

    Parameters
    ----------
    truth, predicted : ndarray of bool of shape (n_samples, n_labels)
    sample_weight : ndarray of shape (n_samples,) or None, default=None

    Notes
    -----
    The value of scikit-learn's `f1_score`, some fifty times as fast; without any label present it is 0 there too.
    """
    weights = np.ones(len(truth)) if sample_weight is None else sample_weight
    n_present, n_predicted = weights @ truth, weights @ predicted
    n_both, total = weights @ (truth & predicted), n_present + n_predicted
    scores = np.divide(2 * n_both, total, out=np.zeros(total.size), where=total > 0)
    return float(np.average(scores, weights=n_present)) if n_present.any() else 0.0
