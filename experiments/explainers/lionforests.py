"""LionForests, in the paper's way and with proven rules."""

from __future__ import annotations

import functools
import time
from itertools import chain
from typing import Any

import numpy as np

from ..baselines.method import check_names, names_of
from ..forests import Fold
from .explainer import PROVEN, STRATEGIES, Explained, Explainer, FittedExplainer

# Given by the fold.
RESERVED = ("forest", "feature_names", "label_names", "categorical")


def fit(fold: Fold, seed: int, parameters: dict[str, Any]) -> FittedExplainer:
    """Read the fold's forest; every label set of a row is explained once, whatever strategies ask for it.

    Notes
    -----
    The strategy "frequent" explains as many label sets as there are labels, at most. Which sets are frequent is told by
    the true labels of the training rows. The seconds are those of the explanations, without the search for frequent
    sets. `seed` has no say: the random choices of the paper's way have fixed seeds.
    """
    _compile(parameters.get("mode", "certified"))
    model = fold.model
    start = time.perf_counter()
    explainer = _explainer(fold, model, parameters).fit(fold.X_train, fold.train.Y)
    seconds = time.perf_counter() - start
    Y = fold.train.Y.astype(bool)

    def explain(x: np.ndarray, labels: tuple[int, ...], strategies: tuple[str, ...]) -> dict[str, list[Explained]]:
        from mlrx.lionforests.labelsets import label_sets

        n_labels = len(fold.label_names)
        sets = {s: label_sets(s, labels, Y, explainer.min_support, n_labels) for s in strategies}
        distinct = dict.fromkeys(chain.from_iterable(sets.values()))
        found = {labels: _explain_set(explainer, x, labels) for labels in distinct}
        return {strategy: [found[labels] for labels in wanted] for strategy, wanted in sets.items()}

    return FittedExplainer(explain, seconds)


def check(parameters: dict[str, Any]) -> None:
    """Refuse parameters that the explainer does not take, and values out of their domain."""
    from mlrx import LionForestsExplainer
    from mlrx.lionforests.parameters import check_parameters

    check_names(parameters, names_of(LionForestsExplainer), RESERVED)
    check_parameters(LionForestsExplainer(None, **parameters).get_params(deep=False))


def _explainer(fold: Fold, model: Any, parameters: dict[str, Any]) -> Any:
    from mlrx import LionForestsExplainer

    return LionForestsExplainer(model, fold.feature_names, fold.label_names, dict(fold.groups), **parameters)


def _explain_set(explainer: Any, x: np.ndarray, labels: tuple[int, ...]) -> Explained:
    start = time.process_time()
    (explanation,) = explainer.explain(x, [labels])
    seconds = time.process_time() - start
    is_proven = explanation.status.startswith("certified")
    return Explained(labels, explanation.rule, PROVEN if is_proven else explanation.status, seconds)


@functools.cache
def _compile(mode: str) -> None:
    """Explain a row of a small forest, so that compilation is in nobody's time."""
    from sklearn.ensemble import RandomForestClassifier
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import MinMaxScaler

    from mlrx import LionForestsExplainer

    X = np.random.default_rng(0).normal(size=(60, 4))
    Y = np.column_stack([X[:, 0] + X[:, 1] * X[:, 2] > 0, X[:, 1] > X[:, 3]])
    model = make_pipeline(MinMaxScaler(), RandomForestClassifier(20, random_state=0)).fit(X, Y)
    explainer = LionForestsExplainer(model, mode=mode).fit(X, Y)
    explainer.explain(X[np.flatnonzero(model.predict(X).all(axis=1))[0]], "frequent")


EXPLAINER = Explainer(fit, check, STRATEGIES)
