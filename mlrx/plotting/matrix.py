"""Rules as a matrix: a row is a rule, a column a feature, a cell the values that the rule asks of the feature."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np

from .style import (
    COLOURS,
    FAINT,
    QUIET,
    SMALL,
    WIDEST,
    count_letters,
    format_value,
    legend_style,
    measure_text,
    pick_colours,
    pick_ink,
    wrap,
)
from .votes import Votes

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, SubFigure

INSIDE = 0.86  # the part of a column that its span takes up
MOST_NAMED = 60  # rows that are named one by one
NAME_WIDTH = 32  # characters in a line
# Inches: names of rows, numbers and gaps; bars; what is left behind the columns; of a column and of the labels' strip.
BESIDE, BAR_WIDTH, BEHIND, LEAST_COLUMN, LEAST_STRIP = 1.6, 0.75, 0.3, 0.4, 1.1
STRIP_SHARE = 0.36  # the most of the room for labels and columns that labels get


@dataclass(frozen=True, eq=False)
class Matrix:
    """Rules in the form in which they are drawn.

    Parameters
    ----------
    cells : ndarray of shape (n_cells, 4)
        Filled rectangles: row, column, and start and end as shares of the column's span.
    columns : tuple of str
        Names of the columns, as they are printed; the first ones are shown, as far as there is room.
    importance : ndarray of shape (n_columns,)
    importance_name : str
    rows : tuple of str
    shares : ndarray of shape (n_rows, n_labels)
        Of each label: its probability, or whether the rule gives it.
    shares_name : str
    is_probability : bool
        Whether shares are told by colours between, which the name then explains.
    labels : tuple of str
        Those of the greatest shares are shown, as far as there is room.
    bars : dict of str to list of (ndarray of shape (n_rows,), str)
        What is drawn at the right of the rows, by title: bars one over the other, each with its colour.
    votes : Votes or None
        Kind of each row, which its cells are coloured by; None where all are alike.
    used : ndarray of bool of shape (n_rows, n_columns)
        Whether the rule has a condition on the column.
    n_used : ndarray of int of shape (n_rows,)
        Features that the rule has conditions on, with or without a column.
    marks : ndarray of shape (n_columns,) or None, default=None
        Where a row of data lies, as shares of the spans.
    arrows : ndarray of shape (n_arrows, 4)
        Row, column, and start and end as shares of the span.
    open_cells : ndarray of shape (n, 2)
        Row and column where a missing value satisfies the rule too.
    n_more : ndarray of int of shape (n_rows,)
        Labels of each rule that are not shown.
    n_labels : int or None
        How many labels there are, where not all are shown.
    """

    cells: np.ndarray
    columns: tuple[str, ...]
    importance: np.ndarray
    importance_name: str
    rows: tuple[str, ...]
    shares: np.ndarray
    shares_name: str
    is_probability: bool
    labels: tuple[str, ...]
    bars: dict[str, list[tuple[np.ndarray, str]]]
    votes: Votes | None
    used: np.ndarray
    n_used: np.ndarray
    marks: np.ndarray | None = None
    arrows: np.ndarray = field(default_factory=lambda: np.empty((0, 4)))
    open_cells: np.ndarray = field(default_factory=lambda: np.empty((0, 2)))
    n_more: np.ndarray | None = None
    n_labels: int | None = None

    @property
    def n_hidden(self) -> np.ndarray:
        """Features without a column that each rule has conditions on, of shape (n_rows,)."""
        return self.n_used - self.used.sum(axis=1)

    def first_columns(self, n: int) -> Matrix:
        """Return the matrix with its first columns only."""
        return replace(
            self,
            columns=self.columns[:n],
            importance=self.importance[:n],
            used=self.used[:, :n],
            cells=self.cells[self.cells[:, 1] < n],
            arrows=self.arrows[self.arrows[:, 1] < n],
            open_cells=self.open_cells[self.open_cells[:, 1] < n],
            marks=None if self.marks is None else self.marks[:n],
        )

    def main_labels(self, n: int) -> Matrix:
        """Return the matrix with the labels of the greatest shares only, in their order."""
        if n >= len(self.labels):
            return self
        kept = np.sort(np.argsort(-self.shares.mean(axis=0), kind="stable")[:n])
        return replace(
            self,
            labels=tuple(self.labels[k] for k in kept),
            shares=self.shares[:, kept],
            n_more=(self.shares > 0.5).sum(axis=1) - (self.shares[:, kept] > 0.5).sum(axis=1),
            n_labels=len(self.labels),
        )


def draw_matrix(matrix: Matrix, title: str, label: int | None, figure: Figure | SubFigure | None) -> Figure | SubFigure:
    """Draw a matrix with its four strips: importance above, labels at the left, bars at the right, a legend below.

    Parameters
    ----------
    matrix : Matrix
    title : str
    label : int or None
        Show this label's probability as a bar at the left; None, all labels as small cells.
    figure : Figure, SubFigure or None
        None makes a new one that is large enough.

    Returns
    -------
    Figure or SubFigure
        Its axes are, in this order, the matrix, importance, labels, and one for each of the bars.
    """
    import matplotlib.pyplot as plt

    n_rows = len(matrix.rows)
    matrix, widths = _fit(matrix, label, WIDEST if figure is None else _measure(figure))
    height = max(1.2, 0.19 * n_rows if n_rows <= MOST_NAMED else min(11.0, 0.03 * n_rows + 8.0))
    if figure is None:
        below = measure_text([*matrix.columns, *(matrix.labels if label is None else ())])[0]
        figure = plt.figure(figsize=(sum(widths) + BESIDE, height + min(below, 2.4) + 1.9), layout="constrained")
    grid = figure.add_gridspec(2, len(widths), width_ratios=widths, height_ratios=[0.6, height])
    main = figure.add_subplot(grid[1, 1])
    _draw_importance(figure.add_subplot(grid[0, 1], sharex=main), matrix)
    strip = figure.add_subplot(grid[1, 0], sharey=main)
    _draw_cells(main, matrix)
    if label is None:
        _draw_labels(strip, matrix)
    else:
        _draw_probability(strip, matrix, label)
    for place, (name, bars) in enumerate(matrix.bars.items(), 2):
        _draw_bars(figure.add_subplot(grid[1, place], sharey=main), name, bars)
    _name_rows(strip, matrix.rows)
    figure.suptitle(wrap(title, count_letters(_measure(figure), 12)))
    handles, names = main.get_legend_handles_labels()
    if handles:
        figure.legend(handles=handles, loc="outside lower center", **legend_style(names, _measure(figure)))
    return figure


def _measure(figure: Figure | SubFigure) -> float:
    return figure.bbox.width / figure.dpi


def _fit(matrix: Matrix, label: int | None, width: float) -> tuple[Matrix, list[float]]:
    """Return what of a matrix has room in so many inches, and the widths of labels, columns and bars."""
    room = max(0.0, width - BESIDE - BAR_WIDTH * len(matrix.bars))
    strip = LEAST_STRIP
    if label is None:
        matrix = replace(matrix, labels=tuple(wrap(name, NAME_WIDTH) for name in matrix.labels))
        one = 0.05 + measure_text(matrix.labels)[1]
        matrix = matrix.main_labels(max(3, int(max(STRIP_SHARE * room, LEAST_STRIP) / one)))
        strip = max(LEAST_STRIP, one * len(matrix.labels) + (0.0 if matrix.n_more is None else BEHIND))
    column = max(LEAST_COLUMN, 0.1 + measure_text(matrix.columns)[1])
    matrix = matrix.first_columns(max(1, int((room - strip - BEHIND) / column)))
    n_columns = max(1, len(matrix.columns))
    widest = max(column, min(0.95, (room - strip - BEHIND) / n_columns))
    return matrix, [strip, widest * n_columns + BEHIND, *[BAR_WIDTH] * len(matrix.bars)]


def _draw_cells(ax: Axes, matrix: Matrix) -> None:
    n_rows, n_columns = len(matrix.rows), len(matrix.columns)
    for column in range(n_columns):
        ends = column + (1 - INSIDE) / 2, column + (1 + INSIDE) / 2
        ax.axvspan(*ends, facecolor=pick_colours()[-1], alpha=0.06, linewidth=0, zorder=0)
    thick = 0.72 if n_rows <= MOST_NAMED else 1.0
    row = matrix.cells[:, 0].astype(np.intp)
    kinds = np.zeros(n_rows, dtype=np.intp) if matrix.votes is None else matrix.votes.kinds
    names, colours = (("",), COLOURS[2:3]) if matrix.votes is None else (matrix.votes.names, matrix.votes.colours)
    for kind in np.unique(kinds[row]):
        own = matrix.cells[kinds[row] == kind]
        # An interval of one value is still to be seen.
        start, end = _spot(own[:, 1], own[:, 2]), _spot(own[:, 1], np.maximum(own[:, 3], own[:, 2] + 0.015))
        _fill(ax, own[:, 0], start, end, thick, colours[kind], names[kind])
    for row, column in matrix.open_cells:
        ax.text(column + 0.5, row + 0.5, "?", ha="center", va="center", fontsize=SMALL, weight="bold")
    _draw_marks(ax, matrix)
    ax.set(xlim=(0, max(n_columns, 1)), ylim=(n_rows, 0))
    _count_hidden(ax, matrix.n_hidden)
    _name_columns(ax, matrix.columns)
    ax.tick_params(axis="both", length=0, labelleft=False)
    ax.spines[:].set_visible(False)


def _count_hidden(ax: Axes, n_hidden: np.ndarray) -> None:
    """Write behind each row how much of it is not shown."""
    if n_hidden.size > MOST_NAMED or not n_hidden.any():
        return
    right = ax.get_xlim()[1]
    for row in np.flatnonzero(n_hidden):
        text = f"+{n_hidden[row]}"
        ax.annotate(
            text, (right, row + 0.5), (2, 0), textcoords="offset points", va="center", fontsize=SMALL, color=QUIET
        )


def _name_columns(ax: Axes, names: Sequence[str]) -> None:
    ax.set_xticks(
        np.arange(len(names)) + 0.5, names, rotation=90, fontsize=SMALL, multialignment="right", linespacing=1.1
    )


def _fill(ax: Axes, rows: np.ndarray, start: np.ndarray, end: np.ndarray, thick: float, colour: str, name: str) -> None:
    """Fill rectangles, one a row of numbers, as one artist."""
    from matplotlib.collections import PolyCollection

    top, bottom = rows + (1 - thick) / 2, rows + (1 + thick) / 2
    corners = np.stack([start, top, end, top, end, bottom, start, bottom], axis=1).reshape(-1, 4, 2)
    ax.add_collection(PolyCollection(corners, facecolor=colour, edgecolor="none", label=name, zorder=1))


def _draw_marks(ax: Axes, matrix: Matrix) -> None:
    """Draw where the row of data lies, and how it would have to move."""
    if matrix.marks is None:
        return
    ink = pick_colours()[-1]
    known = np.flatnonzero(~np.isnan(matrix.marks))
    spots = _spot(known, matrix.marks[known])
    ax.vlines(spots, 0, len(matrix.rows), color=ink, linestyle="--", linewidth=1.0, zorder=2, label="the row")
    row, column, start, end = matrix.arrows.T
    if row.size:
        ax.hlines(row + 0.5, _spot(column, start), _spot(column, end), color=ink, linewidth=1.5, zorder=3)
        # The point of an arrow has its own size, since the least changes are too short for any.
        rightward = end >= start
        for marker, own in ((">", rightward), ("<", ~rightward)):
            if not own.any():
                continue
            name = "the least change" if marker == ">" or not rightward.any() else None
            ax.scatter(
                _spot(column[own], end[own]), row[own] + 0.5, s=28, marker=marker, color=ink, linewidth=0, zorder=3,
                label=name,
            )  # fmt: skip


def name_column(name: str, span: Sequence[float]) -> str:
    """Return what is printed below a column: the name and the ends of its span, in lines that fit."""
    least, greatest = map(format_value, span)
    return f"{wrap(name, NAME_WIDTH)}\n{least}{' to ' if greatest.startswith('-') else '–'}{greatest}"


def _spot(column: np.ndarray, share: np.ndarray) -> np.ndarray:
    """Return the horizontal place of a share of a column's span."""
    return column + (1 - INSIDE) / 2 + INSIDE * share


