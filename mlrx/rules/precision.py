"""Numbers of a precision: bounds that tell the same values apart."""

from __future__ import annotations

import numpy as np


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
