"""Paths of a forest as a matrix: those of most rows, those that one row takes, and those that it just misses.

References
----------
.. [1] M. P. Neto, F. V. Paulovich. Explainable matrix: visualization for global and local interpretability of random
   forest classification ensembles. IEEE Transactions on Visualization and Computer Graphics 27(2), 2021.
   doi:10.1109/TVCG.2020.3030354
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from ..lionforests import ForestCells
from ..lionforests.cells import probabilities
from .boxes import find_spans, interval_ends
from .matrix import Matrix, draw_matrix, name_column
from .row_paths import RowPaths, check_names, gini_importance
from .style import QUIET, pick_colours
from .votes import Votes
from .walks import leaf_shares

if TYPE_CHECKING:
    from matplotlib.figure import Figure, SubFigure

COVERED = "share of rows"


def plot_forest_matrix(
    forest: Any,
    X: Any,
    feature_names: Sequence[str] | None = None,
    label_names: Sequence[str] | None = None,
    *,
    label: int | None = None,
    n_rules: int = 40,
    n_features: int = 12,
    figure: Figure | SubFigure | None = None,
) -> Figure | SubFigure:
    """Draw the paths of a forest that most rows take, as rules: the global view of ExMatrix for label sets.

    Parameters
    ----------
    forest : FlatForest or ForestCells, or a model that `FlatForest.read` takes
    X : array-like of shape (n_samples, n_features)
        The training rows, in the units of the forest's input.
    feature_names, label_names : sequence of str or None, default=None
        None takes the names seen in training, or x0, x1, ... and label 0, label 1, ...
    label : int or None, default=None
        Colour by the vote on this label; None shows the probabilities of all labels beside uncoloured rules.
    n_rules : int, default=40
        Most rules that are shown.
    n_features : int, default=12
        Most features that are shown, those of greatest impurity-based importance among those that the rules use. How
        many others a rule has conditions on is written after it.
    figure : Figure, SubFigure or None, default=None
        None makes a new one, at most 10.9 inches wide. As many features and labels are shown as there is room for in
        its width; labels, those of the greatest mean probability, and how many more a rule votes for is written after
        them.

    Returns
    -------
    Figure or SubFigure
        Its axes are the matrix, the importance, the labels, and the shares of rows.

    Notes
    -----
    O(n_samples * n_trees * depth + n_leaves * n_features).
    """
    cells = ForestCells.of(forest)
    names = check_names(cells.forest, feature_names, label_names)
    X = cells.forest.rows(X)
    covered = leaf_shares(cells.forest, X)
    leaves = np.argsort(-covered, kind="stable")[:n_rules]
    votes = None
    if label is not None:
        votes = Votes.of(
            probabilities(cells.margins[0][:, leaves]), np.zeros(cells.forest.n_labels, bool), names[1], label
        )
    bars = {COVERED: [(covered[leaves], QUIET)]}
    matrix = _matrix(_Scene(cells, X, names), leaves, n_features, bars, votes)
    title = f"{leaves.size} of {covered.size} paths of {cells.forest.n_trees} trees: those that most rows take"
    return draw_matrix(matrix, title, label, figure)


def plot_used_paths(
    row: RowPaths,
    *,
    label: int | None = None,
    n_rules: int | None = None,
    n_features: int = 12,
    figure: Figure | SubFigure | None = None,
) -> Figure | SubFigure:
    """Draw the path that a row takes in each tree: the local view of ExMatrix of the rules used.

    Parameters
    ----------
    row : RowPaths
    label : int or None, default=None
        Colour by the vote on this label; None, by how the tree's label set agrees with the forest's.
    n_rules : int or None, default=None
        Most rules that are shown, those of greatest agreement with the forest; None shows all.
    n_features, figure
        See `plot_forest_matrix`.

    Returns
    -------
    Figure or SubFigure
    """
    cells = row.paths.cells
    votes = row.votes(label)
    shares = row.paths.probabilities if label is None else row.paths.probabilities[:, [label]]
    wanted = row.predicted if label is None else row.predicted[[label]]
    agreement = np.where(wanted, shares, 1 - shares).mean(axis=1)
    order = np.lexsort((-agreement, votes.kinds if label is None else np.zeros(agreement.size)))[:n_rules]
    leaves = cells.leaves_at(cells.locate(row.x[None])[0])[order]
    bars = {COVERED: [(leaf_shares(row.forest, row.X)[leaves], QUIET)]}
    matrix = _matrix(_Scene.of(row), leaves, n_features, bars, votes.take(order))
    which = "all" if order.size == row.forest.n_trees else f"{order.size} of"
    title = f"Paths that the row takes in {which} {row.forest.n_trees} trees"
    return draw_matrix(matrix, title, label, figure)


def plot_closest_paths(
    row: RowPaths,
    *,
    label: int | None = None,
    n_rules: int = 30,
    n_features: int = 12,
    figure: Figure | SubFigure | None = None,
) -> Figure | SubFigure:
    """Draw the paths with other votes that a row just misses: the local view of ExMatrix of the closest rules.

    A change of a feature is measured as a share of the feature's span; paths are ranked by the sum of the changes
    that bring the row into their rule, which the arrows show.

    Parameters
    ----------
    row : RowPaths
    label : int or None, default=None
        Take the paths that vote on this label unlike the forest; None, those whose label set is not the forest's.
    n_rules : int, default=30
        Most rules that are shown.
    n_features, figure
        See `plot_forest_matrix`; features that have to change come first.

    Returns
    -------
    Figure or SubFigure

    Notes
    -----
    A row that lies on an open bound is at no distance from the values beyond. One path voting otherwise does not turn
    the forest. O(n_leaves * n_features).
    """
    cells = row.paths.cells
    everything = np.arange(cells.lower.shape[0])
    votes = Votes.of(probabilities(cells.margins[0][:, everything]), row.predicted, row.label_names, label)
    own_kind = 0 if label is None or row.predicted[label] else 1
    targets, changes = _changes(cells, row.x, row.spans)
    totals = changes.sum(axis=1)
    totals[votes.kinds == own_kind] = np.inf
    totals[np.isnan(targets).all(axis=1)] = np.inf  # those that the row takes, or cannot
    leaves = np.argsort(totals, kind="stable")[:n_rules]
    leaves = leaves[np.isfinite(totals[leaves])]
    bars = {
        "sum of changes": [(totals[leaves], pick_colours()[-1])],
        COVERED: [(leaf_shares(row.forest, row.X)[leaves], QUIET)],
    }
    matrix = _matrix(_Scene.of(row), leaves, n_features, bars, votes.take(leaves), targets[leaves])
    return draw_matrix(matrix, f"The {leaves.size} paths with other votes that the row misses least", label, figure)


@dataclass(frozen=True, eq=False)
class _Scene:
    """The forest, the rows that tell its ranges, the names of features and labels, and perhaps a row to mark."""

    cells: ForestCells
    X: np.ndarray
    names: tuple[Sequence[str], Sequence[str]]
    x: np.ndarray | None = None

    @classmethod
    def of(cls, row: RowPaths) -> _Scene:
        return cls(row.paths.cells, row.X, (row.feature_names, row.label_names), row.x)

    @cached_property
    def rows(self) -> np.ndarray:
        return self.X if self.x is None else np.vstack([self.X, self.x])

    @cached_property
    def spans(self) -> np.ndarray:
        return find_spans(self.rows)

    def shares(self, f: int, values: np.ndarray) -> np.ndarray:
        """Return values of a feature as shares of its span."""
        return (values - self.spans[0, f]) / (self.spans[1, f] - self.spans[0, f])


def _matrix(
    scene: _Scene,
    leaves: np.ndarray,
    n_features: int,
    bars: dict,
    votes: Votes | None,
    targets: np.ndarray | None = None,
) -> Matrix:
    """Return some leaves as a matrix; `targets` are the values that the row has to reach, NaN where it need not."""
    cells, (feature_names, label_names) = scene.cells, scene.names
    used = (cells.lower[leaves] > 0) | (cells.upper[leaves] < cells.n_cells - 1)
    importance = gini_importance(cells.forest)
    if targets is None:
        targets = np.full(used.shape, np.nan)
    is_moved = ~np.isnan(targets).all(axis=0)
    ranked = np.lexsort((-importance, ~is_moved))
    shown = ranked[used.any(axis=0)[ranked]][:n_features]
    parts = [_column(scene, leaves, column, f, targets[:, f]) for column, f in enumerate(shown.tolist())]
    filled, arrows, is_open = (
        np.concatenate([np.empty((0, width)), *(part[k] for part in parts)]) for k, width in enumerate((4, 4, 2))
    )
    trees = np.searchsorted(cells.forest.leaf_start, leaves, side="right") - 1
    return Matrix(
        cells=filled,
        columns=tuple(name_column(feature_names[f], scene.spans[:, f]) for f in shown.tolist()),
        importance=importance[shown],
        importance_name="importance",
        rows=tuple(f"tree {tree}" for tree in trees.tolist()),
        shares=probabilities(cells.margins[0][:, leaves]),
        shares_name="P(label)",
        is_probability=True,
        labels=tuple(label_names),
        bars=bars,
        votes=votes,
        used=used[:, shown],
        n_used=used.sum(axis=1),
        marks=None if scene.x is None else np.array([scene.shares(f, scene.x[f]) for f in shown.tolist()]),
        arrows=arrows,
        open_cells=is_open,
    )


def _column(
    scene: _Scene, leaves: np.ndarray, column: int, f: int, targets: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the filled rectangles, the arrows and the places of question marks of one column; see `Matrix`."""
    cells = scene.cells
    lower, upper = cells.lower[leaves, f], cells.upper[leaves, f]
    own = np.flatnonzero((lower > 0) | (upper < cells.cuts[f].size))
    starts, ends = interval_ends(cells.cuts[f], lower[own], upper[own], scene.spans[:, f])
    filled = np.column_stack([own, np.full(own.size, column), scene.shares(f, starts), scene.shares(f, ends)])
    moved = np.flatnonzero(~np.isnan(targets))
    arrows = np.empty((0, 4))
    if moved.size:
        start = np.full(moved.size, scene.shares(f, scene.x[f]))
        arrows = np.column_stack([moved, np.full(moved.size, column), start, scene.shares(f, targets[moved])])
    # Where no value is missing it is of no interest what would become of it.
    is_open = own[cells.missing[leaves[own], f] & np.isnan(scene.rows[:, f]).any()]
    return filled[~np.isnan(starts)], arrows, np.column_stack([is_open, np.full(is_open.size, column)])


def _changes(cells: ForestCells, x: np.ndarray, spans: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the bound that a row has to reach for each leaf, and how far that is in shares of the span.

    Returns
    -------
    targets : ndarray of shape (n_leaves, n_features)
        NaN where the row need not move.
    changes : ndarray of shape (n_leaves, n_features)
        0 where it need not, infinite where no move helps: from or to a missing value.
    """
    shape = cells.lower.shape
    targets, changes = np.full(shape, np.nan), np.zeros(shape)
    for f, cell in enumerate(cells.locate(x[None])[0].tolist()):
        lower, upper = cells.lower[:, f], cells.upper[:, f]
        if cell < 0:
            changes[~cells.missing[:, f], f] = np.inf
            continue
        starts, ends = interval_ends(cells.cuts[f], lower, upper, spans[:, f])
        below, above = cell < lower, cell > upper
        targets[:, f] = np.where(below, starts, np.where(above, ends, np.nan))
        lengths = np.abs(targets[:, f] - x[f]) / (spans[1, f] - spans[0, f])
        changes[:, f] = np.where(lower > upper, np.inf, np.where(below | above, lengths, 0.0))
    return targets, changes