def _draw_importance(ax: Axes, matrix: Matrix) -> None:
    n_columns = len(matrix.columns)
    ax.bar(np.arange(n_columns) + 0.5, matrix.importance, INSIDE, color=QUIET)
    ax.set_title(matrix.importance_name, fontsize=SMALL, loc="left", pad=2)
    ax.tick_params(axis="x", length=0, labelbottom=False)
    ax.tick_params(axis="y", labelsize=SMALL)
    ax.locator_params(axis="y", nbins=2, integer=bool((matrix.importance % 1 == 0).all()))
    ax.spines[["top", "right", "bottom"]].set_visible(False)


def _draw_labels(ax: Axes, matrix: Matrix) -> None:
    """Draw a small cell for each label of each row, from the colour of the page to that of text by probability."""
    ink = pick_colours()[-1]
    is_dark = pick_ink(ink) == "black"
    n_rows, n_labels = matrix.shares.shape
    edges = np.arange(n_labels + 1), np.arange(n_rows + 1)
    ax.pcolormesh(*edges, matrix.shares, cmap="gray" if is_dark else "Greys", vmin=0, vmax=1)
    ax.vlines(edges[0], 0, n_rows, color=QUIET, alpha=0.4, linewidth=0.6)
    ax.hlines(edges[1] if n_rows <= MOST_NAMED else [0, n_rows], 0, n_labels, color=QUIET, alpha=0.4, linewidth=0.6)
    _name_columns(ax, matrix.labels)
    ax.tick_params(axis="x", length=0)
    ax.spines[:].set_visible(False)
    ax.set_xlim(0, max(n_labels, 1))
    title = matrix.shares_name + (": black 0, white 1" if is_dark else ": white 0, black 1") * matrix.is_probability
    if matrix.n_more is not None:
        _count_hidden(ax, matrix.n_more)
        title = f"{n_labels} of {matrix.n_labels} labels" + ("" if title == "labels" else f"; {title}")
    ax.set_title(wrap(title, count_letters(ax.bbox.width / ax.figure.dpi)), fontsize=SMALL, pad=2)


