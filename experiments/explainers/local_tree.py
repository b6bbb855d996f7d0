"""LS: a decision tree for the surroundings of each row, which are training rows or, as LIME draws them, made up."""

from __future__ import annotations

import time
from numbers import Integral
from typing import Any

import numpy as np
from sklearn.utils._param_validation import Interval, StrOptions

from ..forests import Fold
from ..seeds import derive_seed
from .columns import Columns
from .explainer import Explained, Explainer, FittedExplainer, parameter_check
from .grid import ALL_FEATURES, PUBLISHED_SEED, best_surrogate, grid_for
from .surrogate import agreement, explained

NEAREST_CONSTRAINTS = {
    "mode": [StrOptions({"sound", "paper"})],
    "n_neighbors": [None, Interval(Integral, 1, None, closed="left")],
}
DRAWN_CONSTRAINTS = {"n_samples": [Interval(Integral, 1, None, closed="left")]}
# LIME's default width of the kernel on standardised columns, in units of sqrt(n_features).
KERNEL_WIDTH = 0.75


def fit_nearest(fold: Fold, seed: int, parameters: dict[str, Any]) -> FittedExplainer:
    """Keep the training rows at hand; a row's tree is fitted on the nearest of them when it is explained.

    Notes
    -----
    The local surrogate of [1]_: nearest by Euclidean distance of the columns in the units of the fold's scaler, which
    brings them to (0, 1) but in the example. `n_neighbors` is a tenth of the training rows unless it is given; the
    paper takes 150. With ``mode="paper"`` the published grid of 64 trees and its fixed seed, 641 fits a row less those
    that `best_surrogate` saves; without, the 16 trees that look at all columns, and the seed given. The seconds of a
    row include the search.

    References
    ----------
    .. [1] N. Mylonas, I. Mollas, N. Bassiliades, G. Tsoumakas. Local Multi-Label Explanations for Random Forest.
       ECML PKDD 2022 Workshops, CCIS 1752, 2023. arXiv:2207.01994
    """
    mode = parameters.get("mode", "sound")
    n_neighbors = parameters.get("n_neighbors") or max(1, len(fold.X_train) // 10)
    scaler, forest = fold.scaler, fold.forest
    start = time.perf_counter()
    scaled, truth = scaler.transform(fold.X_train), forest.predict_labels(fold.X_train)
    seconds = time.perf_counter() - start

    def explain(x: np.ndarray, labels: tuple[int, ...], strategies: tuple[str, ...]) -> dict[str, list[Explained]]:
        start = time.process_time()
        distances = np.linalg.norm(scaled - scaler.transform(x[None]), axis=1)
        near = distances.argsort(kind="stable")[:n_neighbors]
        X, Y = fold.X_train[near], truth[near]
        surrogate = best_surrogate(X, Y, grid_for(mode), PUBLISHED_SEED if mode == "paper" else seed)
        reported = agreement(Y, surrogate.predict(X))
        return {"all": [explained(surrogate.rule(x), labels, forest.n_labels, reported, start)]}

    share = min(1, n_neighbors / len(fold.X_train))
    notes = (f"the neighbours are {share:.0%} of the training rows",) if share > 0.5 else ()
    return FittedExplainer(explain, seconds, notes)


def fit_drawn(fold: Fold, seed: int, parameters: dict[str, Any]) -> FittedExplainer:
    """Learn how the columns spread; a row's tree is fitted on `n_samples` (500) rows drawn around it.

    Notes
    -----
    Numeric columns are drawn from a normal law around the row's value with the training rows' standard deviation,
    nominal ones from the training rows. Rows count less the farther they are, by LIME's kernel [1]_,
    sqrt(exp(-d^2 / w^2)) with the standardised distance d and w = 0.75 sqrt(n_features), in the fits and in the scores
    of the 16 trees that are tried. No published table holds this method. 161 fits a row at most.

    References
    ----------
    .. [1] M. T. Ribeiro, S. Singh, C. Guestrin. "Why Should I Trust You?" Explaining the Predictions of Any
       Classifier. KDD 2016, 1135-1144. doi:10.1145/2939672.2939778
    """
    n_samples = parameters.get("n_samples", 500)
    forest, columns = fold.forest, Columns.of(fold)
    start = time.perf_counter()
    spread = fold.X_train.std(axis=0)
    seconds = time.perf_counter() - start

    def explain(x: np.ndarray, labels: tuple[int, ...], strategies: tuple[str, ...]) -> dict[str, list[Explained]]:
        start = time.process_time()
        row_seed = derive_seed(seed, x)
        X = draw_around(x, fold.X_train, spread, columns, n_samples, np.random.RandomState(row_seed))
        Y, weights = forest.predict_labels(X), kernel(X, x, spread)
        surrogate = best_surrogate(X, Y, ALL_FEATURES, row_seed, weights)
        reported = agreement(Y, surrogate.predict(X))
        return {"all": [explained(surrogate.rule(x), labels, forest.n_labels, reported, start)]}

    return FittedExplainer(explain, seconds)


def draw_around(
    x: np.ndarray,
    X_train: np.ndarray,
    spread: np.ndarray,
    columns: Columns,
    n_samples: int,
    rng: np.random.RandomState,
) -> np.ndarray:
    """Return rows around a row, of shape (n_samples, n_features)."""
    X = np.tile(x, (n_samples, 1))
    numeric = list(columns.numeric)
    X[:, numeric] += rng.normal(size=(n_samples, len(numeric))) * spread[numeric]
    is_nominal = np.arange(len(columns.parts)) >= len(numeric)
    columns.redraw(X, X_train, np.tile(is_nominal, (n_samples, 1)), rng)
    return X


def kernel(X: np.ndarray, x: np.ndarray, spread: np.ndarray) -> np.ndarray:
    """Return how much rows count, from 1 at the row itself towards 0, of shape (n_samples,)."""
    # A column that never changes is the same in all rows.
    squares = (((X - x) / np.where(spread > 0, spread, 1)) ** 2).sum(axis=1)
    return np.sqrt(np.exp(-squares / (KERNEL_WIDTH**2 * x.size)))


check_nearest = parameter_check("local-tree", NEAREST_CONSTRAINTS)
check_drawn = parameter_check("local-tree-lime", DRAWN_CONSTRAINTS)
EXPLAINER = Explainer(fit_nearest, check_nearest, ("all",))
LIME_EXPLAINER = Explainer(fit_drawn, check_drawn, ("all",))
