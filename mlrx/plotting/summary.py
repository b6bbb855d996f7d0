"""What the paths of a group ask of each feature, summed up on the feature's range."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from .boxes import interval_ends
from .row_paths import RowPaths
from .style import (
    COLOURS,
    QUIET,
    SMALL,
    count_letters,
    measure_text,
    measure_width,
    new_axes,
    wrap,
    write_range_ends,
    write_title,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.collections import QuadMesh

WIDTH, NAME_SHARE = 7.2, 0.3  # inches, and the share of them for names


def plot_feature_summary(
    row: RowPaths,
    *,
    group: int | None = None,
    n_features: int = 12,
    ax: Axes | None = None,
) -> Axes:
    """Draw for each feature which values the paths of a group permit, and where the row lies.

    One bar a feature, on the range of its training values: the darker, the more of the paths that use the feature
    permit the value; framed, the values that all of them permit; a thick line at the row's own value.

    Parameters
    ----------
    row : RowPaths
    group : int or None, default=None
        None takes all paths.
    n_features : int, default=12
        The features that most of the paths use.
    ax : Axes or None, default=None
        None makes a new figure.

    Returns
    -------
    Axes

    Raises
    ------
    ValueError
        When there is no such group.
    """
    trees = row.trees(group)
    n_users = row.paths.used[trees].sum(axis=0)
    shown = [f for f in np.argsort(-n_users, kind="stable")[:n_features].tolist() if n_users[f]]
    width = WIDTH if ax is None else measure_width(ax)
    names = [wrap(row.feature_names[f], count_letters(NAME_SHARE * width)) for f in shown]
    ax = ax or new_axes(1.8 + max(0.42, 0.05 + measure_text(names)[1]) * max(len(shown), 1), WIDTH)
    image = None
    for place, f in enumerate(shown):
        image = _draw_feature(ax, row, trees[row.paths.used[trees, f]], f, place)
    ax.set_yticks(range(len(shown)), names, fontsize=SMALL)
    left, right = write_range_ends(ax, row.spans[:, shown])
    ax.tick_params(axis="y", length=0, pad=left)
    ax.set(
        xlim=(0, 1),
        ylim=(max(len(shown), 1) - 0.5, -0.5),
        xticks=[],
    )
    write_title(ax, f"Values permitted by {row.describe(group)}", 1 - NAME_SHARE, 28)
    ax.grid(visible=False)
    ax.spines[:].set_visible(False)
    for place, f in enumerate(shown):
        text = f"{n_users[f] / trees.size:.0%}"
        ax.annotate(text, (1, place), (right, 0), textcoords="offset points", va="center", fontsize=SMALL)
    ax.annotate("paths\nusing it", (1, 1), (right, 2), "axes fraction", "offset points", fontsize=SMALL, color=QUIET)
    if image is None:
        ax.text(0.5, 0, "no path asks about any feature", ha="center", va="center", fontsize=SMALL)
    else:
        bar = ax.figure.colorbar(image, ax=ax, orientation="horizontal", fraction=0.05, aspect=40, pad=0.03)
        told = "share of the paths using the feature that permit the value"
        bar.set_label(wrap(told, count_letters((1 - NAME_SHARE) * width)), fontsize=SMALL)
        bar.ax.tick_params(labelsize=SMALL)
    return ax


def _draw_feature(ax: Axes, row: RowPaths, trees: np.ndarray, f: int, place: int) -> QuadMesh:
    """Draw the bar of one feature; return what carries its colours."""
    span = row.spans[:, f]
    starts, ends = interval_ends(row.paths.cells.cuts[f], row.paths.lower[trees, f], row.paths.upper[trees, f], span)
    edges = np.unique(np.concatenate([starts, ends, span]))
    edges = edges[~np.isnan(edges)]
    middles = (edges[:-1] + edges[1:]) / 2
    permitted = ((starts[:, None] < middles) & (middles <= ends[:, None])).mean(axis=0)
    bottom, top, length = place - 0.3, place + 0.3, span[1] - span[0]
    image = ax.pcolormesh((edges - span[0]) / length, [bottom, top], permitted[None], cmap="Blues", vmin=0, vmax=1)
    low, high = (np.array([starts.max(), ends.min()]) - span[0]) / length
    if low < high:  # paths for missing values only leave nothing that all permit
        ax.plot([low, high, high, low, low], [bottom, bottom, top, top, bottom], color="black", linewidth=1.0, zorder=3)
    x = (row.x[f] - span[0]) / length
    if not np.isnan(x):
        ax.plot([x, x], [bottom - 0.1, top + 0.1], color=COLOURS[1], linewidth=2.2, zorder=4)
    return image
