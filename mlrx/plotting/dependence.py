"""How a label's probability depends on single features, and where one row lies."""

from __future__ import annotations

from typing import TYPE_CHECKING

import matplotlib.pyplot as plt
import numpy as np

from .row_paths import RowPaths, gini_importance
from .style import COLOURS, SMALL, count_letters, format_value, measure_width, pick_colours, wrap

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, SubFigure

MOST_VALUES = 40  # at which a curve is computed
FEW_VALUES = 12  # that get a bar each
FEWEST_TICKS, MOST_TICKS = 4, 3  # fewer values are written at the axis as they are
PANELS_A_LINE = 3


def plot_partial_dependence(
    row: RowPaths,
    label: int,
    *,
    n_features: int = 6,
    figure: Figure | SubFigure | None = None,
) -> Figure | SubFigure:
    """Draw for the most important features the mean probability of a label when all rows had one value.

    Behind each curve stands the histogram of the training rows; a dashed line marks the row.

    Parameters
    ----------
    row : RowPaths
    label : int
    n_features : int, default=6
        Those of greatest impurity-based importance.
    figure : Figure, SubFigure or None, default=None
        None makes a new one.

    Returns
    -------
    Figure or SubFigure
        One pair of axes a feature: the curve, and the histogram.

    Raises
    ------
    ValueError
        When there is no such label.

    Notes
    -----
    The feature view of iForest (Zhao et al. 2019); see `plot_paths`. Rows with a missing value count in the curve,
    not in the histogram. O(n_features * n_samples * n_trees * depth), times 40 values at most.
    """
    if label not in range(len(row.label_names)):
        raise ValueError(f"label must be from 0 to {len(row.label_names) - 1}, got {label!r}")
    shown = np.argsort(-gini_importance(row.forest), kind="stable")[:n_features].tolist()
    n_lines = -(-len(shown) // PANELS_A_LINE)
    if figure is None:
        figure = plt.figure(
            figsize=(3.1 * min(len(shown), PANELS_A_LINE) + 0.4, 2.3 * n_lines + 0.6), layout="constrained"
        )
    panels = figure.subplots(n_lines, min(len(shown), PANELS_A_LINE), sharey=True, squeeze=False).ravel()
    for ax, f in zip(panels, shown):
        _draw_panel(ax, row, f, label)
    for ax in panels[len(shown) :]:
        ax.set_visible(False)
    letters = count_letters(figure.bbox.width / figure.dpi, 12)
    figure.suptitle(wrap(f"Mean probability of {row.label_names[label]}", letters))
    return figure


def _draw_panel(ax: Axes, row: RowPaths, f: int, label: int) -> None:
    known = row.X[~np.isnan(row.X[:, f]), f]
    values = np.unique(np.quantile(known, np.linspace(0, 1, MOST_VALUES), method="nearest"))
    means = []
    for value in values:
        X = row.X.copy()
        X[:, f] = value
        means.append((1 + row.forest.margins(X)[:, label].mean()) / 2)
    counts = ax.twinx()
    shade = {"color": pick_colours()[-1], "alpha": 0.15, "linewidth": 0}
    if values.size <= FEW_VALUES:
        width = 0.7 * np.diff(values).min(initial=np.inf) if values.size > 1 else 1.0
        counts.bar(values, (known == values[:, None]).sum(axis=1), width, **shade)
    else:
        counts.hist(known, bins=20, **shade)
    counts.set_yticks([])
    counts.set_zorder(0)
    counts.spines[:].set_visible(False)
    ax.set_zorder(1)
    ax.patch.set_visible(False)
    ax.plot(values, means, color=COLOURS[0], marker=".", markersize=4)
    if not np.isnan(row.x[f]):
        ax.axvline(row.x[f], color=COLOURS[1], linestyle="--", linewidth=1.4)
    ax.set_ylim(-0.02, 1.02)
    if values.size < FEWEST_TICKS:
        ax.set_xticks(values, map(format_value, values))
    else:
        ax.locator_params(axis="x", nbins=MOST_TICKS, integer=bool((values % 1 == 0).all()))
    ax.set_xlabel(wrap(row.feature_names[f], count_letters(measure_width(ax))), fontsize=SMALL)
    ax.tick_params(labelsize=SMALL)
    ax.spines[["top", "right"]].set_visible(False)
