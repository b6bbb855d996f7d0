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
# Given by the data set.
RESERVED_OF_BINARIZER = ("feature_names", "kinds")


def fit(split: Split, n_rules: int | None, seed: int, parameters: dict[str, Any]) -> Fitted:
    """Fit `CorsetClassifier`; ``binarizer`` holds the parameters of its `FeatureBinarizer`, or None."""
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
    given = parameters.get("binarizer")
    if not isinstance(given, dict | None):
        raise ValueError(f"binarizer must be a mapping of FeatureBinarizer's parameters or None, got {given!r}")
    check_names(given or {}, names_of(FeatureBinarizer), RESERVED_OF_BINARIZER)
    model = _model(parameters)
    model._validate_params()
    if model.binarizer is not None:
        # Some values are checked in `fit` only.
        model.binarizer.fit([[0.0], [1.0], [2.0]], [0, 1, 1])


def _model(parameters: dict[str, Any]) -> Any:
    from mlrx import CorsetClassifier
    from mlrx.binarize import FeatureBinarizer

    given = parameters.get("binarizer")
    binarizer = None if given is None else FeatureBinarizer(**given)
    return CorsetClassifier(**{**parameters, "binarizer": binarizer})


@functools.cache
def _compile() -> None:
    """Fit once on a few rows, so that compilation is in nobody's time."""
    from mlrx import CorsetClassifier

    rows = np.tile(np.eye(6, dtype=np.uint8), (3, 1))
    CorsetClassifier(n_rules=2, pool_size=20, random_state=0).fit(rows[:, :4], rows[:, 1:4])


METHOD = Method(fit, check, serves_prefixes=True)
