"""What the runner asks of a method: ``fit(split, ...)`` gives something that predicts, and what it cost."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from mlrx.rules import RuleSet

from ..schema import suggest
from ..splits import Split

Prediction = np.ndarray | sp.csr_array


def predict_table(model: Any, X: Any) -> np.ndarray:
    """Return what a model of scikit-learn predicts, shape (n_samples, n_labels): for one label it gives a vector."""
    predicted = model.predict(X)
    return predicted.reshape(len(predicted), -1)


@dataclass(frozen=True)
class Fitted:
    """A fitted method.

    Parameters
    ----------
    predict : callable
        ``predict(X)`` with X as in the data set; returns 0 and 1 of shape (n_samples, n_labels).
    seconds : float
        Wall time of the fit, without imports, compilation and the start of processes.
    n_rules, n_conditions : int or None
        Size of the model, None where it has no rules.
    rules : RuleSet or None
        The rules in the order of choice, where the model is one: every prefix is then a model too.
    rule_seconds : tuple of float
        With `rules`: wall time until each of them was chosen.
    notes : tuple of str
        What a reader of the scores must know, such as a fit that did not converge.
    search_seconds : float
        Wall time of choosing parameters on the training rows, before the fit.
    """

    predict: Callable[[Any], Prediction]
    seconds: float
    n_rules: int | None = None
    n_conditions: int | None = None
    rules: RuleSet | None = None
    rule_seconds: tuple[float, ...] = ()
    notes: tuple[str, ...] = ()
    search_seconds: float = 0.0


@dataclass(frozen=True)
class Method:
    """An adapter.

    Parameters
    ----------
    fit : callable
        ``fit(split, n_rules, seed, parameters) -> Fitted``; `n_rules` is None where the config sets none.
    check : callable
        ``check(parameters)`` raises ValueError for names and values that the method does not take, without data.
    serves_prefixes : bool, default=False
        Whether one fit with the largest number of rules serves all smaller ones.
    """

    fit: Callable[[Split, int | None, int, dict[str, Any]], Fitted]
    check: Callable[[dict[str, Any]], None]
    serves_prefixes: bool = False


def check_names(parameters: dict[str, Any], accepted: Iterable[str], reserved: Iterable[str] = ()) -> None:
    """Raise ValueError for a parameter that is not accepted, or that the runner itself sets."""
    for name in parameters:
        if name in reserved:
            raise ValueError(f"parameter {name!r} is set by the runner")
        if name not in accepted:
            raise ValueError(f"unknown parameter {name!r}{suggest(str(name), set(accepted) - set(reserved))}")


def names_of(function: Callable) -> list[str]:
    """Return the names of a function's parameters, without self."""
    return [name for name in inspect.signature(function).parameters if name != "self"]
