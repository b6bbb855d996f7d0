"""CORSET, the method of this package."""

from __future__ import annotations

import functools
import time
from typing import Any

import numpy as np
import scipy.sparse as sp

from ..splits import Split
from .method import Fitted, Method, check_names, names_of

# Given by the runner, not by a config.
RESERVED = ("n_rules", "random_state", "n_jobs", "verbose")


def fit(split: Split, n_rules: int | None, seed: int, parameters: dict[str, Any]) -> Fitted:
    """Fit `CorsetClassifier`; ``binarizer`` holds the parameters of its `FeatureBinarizer`."""
    _compile()
    model = _model(parameters).set_params(n_rules=n_rules, random_state=seed)
    train = split.train
    names = train.feature_names if sp.issparse(train.X) else None
    start = time.perf_counter()
    model.fit(train.X, train.Y, feature_names=names, label_names=train.label_names)
    seconds = time.perf_counter() - start
    rules = model.rules_
    elapsed = tuple(np.cumsum(model.history_["seconds"]).tolist())
    return Fitted(rules.predict, seconds, len(rules), rules.n_conditions, rules, elapsed)


def check(parameters: dict[str, Any]) -> None:
    """Refuse parameters that the classifier or its binarizer does not take, and values out of their domain."""
    from mlrx import CorsetClassifier
    from mlrx.binarize import FeatureBinarizer

    check_names(parameters, names_of(CorsetClassifier), RESERVED)
    check_names(parameters.get("binarizer", {}), names_of(FeatureBinarizer))
    model = _model(parameters)
    model._validate_params()
    if model.binarizer is not None:
        model.binarizer._validate_params()


def _model(parameters: dict[str, Any]) -> Any:
    from mlrx import CorsetClassifier
    from mlrx.binarize import FeatureBinarizer

    binarizer = FeatureBinarizer(**parameters.get("binarizer", {}))
    return CorsetClassifier(**{**parameters, "binarizer": binarizer})


@functools.cache
def _compile() -> None:
    """Fit once on a few rows, so that compilation is in nobody's time."""
    from mlrx import CorsetClassifier

    X, Y = np.eye(6, dtype=np.uint8)[:, :4], np.eye(6, dtype=np.uint8)[:, 1:4]
    CorsetClassifier(n_rules=2, pool_size=20, random_state=0).fit(X, Y)


METHOD = Method(fit, check, serves_prefixes=True)
