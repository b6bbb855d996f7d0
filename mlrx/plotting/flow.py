"""The paths of a group as a flow: what they ask first, second, third."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import numpy as np

from .row_paths import RowPaths
from .style import (
    COLOURS,
    LINE,
    SMALL,
    WIDEST,
    count_letters,
    draw_legend_below,
    measure_width,
    new_axes,
    pick_colours,
    pick_ink,
    wrap,
    write_title,
)
from .walks import split_features

if TYPE_CHECKING:
    from matplotlib.axes import Axes

OTHER, ENDED = "#bdbdbd", "#ececec"
HALF_WIDTH = 0.34  # of a block; blocks are 1 apart
HEIGHT = 4.2  # inches, without a legend
_WORD = re.compile(r"[^\s_./=:]+[_./=:]?")  # what is never broken in a block: its legend has the name anyway


def plot_path_flow(
    row: RowPaths,
    *,
    group: int | None = None,
    n_features: int = 6,
    ax: Axes | None = None,
) -> Axes:
    """Draw the splits of a group of paths by depth: a block is a feature, a ribbon paths that go from one to the next.

    Parameters
    ----------
    row : RowPaths
    group : int or None, default=None
        None takes all paths.
    n_features : int, default=6
        Features with a colour of their own, at most 7: those of the most splits. The others share one.
    ax : Axes or None, default=None
        None makes a new figure.

    Returns
    -------
    Axes

    Raises
    ------
    ValueError
        When there is no such group, or `n_features` is not from 1 to 7.
    """
    if not 1 <= n_features <= len(COLOURS):
        raise ValueError(f"n_features must be from 1 to {len(COLOURS)}, got {n_features!r}")
    trees = row.trees(group)
    splits = split_features(row.forest, row.x)[trees]
    splits = splits[:, (splits >= 0).any(axis=0)]
    kinds, names, colours = _kinds(splits, row.feature_names, n_features)
    depth = splits.shape[1]
    ax = ax or new_axes(HEIGHT + len(names) * LINE * SMALL / 72, min(WIDEST, max(5.4, 1.3 * depth + 0.6)))
    letters = count_letters(0.9 * 2 * HALF_WIDTH * measure_width(ax) / max(1, depth), least=0)
    for d in range(depth):
        if d + 1 < depth:
            _draw_ribbons(ax, d, kinds[:, d], kinds[:, d + 1], colours)
        _draw_blocks(ax, d, kinds[:, d], names, colours, letters)
    for name, colour in zip(names, colours):
        ax.bar(0, 0, color=colour, label=name)
    ax.set(
        xlabel="depth", ylabel="share of paths",
        xlim=(-HALF_WIDTH - 0.1, max(depth, 1) - 1 + HALF_WIDTH + 0.1), ylim=(1, 0),
    )  # fmt: skip
    write_title(ax, f"Splits of {row.describe(group)}", 0.9)
    ax.set_xticks(range(depth), range(1, depth + 1))
    ax.yaxis.set_major_formatter("{x:.0%}")
    ax.grid(visible=False)
    ax.spines[["top", "right"]].set_visible(False)
    draw_legend_below(ax, 5)
    return ax


def _kinds(splits: np.ndarray, feature_names: tuple[str, ...], n_features: int):
    """Return the kind of each split, and names and colours of the kinds: features, all others, no split any more."""
    counts = np.bincount(splits[splits >= 0], minlength=len(feature_names))
    ranked = [f for f in np.argsort(-counts, kind="stable").tolist() if counts[f]]
    own = ranked[:n_features]
    kind_of = np.full(len(feature_names) + 1, len(own))  # its last entry is that of -1
    kind_of[own] = range(len(own))
    names, colours = [feature_names[f] for f in own], list(pick_colours()[: len(own)])
    if len(ranked) > len(own):
        names.append(f"{len(ranked) - len(own)} other features")
        colours.append(OTHER)
    kind_of[-1] = len(names)
    return kind_of[splits], [*names, "path has ended"], [*colours, ENDED]


def _draw_blocks(ax: Axes, d: int, kinds: np.ndarray, names: list[str], colours: list[str], letters: int) -> None:
    """Draw the blocks of a depth, with a name of so many letters a line where there is room."""
    height = 0.8 * ax.bbox.height / ax.figure.dpi  # the legend takes the rest
    start = 0.0
    for kind in np.unique(kinds):
        share = (kinds == kind).mean()
        ax.bar(d, share, 2 * HALF_WIDTH, start, color=colours[kind], edgecolor="white", linewidth=0.8, zorder=2)
        fits = kind < len(names) - 1 and max(map(len, _WORD.findall(names[kind])), default=0) <= letters
        text = wrap(names[kind], letters) if fits else ""
        if text.strip() and share * height >= (1 + text.count("\n")) * LINE * SMALL / 72:
            ink = pick_ink(colours[kind])
            ax.text(d, start + share / 2, text, ha="center", va="center", fontsize=SMALL, color=ink, zorder=3)
        start += share


def _draw_ribbons(ax: Axes, d: int, here: np.ndarray, there: np.ndarray, colours: list[str]) -> None:
    """Draw what goes from the blocks of one depth to those of the next; paths keep their order in both."""
    n = here.size
    left = np.lexsort((there, here)).argsort()
    right = np.lexsort((here, there)).argsort()
    x = np.linspace(0, 1, 30)
    bend = 3 * x**2 - 2 * x**3
    for a, b in np.unique(np.column_stack([here, there]), axis=0):
        own = (here == a) & (there == b)
        top = left[own].min() + (right[own].min() - left[own].min()) * bend
        ax.fill_between(
            d + HALF_WIDTH + x * (1 - 2 * HALF_WIDTH), top / n, (top + own.sum()) / n,
            color=colours[a], alpha=0.3, linewidth=0, zorder=1,
        )  # fmt: skip
