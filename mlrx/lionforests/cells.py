"""The cells of a forest: between neighbouring thresholds of a column nothing changes, so integers stand for values."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
from numba import njit

from ..rules import Condition, Rule
from .forest import FlatForest
from .scaling import float64_bounds, round_down

# Margins are whole numbers of 2 ** -40: sums are exact, and adding and taking back leaves no trace.
MARGIN_UNIT = 1 << 40
# A mean margin this close to 0 is a tie: another order of summation may turn it.
TIE_TOLERANCE = 1e-9
# Each tree's margin is rounded down by at most one unit.
ROUNDING_UNITS = 1


@dataclass(frozen=True, eq=False)
class Box:
    """A region of the forest's input: an interval of cells of each column, and whether the value may be missing.

    Parameters
    ----------
    lower, upper : ndarray of int64 of shape (n_features,)
        First and last cell. ``lower > upper`` means no known value.
    missing : ndarray of bool of shape (n_features,)
        Whether the region holds rows whose value is missing.
    """

    lower: np.ndarray
    upper: np.ndarray
    missing: np.ndarray

    @property
    def is_empty(self) -> bool:
        """Whether no row is inside, because a column allows no value."""
        return bool(((self.lower > self.upper) & ~self.missing).any())

    def holds(self, cells: np.ndarray) -> np.ndarray:
        """Tell which rows, given by their cells of shape (n_samples, n_features), are inside."""
        inside = (cells >= self.lower) & (cells <= self.upper)
        return np.where(cells < 0, self.missing, inside).all(axis=1)


@dataclass(frozen=True, eq=False)
class ForestCells:
    """A forest as boxes of cells, one for each leaf, with the margin of each label; made by `ForestCells.of`.

    Column f has the cells 0 to ``cuts[f].size``; cell c holds the values in ``(cuts[f][c - 1], cuts[f][c]]``, and at
    least one that the forest accepts in the precision `forest.dtype`. A missing value has the cell -1.

    Parameters
    ----------
    forest : FlatForest
    cuts : tuple of ndarray
        Distinct thresholds of each column, ascending, in the units of its rows.
    lower, upper : ndarray of int16 or int32 of shape (n_leaves, n_features)
        First and last cell of each leaf; -1 as the last of a column in which no known value reaches the leaf.
    missing : ndarray of bool of shape (n_leaves, n_features)
        Whether a missing value reaches the leaf.
    margins : ndarray of int64 of shape (2, n_labels, n_leaves)
        P(present) - P(absent), and P(absent) - P(present), in units of `MARGIN_UNIT`, both rounded down.

    Examples
    --------
    >>> from sklearn.ensemble import RandomForestClassifier
    >>> model = RandomForestClassifier(1, bootstrap=False, random_state=0).fit([[0.0], [1.0]], [0, 1])
    >>> cells = ForestCells.of(model)
    >>> [cut.tolist() for cut in cells.cuts], cells.lower.tolist(), cells.upper.tolist()
    ([[0.5]], [[0], [1]], [[0], [1]])
    """

    forest: FlatForest
    cuts: tuple[np.ndarray, ...]
    lower: np.ndarray
    upper: np.ndarray
    missing: np.ndarray
    margins: np.ndarray

    @classmethod
    def of(cls, forest: Any) -> ForestCells:
        """Find the cells of a forest.

        Parameters
        ----------
        forest : FlatForest, or anything that `FlatForest.read` takes; or ForestCells, which is returned as it is

        Notes
        -----
        O(n_nodes log n_nodes + n_leaves * (n_features + depth)) time, O(n_leaves * (n_features + n_labels)) memory.
        """
        if isinstance(forest, ForestCells):
            return forest
        if not isinstance(forest, FlatForest):
            forest = FlatForest.read(forest)
        cuts, cut_of_node = _cuts(forest)
        n_cells = np.array([cut.size + 1 for cut in cuts])
        small = np.int16 if n_cells.max() < np.iinfo(np.int16).max else np.int32
        shape = (forest.leaf_start[-1], forest.n_features)
        lower, upper = np.zeros(shape, small), np.empty(shape, small)
        upper[:] = n_cells - 1
        missing = np.full(shape, forest.allows_missing)
        parent, parent_of_leaf = _parents(forest.left, forest.right, shape[0])
        _leaf_boxes(
            forest.feature, forest.left, forest.missing_left, cut_of_node, parent, parent_of_leaf, lower, upper, missing
        )
        no_known = lower > upper
        lower[no_known] = n_cells[np.nonzero(no_known)[1]]
        upper[no_known] = -1
        margins = forest.votes[..., 1] - forest.votes[..., 0]
        margins[:, forest.is_constant] = np.where(forest.is_present, 1.0, -1.0)[forest.is_constant]
        both = np.stack([margins.T, -margins.T])
        return cls(forest, cuts, lower, upper, missing, np.floor(both * MARGIN_UNIT).astype(np.int64))

    @cached_property
    def n_cells(self) -> np.ndarray:
        """Number of cells of each column, of shape (n_features,)."""
        return np.array([cut.size + 1 for cut in self.cuts])

    @cached_property
    def has_unknown_leaves(self) -> np.ndarray:
        """Which columns some leaf is reached in by missing values only, of shape (n_features,)."""
        return (self.upper < 0).any(axis=0)

    @cached_property
    def bounds(self) -> tuple[np.ndarray, ...]:
        """The cuts as rules state them: for a bare forest, the thresholds themselves, which are float64 numbers.

        Of several thresholds that tell the same float32 values apart, the least.
        """
        if self.forest.scaling.steps:
            return self.cuts
        forest = self.forest
        order = np.lexsort((forest.stated_threshold, forest.feature))
        start = np.searchsorted(forest.feature[order], np.arange(forest.n_features + 1))
        bounds = []
        for cut, (first, end) in zip(self.cuts, pairwise(start)):
            nodes = order[first:end]
            bounds.append(forest.stated_threshold[nodes[np.searchsorted(forest.threshold[nodes], cut)]])
        return tuple(bounds)

    @property
    def tie_bound(self) -> int:
        """The sum of margins over all trees, in units, up to which a label may be lost to a tie or to rounding."""
        return self.forest.n_trees * (ROUNDING_UNITS + math.ceil(TIE_TOLERANCE * MARGIN_UNIT))

    def locate(self, X: Any) -> np.ndarray:
        """Return the cells of rows, as int64 of shape (n_samples, n_features), -1 for a missing value."""
        rows = self.forest.rows(X)
        cells = np.empty(rows.shape, dtype=np.int64)
        for f, cut in enumerate(self.cuts):
            cells[:, f] = np.searchsorted(cut, rows[:, f], side="left")
        cells[np.isnan(rows)] = -1
        return cells

    def whole(self) -> Box:
        """Return the box of all known values."""
        n_features = self.forest.n_features
        return Box(np.zeros(n_features, np.int64), self.n_cells - 1, np.zeros(n_features, bool))

    def box_of_cell(self, cell: np.ndarray) -> Box:
        """Return the box of one cell of the grid, given by its numbers of shape (n_features,), -1 for missing."""
        is_missing = cell < 0
        return Box(np.where(is_missing, self.n_cells, cell), np.where(is_missing, -1, cell), is_missing)

    def leaves_at(self, cell: np.ndarray) -> np.ndarray:
        """Return the leaf of each tree in which one cell of the grid is, of shape (n_trees,)."""
        return _leaves_at(cell, self.lower, self.upper, self.missing, self.forest.n_trees)

    def box_of_rule(self, rule: Rule) -> Box:
        """Return the smallest box that holds every row of the antecedent.

        Rows have known values, but where a condition allows a missing one.

        Parameters
        ----------
        rule : Rule

        Raises
        ------
        ValueError
            When a condition is about a column that the forest lacks, or about categories.
        """
        box = self.whole()
        for condition in rule.antecedent:
            f = condition.feature
            first, last = self.interval(condition, rule.dtype)
            no_known = first > last
            box.lower[f] = self.cuts[f].size + 1 if no_known else np.searchsorted(self.cuts[f], first, side="left")
            box.upper[f] = -1 if no_known else np.searchsorted(self.cuts[f], last, side="left")
            box.missing[f] = condition.missing and self.forest.allows_missing
        return box

    def interval(self, condition: Condition, dtype: str) -> tuple[float, float]:
        """Return the least and the greatest value that the forest accepts for which a condition holds.

        In the forest's precision; the least is above the greatest where there is none.

        Parameters
        ----------
        condition : Condition
        dtype : {"float64", "float32"}
            Precision of the rule. A rule of float64 on a forest of float32 is taken on the float32 values.
        """
        f = condition.feature
        if f >= self.forest.n_features:
            raise ValueError(f"a condition is about column {f}, but the forest has {self.forest.n_features} features")
        if condition.is_nominal:
            raise ValueError(
                f"the condition on column {f} is about categories {condition.categories}; a forest compares numbers"
            )
        precision = np.dtype(self.forest.dtype).type
        bounds = np.array([condition.lower, condition.upper])
        if dtype == "float32" and precision == np.float64:
            bounds = float64_bounds(bounds)
        below, last = round_down(bounds, precision)
        largest = np.finfo(precision).max
        first = np.nextafter(below, precision(np.inf)) if below < largest else precision(np.inf)
        least, greatest = self.forest.limits[:, f]
        return max(first, least), min(last, greatest)

    def rule_of_box(self, box: Box, labels: Iterable[int]) -> Rule:
        """Return the rule that says exactly what the box does.

        A column that may have any known value gets no condition, or, where it may be missing as well, one that says
        just this. Sides that reach the last cell stay open.

        Parameters
        ----------
        box : Box
            Not empty.
        labels : iterable of int
            The consequent.
        """
        conditions = []
        for f, (lower, upper, missing) in enumerate(zip(box.lower.tolist(), box.upper.tolist(), box.missing.tolist())):
            cut = self.bounds[f]
            if lower > upper:
                conditions.append(Condition(f, math.inf, math.inf, missing=True))
            elif missing or lower > 0 or upper < cut.size:
                low = float(cut[lower - 1]) if lower > 0 else -math.inf
                high = float(cut[upper]) if upper < cut.size else math.inf
                conditions.append(Condition(f, low, high, missing=missing))
        return Rule(tuple(conditions), tuple(labels), dtype=self.forest.dtype)

    def point(self, cells: np.ndarray, rule: Rule) -> np.ndarray:
        """Return a row of given cells that satisfies the rule, each value as near to 0 as it can be.

        Parameters
        ----------
        cells : ndarray of int of shape (n_features,)
            In the box of the rule; -1 for missing.
        rule : Rule
        """
        precision = np.dtype(self.forest.dtype).type
        first, last = self.forest.limits.copy()
        for condition in rule.antecedent:
            first[condition.feature], last[condition.feature] = self.interval(condition, rule.dtype)
        for f, (cut, cell) in enumerate(zip(self.cuts, cells)):
            if cell > 0:
                first[f] = max(first[f], np.nextafter(cut[cell - 1], precision(np.inf)))
            if 0 <= cell < cut.size:
                last[f] = min(last[f], cut[cell])
        return np.where(cells < 0, precision(np.nan), np.clip(precision(0), first, last))


def probabilities(margins: np.ndarray) -> np.ndarray:
    """Return P(present), of shape (n, n_labels), for margins of shape (n_labels, n); see `ForestCells.margins`."""
    return (1 + margins.T / MARGIN_UNIT) / 2


def _cuts(forest: FlatForest) -> tuple[tuple[np.ndarray, ...], np.ndarray]:
    """Return the cuts of each column, and for each node the number of the cut up to which values go left.

    The number is -1 where no known value goes left, and that of the last cell where all do.
    """
    order = np.lexsort((forest.threshold, forest.feature))
    start = np.searchsorted(forest.feature[order], np.arange(forest.n_features + 1))
    found = [np.unique(forest.threshold[order[a:b]]) for a, b in pairwise(start)]
    table = np.full((max(cut.size for cut in found), forest.n_features), np.float32(np.inf))
    for f, cut in enumerate(found):
        table[: cut.size, f] = cut
    table = forest.scaling.cuts(table)
    cuts, cut_of_node = [], np.empty(forest.feature.size, dtype=np.int32)
    for f, (cut, least, greatest) in enumerate(zip(found, *forest.limits)):
        own = table[: cut.size, f]
        cuts.append(np.unique(own[(own >= least) & (own < greatest)]))
        nodes = order[start[f] : start[f + 1]]
        numbers = np.searchsorted(cuts[f], own, side="left") - (own < least)
        cut_of_node[nodes] = numbers[np.searchsorted(cut, forest.threshold[nodes])]
    return tuple(cuts), cut_of_node


@njit(cache=True, nogil=True)
def _parents(left, right, n_leaves):
    """Return the parent of each node and of each leaf, -1 for a root."""
    parent, parent_of_leaf = np.full(left.size, -1, np.int64), np.full(n_leaves, -1, np.int64)
    for node in range(left.size):
        for child in (left[node], right[node]):
            if child >= 0:
                parent[child] = node
            else:
                parent_of_leaf[~child] = node
    return parent, parent_of_leaf


@njit(cache=True, nogil=True)
def _leaf_boxes(feature, left, missing_left, cut_of_node, parent, parent_of_leaf, lower, upper, missing):
    """Narrow the box of each leaf by the nodes above it."""
    for leaf in range(parent_of_leaf.size):
        child, node = ~leaf, parent_of_leaf[leaf]
        while node >= 0:
            f = feature[node]
            if left[node] == child:
                upper[leaf, f] = min(upper[leaf, f], cut_of_node[node])
                missing[leaf, f] &= missing_left[node]
            else:
                lower[leaf, f] = max(lower[leaf, f], cut_of_node[node] + 1)
                missing[leaf, f] &= not missing_left[node]
            child, node = node, parent[node]


@njit(cache=True, nogil=True)
def _leaves_at(cell, lower, upper, missing, n_trees):
    leaves, n = np.empty(n_trees, np.int64), 0
    for leaf in range(lower.shape[0]):
        holds = True
        for f in range(cell.size):
            inside = missing[leaf, f] if cell[f] < 0 else lower[leaf, f] <= cell[f] <= upper[leaf, f]
            if not inside:
                holds = False
                break
        if holds:
            leaves[n] = leaf
            n += 1
    return leaves
