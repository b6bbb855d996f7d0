"""Average ranks of methods over data sets, with the difference from which on it is no chance."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from .style import QUIET, SMALL, wrap

if TYPE_CHECKING:
    from matplotlib.axes import Axes

NAME_WIDTH = 34  # characters
# Distances along the vertical axis, in lines of text.
TOP, FIRST_NAME, BAR_STEP = 2.2, 1.6, 0.35


@dataclass(frozen=True, eq=False)
class RankComparison:
    """Methods compared by their ranks over data sets; made by `compare_ranks`.

    Parameters
    ----------
    ranks : Series of float
        Average rank by method, the best (lowest) first.
    n_datasets : int
    statistic, p_value : float
        Of Friedman's test that all methods are equal, corrected for ties.
    critical_difference : float
        Of Nemenyi's test: average ranks that differ by less are not told apart.
    alpha : float
        The level of the critical difference.
    """

    ranks: pd.Series
    n_datasets: int
    statistic: float
    p_value: float
    critical_difference: float
    alpha: float

    @property
    def groups(self) -> list[tuple[int, int]]:
        """Methods not told apart: first and last position in `ranks` of each such group that is in no other."""
        values = self.ranks.to_numpy()
        # A bit of slack: equal differences must not be told apart by their last digit.
        last = np.searchsorted(values, values + self.critical_difference - 1e-9, side="left") - 1
        ends = [(first, int(end)) for first, end in enumerate(last) if end > first]
        return [(first, end) for first, end in ends if not any(f < first and end <= e for f, e in ends)]


def compare_ranks(scores: pd.DataFrame, alpha: float = 0.05) -> RankComparison:
    """Rank methods on each data set, and test whether their average ranks differ.

    Parameters
    ----------
    scores : DataFrame
        A row a data set, a column a method; the higher, the better. None may be missing.
    alpha : float, default=0.05
        Between 0 and 1.

    Raises
    ------
    ValueError
        With fewer than three methods or two data sets, when a score is missing or no number, or alpha is out of range.

    Notes
    -----
    Methods with equal scores share the mean of their ranks. The tests of Friedman and Nemenyi as in [1]_: the critical
    difference is q * sqrt(k * (k + 1) / (6 * N)) for k methods and N data sets, where q is the quantile of the
    studentized range with infinitely many degrees of freedom, divided by sqrt(2).

    References
    ----------
    .. [1] J. Demšar. Statistical comparisons of classifiers over multiple data sets. Journal of Machine Learning
       Research 7, 1-30, 2006.

    Examples
    --------
    >>> scores = pd.DataFrame({"a": [0.9, 0.8, 0.7], "b": [0.6, 0.6, 0.6], "c": [0.5, 0.6, 0.5]})
    >>> compare_ranks(scores).ranks.round(2).to_dict()
    {'a': 1.0, 'b': 2.17, 'c': 2.83}
    """
    from scipy.stats import friedmanchisquare, studentized_range

    n_datasets, n_methods = scores.shape
    if n_methods < 3 or n_datasets < 2:
        raise ValueError(f"scores must have at least 3 methods and 2 data sets, got {n_methods} and {n_datasets}")
    missing = scores.columns[scores.isna().any()].tolist()
    if missing:
        raise ValueError(f"scores must have no missing value, got some for {', '.join(map(str, missing))}")
    texts = scores.columns[[not pd.api.types.is_numeric_dtype(kind) for kind in scores.dtypes]].tolist()
    if texts:
        raise ValueError(f"scores must be numbers, got others for {', '.join(map(str, texts))}")
    if not 0 < alpha < 1:
        raise ValueError(f"alpha must be between 0 and 1, got {alpha!r}")
    ranks = scores.rank(axis=1, ascending=False).mean().sort_values(kind="stable")
    if (scores.nunique(axis=1) == 1).all():
        statistic, p_value = 0.0, 1.0  # ties everywhere, which the correction for ties would divide by
    else:
        statistic, p_value = friedmanchisquare(*scores.to_numpy().T)
    quantile = studentized_range.ppf(1 - alpha, n_methods, np.inf) / math.sqrt(2)
    difference = quantile * math.sqrt(n_methods * (n_methods + 1) / (6 * n_datasets))
    return RankComparison(ranks, n_datasets, float(statistic), float(p_value), float(difference), alpha)


def plot_critical_difference(scores: pd.DataFrame, *, alpha: float = 0.05, ax: Axes | None = None) -> Axes:
    """Draw the average ranks of methods on a line, the best to the left; bars join those that are not told apart.

    Parameters
    ----------
    scores : DataFrame
        As in `compare_ranks`: a row a data set, a column a method; the higher, the better.
    alpha : float, default=0.05
    ax : Axes or None, default=None
        None makes a new figure.

    Returns
    -------
    Axes
        Its title gives the number of data sets and Friedman's test.
    """
    found = compare_ranks(scores, alpha)
    names = [f"{wrap(str(name), NAME_WIDTH)} ({rank:.2f})" for name, rank in found.ranks.items()]
    bars, n_left = found.groups, (len(names) + 1) // 2
    # Names hang below the bars: the better half to the left from the top down, the others to the right from below up.
    base = FIRST_NAME + BAR_STEP * len(bars)
    depths = _depths(names[:n_left], base), _depths(names[n_left:][::-1], base)[::-1]
    deepest = max(*depths[0], *depths[1]) + 1
    if ax is None:
        _, ax = plt.subplots(figsize=(9, 0.19 * (deepest + TOP) + 0.5), layout="constrained")
    ink = plt.rcParams["text.color"]
    _draw_axis(ax, len(names), found, ink)
    for k, (rank, name, depth) in enumerate(zip(found.ranks, names, [*depths[0], *depths[1]])):
        side = -1 if k < n_left else 1
        edge = 1 - 0.02 * len(names) if side < 0 else len(names) * 1.02
        ax.plot([rank, rank, edge], [0, -depth, -depth], color=ink, linewidth=0.8)
        ax.text(
            edge + side * 0.01 * len(names),
            -depth,
            name,
            ha="right" if side < 0 else "left",
            va="center",
            fontsize=SMALL,
        )
    for k, (first, last) in enumerate(bars):
        at = -(0.6 + BAR_STEP * k)
        ends = found.ranks.iloc[first] - 0.03, found.ranks.iloc[last] + 0.03
        ax.plot(ends, [at, at], color="#D55E00", linewidth=3, solid_capstyle="butt")
    ax.set(xlim=(1 - 0.03 * len(names), len(names) * 1.03), ylim=(-deepest, TOP))
    ax.axis("off")
    tested = f"χ² = {found.statistic:.1f}, p = {found.p_value:.2g}"
    ax.set_title(f"average rank over {found.n_datasets} data sets; Friedman: {tested}", fontsize=SMALL + 1)
    return ax


def _depths(names: list[str], base: float) -> list[float]:
    """Return how far below the axis the middle of each name is, in lines of text, the first one highest."""
    heights = np.array([1.15 * len(name.splitlines()) for name in names])
    return (base + np.cumsum(heights) - heights / 2).tolist()


def _draw_axis(ax: Axes, n_methods: int, found: RankComparison, ink: str) -> None:
    """Draw the line of ranks with its numbers, and above it the length of the critical difference."""
    ax.plot([1, n_methods], [0, 0], color=ink, linewidth=1)
    for rank in range(1, n_methods + 1):
        ax.plot([rank, rank], [0, 0.25], color=ink, linewidth=1)
        ax.text(rank, 0.35, str(rank), ha="center", va="bottom", fontsize=SMALL)
    end = min(1 + found.critical_difference, n_methods)
    is_cut = 1 + found.critical_difference > n_methods
    ax.plot([1, end], [1.7, 1.7], color=QUIET, linewidth=1.5, marker=None if is_cut else "|")
    more = ", longer than the line" if is_cut else ""
    text = f"critical difference {found.critical_difference:.2f} at level {found.alpha:g}{more}"
    ax.text(1, 1.8, text, ha="left", va="bottom", fontsize=SMALL, color=QUIET)
