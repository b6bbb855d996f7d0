"""Pictures of results, on matplotlib alone; every function takes tables and returns the axes it drew on."""

from __future__ import annotations

from itertools import cycle
from typing import TYPE_CHECKING

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from .rules import Rule, format_condition

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes

# The colours of Okabe and Ito, told apart with any kind of colour vision; markers differ as well.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
MARKERS = ("o", "s", "^", "D", "v", "P", "X")


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
    ax = ax or _new_axes()
    styles = cycle(zip(COLOURS, MARKERS))
    for (method, rows), (colour, marker) in zip(scores.groupby("method", sort=False), styles):
        rows = rows.dropna(subset=measure)
        if rows.empty:
            continue
        if rows["asked"].isna().all():
            ax.axhline(rows[measure].mean(), color=colour, linestyle="--", label=method)
            continue
        cells = rows.groupby("asked")[measure].agg(["mean", "std"]).fillna({"std": 0.0})
        numbers = cells.index.to_numpy(dtype=float)
        ax.plot(numbers, cells["mean"], color=colour, marker=marker, label=method)
        ax.fill_between(numbers, cells["mean"] - cells["std"], cells["mean"] + cells["std"], color=colour, alpha=0.2)
    if true_number is not None:
        ax.axvline(true_number, color="#777777", linestyle=":", label="true number of rules")
    ax.set_xscale("log", base=2)
    ax.xaxis.set_major_formatter("{x:g}")
    ax.set(xlabel="number of rules", ylabel=label or measure)
    ax.legend()
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
    ax = ax or _new_axes()
    groups = list(scores.dropna(subset=measure).groupby("method", sort=False))
    for k, ((_, rows), (colour, marker)) in enumerate(zip(groups, cycle(zip(COLOURS, MARKERS)))):
        values = rows[measure]
        ax.barh(k, values.mean(), color=colour, alpha=0.35)
        ax.plot(values, [k] * len(values), linestyle="", color=colour, marker=marker)
    ax.set_yticks(range(len(groups)), [method for method, _ in groups])
    ax.invert_yaxis()
    ax.set_xlabel(label or measure)
    return ax


def plot_intervals(
    rule: Rule,
    x: Sequence[float],
    X: pd.DataFrame,
    *,
    title: str | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw where a rule holds: its interval on the range of each feature, with the value of the explained row.

    Parameters
    ----------
    rule : Rule
        Conditions on numeric columns.
    x : sequence of float of length n_features
        The row that the rule explains, marked by a dot.
    X : DataFrame of shape (n_samples, n_features)
        Rows that tell the ranges and names of the features.
    title : str or None, default=None
    ax : Axes or None, default=None
        None makes a new figure.

    Returns
    -------
    Axes
        One bar a feature, in the order of the columns; grey where the rule does not hold, grey throughout and thin
        where the rule says nothing about the feature. An open side goes to the end of the range.

    Raises
    ------
    ValueError
        When the rule has a condition on categories.
    """
    names, row = [str(name) for name in X.columns], np.asarray(x, dtype=float)
    ax = ax or _new_axes(0.55 * len(names) + 0.9)
    conditions = {condition.feature: condition for condition in rule.antecedent}
    lowest, highest = np.fmin(X.min().to_numpy(), row), np.fmax(X.max().to_numpy(), row)
    span = np.where(highest > lowest, highest - lowest, 1.0)
    for f, name in enumerate(names):
        condition = conditions.get(f)
        ax.barh(f, 1.0, height=0.08 if condition is None else 0.32, color="#d9d9d9")
        if condition is not None:
            if condition.is_nominal:
                raise ValueError(f"rule: the condition on {name!r} is about categories, allowed are intervals")
            ends = (np.clip([condition.lower, condition.upper], lowest[f], highest[f]) - lowest[f]) / span[f]
            ax.barh(f, ends[1] - ends[0], left=ends[0], height=0.32, color=COLOURS[0])
            ax.text(0.5, f - 0.24, format_condition(condition, name), ha="center", va="bottom", fontsize="small")
        ax.plot((row[f] - lowest[f]) / span[f], f, color=COLOURS[1], marker="o", markeredgecolor="white")
        for place, value, side in ((-0.025, lowest[f], "right"), (1.025, highest[f], "left")):
            ax.text(place, f, f"{value:.6g}", ha=side, va="center", fontsize="small", color="#555555")
    ax.set_yticks(range(len(names)), names)
    ax.tick_params(axis="y", length=0, pad=40)
    ax.set(xticks=[], xlim=(-0.02, 1.02), ylim=(len(names) - 0.6, -0.7), title=title)
    ax.grid(visible=False)
    ax.spines[:].set_visible(False)
    return ax


def _new_axes(height: float = 4.0) -> Axes:
    _, ax = plt.subplots(figsize=(6.4, height), layout="constrained")
    ax.grid(alpha=0.3)
    return ax
