"""Rows told apart by the quartiles of the training rows, as Anchors and LIME do."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from mlrx.rules import Condition

QUARTILES = (25, 50, 75)


@dataclass(frozen=True, eq=False)
class Quartiles:
    """Training rows and the bin that each value is in; a bin ends, inclusively, at an edge.

    Parameters
    ----------
    X : ndarray of float64 of shape (n_samples, n_features)

    Examples
    --------
    >>> Quartiles(np.array([[1.0], [2.0], [3.0], [4.0], [5.0]])).conditions_at(np.array([3.5]))
    [Condition(feature=0, lower=3.0, upper=4.0, categories=None, negated=False, missing=False)]
    """

    X: np.ndarray

    @cached_property
    def edges(self) -> tuple[np.ndarray, ...]:
        """Distinct quartiles of each column, ascending, to the last bit."""
        return tuple(np.unique(np.percentile(column, QUARTILES)) for column in self.X.T)

    @cached_property
    def bins(self) -> np.ndarray:
        """Bins of the training rows, int8 of the shape of X."""
        return self.locate(self.X)

    def locate(self, X: np.ndarray) -> np.ndarray:
        """Return how many edges are below each value, int8 of the shape of X."""
        columns = [np.searchsorted(edges, column) for edges, column in zip(self.edges, X.T, strict=True)]
        return np.column_stack(columns).astype(np.int8)

    def conditions_at(self, x: np.ndarray) -> list[Condition]:
        """Return for each column the condition that holds in the row's bin."""
        conditions = []
        for f, (edges, k) in enumerate(zip(self.edges, self.locate(x[None])[0], strict=True)):
            ends = np.concatenate([[-np.inf], edges, [np.inf]])
            conditions.append(Condition(f, lower=float(ends[k]), upper=float(ends[k + 1])))
        return conditions
