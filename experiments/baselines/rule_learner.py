"""The rule learners of this package, which share how they are fitted and told what columns mean."""

from __future__ import annotations

import functools
import time
from typing import Any

import numpy as np
import scipy.sparse as sp

from mlrx.rules import RuleSet

from ..splits import Split
from .method import Fitted, Method, check_names, names_of

# What makes a fit short where a classifier has it.
SMALL = {"pool_size": 20, "n_trees": 10, "n_folds": 2}
# Given by the data set.
RESERVED_OF_BINARIZER = ("feature_names", "kinds")


def rule_learner(name: str, limit: str = "n_rules", serves_prefixes: bool = False) -> Method:
    """Return the adapter of a classifier of `mlrx`.

    Parameters
    ----------
    name : str
        Of the class; it is imported when it is first needed.
    limit : str, default="n_rules"
        The parameter that says how many rules there may be.
    serves_prefixes : bool, default=False
        See `Method`.

    Notes
    -----
    In a config ``binarizer`` holds the parameters of the classifier's `FeatureBinarizer`, or None.
    """
    return Method(functools.partial(_fit, name, limit), functools.partial(_check, name, limit), serves_prefixes)


def _fit(name: str, limit: str, split: Split, n_rules: int | None, seed: int, parameters: dict[str, Any]) -> Fitted:
    _compile(name)
    model = _model(name, parameters).set_params(random_state=seed)
    if n_rules is not None:
        model.set_params(**{limit: n_rules})
    train = split.train
    names = train.feature_names if sp.issparse(train.X) else None
    start = time.perf_counter()
    model.fit(train.X, train.Y, feature_names=names, label_names=train.label_names)
    seconds = time.perf_counter() - start
    rules, history = model.rules_, getattr(model, "history_", {})
    elapsed = tuple(np.cumsum(history["seconds"]).tolist()) if "seconds" in history else ()
    own = rules if isinstance(rules, RuleSet) else None
    return Fitted(rules.predict, seconds, len(rules), rules.n_conditions, own, elapsed)


def _check(name: str, limit: str, parameters: dict[str, Any]) -> None:
    """Refuse parameters that the classifier or its binarizer does not take, and values out of their domain."""
    from mlrx.binarize import FeatureBinarizer

    # The rest is given by the runner, not by a config.
    check_names(parameters, names_of(_class(name)), (limit, "n_rules", "random_state", "n_jobs", "verbose"))
    given = parameters.get("binarizer")
    if not isinstance(given, dict | None):
        raise ValueError(f"binarizer must be a mapping of FeatureBinarizer's parameters or None, got {given!r}")
    check_names(given or {}, names_of(FeatureBinarizer), RESERVED_OF_BINARIZER)
    model = _model(name, parameters)
    model._validate_params()
    if model.binarizer is not None:
        # Some values are checked in `fit` only.
        model.binarizer.fit([[0.0], [1.0], [2.0]], [0, 1, 1])


def _class(name: str) -> type:
    import mlrx

    return getattr(mlrx, name)


def _model(name: str, parameters: dict[str, Any]) -> Any:
    from mlrx.binarize import FeatureBinarizer

    given = parameters.get("binarizer")
    binarizer = None if given is None else FeatureBinarizer(**given)
    return _class(name)(**{**parameters, "binarizer": binarizer})


@functools.cache
def _compile(name: str) -> None:
    """Fit once on a few rows, so that compilation is in nobody's time."""
    rows, model = np.tile(np.eye(6, dtype=np.uint8), (3, 1)), _class(name)(n_rules=2, random_state=0)
    model.set_params(**{key: value for key, value in SMALL.items() if key in model.get_params()})
    model.fit(rows[:, :4], rows[:, 1:4])
