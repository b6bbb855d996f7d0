"""Methods that choose their own parameters and number of rules, by cross-validation on the training rows."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from itertools import product
from typing import Any

import numpy as np

from mlrx.metrics import micro_f1
from mlrx.rules import RuleSet

from ..seeds import derive_seed
from ..splits import Split, make_folds, take
from .method import Fitted, Method

N_FOLDS = 3


def cross_validated(method: Method) -> Method:
    """Return the method with a parameter ``grid``: for each of some parameters the values to choose from.

    Every combination is fitted on two thirds of the training rows, three times, and scored by micro-F1 on the third
    left out; the best mean wins, the first of equal ones. Where prefixes of the rules are models too, how many of them
    are kept is chosen with it: the number of rules asked for is the most that there may be.
    """
    return Method(partial(_fit, method), partial(_check, method), method.serves_prefixes)


def training_folds(split: Split, seed: int) -> Iterator[Split]:
    """Cut the training rows into `N_FOLDS` folds, each in turn the test rows of a split of them."""
    train = split.train
    for tested in make_folds(train.n_samples, N_FOLDS, derive_seed(seed, "folds")):
        trained = np.setdiff1d(np.arange(train.n_samples), tested)
        yield Split(split.name, take(train, trained), take(train, tested), "fold of the training rows")


def prefix_scores(rules: RuleSet, n_rules: int, X: Any, Y: Any, zero_division: int) -> np.ndarray:
    """Return the micro-F1 of the first 1, 2, ..., `n_rules` rules.

    Parameters
    ----------
    rules : RuleSet
        With fewer rules than asked for, the last score is repeated.
    n_rules : int
    X : array-like or DataFrame of shape (n_samples, n_features)
    Y : array-like of shape (n_samples, n_labels)
    zero_division : {0, 1}
        The score where nothing is true and nothing predicted.

    Returns
    -------
    ndarray of shape (n_rules,)
    """
    covered, Y = rules.covers(X), np.asarray(Y, dtype=bool)
    predicted, scores = np.zeros_like(Y), np.zeros(n_rules)
    for k in range(n_rules):
        if k < len(rules):
            predicted[np.ix_(covered[:, k], rules[k].consequent)] = True
        total = predicted.sum() + Y.sum()
        scores[k] = 2 * (predicted & Y).sum() / total if total else zero_division
    return scores


def _fit(method: Method, split: Split, n_rules: int | None, seed: int, parameters: dict[str, Any]) -> Fitted:
    if method.serves_prefixes and n_rules is None:
        raise ValueError("rules: a method that chooses its number of rules needs the most that there may be")
    start, folds = time.perf_counter(), list(training_folds(split, seed))
    candidates = list(_candidates(parameters))
    scores = [np.mean([_scores(method, fold, n_rules, seed, one) for fold in folds], axis=0) for one in candidates]
    best = int(np.argmax([own.max() for own in scores]))
    searched = time.perf_counter() - start
    fitted = method.fit(split, n_rules, seed, candidates[best])
    if fitted.rules is not None:
        fitted = _shortened(fitted, 1 + int(scores[best].argmax()))
    chosen = ", ".join(f"{name}={candidates[best][name]}" for name in parameters["grid"])
    note = f"chosen on training rows: {chosen} (micro-F1 {scores[best].max():.3f})"
    return replace(fitted, search_seconds=searched, notes=(*fitted.notes, note))


def _scores(method: Method, fold: Split, n_rules: int | None, seed: int, parameters: dict[str, Any]) -> np.ndarray:
    """Return the micro-F1 on the rows left out, of each prefix of the rules or of the model alone."""
    fitted, held_out = method.fit(fold, n_rules, seed, parameters), fold.test
    if fitted.rules is not None:
        return prefix_scores(fitted.rules, n_rules, held_out.X, held_out.Y, zero_division=0)
    return np.array([micro_f1(held_out.Y, fitted.predict(held_out.X), zero_division=0)])


def _shortened(fitted: Fitted, n_rules: int) -> Fitted:
    rules = fitted.rules[:n_rules]
    return replace(fitted, predict=rules.predict, rules=rules, n_rules=len(rules), n_conditions=rules.n_conditions)


def _candidates(parameters: dict[str, Any]) -> Iterator[dict[str, Any]]:
    fixed = {name: value for name, value in parameters.items() if name != "grid"}
    for values in product(*parameters["grid"].values()):
        yield fixed | dict(zip(parameters["grid"], values))


def _check(method: Method, parameters: dict[str, Any]) -> None:
    """Refuse a grid that is no mapping of lists, and every combination that the method refuses."""
    grid = parameters.get("grid")
    if not isinstance(grid, dict) or not all(isinstance(values, list | tuple) and values for values in grid.values()):
        raise ValueError(f"grid must be a mapping of parameters to lists of values, got {grid!r}")
    for candidate in _candidates(parameters):
        method.check(candidate)
