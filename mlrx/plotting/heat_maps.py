"""Heat maps: the mean of a measure over a grid of two parameters."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.colors import to_hex

from .style import SMALL, WIDEST, check_columns, count_letters, format_value, pick_ink, wrap

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

BESIDE, LEAST_CELL = 1.4, 0.42  # inches: names at the side, and a cell with a number in it
COLOUR_MAP = "cividis"  # told apart with any kind of colour vision, and in grey


def plot_heat_maps(
    scores: pd.DataFrame,
    x: str,
    y: str,
    columns: str,
    measures: Sequence[str],
    *,
    order: dict[str, Sequence[str]],
) -> Figure:
    """Draw the mean of each measure over parameters `x` and `y`, a row a measure, a column each value of `columns`.

    Parameters
    ----------
    scores : DataFrame
        One row a run: the three parameters as text, and the measures. All else, such as seeds, is averaged over.
    x, y, columns : str
        Columns of `scores`.
    measures : sequence of str
        Columns of `scores`; every map has its own range of colours.
    order : dict of str to sequence of str
        The values of each parameter in the order to show them. Cells without a run stay empty.

    Returns
    -------
    Figure

    Raises
    ------
    ValueError
        When `scores` lacks a column, or has none of the values that `order` names for one.
    """
    check_columns("scores", scores, x, y, columns, *measures)
    for name in (x, y, columns):
        if not scores.empty and not scores[name].isin(list(order[name])).any():
            raise ValueError(f"order names {list(order[name])} for {name!r}, of which scores has none")
    names = order[columns]
    room = (WIDEST - BESIDE) / len(names)
    width = max(LEAST_CELL * len(order[x]), min(room, max(2.4, 0.62 * len(order[x]))))
    size = (BESIDE + len(names) * width, 0.9 + len(measures) * max(1.6, 0.5 * len(order[y])))
    figure, axes = plt.subplots(len(measures), len(names), figsize=size, squeeze=False, layout="constrained")
    for row, measure in zip(axes, measures):
        for ax, name in zip(row, names):
            cells = scores[scores[columns] == name].pivot_table(measure, y, x, aggfunc="mean")
            _draw(ax, cells.reindex(index=order[y], columns=order[x]))
        row[0].set_ylabel(f"{measure}\n\n{y}")
    for top, bottom, name in zip(axes[0], axes[-1], names):
        top.set_title(wrap(name, count_letters(width, 12)))
        bottom.set_xlabel(x)
    return figure


def _draw(ax: Axes, cells: pd.DataFrame) -> None:
    values = cells.to_numpy(dtype=float)
    image = ax.imshow(np.ma.masked_invalid(values), cmap=COLOUR_MAP, aspect="auto", origin="lower")
    for (i, k), value in np.ndenumerate(values):
        if not np.isnan(value):
            ink = pick_ink(to_hex(image.cmap(image.norm(value))))
            ax.text(k, i, format_value(value, 3), ha="center", va="center", color=ink, fontsize=SMALL)
    ax.set_xticks(range(cells.shape[1]), [wrap(name, 12) for name in cells.columns], fontsize=SMALL)
    ax.set_yticks(range(cells.shape[0]), [wrap(name, 12) for name in cells.index], fontsize=SMALL)
