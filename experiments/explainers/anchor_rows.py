"""The rows that Anchors asks the forest about: training rows, changed where they break the anchor."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from .quartiles import Quartiles


@dataclass(frozen=True)
class Predicate:
    """What an anchor may say of a row: a value is above an edge, or not above it.

    Parameters
    ----------
    feature : int
    edge : int
        Number of the column's edge.
    is_above : bool
    """

    feature: int
    edge: int
    is_above: bool


class AnchorRows:
    """Predicates that hold for a row, and rows drawn under some of them.

    Parameters
    ----------
    quartiles : Quartiles
        Of the training rows.
    x : ndarray of float64 of shape (n_features,)
    rng : numpy.random.RandomState
        The generator of anchor-exp, so that one seed gives the same rows in both.
    """

    def __init__(self, quartiles: Quartiles, x: np.ndarray, rng: np.random.RandomState) -> None:
        self.quartiles, self.x, self._rng = quartiles, x, rng
        self._choices: dict[tuple[int, int, int], np.ndarray] = {}

    @cached_property
    def predicates(self) -> tuple[Predicate, ...]:
        """By column, then by edge."""
        bins = self.quartiles.locate(self.x[None])[0]
        edges = self.quartiles.edges
        return tuple(Predicate(f, k, k < bins[f]) for f in range(self.x.size) for k in range(edges[f].size))

    def holds(self, number: int, bins: np.ndarray) -> np.ndarray:
        """Tell for which rows, given by bins of shape (n, n_features), a predicate holds."""
        predicate = self.predicates[number]
        return (bins[:, predicate.feature] > predicate.edge) == predicate.is_above

    def count_training_rows(self, n: int) -> np.ndarray:
        """Draw n training rows with replacement, and return how often each came, of shape (n_samples,)."""
        n_samples = len(self.quartiles.X)
        return np.bincount(self._rng.randint(0, n_samples, n), minlength=n_samples)

    def draw(self, numbers: tuple[int, ...], n: int) -> tuple[np.ndarray, np.ndarray]:
        """Draw n training rows with replacement; redraw, column by column, values that break a predicate.

        Parameters
        ----------
        numbers : tuple of int
            Of predicates, ascending.
        n : int

        Returns
        -------
        X : ndarray of float64 of shape (n, n_features)
        bins : ndarray of int8 of shape (n, n_features)

        Notes
        -----
        A value is redrawn among the training values that hold; where there are none, uniformly from the interval that
        the training values and the row span within the predicates. (anchor-exp confuses edges with their numbers
        there.) Columns with a lower bound come first: the order of anchor-exp.
        """
        chosen = self._rng.randint(0, len(self.quartiles.X), n)
        X, bins = self.quartiles.X[chosen], self.quartiles.bins[chosen]
        for f, (low, high) in self._ranges(numbers).items():
            broken = np.flatnonzero((bins[:, f] <= low) | (bins[:, f] > high))
            if not broken.size:
                continue
            choices = self._choices_within(f, low, high)
            if choices.size:
                rows = choices[self._rng.randint(0, choices.size, broken.size)]
                X[broken, f], bins[broken, f] = self.quartiles.X[rows, f], self.quartiles.bins[rows, f]
            else:
                X[broken, f] = self._uniform(f, low, high, broken.size)
                bins[broken, f] = np.searchsorted(self.quartiles.edges[f], X[broken, f])
        return X, bins

    def _ranges(self, numbers: tuple[int, ...]) -> dict[int, tuple[int, int]]:
        """Return by column the bin below those that are allowed, and the last allowed one."""
        above, upto = {}, {}
        for predicate in (self.predicates[number] for number in numbers):
            f, k = predicate.feature, predicate.edge
            if predicate.is_above:
                above[f] = max(k, above.get(f, k))
            else:
                upto[f] = min(k, upto.get(f, k))
        columns = [*above, *(f for f in upto if f not in above)]
        return {f: (above.get(f, -1), upto.get(f, self.quartiles.edges[f].size)) for f in columns}

    def _choices_within(self, f: int, low: int, high: int) -> np.ndarray:
        if (f, low, high) not in self._choices:
            bins = self.quartiles.bins[:, f]
            self._choices[f, low, high] = np.flatnonzero((bins > low) & (bins <= high))
        return self._choices[f, low, high]

    def _uniform(self, f: int, low: int, high: int, n: int) -> np.ndarray:
        edges, values = self.quartiles.edges[f], np.append(self.quartiles.X[:, f], self.x[f])
        lower = edges[low] if low >= 0 else values.min()
        upper = edges[high] if high < edges.size else values.max()
        return upper - (upper - lower) * self._rng.random_sample(n)
