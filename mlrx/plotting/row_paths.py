"""RowPaths: the paths of one row through a forest, in groups, ready to be drawn."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from sklearn.pipeline import Pipeline

from ..lionforests import FlatForest, ForestCells
from ..lionforests.paths import Paths
from .boxes import find_spans
from .places import find_places, group_places
from .votes import Votes


@dataclass(frozen=True, eq=False)
class RowPaths:
    """The paths of one row through all trees, in groups of paths that are alike; made by `RowPaths.of`.

    Parameters
    ----------
    forest : FlatForest
    x : ndarray of shape (n_features,)
    X : ndarray of shape (n_samples, n_features)
        Rows that tell ranges and frequencies.
    paths : Paths
    places : ndarray of float of shape (n_trees, 2)
        Of each path on a plane; paths that are alike lie side by side.
    groups : ndarray of int of shape (n_trees,)
        Group of each path by its place: 0 for those of the largest, 1 for the second, and so on.
    feature_names, label_names : tuple of str

    Examples
    --------
    >>> from sklearn.ensemble import RandomForestClassifier
    >>> X, Y = [[0.0], [1.0], [2.0], [3.0]], [[0, 1], [0, 1], [1, 0], [1, 0]]
    >>> model = RandomForestClassifier(5, random_state=0).fit(X, Y)
    >>> row = RowPaths.of(model, [3.0], X, ["wind"], ["calm", "storm"])
    >>> row.groups.shape, row.predicted.tolist()
    ((5,), [True, False])
    """

    forest: FlatForest
    x: np.ndarray
    X: np.ndarray
    paths: Paths
    places: np.ndarray
    groups: np.ndarray
    feature_names: tuple[str, ...]
    label_names: tuple[str, ...]

    @classmethod
    def of(
        cls,
        forest: Any,
        x: Any,
        X: Any,
        feature_names: Sequence[str] | None = None,
        label_names: Sequence[str] | None = None,
        *,
        layout: str = "tsne",
        n_groups: int = 4,
        random_state: int = 0,
    ) -> RowPaths:
        """Follow a row through a forest and put its paths into groups.

        Parameters
        ----------
        forest : FlatForest or ForestCells, or a model that `FlatForest.read` takes
        x : array-like of shape (n_features,)
            The row, in the units of the forest's input.
        X : array-like of shape (n_samples, n_features)
            The training rows.
        feature_names, label_names : sequence of str or None, default=None
            None takes the names seen in training, or x0, x1, ... and label 0, label 1, ...
        layout : {"tsne", "mds"}, default="tsne"
            How the distances between paths become places; see `find_places`.
        n_groups : int, default=4
            Where there are fewer different paths, as many as those.
        random_state : int, default=0
            Of t-SNE and of the search for groups.

        Raises
        ------
        ValueError
            When names are too few or too many, `layout` is unknown, or `n_groups` is below 1.

        Notes
        -----
        Distances are those of `Paths.distances`; groups are found by k-means on the plane, where an eye would look for
        them. O(n_trees ** 2 * n_features + n_trees ** 3).
        """
        cells = ForestCells.of(forest)
        forest = cells.forest
        if n_groups < 1:
            raise ValueError(f"n_groups must be at least 1, got {n_groups!r}")
        x, X = forest.row(x), forest.rows(X)
        paths = Paths.of(cells, cells.locate(x[None])[0], [np.nanmin(X, axis=0), np.nanmax(X, axis=0)])
        names = check_names(forest, feature_names, label_names)
        places = find_places(paths.distances(np.arange(forest.n_trees)), layout, random_state)
        return cls(forest, x, X, paths, places, group_places(places, n_groups, random_state), *names)

    @cached_property
    def predicted(self) -> np.ndarray:
        """The forest's labels of the row, bool of shape (n_labels,)."""
        return self.forest.predict_labels(self.x[None])[0]

    @cached_property
    def spans(self) -> np.ndarray:
        """Least and greatest value of each feature, of shape (2, n_features); see `find_spans`."""
        return find_spans(self.X, self.x)

    @property
    def n_groups(self) -> int:
        """Number of groups."""
        return int(self.groups.max()) + 1

    def trees(self, group: int | None) -> np.ndarray:
        """Return the trees of a group, counted from 0; None for all."""
        if group is None:
            return np.arange(self.forest.n_trees)
        if group not in range(self.n_groups):
            raise ValueError(f"group must be from 0 to {self.n_groups - 1}, or None for all paths, got {group!r}")
        return np.flatnonzero(self.groups == group)

    def describe(self, group: int | None) -> str:
        """Return how titles call the paths of a group."""
        n = self.trees(group).size
        return f"all {n} paths" if group is None else f"the {n} paths of group {group}"

    def votes(self, label: int | None) -> Votes:
        """Return how the trees vote on one label, or, with None, on the forest's label set."""
        return Votes.of(self.paths.probabilities, self.predicted, self.label_names, label)


def check_names(
    forest: FlatForest, feature_names: Sequence[str] | None, label_names: Sequence[str] | None
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the names of features and labels, made up where there are none."""
    if feature_names is None:
        feature_names = forest.feature_names or [f"x{f}" for f in range(forest.n_features)]
    if label_names is None:
        label_names = [f"label {k}" for k in range(forest.n_labels)]
    for what, names, n in (
        ("feature_names", feature_names, forest.n_features),
        ("label_names", label_names, forest.n_labels),
    ):
        if len(names) != n:
            raise ValueError(f"{what} must have {n} entries, got {len(names)}")
    return tuple(map(str, feature_names)), tuple(map(str, label_names))


def read_forest(forest: Any) -> FlatForest:
    """Return a forest given as FlatForest, ForestCells or model."""
    if isinstance(forest, ForestCells):
        return forest.forest
    return forest if isinstance(forest, FlatForest) else FlatForest.read(forest)


def gini_importance(forest: FlatForest) -> np.ndarray:
    """Return the impurity-based importance of each feature, of shape (n_features,)."""
    model = forest.model.steps[-1][1] if isinstance(forest.model, Pipeline) else forest.model
    return model.feature_importances_
