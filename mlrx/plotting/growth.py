"""What each rule of a set adds: the label occurrences covered, rule by rule."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import scipy.sparse as sp

from .style import COLOURS, check_columns, count_letters, draw_legend_below, new_axes, wrap

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MILESTONES = (0.5, 0.9)  # shares of what all rules cover together


def plot_coverage_growth(history: pd.DataFrame, Y: Any, *, ax: Axes | None = None) -> Axes:
    """Draw the share of label occurrences that rules cover against their number, and what each of them adds.

    Parameters
    ----------
    history : DataFrame
        One row a rule in the order of choice, with ``n_new``, such as ``history_`` of a fitted `CorsetClassifier`.
    Y : array-like or sparse matrix of shape (n_samples, n_labels)
        The labels of the training rows, zeros and ones.
    ax : Axes or None, default=None
        None makes a new figure.

    Returns
    -------
    Axes
        Bars are what each rule adds, the line is their sum; dotted lines mark how many rules cover half, and nine
        tenths, of what all rules cover.

    Raises
    ------
    ValueError
        When `history` lacks ``n_new``, there is no rule, or the rules cover more occurrences than Y has.
    """
    check_columns("history", history, "n_new")
    added = history["n_new"].to_numpy()
    n_occurrences = int((Y if sp.issparse(Y) else np.asarray(Y)).sum())
    if not added.size:
        raise ValueError("history must have at least one rule")
    if added.sum() > n_occurrences:
        raise ValueError(f"history covers {added.sum()} label occurrences, but Y has {n_occurrences}; is it another Y?")
    numbers, total = np.arange(1, added.size + 1), np.cumsum(added) / n_occurrences
    ax = ax or new_axes()
    ax.bar(numbers, added / n_occurrences, width=0.9, color=COLOURS[5], label="added by the rule")
    ax.plot(
        [0, *numbers], [0, *total], color=COLOURS[0], drawstyle="steps-post", label=f"together ({total[-1]:.1%} by all)"
    )
    for share in MILESTONES:
        n_rules = int(np.searchsorted(total, share * total[-1] - 1e-12)) + 1
        ax.plot([n_rules, n_rules], [0, total[n_rules - 1]], color=COLOURS[1], linestyle=":", zorder=3)
        rules = "rule" if n_rules == 1 else "rules"
        ax.plot([], [], color=COLOURS[1], linestyle=":", label=f"{share:.0%} of that by {n_rules} {rules}")
    room = ax.bbox.height / ax.figure.dpi - 0.5  # inches, without what the legend below takes
    told = wrap(f"share of {n_occurrences} label occurrences", count_letters(room, 10))
    ax.set(xlabel="number of rules", ylabel=told)
    ax.set(xlim=(0, added.size + 1), ylim=(0, 1.08 * total[-1] or 1))
    ax.xaxis.get_major_locator().set_params(integer=True)
    draw_legend_below(ax, 5)
    return ax
