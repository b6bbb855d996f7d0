"""The process that holds a BOOMER or SeCo model; it imports no more than it needs: one is started for every run."""

from __future__ import annotations

import time
from importlib import import_module
from multiprocessing.connection import Connection
from typing import Any

import numpy as np
import scipy.sparse as sp

LEARNERS = {"BOOMER": ("mlrl.boosting", "BoomerClassifier"), "SeCo": ("mlrl.seco", "SeCoClassifier")}
TESTS = ("numerical_leq", "numerical_gr", "ordinal_leq", "ordinal_gr", "nominal_eq", "nominal_neq")


def serve(connection: Connection, learner: str) -> None:
    """Answer requests (name, arguments) by (done, answer or error) until the other end hangs up."""
    model = class_of(learner)()
    requests = {"fit": fit, "predict": predict, "scores": score, "rules": read_rules, "wait": lambda model: None}
    while True:
        try:
            name, arguments = connection.recv()
        except EOFError:
            return
        try:
            answer = True, requests[name](model, *arguments)
        except Exception as error:
            answer = False, f"{type(error).__name__}: {error}"
        connection.send(answer)


def class_of(learner: str) -> type:
    """Return the class of a learner by its name in `LEARNERS`."""
    module, name = LEARNERS[learner]
    return getattr(import_module(module), name)


def fit(model: Any, parameters: dict[str, Any], X: sp.csr_matrix, Y: sp.csr_matrix) -> tuple[float, int, int]:
    """Fit the model; return the seconds, and the number of rules and of conditions learned."""
    model.set_params(**parameters)
    start = time.perf_counter()
    model.fit(X, Y)
    seconds = time.perf_counter() - start
    lengths = [_length(rule.body) for rule in model.model_]
    return seconds, len(lengths), sum(lengths)


def predict(model: Any, X: sp.csr_matrix) -> sp.csr_array:
    """Return the predicted labels."""
    return sp.csr_array(model.predict(X), dtype=np.uint8)


def score(model: Any, X: sp.csr_matrix) -> np.ndarray:
    """Return the scores of the labels, float64 of shape (n_samples, n_labels)."""
    return np.asarray(model.predict(X, predict_scores=True), dtype=np.float64)


def read_rules(model: Any) -> list[tuple[list[tuple[str, int, float]], dict[int, float]]]:
    """Return for each rule its conditions (test, column, threshold) and the score that it gives to each label."""
    return [(_conditions(rule.body), _scores(rule.head)) for rule in model.model_]


def _conditions(conditions: Any) -> list[tuple[str, int, float]]:
    found = []
    for test in TESTS:
        columns, thresholds = (getattr(conditions, f"{test}_{part}", None) for part in ("indices", "thresholds"))
        if columns is not None:
            found += zip([test] * len(columns), columns.tolist(), thresholds.tolist())
    return found


def _scores(scored: Any) -> dict[int, float]:
    """Return the scores by label; a rule for all labels holds no indices."""
    scores = scored.scores.tolist()
    labels = getattr(scored, "indices", None)
    return dict(zip(range(len(scores)) if labels is None else labels.tolist(), scores))


def _length(conditions: Any) -> int:
    """Count the distinct columns in a rule's conditions; the default rule has none."""
    arrays = (getattr(conditions, f"{test}_indices", None) for test in TESTS)
    return len({int(column) for array in arrays if array is not None for column in array})
