"""BOOMER, gradient boosted multi-label rules (package mlrl-boomer), in a process of its own; SeCo likewise."""

from __future__ import annotations

import multiprocessing
import time
import weakref
from collections.abc import Callable, Sequence
from functools import partial
from multiprocessing.connection import Connection
from multiprocessing.context import BaseContext
from multiprocessing.process import BaseProcess
from numbers import Integral, Real
from typing import Any

import numpy as np
import scipy.sparse as sp

from ..explainers.deadline import OutOfTimeError
from ..splits import Split
from .boomer_process import class_of, serve
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
# Ours: seconds by the clock that a fit, or a prediction, may take. BOOMER's own `time_limit` cuts the model short.
FIT_LIMIT = "fit_limit"
# Read by BOOMER when it sees data, not when it is configured.
FORMATS = ("feature_format", "output_format", "prediction_format")


class WorkerDied(RuntimeError):
    """The learner's process ended before it answered."""


class Worker:
    """A process that holds one model of BOOMER or SeCo.

    A crash in its native code ends that process, not the caller; it shows as `WorkerDied`.

    Parameters
    ----------
    learner : {"BOOMER", "SeCo"}
    """

    def __init__(self, learner: str = "BOOMER") -> None:
        context = _context()
        self._learner = learner
        self._connection, theirs = context.Pipe()
        self._process = context.Process(target=serve, args=(theirs, learner), daemon=True)
        self._process.start()
        theirs.close()
        self._finalizer = weakref.finalize(self, _stop, self._process, self._connection)

    def ask(self, request: str, *arguments: Any, limit: float | None = None) -> Any:
        """Send a request and wait for its answer; an error over there is raised here.

        After `limit` seconds by the clock the process is ended, and OutOfTimeError raised.
        """
        start = time.monotonic()
        try:
            self._connection.send((request, arguments))
            is_late = not self._connection.poll(limit) or (limit is not None and time.monotonic() - start > limit)
            done, answer = (False, None) if is_late else self._connection.recv()
        except (EOFError, OSError) as error:
            self._process.join(timeout=10)
            raise WorkerDied(f"{self._learner}'s process ended with exit code {self._process.exitcode}") from error
        if is_late:
            self._process.kill()
            raise OutOfTimeError(f"{self._learner}: more than {limit:g} seconds for the request {request!r}")
        if not done:
            raise RuntimeError(f"{self._learner}: {answer}")
        return answer


def _context() -> BaseContext:
    """Return what starts processes: forks of a clean server that has imported BOOMER, where the system has that."""
    if "forkserver" not in multiprocessing.get_all_start_methods():
        return multiprocessing.get_context("spawn")
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["mlrl.boosting", serve.__module__])
    return context


def fit(split: Split, n_rules: int | None, seed: int, parameters: dict[str, Any], learner: str = "BOOMER") -> Fitted:
    """Fit `BoomerClassifier`, or `SeCoClassifier`, on sparse columns and labels.

    `n_rules` counts as BOOMER does, its default rule included. There is no coverage of label occurrences, since its
    rules add scores. ValueError when `seed` is below 1, which BOOMER refuses; OutOfTimeError when a fit, or
    a prediction, takes more than `fit_limit` seconds.
    """
    ask, learned = learn(split, n_rules, seed, parameters, learner)
    return Fitted(partial(ask, "predict"), *learned)


def learn(
    split: Split, n_rules: int | None, seed: int, parameters: dict[str, Any], learner: str = "BOOMER"
) -> tuple[Callable[[str, Any], Any], tuple[float, int, int]]:
    """Fit as `fit` does.

    Returns
    -------
    ask : callable
        ``ask(request, X)`` with "predict" or "scores" for the labels of rows, or their scores.
    learned : tuple
        Seconds of the fit, number of rules and of conditions.
    """
    check_seed(seed)
    own, worker, encode = dict(parameters), Worker(learner), make_encoder(split.train)
    limit = own.pop(FIT_LIMIT, None)
    X, Y = encode(split.train.X), sp.csr_matrix(split.train.Y, dtype=np.uint8)
    learned = worker.ask("fit", {"random_state": seed, "max_rules": n_rules, **own}, X, Y, limit=limit)
    return lambda request, X: worker.ask(request, encode(X), limit=limit), learned


def check_seed(seed: int) -> None:
    """Refuse a seed that BOOMER and SeCo refuse."""
    if not isinstance(seed, Integral) or seed < 1:
        raise ValueError(f"seed must be a whole number of at least 1, as BOOMER asks of random_state, got {seed!r}")


def check(parameters: dict[str, Any], learner: str = "BOOMER", reserved: Sequence[str] = RESERVED) -> None:
    """Refuse parameters that the learner does not take, and values out of their domain.

    Each value is configured alone, so what only goes wrong in company shows in the fit.
    """
    kind = class_of(learner)
    check_names(parameters, [*names_of(kind.__init__), FIT_LIMIT], reserved)
    check_limit(parameters)
    for name, value in parameters.items():
        if name == FIT_LIMIT:
            continue
        if name in FORMATS and value not in (None, "auto", "dense", "sparse"):
            raise ValueError(f"{name} must be auto, dense, sparse or None, got {value!r}")
        try:
            # There is no public way to have values checked without data.
            kind(**{name: value})._create_learner()
        except (TypeError, ValueError) as error:
            raise ValueError(f"{name} is {value!r}: {error}") from error


def check_limit(parameters: dict[str, Any]) -> None:
    """Refuse a `fit_limit` that is no number above 0."""
    limit = parameters.get(FIT_LIMIT, 1)
    if not isinstance(limit, Real) or not limit > 0:
        raise ValueError(f"{FIT_LIMIT} must be above 0, got {limit!r}")


def _stop(process: BaseProcess, connection: Connection) -> None:
    connection.close()
    process.join(timeout=5)
    if process.is_alive():
        process.kill()


METHOD = Method(fit, check)
