"""Scores of methods: against the number of rules, and side by side."""

from __future__ import annotations

from itertools import cycle
from typing import TYPE_CHECKING

import pandas as pd

from .style import COLOURS, MARKERS, QUIET, draw_legend_below, new_axes, pick_colours, wrap

if TYPE_CHECKING:
    from matplotlib.axes import Axes

NAME_WIDTH = 26  # characters in a line


def plot_against_rules(
    scores: pd.DataFrame,
    measure: str,
    *,
    label: str | None = None,
    true_number: int | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw a measure against the number of rules, one line a method, with a band of one standard deviation.

    Parameters
    ----------
    scores : DataFrame
        One row a run: ``method``, ``asked`` (number of rules; missing for a method that has no such choice, which
        becomes a dashed level), and the measure.
    measure : str
        A column of `scores`; methods without any value of it are left out.
    label : str or None, default=None
        Name of the vertical axis; None takes `measure`.
    true_number : int or None, default=None
        Number of generating rules, marked by a dotted vertical line.
    ax : Axes or None, default=None
        None makes a new figure.

    Returns
    -------
    Axes
    """
    ax = ax or new_axes()
    styles = cycle(zip(pick_colours(), MARKERS))
    for (method, rows), (colour, marker) in zip(scores.groupby("method", sort=False), styles):
        rows = rows.dropna(subset=measure)
        if rows.empty:
            continue
        if rows["asked"].isna().all():
            ax.axhline(rows[measure].mean(), color=colour, linestyle="--", label=method)
            continue
        _draw_line(ax, rows, "asked", measure, color=colour, marker=marker, label=method)
    if true_number is not None:
        ax.axvline(true_number, color=QUIET, linestyle=":", label="true number of rules")
    ax.set_xscale("log", base=2)
    ax.xaxis.set_major_formatter("{x:g}")
    ax.set(xlabel="number of rules", ylabel=label or measure)
    draw_legend_below(ax, 5)
    return ax


def plot_against_parameter(
    scores: pd.DataFrame,
    parameter: str,
    measure: str,
    *,
    name: str | None = None,
    label: str | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw a measure against a parameter on a logarithmic axis, with a band of one standard deviation.

    Parameters
    ----------
    scores : DataFrame
        One row a run: the parameter, above 0, and the measure; rows that lack either are left out.
    parameter, measure : str
        Columns of `scores`.
    name, label : str or None, default=None
        Names of the horizontal and the vertical axis; None takes `parameter` and `measure`.
    ax : Axes or None, default=None
        None makes a new figure.

    Returns
    -------
    Axes
    """
    ax = ax or new_axes()
    rows = scores.dropna(subset=[parameter, measure])
    _draw_line(ax, rows, parameter, measure, color=COLOURS[0], marker=MARKERS[0])
    ax.set_xscale("log")
    ax.set_xticks(sorted(rows[parameter].unique()), minor=False)
    ax.set_xticks([], minor=True)
    ax.xaxis.set_major_formatter("{x:g}")
    ax.set(xlabel=name or parameter, ylabel=label or measure)
    return ax


def plot_methods(
    scores: pd.DataFrame,
    measure: str,
    *,
    label: str | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw a measure by method: every run a dot, the mean a bar.

    Parameters
    ----------
    scores : DataFrame
        One row a run: ``method`` and the measure.
    measure : str
        A column of `scores`; methods without any value of it are left out.
    label : str or None, default=None
        Name of the horizontal axis; None takes `measure`.
    ax : Axes or None, default=None
        None makes a new figure.

    Returns
    -------
    Axes
    """
    ax = ax or new_axes()
    groups = list(scores.dropna(subset=measure).groupby("method", sort=False))
    for k, ((_, rows), (colour, marker)) in enumerate(zip(groups, cycle(zip(pick_colours(), MARKERS)))):
        values = rows[measure]
        ax.barh(k, values.mean(), color=colour, alpha=0.35)
        ax.plot(values, [k] * len(values), linestyle="", color=colour, marker=marker)
    ax.set_yticks(range(len(groups)), [wrap(method, NAME_WIDTH) for method, _ in groups])
    ax.invert_yaxis()
    ax.set_xlabel(label or measure)
    return ax


def _draw_line(ax: Axes, rows: pd.DataFrame, x: str, measure: str, *, color: str, **style: str) -> None:
    """Draw the means of a measure by a column, and a band of one standard deviation."""
    cells = rows.groupby(x)[measure].agg(["mean", "std"]).fillna({"std": 0.0})
    numbers = cells.index.to_numpy(dtype=float)
    ax.plot(numbers, cells["mean"], color=color, **style)
    ax.fill_between(numbers, cells["mean"] - cells["std"], cells["mean"] + cells["std"], color=color, alpha=0.2)
