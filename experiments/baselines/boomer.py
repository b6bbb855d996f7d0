"""BOOMER, gradient boosted multi-label rules (package mlrl-boomer), in a process of its own."""

from __future__ import annotations

import multiprocessing
import time
import weakref
from multiprocessing.connection import Connection
from typing import Any

import numpy as np
import scipy.sparse as sp

from ..splits import Split
from .encoding import make_encoder
from .method import Fitted, Method, check_names, names_of

# `parallel_prediction="false"` corrupts memory in 0.12.3; the defaults are sound, so no config may touch them.
RESERVED = (
    "random_state",
    "max_rules",
    "parallel_prediction",
    "parallel_rule_refinement",
    "parallel_statistic_update",
)
TESTS = ("numerical_leq", "numerical_gr", "ordinal_leq", "ordinal_gr", "nominal_eq", "nominal_neq")


class WorkerDied(RuntimeError):
    """BOOMER's process ended before it answered."""


class Worker:
    """A process that holds one BOOMER model.

    A crash in its native code ends that process, not the caller; it shows as `WorkerDied`.
    """

    def __init__(self) -> None:
        context = multiprocessing.get_context("spawn")
        self._connection, theirs = context.Pipe()
        self._process = context.Process(target=_serve, args=(theirs,), daemon=True)
        self._process.start()
        theirs.close()
        self._finalizer = weakref.finalize(self, _stop, self._process, self._connection)

    def ask(self, request: str, *arguments: Any) -> Any:
        """Send a request and wait for its answer; an error over there is raised here."""
        try:
            self._connection.send((request, arguments))
            done, answer = self._connection.recv()
        except (EOFError, OSError) as error:
            self._process.join(timeout=10)
            raise WorkerDied(f"BOOMER's process ended with exit code {self._process.exitcode}") from error
        if not done:
            raise RuntimeError(f"BOOMER: {answer}")
        return answer

    def close(self) -> None:
        """End the process."""
        self._finalizer()


def fit(split: Split, n_rules: int | None, seed: int, parameters: dict[str, Any]) -> Fitted:
    """Fit `BoomerClassifier` on sparse columns and labels.

    `n_rules` counts as BOOMER does, its default rule included. A model has one head a rule for all or for one label;
    coverage of label occurrences has no meaning for rules that add scores.
    """
    encode = make_encoder(split.train)
    worker = Worker()
    model = {"random_state": seed, "max_rules": n_rules, **parameters}
    X, Y = encode(split.train.X), sp.csr_matrix(split.train.Y, dtype=np.uint8)
    seconds, n_learned, n_conditions = worker.ask("fit", model, X, Y)
    return Fitted(lambda X: worker.ask("predict", encode(X)), seconds, n_learned, n_conditions)


def check(parameters: dict[str, Any]) -> None:
    """Refuse parameters that `BoomerClassifier` does not take."""
    from mlrl.boosting import BoomerClassifier

    check_names(parameters, names_of(BoomerClassifier.__init__), RESERVED)


def _serve(connection: Connection) -> None:
    """Answer requests until the other end hangs up."""
    requests = {"fit": _fit, "predict": _predict}
    model: list[Any] = []
    while True:
        try:
            request, arguments = connection.recv()
        except EOFError:
            return
        try:
            answer = True, requests[request](model, *arguments)
        except Exception as error:
            answer = False, f"{type(error).__name__}: {error}"
        connection.send(answer)


def _fit(model: list[Any], parameters: dict[str, Any], X: sp.csr_matrix, Y: sp.csr_matrix) -> tuple[float, int, int]:
    from mlrl.boosting import BoomerClassifier

    learner = BoomerClassifier(**parameters)
    start = time.perf_counter()
    learner.fit(X, Y)
    seconds = time.perf_counter() - start
    model[:] = [learner]
    bodies = [rule.body for rule in learner.model_]
    return seconds, len(bodies), sum(_length(body) for body in bodies)


def _length(body: Any) -> int:
    """Count the distinct columns of a rule's conditions; the default rule has none."""
    arrays = (getattr(body, f"{test}_indices", None) for test in TESTS)
    return len({int(column) for array in arrays if array is not None for column in array})


def _predict(model: list[Any], X: sp.csr_matrix) -> sp.csr_array:
    return sp.csr_array(model[0].predict(X), dtype=np.uint8)


def _stop(process: Any, connection: Connection) -> None:
    connection.close()
    process.join(timeout=5)
    if process.is_alive():
        process.kill()


METHOD = Method(fit, check)
