"""Integer points for chosen rules, by coordinate descent on their Gram matrix."""

from __future__ import annotations

import numpy as np
from numba import njit

from .candidates import Candidates, common_rows

MOST_POINTS = 3
MOST_SWEEPS = 50


def gram_matrix(chosen: Candidates, n_rows: int) -> np.ndarray:
    """Return the centred products of the covers of the rules, shape (n_rules, n_rules)."""
    common = common_rows(chosen.bits, chosen.bits)
    return common - np.outer(chosen.n_covered, chosen.n_covered) / n_rows


def integer_points(gram: np.ndarray, products: np.ndarray, ridge: float, price: float, unit: float) -> np.ndarray:
    """Find points whose multiples of `unit` fit the labels well.

    Minimises for each label ``p.T @ H @ p / 2 - p.T @ products / unit`` plus ``price / (2 * unit**2)`` for each point
    that is not 0, where H is the Gram matrix plus `ridge` on its diagonal: half the squared error, in units, without
    the labels' weights of `select`. Starts at the rounded exact solution; each step puts one rule's points for one
    label to the best of the values from -MOST_POINTS to MOST_POINTS, and never raises the objective.

    Parameters
    ----------
    gram : ndarray of shape (n_rules, n_rules)
    products : ndarray of shape (n_rules, n_labels)
    ridge, price, unit : float

    Returns
    -------
    ndarray of int64 of shape (n_rules, n_labels)

    Notes
    -----
    O(n_rules**3 + sweeps * n_rules * n_labels + changes * n_rules).
    """
    curvature = gram + ridge * np.eye(len(gram))
    weights = np.linalg.solve(curvature, products)
    points = np.clip(np.rint(weights / unit), -MOST_POINTS, MOST_POINTS)
    _descend(curvature, np.asfortranarray(products / unit), price / (2 * unit * unit), points)
    return points.astype(np.int64)


@njit(cache=True, nogil=True)
def _descend(curvature, products, price, points):
    n_rules, n_labels = points.shape
    for label in range(n_labels):
        own = points[:, label].copy()
        slope = products[:, label] - curvature @ own
        for _ in range(MOST_SWEEPS):
            changed = False
            for k in range(n_rules):
                value = _best_value(own[k] + slope[k] / curvature[k, k], curvature[k, k], price, own[k])
                if value != own[k]:
                    slope -= curvature[k] * (value - own[k])
                    own[k] = value
                    changed = True
            if not changed:
                break
        points[:, label] = own


@njit(cache=True, nogil=True)
def _best_value(centre, curvature, price, now):
    """Return the best points for a parabola with this centre; those of now unless others are better for certain."""
    nearest = min(max(np.rint(centre), -MOST_POINTS), MOST_POINTS)
    best, best_cost = now, _cost(now, centre, curvature, price) - 1e-9 * curvature
    for value in (0.0, nearest):
        cost = _cost(value, centre, curvature, price)
        if cost < best_cost:
            best, best_cost = value, cost
    return best


@njit(cache=True, nogil=True)
def _cost(value, centre, curvature, price):
    return curvature * (value - centre) ** 2 / 2 + (price if value != 0 else 0.0)
