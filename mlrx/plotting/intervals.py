"""Where one rule holds, feature by feature."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from ..rules import Condition, Rule, format_condition
from .style import (
    COLOURS,
    FAINT,
    SMALL,
    count_letters,
    measure_text,
    measure_width,
    new_axes,
    wrap,
    write_range_ends,
    write_title,
)

WIDTH = 6.4  # inches
NAME_SHARE, TEXT_SHARE = 0.34, 0.5  # of the width, for names and for conditions


if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes


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
    width = WIDTH if ax is None else measure_width(ax)
    wrapped = [wrap(name, count_letters(NAME_SHARE * width)) for name in names]
    ax = ax or new_axes(max(0.55, 0.05 + measure_text(wrapped)[1]) * len(names) + 0.9, WIDTH)
    conditions = {condition.feature: condition for condition in rule.antecedent}
    lowest, highest = np.fmin(X.min().to_numpy(), row), np.fmax(X.max().to_numpy(), row)
    span = np.where(highest > lowest, highest - lowest, 1.0)
    for f, name in enumerate(names):
        condition = conditions.get(f)
        ax.barh(f, 1.0, height=0.08 if condition is None else 0.32, color=FAINT)
        if condition is not None:
            if condition.is_nominal:
                raise ValueError(f"rule: the condition on {name!r} is about categories, allowed are intervals")
            ends = (np.clip([condition.lower, condition.upper], lowest[f], highest[f]) - lowest[f]) / span[f]
            ax.barh(f, ends[1] - ends[0], left=ends[0], height=0.32, color=COLOURS[0])
            text = _describe(condition, name, count_letters(TEXT_SHARE * width))
            ax.text(0.5, f - 0.24, text, ha="center", va="bottom", fontsize=SMALL)
        ax.plot((row[f] - lowest[f]) / span[f], f, color=COLOURS[1], marker="o", markeredgecolor="white")
    ax.set_yticks(range(len(names)), wrapped, fontsize=SMALL)
    ax.tick_params(axis="y", length=0, pad=write_range_ends(ax, np.array([lowest, highest]))[0])
    ax.set(xticks=[], xlim=(-0.02, 1.02), ylim=(len(names) - 0.6, -0.9))
    write_title(ax, title or "", 1 - NAME_SHARE)
    ax.grid(visible=False)
    ax.spines[:].set_visible(False)
    return ax


def _describe(condition: Condition, name: str, width: int) -> str:
    """Return a condition in lines that fit; where its name is long, which stands at the side, without it."""
    text = format_condition(condition, name)
    return wrap(text if len(text) <= width else format_condition(condition, "value"), width)
