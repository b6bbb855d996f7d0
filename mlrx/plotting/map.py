"""The paths of one row as a map: paths that are alike lie side by side."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from .row_paths import RowPaths
from .style import QUIET, SMALL, draw_legend_below, new_axes, write_title

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def plot_paths(row: RowPaths, *, label: int | None = None, ax: Axes | None = None) -> Axes:
    """Draw the path of a row in each tree as a dot, coloured by what the tree votes for, groups outlined.

    Parameters
    ----------
    row : RowPaths
        Tells the places and groups.
    label : int or None, default=None
        Colour by the vote on this label; None, by how the tree's label set agrees with the forest's.
    ax : Axes or None, default=None
        None makes a new figure.

    Returns
    -------
    Axes

    Raises
    ------
    ValueError
        When there is no such label.

    Notes
    -----
    After the path view of iForest [1]_, from two classes to label sets. Equal paths fall on one another: the area of a
    dot grows with their number.

    References
    ----------
    .. [1] X. Zhao, Y. Wu, D. L. Lee, W. Cui. iForest: interpreting random forests via visual analytics. IEEE
       Transactions on Visualization and Computer Graphics 25(1), 2019. doi:10.1109/TVCG.2018.2864475
    """
    votes = row.votes(label)
    ax = ax or new_axes(5.4, 5.4)
    for kind in votes.present_kinds():
        spots, n_paths = np.unique(row.places[votes.kinds == kind], axis=0, return_counts=True)
        style = {"color": votes.colours[kind], "marker": votes.markers[kind], "edgecolor": "white", "linewidth": 0.5}
        name = f"{votes.names[kind]} ({n_paths.sum()})"
        ax.scatter(*spots.T, s=16 + 10 * (n_paths - 1), label=name, alpha=0.85, zorder=2, **style)
    _outline_groups(ax, row)
    ax.set(xticks=[], yticks=[])
    write_title(ax, f"Paths of the row in {row.forest.n_trees} trees")
    ax.set_aspect("equal", adjustable="datalim")
    ax.grid(visible=False)
    legend = draw_legend_below(ax, title="the tree votes" + (" for" if label is None else ""), title_fontsize=SMALL)
    for handle in legend.legend_handles:
        handle.set_sizes([30])
    return ax


def _outline_groups(ax: Axes, row: RowPaths) -> None:
    """Draw the hull of each group, and its number beside it."""
    from scipy.spatial import ConvexHull, QhullError

    if row.n_groups == 1:
        return
    for group in range(row.n_groups):
        own = row.places[row.trees(group)]
        centre = own.mean(axis=0)
        try:
            corners = own[ConvexHull(own).vertices]
        except (QhullError, ValueError):  # fewer than three places, or all on a line
            corners = own
        ax.fill(*corners.T, facecolor="none", edgecolor=QUIET, linewidth=0.8, linestyle="--", zorder=1)
        ax.text(
            *centre, str(group), ha="center", va="center", fontsize=11, weight="bold", color="black", zorder=3,
            bbox={"boxstyle": "circle,pad=0.25", "facecolor": "white", "edgecolor": QUIET},
        )  # fmt: skip
