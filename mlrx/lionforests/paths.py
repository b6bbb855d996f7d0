"""The paths of one row through a forest: the leaf of each tree as a box, its votes, and how far paths are apart."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numba import njit

from .cells import ForestCells, probabilities


@dataclass(frozen=True, eq=False)
class Paths:
    """The path of one row in each tree of a forest; made by `Paths.of`.

    Parameters
    ----------
    cells : ForestCells
    ranges : ndarray of float64 of shape (2, n_features)
        Least and greatest value of each column, where intervals with an open side end for `distances`.
    lower, upper : ndarray of int16 or int32 of shape (n_trees, n_features)
        First and last cell of each path; see `ForestCells`.
    missing : ndarray of bool of shape (n_trees, n_features)
        Whether a missing value takes the same path.
    used : ndarray of bool of shape (n_trees, n_features)
        Whether the path holds for some known values of a column only.
    margins : ndarray of int64 of shape (2, n_labels, n_trees)
        P(present) - P(absent), and P(absent) - P(present), at the end of each path, in units of `MARGIN_UNIT`.

    Examples
    --------
    >>> from sklearn.ensemble import RandomForestClassifier
    >>> X = [[0.0, 7.0], [1.0, 7.0], [2.0, 7.0], [3.0, 7.0]]
    >>> model = RandomForestClassifier(2, bootstrap=False, random_state=0).fit(X, [0, 0, 1, 1])
    >>> cells = ForestCells.of(model)
    >>> paths = Paths.of(cells, cells.locate([[3.0, 7.0]])[0], [[0.0, 7.0], [3.0, 7.0]])
    >>> paths.used.tolist(), paths.probabilities.tolist()
    ([[True, False], [True, False]], [[1.0], [1.0]])
    """

    cells: ForestCells
    ranges: np.ndarray
    lower: np.ndarray
    upper: np.ndarray
    missing: np.ndarray
    used: np.ndarray
    margins: np.ndarray

    @classmethod
    def of(cls, cells: ForestCells, cell: np.ndarray, ranges: np.ndarray) -> Paths:
        """Follow a row through all trees.

        Parameters
        ----------
        cells : ForestCells
        cell : ndarray of int of shape (n_features,)
            The cells of the row; see `ForestCells.locate`.
        ranges : array-like of shape (2, n_features)
            Least and greatest training value of each column; whatever it is for columns that no path uses.

        Raises
        ------
        ValueError
            When `ranges` has another shape, or, for a column in use, is not finite or ends before it starts.
        """
        ranges = np.asarray(ranges, dtype=float)
        if ranges.shape != (2, cells.forest.n_features):
            raise ValueError(f"ranges must have the shape (2, {cells.forest.n_features}), got {ranges.shape}")
        leaves = cells.leaves_at(cell)
        lower, upper = cells.lower[leaves], cells.upper[leaves]
        used = (lower > 0) | (upper < cells.n_cells - 1)
        for f in np.flatnonzero(used.any(axis=0)):
            if not -np.inf < ranges[0, f] <= ranges[1, f] < np.inf:
                raise ValueError(f"ranges of column {f} must be finite and ascend, got {ranges[:, f].tolist()}")
        return cls(cells, ranges, lower, upper, cells.missing[leaves], used, cells.margins[:, :, leaves])

    @property
    def n_trees(self) -> int:
        """Number of trees, each with one path."""
        return len(self.used)

    @property
    def probabilities(self) -> np.ndarray:
        """Probability that each label is present at the end of each path, of shape (n_trees, n_labels)."""
        return probabilities(self.margins[0])

    def distances(self, trees: np.ndarray) -> np.ndarray:
        """Return how far the paths of some trees are apart, from 0 to 1, of shape (n, n).

        The mean over the columns that any of these paths uses: 1 where one of two paths uses the column, and where
        both do, 1 minus the part of the two intervals together that they share; 0 where neither does. An open side
        ends where the training values do.

        Notes
        -----
        Path similarity of [1]_, section 3. O(sum over columns of the squared number of paths that use it), once.

        References
        ----------
        .. [1] I. Mollas, N. Bassiliades, G. Tsoumakas. Conclusive local interpretation rules for random forests.
           Data Mining and Knowledge Discovery 36, 2022. doi:10.1007/s10618-022-00839-y
        """
        n_used = self.used[trees].any(axis=0).sum()
        return self._sums_of_distances[np.ix_(trees, trees)] / max(n_used, 1)

    @cached_property
    def _sums_of_distances(self) -> np.ndarray:
        n_used = self.used.sum(axis=1).astype(float)
        sums = n_used[:, None] + n_used
        for f in np.flatnonzero(self.used.any(axis=0)):
            users = np.flatnonzero(self.used[:, f])
            _add_column(users, *self._ends(f, users), sums)
        return sums

    def _ends(self, f: int, users: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the values at which the intervals of some paths start and end in column f."""
        cut, (least, greatest) = self.cells.cuts[f].astype(float), self.ranges[:, f]
        lower, upper = self.lower[users, f], self.upper[users, f]
        # Ranges that do not reach a cut leave an interval beyond it its one end, not a negative length.
        starts = np.append(min([least, *cut[:1]]), cut)[np.minimum(lower, cut.size)]
        ends = np.append(cut, max([greatest, *cut[-1:]]))[upper]
        # Paths for missing values only are as far from those for known values as can be.
        is_unknown = lower > upper
        starts[is_unknown] = ends[is_unknown] = np.inf
        return starts, ends


@njit(cache=True, nogil=True)
def _add_column(users, starts, ends, sums):
    """Take back, for the pairs of paths that both use a column, what was counted as if only one did."""
    for a in range(users.size):
        i = users[a]
        sums[i, i] -= 2.0
        for b in range(a):
            change = -1.0
            if starts[a] == starts[b] and ends[a] == ends[b]:
                change = -2.0
            else:
                shared = min(ends[a], ends[b]) - max(starts[a], starts[b])
                if shared > 0:
                    change -= shared / (max(ends[a], ends[b]) - min(starts[a], starts[b]))
            sums[i, users[b]] += change
            sums[users[b], i] += change
