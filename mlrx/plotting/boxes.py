"""Boxes of a forest in the values of its features, as pictures need them."""

from __future__ import annotations

import numpy as np


def find_spans(*rows: np.ndarray) -> np.ndarray:
    """Return the least and greatest known value of each column over some rows, of shape (2, n_features).

    A column with one value, or with none, spans a length of 1 around it, or around 0.
    """
    X = np.vstack([np.atleast_2d(some) for some in rows]).astype(float)
    known = ~np.isnan(X)
    low = np.where(known, X, np.inf).min(axis=0, initial=np.inf)
    high = np.where(known, X, -np.inf).max(axis=0, initial=-np.inf)
    low, high = (np.where(known.any(axis=0), ends, 0.0) for ends in (low, high))
    is_flat = low == high
    return np.array([np.where(is_flat, low - 0.5, low), np.where(is_flat, high + 0.5, high)])


def interval_ends(
    cut: np.ndarray, lower: np.ndarray, upper: np.ndarray, span: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Return the values at which intervals of cells start and end, within a span.

    Parameters
    ----------
    cut : ndarray of float of shape (n_cuts,)
    lower, upper : ndarray of int of shape (n,)
        First and last cell; see `ForestCells`.
    span : sequence of two floats
        Where open sides end.

    Returns
    -------
    starts, ends : ndarray of float64 of shape (n,)
        NaN where the interval holds no known value.
    """
    starts = np.append(span[0], cut.astype(float))[np.minimum(lower, cut.size)]
    ends = np.append(cut.astype(float), span[1])[upper]
    starts, ends = np.clip(starts, *span), np.clip(ends, *span)
    has_none = lower > upper
    starts[has_none] = ends[has_none] = np.nan
    return starts, ends
