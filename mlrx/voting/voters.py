"""Learning rules that vote, with given settings."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp

from ..bits import unpack
from .candidates import Candidates, label_means, label_weights, literal_bits
from .points import gram_matrix, integer_points
from .selection import select


@dataclass(frozen=True)
class Settings:
    """What the points depend on.

    Attributes
    ----------
    ridge : float
        Weight of the squared weights.
    price : float
        What a weight costs: in selection in squared error that counts rare labels more, then in plain squared error.
    unit : float
        What a point is worth: the share of a label that it stands for.
    threshold : float
        Share of a label from which it is predicted, for a label that is as frequent as the mean.
    lenience : float
        Power of a label's frequency that its threshold is in proportion to.
    """

    ridge: float
    price: float
    unit: float
    threshold: float
    lenience: float


@dataclass(frozen=True)
class Voters:
    """Rules with points, as literals over items.

    Attributes
    ----------
    rules : Candidates
    points : ndarray of int64 of shape (n_rules, n_labels)
        No row is all 0.
    constants : ndarray of float of shape (n_labels,)
        Share of each label for a row without points.
    """

    rules: Candidates
    points: np.ndarray
    constants: np.ndarray

    def votes(self, item_bits: np.ndarray, n_rows: int) -> np.ndarray:
        """Return the points of each row and label, of shape (n_rows, n_labels), as float32 of whole numbers."""
        covered = unpack(literal_bits(self.rules.literals, item_bits, n_rows), n_rows)
        return covered.T.astype(np.float32) @ self.points.astype(np.float32)


def vote(candidates: Candidates, positives: sp.csr_array, n_rules: int, settings: Settings) -> Voters:
    """Choose rules and give them points.

    Parameters
    ----------
    candidates : Candidates
        Made from the rows of `positives`.
    positives : csr_array of shape (n_rows, n_labels)
        Of zeros and ones.
    n_rules : int
        Most rules.
    settings : Settings
        Its threshold and lenience play no part.
    """
    chosen = choose(candidates, positives, n_rules, settings.ridge, settings.price)
    return give_points(*chosen, positives, settings.ridge, settings.price, settings.unit)


def choose(
    candidates: Candidates, positives: sp.csr_array, n_rules: int, ridge: float, price: float
) -> tuple[Candidates, np.ndarray]:
    """Return the candidates that selection chooses, and their Gram matrix; the first step of `vote`."""
    n_rows = positives.shape[0]
    chosen = candidates[select(candidates, label_weights(positives), n_rows, n_rules, ridge, price)]
    return chosen, gram_matrix(chosen, n_rows)


def give_points(
    chosen: Candidates, gram: np.ndarray, positives: sp.csr_array, ridge: float, price: float, unit: float
) -> Voters:
    """Give the chosen candidates points, and leave out those that get none; the second step of `vote`."""
    points = integer_points(gram, chosen.products, ridge, price, unit)
    used = points.any(axis=1)
    constants = label_means(positives) - unit * (chosen.n_covered @ points) / positives.shape[0]
    return Voters(chosen[used], points[used], constants)


def threshold_factors(frequencies: np.ndarray, lenience: float) -> np.ndarray:
    """Return what the common threshold is multiplied with for each label, shape (n_labels,).

    Parameters
    ----------
    frequencies : ndarray of float of shape (n_labels,)
        Shares of the rows that carry the labels, above 0.
    lenience : float
    """
    mean = frequencies.sum() / max(frequencies.size, 1)
    return (frequencies / mean) ** lenience


def label_bars(constants: np.ndarray, frequencies: np.ndarray, settings: Settings) -> np.ndarray:
    """Return for each label the fewest points for which ``constant + unit * points`` reaches its threshold, or 1.

    Parameters
    ----------
    constants, frequencies : ndarray of float of shape (n_labels,)
    settings : Settings

    Returns
    -------
    ndarray of int64 of shape (n_labels,)
    """
    thresholds = settings.threshold * threshold_factors(frequencies, settings.lenience)
    return np.ceil((np.minimum(thresholds, 1.0) - constants) / settings.unit - 1e-9).astype(np.int64)
