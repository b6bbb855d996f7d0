"""The process that holds a BOOMER model; it imports no more than it needs, since one is started for every run."""

from __future__ import annotations

import time
from multiprocessing.connection import Connection
from typing import Any

import numpy as np
import scipy.sparse as sp

TESTS = ("numerical_leq", "numerical_gr", "ordinal_leq", "ordinal_gr", "nominal_eq", "nominal_neq")


def serve(connection: Connection) -> None:
    """Answer requests (name, arguments) by (done, answer or error) until the other end hangs up."""
    from mlrl.boosting import BoomerClassifier

    model = BoomerClassifier()
    requests = {"fit": fit, "predict": predict}
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


def _length(conditions: Any) -> int:
    """Count the distinct columns in a rule's conditions; the default rule has none."""
    arrays = (getattr(conditions, f"{test}_indices", None) for test in TESTS)
    return len({int(column) for array in arrays if array is not None for column in array})
