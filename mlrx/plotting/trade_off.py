"""Scores of methods against the size of their models: what a shorter rule set costs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from .style import SMALL, check_columns, style_methods, wrap

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

NAME_WIDTH = 24  # characters
# Inches: axes, the room that they need on each side, and a line of text. Fixed, since finding a layout takes longest.
WIDTH, LEAST_HEIGHT, LINE_HEIGHT = 2.6, 2.5, 0.15
LEFT, RIGHT, BELOW, ABOVE = 0.7, 1.9, 0.55, 0.4


def plot_trade_off(
    scores: pd.DataFrame,
    size: str,
    measure: str,
    panel: str,
    *,
    label: str | None = None,
    size_label: str | None = None,
    n_columns: int = 2,
) -> Figure:
    """Draw a measure against the size of the model, one line a method with its name at the end, in several panels.

    Parameters
    ----------
    scores : DataFrame
        One row a run and setting: ``method``, ``asked`` (such as a number of rules; missing where none is set), the
        size, the measure, and the panel. A point of a line is the mean of size and measure over the rows with the same
        method and ``asked``, with bars of one standard deviation. A method without sizes becomes a dashed level.
    size, measure, panel : str
        Columns of `scores`; sizes are above 0, their axis is logarithmic. Rows without the measure are left out, and of
        a method with sizes those without a size.
    label, size_label : str or None, default=None
        Names of the axes; None takes `measure` and `size`.
    n_columns : int, default=2
        Panels side by side.

    Returns
    -------
    Figure
        A method has the same colour and marker in all panels.

    Raises
    ------
    ValueError
        When `scores` has no row or lacks a column, or a size is not above 0.
    """
    check_columns("scores", scores, "method", "asked", size, measure, panel)
    if scores.empty:
        raise ValueError("scores has no row, so that there is nothing to draw")
    if (scores[size] <= 0).any():
        raise ValueError(f"scores has a {size!r} of {scores[size].min()}, allowed are numbers above 0")
    if n_columns < 1:
        raise ValueError(f"n_columns must be at least 1, got {n_columns!r}")
    styles = style_methods(scores["method"].drop_duplicates().tolist())
    titles = scores[panel].drop_duplicates().tolist()
    n_lines = sum(len(wrap(name, NAME_WIDTH).splitlines()) for name in styles)
    figure, places = _grid(len(titles), n_columns, max(LEAST_HEIGHT, LINE_HEIGHT * n_lines))
    for place, title in zip(places, titles):
        ax = figure.add_axes(place)
        rows = scores[scores[panel] == title].dropna(subset=measure)
        _draw_panel(ax, rows, size, measure, styles)
        ax.set_title(wrap(str(title), 50), fontsize=SMALL + 2)
        ax.set(xlabel=size_label or size, ylabel=label or measure)
    return figure


def _grid(n_panels: int, n_columns: int, height: float) -> tuple[Figure, list[tuple[float, float, float, float]]]:
    """Return a figure, and the places of axes of so many inches in it, row by row, in shares of the figure."""
    n_columns = min(n_columns, n_panels)
    n_rows = -(-n_panels // n_columns)
    cell = LEFT + WIDTH + RIGHT, ABOVE + height + BELOW
    whole = cell[0] * n_columns, cell[1] * n_rows
    corners = [
        (LEFT + cell[0] * (k % n_columns), whole[1] - cell[1] * (k // n_columns + 1) + BELOW) for k in range(n_panels)
    ]
    places = [(x / whole[0], y / whole[1], WIDTH / whole[0], height / whole[1]) for x, y in corners]
    return plt.figure(figsize=whole), places


def _draw_panel(ax: Axes, rows: pd.DataFrame, size: str, measure: str, styles: dict[str, dict[str, Any]]) -> None:
    ax.grid(alpha=0.3)
    ax.set_xscale("log")
    ax.minorticks_off()
    ends = []
    for method, own in rows.groupby("method", sort=False):
        style = styles[method]
        if own[size].isna().all():
            level = own[measure].mean()
            ax.axhline(level, color=style["color"], linestyle=(0, (6, 3)), linewidth=1)
            ends.append((method, None, level))
            continue
        own = own.dropna(subset=size)
        cells = own.groupby("asked", dropna=False)[[size, measure]].agg(["mean", "std"]).fillna(0.0)
        cells = cells.sort_values((size, "mean"))
        x, y = cells[size, "mean"].to_numpy(), cells[measure, "mean"].to_numpy()
        ax.errorbar(x, y, cells[measure, "std"], **style, markersize=5, linewidth=1.4, elinewidth=0.8)
        ends.append((method, x[-1], y[-1]))
    _name_ends(ax, ends, styles)


def _name_ends(ax: Axes, ends: list[tuple[str, float | None, float]], styles: dict[str, dict[str, Any]]) -> None:
    """Write the methods' names to the right of the axes, from bottom to top as their lines end, none over another."""
    (low, high), (left, right) = ax.get_ylim(), ax.get_xlim()
    if right < 1.01 * left:  # all of one size
        left, right = left / 2, right * 2
    ax.set(xlim=(left, right), ylim=(low, high))
    ends = sorted(ends, key=lambda end: end[2])
    names = [wrap(method, NAME_WIDTH) for method, *_ in ends]
    inches = ax.get_position().height * ax.get_figure().get_size_inches()[1]
    heights = [LINE_HEIGHT * len(name.splitlines()) / inches for name in names]
    places = spread([(y - low) / (high - low) for *_, y in ends], heights)
    for name, place, (method, x, y) in zip(names, places, ends):
        colour, marker = styles[method]["color"], styles[method]["marker"]
        arrow = {"arrowstyle": "-", "color": colour, "linewidth": 0.5, "alpha": 0.6, "shrinkA": 0, "shrinkB": 2}
        foot = (right if x is None else x, y)
        ax.annotate("", foot, (1.02, place), textcoords="axes fraction", arrowprops=arrow)
        text = {"va": "center", "fontsize": SMALL, "color": colour, "transform": ax.transAxes}
        if x is not None:
            ax.plot(1.04, place, color=colour, marker=marker, markersize=5, transform=ax.transAxes, clip_on=False)
        ax.text(1.065, place, name, **text)


def spread(centres: Sequence[float], heights: Sequence[float]) -> list[float]:
    """Move intervals apart until none overlaps another, as little as can be, within 0 and 1 where they fit.

    Parameters
    ----------
    centres : sequence of float
        Ascending.
    heights : sequence of float

    Returns
    -------
    list of float
        The new centres, in the same order. Intervals that touch are moved together, by the mean of what they ask for.

    Examples
    --------
    >>> [round(centre, 6) for centre in spread([0.5, 0.5, 0.95], [0.2, 0.2, 0.2])]
    [0.4, 0.6, 0.9]
    """
    # By how much the stack below lifts each one; what remains is to be non-decreasing.
    lifts = np.cumsum(heights) - np.asarray(heights) / 2
    wanted = np.asarray(centres, dtype=float) - lifts
    blocks: list[list[float]] = []
    for offset in wanted:
        blocks.append([offset, 1])
        while len(blocks) > 1 and blocks[-2][0] > blocks[-1][0]:
            (mean, n), (below, m) = blocks.pop(), blocks.pop()
            blocks.append([(mean * n + below * m) / (n + m), n + m])
    offsets = np.repeat([mean for mean, _ in blocks], [int(n) for _, n in blocks]) if blocks else wanted
    room = 1 - float(np.sum(heights))
    return (np.clip(offsets, min(0.0, room / 2), max(room, room / 2)) + lifts).tolist()
