"""What the columns of a row are: numbers, and nominal ones in one or several columns, never to be mixed."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..forests import Fold


@dataclass(frozen=True, eq=False)
class Columns:
    """Numeric columns, and the columns of each nominal one; together they are its parts.

    Parameters
    ----------
    numeric : tuple of int
    nominal : tuple of tuple of int
        A binary column, or all columns that were made of one nominal column.
    """

    numeric: tuple[int, ...]
    nominal: tuple[tuple[int, ...], ...] = ()

    @classmethod
    def of(cls, fold: Fold) -> Columns:
        """Read the columns of a fold."""
        grouped = {column for group in fold.groups.values() for column in group}
        single = [column for column in range(len(fold.feature_names)) if column not in grouped]
        binary = [column for column in single if fold.train.kinds[column] == "binary"]
        numeric = tuple(column for column in single if column not in binary)
        return cls(numeric, (*fold.groups.values(), *((column,) for column in binary)))

    @property
    def parts(self) -> tuple[tuple[int, ...], ...]:
        """The columns that change together, numeric ones first."""
        return (*((column,) for column in self.numeric), *self.nominal)

    def mismatches(self, X: np.ndarray, x: np.ndarray) -> np.ndarray:
        """Tell which nominal parts of rows differ from those of a row, bool of shape (n_samples, n_nominal)."""
        differs = x != X
        return np.array([differs[:, list(part)].any(axis=1) for part in self.nominal]).reshape(-1, len(X)).T

    def redraw(self, X: np.ndarray, source: np.ndarray, chosen: np.ndarray, rng: np.random.RandomState) -> None:
        """Replace chosen parts of rows, in place, by those of other rows, each drawn by itself.

        Parameters
        ----------
        X : ndarray of shape (n_samples, n_features)
        source : ndarray of shape (n_source, n_features)
        chosen : ndarray of bool of shape (n_samples, n_parts)
            By the order of `parts`.
        rng : RandomState
        """
        for k, part in enumerate(self.parts):
            rows = np.flatnonzero(chosen[:, k])
            X[np.ix_(rows, part)] = source[np.ix_(rng.randint(len(source), size=rows.size), part)]
