"""All rows as a map, coloured by what is true and what a forest predicts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from .boxes import find_spans
from .places import find_places
from .row_paths import check_names, read_forest
from .style import COLOURS, draw_legend_below, new_axes, write_title
from .votes import Votes

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def plot_instances(
    forest: Any,
    X: Any,
    Y: Any,
    label_names: Sequence[str] | None = None,
    *,
    label: int | None = None,
    layout: str = "tsne",
    random_state: int = 0,
    ax: Axes | None = None,
) -> Axes:
    """Draw each row as a dot among those that are like it, coloured by how the forest's prediction agrees with truth.

    Parameters
    ----------
    forest : FlatForest or ForestCells, or a model that `FlatForest.read` takes
    X : array-like of shape (n_samples, n_features)
    Y : array-like of shape (n_samples, n_labels)
        True labels, coded as in training.
    label_names : sequence of str or None, default=None
    label : int or None, default=None
        Tell apart the four cases of this label; None compares label sets: the same, some labels in common, none.
    layout : {"tsne", "mds"}, default="tsne"
        See `find_places`.
    random_state : int, default=0
        Of t-SNE.
    ax : Axes or None, default=None
        None makes a new figure.

    Returns
    -------
    Axes

    Raises
    ------
    ValueError
        When X and Y differ in their number of rows, or there is no such label.

    Notes
    -----
    After the data overview of iForest (Zhao et al. 2019); see `plot_paths`. Distances are Euclidean on columns
    brought to (0, 1), over the values that both rows have. O(n_samples ** 2 * n_features + n_samples ** 3).
    """
    from sklearn.metrics.pairwise import nan_euclidean_distances

    forest = read_forest(forest)
    _, names = check_names(forest, None, label_names)
    X, Y = forest.rows(X), forest.read_labels(Y)
    if len(X) != len(Y):
        raise ValueError(f"X and Y must have the same number of rows, got {len(X)} and {len(Y)}")
    cases = _cases(Y, forest.predict_labels(X), names, label)
    least, greatest = find_spans(X)
    distances = nan_euclidean_distances((X - least) / (greatest - least))
    places = find_places(np.nan_to_num(distances, nan=np.nanmax(distances)), layout, random_state)
    ax = ax or new_axes(5.4, 5.4)
    for kind in cases.present_kinds():
        own = places[cases.kinds == kind]
        style = {"color": cases.colours[kind], "marker": cases.markers[kind], "edgecolor": "white", "linewidth": 0.4}
        ax.scatter(*own.T, s=26, alpha=0.85, label=f"{cases.names[kind]} ({len(own)})", **style)
    ax.set(xticks=[], yticks=[])
    write_title(ax, f"{len(X)} rows" + ("" if label is None else f": {names[label]}"))
    ax.grid(visible=False)
    ax.set_aspect("equal", adjustable="datalim")
    draw_legend_below(ax)
    return ax


def _cases(Y: np.ndarray, predicted: np.ndarray, names: Sequence[str], label: int | None) -> Votes:
    """Return of which case each row is."""
    if label is None:
        is_same, shares = (predicted == Y).all(axis=1), (Y & predicted).any(axis=1)
        kinds = np.where(is_same, 0, np.where(shares, 1, 2))
        texts = "all labels right", "some labels right", "no label right"
        return Votes(kinds, texts, (COLOURS[0], COLOURS[5], COLOURS[1]), ("o", "^", "s"))
    if label not in range(len(names)):
        raise ValueError(f"label must be from 0 to {len(names) - 1}, or None, got {label!r}")
    kinds = 2 * ~Y[:, label] + (Y[:, label] != predicted[:, label])
    texts = "present, predicted", "present, not predicted", "absent, not predicted", "absent, predicted"
    # The colour is the truth; crosses are mistakes.
    return Votes(kinds, texts, (COLOURS[0], COLOURS[0], COLOURS[4], COLOURS[4]), ("o", "X", "s", "P"))
