"""Scores of methods: against the number of rules, and side by side."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pandas as pd

from .style import (
    COLOURS,
    MARKERS,
    QUIET,
    SMALL,
    check_columns,
    count_letters,
    draw_legend_below,
    measure_text,
    measure_width,
    new_axes,
    style_methods,
    wrap,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

WIDTH, NAME_SHARE = 6.4, 0.36  # inches, and the share of them for names


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

    Raises
    ------
    ValueError
        When `scores` lacks a column.
    """
    check_columns("scores", scores, "method", "asked", measure)
    ax = ax or new_axes()
    styles = style_methods(scores["method"].drop_duplicates().tolist())
    for method, rows in scores.groupby("method", sort=False):
        rows, style = rows.dropna(subset=measure), styles[method]
        if rows.empty:
            continue
        if rows["asked"].isna().all():
            ax.axhline(rows[measure].mean(), color=style["color"], linestyle="--", label=method)
            continue
        _draw_line(ax, rows, "asked", measure, label=method, **style)
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

    Raises
    ------
    ValueError
        When `scores` lacks a column.
    """
    check_columns("scores", scores, parameter, measure)
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

    Raises
    ------
    ValueError
        When `scores` lacks a column.
    """
    check_columns("scores", scores, "method", measure)
    groups = list(scores.dropna(subset=measure).groupby("method", sort=False))
    width = WIDTH if ax is None else measure_width(ax)
    names = [wrap(method, count_letters(NAME_SHARE * width)) for method, _ in groups]
    ax = ax or new_axes(max(4.0, 0.9 + (0.08 + measure_text(names)[1]) * len(names)), WIDTH)
    styles = style_methods([method for method, _ in groups])
    for k, (method, rows) in enumerate(groups):
        values, style = rows[measure], styles[method] | {"linestyle": ""}
        ax.barh(k, values.mean(), color=style["color"], alpha=0.35)
        ax.plot(values, [k] * len(values), **style)
    ax.set_yticks(range(len(groups)), names, fontsize=SMALL)
    ax.invert_yaxis()
    ax.set_xlabel(wrap(label or measure, count_letters((1 - NAME_SHARE) * width, 10)))
    return ax


def _draw_line(ax: Axes, rows: pd.DataFrame, x: str, measure: str, *, color: str, **style: Any) -> None:
    """Draw the means of a measure by a column, and a band of one standard deviation."""
    cells = rows.groupby(x)[measure].agg(["mean", "std"]).fillna({"std": 0.0})
    numbers = cells.index.to_numpy(dtype=float)
    ax.plot(numbers, cells["mean"], color=color, **style)
    ax.fill_between(
        numbers, cells["mean"] - cells["std"], cells["mean"] + cells["std"], color=color, alpha=0.15, linewidth=0
    )
