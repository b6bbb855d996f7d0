"""LORE for label sets: a decision tree for rows that a genetic search finds on both sides of the forest's border."""

from __future__ import annotations

import time
from collections.abc import Callable
from numbers import Integral
from typing import Any

import numpy as np
from sklearn.utils._param_validation import Interval

from ..forests import Fold
from ..seeds import derive_seed
from .columns import Columns
from .explainer import Explained, Explainer, FittedExplainer, parameter_check
from .grid import ALL_FEATURES, best_surrogate
from .surrogate import agreement, explained

CONSTRAINTS = {
    "n_samples": [Interval(Integral, 2, None, closed="left")],
    "n_generations": [Interval(Integral, 1, None, closed="left")],
}
CROSSOVER, MUTATION, TOURNAMENT = 0.5, 0.2, 3


def fit(fold: Fold, seed: int, parameters: dict[str, Any]) -> FittedExplainer:
    """Learn the columns; a row's tree is fitted on rows bred from it when it is explained.

    Notes
    -----
    After LORE [1]_, with label sets in the place of classes: half of the `n_samples` (500, 1000 in the paper) rows are
    bred towards the row with its label set, half towards the row with another one, over `n_generations` (10)
    generations. The rule is the path of the row, the factual rule; there are no counterfactual ones. The tree is the
    best of 16 on rows left out, where LORE prunes one. O(n_samples * n_generations) predictions of the forest a row.

    References
    ----------
    .. [1] R. Guidotti, A. Monreale, S. Ruggieri, D. Pedreschi, F. Turini, F. Giannotti. Local rule-based explanations
       of black box decision systems. 2018. arXiv:1805.10820
    """
    n_samples, n_generations = parameters.get("n_samples", 500), parameters.get("n_generations", 10)
    forest, columns = fold.forest, Columns.of(fold)
    start = time.perf_counter()
    spans = np.ptp(fold.X_train, axis=0)
    seconds = time.perf_counter() - start

    def explain(x: np.ndarray, labels: tuple[int, ...], strategies: tuple[str, ...]) -> dict[str, list[Explained]]:
        start = time.process_time()
        row_seed = derive_seed(seed, x)
        rng = np.random.RandomState(row_seed)
        present = np.isin(np.arange(forest.n_labels), labels)

        def fitness(X: np.ndarray, is_same: bool) -> np.ndarray:
            matches = (forest.predict_labels(X) == present).all(axis=1) == is_same
            # The row itself is no find.
            return matches + similarity(X, x, spans, columns) - (x == X).all(axis=1)

        halves = [
            breed(x, n_samples // 2, lambda X, same=same: fitness(X, same), fold.X_train, columns, n_generations, rng)
            for same in (True, False)
        ]
        X = rng.permutation(np.concatenate([x[None], *halves]))
        Y = forest.predict_labels(X)
        surrogate = best_surrogate(X, Y, ALL_FEATURES, row_seed)
        reported = agreement(Y, surrogate.predict(X)) | {"same_share": float((present == Y).all(axis=1).mean())}
        return {"all": [explained(surrogate.rule(x), labels, forest.n_labels, reported, start)]}

    return FittedExplainer(explain, seconds)


def similarity(X: np.ndarray, x: np.ndarray, spans: np.ndarray, columns: Columns) -> np.ndarray:
    """Return how alike rows are to a row, from 0 to 1: the mean over parts, of numbers relative to their range."""
    numeric = list(columns.numeric)
    steps = np.abs(X[:, numeric] - x[numeric]) / np.where(spans > 0, spans, 1)[numeric]
    distances = np.column_stack([np.minimum(steps, 1), columns.mismatches(X, x)])
    return 1 - distances.mean(axis=1)


def breed(
    x: np.ndarray,
    n_rows: int,
    fitness: Callable[[np.ndarray], np.ndarray],
    source: np.ndarray,
    columns: Columns,
    n_generations: int,
    rng: np.random.RandomState,
) -> np.ndarray:
    """Return rows of shape (n_rows, n_features) bred from copies of a row.

    Each generation consists of winners of tournaments of three, half of which exchange a run of parts with their
    neighbours; a fifth then take one part over from a random row of `source`.
    """
    X, scores = np.tile(x, (n_rows, 1)), np.zeros(n_rows)
    n_parts = len(columns.parts)
    for _ in range(n_generations):
        rivals = rng.randint(n_rows, size=(n_rows, TOURNAMENT))
        X = X[rivals[np.arange(n_rows), scores[rivals].argmax(axis=1)]]
        exchange(X, columns, rng)
        changed = np.flatnonzero(rng.random_sample(n_rows) < MUTATION)
        chosen = np.zeros((n_rows, n_parts), dtype=bool)
        chosen[changed, rng.randint(n_parts, size=changed.size)] = True
        columns.redraw(X, source, chosen, rng)
        scores = fitness(X)
    return X


def exchange(X: np.ndarray, columns: Columns, rng: np.random.RandomState) -> None:
    """Let every other row, with probability 1/2, exchange a random run of parts with the next one, in place."""
    n_pairs, n_parts = len(X) // 2, len(columns.parts)
    ends = np.sort(rng.randint(n_parts + 1, size=(n_pairs, 2)), axis=1)
    order = np.arange(n_parts)
    moves = (order >= ends[:, :1]) & (order < ends[:, 1:]) & (rng.random_sample(n_pairs) < CROSSOVER)[:, None]
    owner = np.empty(X.shape[1], dtype=int)
    for k, part in enumerate(columns.parts):
        owner[list(part)] = k
    first, second = X[: 2 * n_pairs : 2].copy(), X[1 : 2 * n_pairs : 2].copy()
    X[: 2 * n_pairs : 2] = np.where(moves[:, owner], second, first)
    X[1 : 2 * n_pairs : 2] = np.where(moves[:, owner], first, second)


check = parameter_check("lore", CONSTRAINTS)
EXPLAINER = Explainer(fit, check, ("all",))
