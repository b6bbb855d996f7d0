"""Scalers before a forest: a threshold on the scaled column as a threshold on the original one, to the last bit."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import partial
from inspect import getattr_static
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import MaxAbsScaler, MinMaxScaler, RobustScaler, StandardScaler
from sklearn.utils.validation import check_is_fitted

# Each maps every column by itself, and never turns the order of two values round: rounding included.
SCALERS = (StandardScaler, MinMaxScaler, MaxAbsScaler, RobustScaler)


@dataclass(frozen=True)
class Scaling:
    """What happens to a row before the trees compare it: the scalers of a pipeline, then a cast to float32.

    Parameters
    ----------
    steps : tuple of fitted scalers
        May be empty.
    """

    steps: tuple[Any, ...] = ()

    @classmethod
    def read(cls, model: Any) -> Scaling:
        """Return the scalers before the last step of a Pipeline; none for any other model.

        Raises
        ------
        TypeError
            When a step is no scaler that keeps the columns and the order of their values, or the pipeline or a step is
            of a subclass with methods of its own.
        """
        if not isinstance(model, Pipeline):
            return cls()
        refuse_overridden(model, (Pipeline,), ("predict", "predict_proba"))
        steps = []
        for name, step in model.steps[:-1]:
            if step is None or step == "passthrough":
                continue
            if not isinstance(step, SCALERS):
                allowed = ", ".join(kind.__name__ for kind in SCALERS)
                raise TypeError(f"step {name!r} of the pipeline is a {type(step).__name__}; allowed are {allowed}")
            refuse_overridden(step, SCALERS, ("transform",))
            check_is_fitted(step)
            steps.append(step)
        return cls(tuple(steps))

    def transform(self, X: np.ndarray) -> np.ndarray:
        """Return the float32 rows that the trees compare, of the shape of X.

        Parameters
        ----------
        X : ndarray of float64 of shape (n_samples, n_features), or of float32 where there are no steps

        Raises
        ------
        ValueError
            When a scaled value is infinite in float32, as the forest of scikit-learn refuses it.
        """
        X = X.copy() if self.steps else X  # a scaler may have been told to work in place
        with np.errstate(over="ignore"):
            for step in self.steps:
                X = _scaled(step, X)
            X = np.ascontiguousarray(X, dtype=np.float32)
        if self.steps and np.isinf(X).any():
            raise ValueError("X has a value that is too large for float32 when it is scaled")
        return X

    def limits(self, n_features: int) -> np.ndarray:
        """Return the least and the greatest value of each column that no step takes beyond what the trees accept.

        Returns
        -------
        ndarray of shape (2, n_features)
            float64 with steps; the least and the greatest finite float32 number without.
        """
        largest = np.full((1, n_features), np.finfo(np.float32).max)
        if not self.steps:
            return np.concatenate([-largest, largest])
        functions = [partial(_scaled, step) for step in self.steps] + [np.float32]
        least, greatest = largest, largest
        with np.errstate(over="ignore", invalid="ignore"):
            for function in reversed(functions):
                greatest = greatest_at_most(lambda X, f=function: _without_nan(f(X)), greatest)
                least = greatest_at_most(lambda X, f=function: _without_nan(-f(-X)), least)
        return np.concatenate([-least, greatest])

    def cuts(self, thresholds: np.ndarray) -> np.ndarray:
        """Return for each threshold the greatest original value that, when scaled, is not above it.

        Parameters
        ----------
        thresholds : ndarray of float32 of shape (n_cuts, n_features)
            Thresholds of each column.

        Returns
        -------
        ndarray of shape (n_cuts, n_features)
            float64 with steps, -inf where no finite value is that low, inf where the threshold is, which any known
            value is below; the thresholds themselves without steps.

        Notes
        -----
        Bisection over all float64 numbers, 64 calls of `transform` a step: what scikit-learn computes is what counts,
        and an inverse formula would be off by some rounding.
        """
        if not self.steps:
            return thresholds
        with np.errstate(over="ignore", invalid="ignore"):
            cuts = float64_bounds(thresholds)
            for step in reversed(self.steps):
                cuts = greatest_at_most(partial(_scaled, step), cuts)
        # Scikit-learn splits missing from known by an infinite threshold; large values may be scaled to infinity.
        return np.where(thresholds == np.inf, np.inf, cuts)


def refuse_overridden(estimator: Any, kinds: Iterable[type], methods: Iterable[str]) -> None:
    """Raise TypeError when a method of an estimator is not that of the one of `kinds` that it is an instance of."""
    kind = next(kind for kind in kinds if isinstance(estimator, kind))
    for method in methods:
        # Read statically: some methods of a Pipeline are made anew whenever they are looked up.
        if getattr_static(estimator, method) is not getattr_static(kind, method):
            name = type(estimator).__name__
            raise TypeError(f"{name} has a {method} of its own, which is not read; allowed is that of {kind.__name__}")


def _scaled(step: Any, X: np.ndarray) -> np.ndarray:
    names = getattr(step, "feature_names_in_", None)
    return np.asarray(step.transform(X if names is None else pd.DataFrame(X, columns=names)))


def _without_nan(X: np.ndarray) -> np.ndarray:
    """Return the values with NaN, to which a scaler of missing values takes all, as one that is never too large."""
    return np.where(np.isnan(X), -np.inf, X)


def round_down(values: np.ndarray, precision: type) -> np.ndarray:
    """Return the greatest number of a precision not above each value.

    With float32, ``x <= value`` holds for a float32 x exactly if ``x <= result``.

    Parameters
    ----------
    values : ndarray of float64
    precision : {numpy.float32, numpy.float64}

    Examples
    --------
    >>> round_down(np.array([0.3]), np.float32).tolist()
    [0.29999998211860657]
    """
    with np.errstate(over="ignore"):
        rounded = values.astype(precision)
    return np.where(rounded > values, np.nextafter(rounded, precision(-np.inf)), rounded)


def greatest_at_most(function: Any, bounds: np.ndarray) -> np.ndarray:
    """Return for each bound the greatest finite float64 x with ``function(x) <= bound``, -inf where there is none.

    Parameters
    ----------
    function : callable
        Takes and returns arrays of the shape of `bounds`; never decreasing in each entry.
    bounds : ndarray of float
    """
    # The bits of float64 numbers, read as integers and turned round for negative ones, are in the numbers' order.
    largest = np.array(np.finfo(np.float64).max).view(np.int64)
    low = np.full(bounds.shape, -largest - 1)  # one below the least finite number: stands for "none"
    high = np.full(bounds.shape, largest)
    while (low < high).any():
        # Rounded up, and without overflow.
        middle = (low >> 1) + (high >> 1) + ((low | high) & 1)
        fits = function(_number(np.maximum(middle, -largest))) <= bounds
        low, high = np.where(fits, middle, low), np.where(fits, high, middle - 1)
    return np.where(low < -largest, -np.inf, _number(np.maximum(low, -largest)))


def float64_bounds(bounds: ArrayLike) -> np.ndarray:
    """Return bounds for float64 values that part them as the given ones do once the values are rounded to float32.

    Parameters
    ----------
    bounds : array-like of float

    Returns
    -------
    ndarray of float64 of the same shape
        The greatest value that is rounded to at most the bound, -inf where there is none.
    """
    with np.errstate(over="ignore"):  # numbers beyond float32 are tried too
        return greatest_at_most(np.float32, np.asarray(bounds))


def _number(order: np.ndarray) -> np.ndarray:
    """Return the float64 number at a place in the order of all of them, 0 at place 0."""
    magnitude = np.abs(order).view(np.float64)
    return np.where(order < 0, -magnitude, magnitude)