def _draw_probability(ax: Axes, matrix: Matrix, label: int) -> None:
    """Draw the probability of one label as a bar, and what is left to 1."""
    place, shares = np.arange(len(matrix.rows)) + 0.5, matrix.shares[:, label]
    ax.barh(place, shares, 0.72, color=COLOURS[0])
    ax.barh(place, 1 - shares, 0.72, shares, color=COLOURS[1])
    ax.set_xlim(0, 1)
    ax.set_xticks([0, 1], ["0", "1"], fontsize=SMALL)
    ax.spines[:].set_visible(False)
    ax.set_title(wrap(f"P({matrix.labels[label]})", count_letters(LEAST_STRIP)), fontsize=SMALL, pad=2)


def _draw_bars(ax: Axes, name: str, bars: Sequence[tuple[np.ndarray, str]]) -> None:
    for values, colour in bars:
        ax.barh(np.arange(values.size) + 0.5, values, 0.72 if values.size <= MOST_NAMED else 1.0, color=colour)
    ax.axvline(0, color=FAINT, linewidth=0.8)
    ax.tick_params(axis="y", length=0, labelleft=False)
    ax.tick_params(axis="x", labelsize=SMALL)
    ax.locator_params(axis="x", nbins=2)
    longest = max((values.max(initial=0.0) for values, _ in bars), default=0.0)
    ax.set_xlim(0, longest or 1.0)
    ax.set_title(wrap(name, count_letters(BAR_WIDTH)), fontsize=SMALL, pad=2)
    ax.spines[["top", "right", "left"]].set_visible(False)


def _name_rows(ax: Axes, rows: Sequence[str]) -> None:
    if len(rows) <= MOST_NAMED:
        ax.set_yticks(np.arange(len(rows)) + 0.5, rows, fontsize=SMALL)
    else:
        ax.set_yticks([])
        ax.set_ylabel(f"{len(rows)} paths", fontsize=SMALL)
    ax.tick_params(axis="y", length=0, labelleft=len(rows) <= MOST_NAMED)
