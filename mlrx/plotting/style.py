"""What all pictures share: colours, axes, names that wrap."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.colors import to_hex

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.legend import Legend

# The colours of Okabe and Ito, told apart with any kind of colour vision; markers differ as well.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
MARKERS = ("o", "s", "^", "D", "v", "P", "X")
FAINT = "#d9d9d9"
QUIET = "#777777"
SMALL = 8  # points, of the smallest text
WIDEST = 10.9  # inches of a new figure: on a page, 6.9 inches wide, its smallest text still has 5 points
# As shares of the size of a font: width of a letter, height of a line, what a legend has beside the text of an entry.
LETTER, LINE, BESIDE = 0.6, 1.25, 4.8
_OWN_SHARE = 0.775  # of the room that axes are given, what is left to them before a layout is found
# Where a name may be broken, and what marks the place meanwhile: the unit separator, which no name has.
_BREAK, _MARK = re.compile(r"(?<!\d\.)(?<=[_./=:])(?=[^\W_])"), "\x1f"


def check_columns(argument: str, frame: pd.DataFrame, *names: str) -> None:
    """Raise ValueError when a table lacks a column."""
    missing = [name for name in names if name not in frame.columns]
    if missing:
        raise ValueError(f"{argument} lacks the columns {missing}; it has {list(frame.columns)}")


def new_axes(height: float = 4.0, width: float = 6.4) -> Axes:
    """Return the axes of a new figure of so many inches."""
    _, ax = plt.subplots(figsize=(width, height), layout="constrained")
    ax.grid(alpha=0.3)
    return ax


def pick_colours() -> tuple[str, ...]:
    """Return the colours; black, which a dark page would hide, is the colour of text."""
    return tuple(to_hex(plt.rcParams["text.color"]) if colour == "#000000" else colour for colour in COLOURS)


def style_methods(methods: Sequence[str]) -> dict[str, dict[str, Any]]:
    """Return a colour, marker and kind of line for each method; of the first 28, no two share all three."""
    colours = pick_colours()
    kinds, n = ("-", (0, (5, 1)), (0, (1, 1)), (0, (3, 1, 1, 1))), len(colours)
    return {
        # From one round of colours to the next, markers move on by one and lines are drawn otherwise.
        method: {
            "color": colours[k % n],
            "marker": MARKERS[(k + k // n) % len(MARKERS)],
            "linestyle": kinds[k // n % len(kinds)],
        }
        for k, method in enumerate(methods)
    }


def measure_width(ax: Axes) -> float:
    """Return the inches from side to side that axes and what is written beside them have."""
    return ax.bbox.width / ax.figure.dpi / _OWN_SHARE


def count_letters(inches: float, size: float = SMALL, least: int = 6) -> int:
    """Return how many letters of so many points fit into a line."""
    return max(least, int(inches * 72 / (LETTER * size)))


def measure_text(names: Iterable[str]) -> tuple[float, float]:
    """Return the inches that the longest and the highest of small texts take up: length and height."""
    lines = [name.split("\n") for name in names] or [[""]]
    longest, most = max(len(line) for own in lines for line in own), max(map(len, lines))
    return longest * LETTER * SMALL / 72, most * LINE * SMALL / 72


def write_range_ends(ax: Axes, spans: np.ndarray) -> tuple[float, float]:
    """Write the least and greatest value of each row, at 0, 1, ..., beside bars from 0 to 1; return the room they take.

    Parameters
    ----------
    ax : Axes
    spans : ndarray of shape (2, n_rows)

    Returns
    -------
    left, right : float
        Points.
    """
    rooms = []
    for x, values, side, away in ((0, spans[0], "right", -6), (1, spans[1], "left", 6)):
        texts = [format_value(value) for value in values]
        rooms.append(16 + LETTER * SMALL * max(map(len, texts), default=0))
        style = {"ha": side, "va": "center", "fontsize": SMALL, "color": QUIET, "textcoords": "offset points"}
        for place, text in enumerate(texts):
            ax.annotate(text, (x, place), (away, 0), **style)
    return rooms[0], rooms[1]


def write_title(ax: Axes, text: str, share: float = 1.0, pad: float | None = None) -> None:
    """Write a title over axes, in lines that fit into a share of their room."""
    ax.set_title(wrap(text, count_letters(share * measure_width(ax), 12)), pad=pad)


def legend_style(names: Sequence[str], inches: float) -> dict[str, Any]:
    """Return names in lines that fit, and in how many columns a legend of so many inches has room for them."""
    names = [wrap(name, count_letters(inches - BESIDE * SMALL / 72)) for name in names]
    column = measure_text(names)[0] + BESIDE * SMALL / 72
    n_columns = min(max(1, int(inches / column)), max(1, len(names)))
    return {"labels": names, "ncols": n_columns, "fontsize": SMALL, "frameon": False}


def draw_legend_below(ax: Axes, distance: float = 0.5, **more: Any) -> Legend:
    """Draw a legend below axes, so many of its lines away; beside the data, it never hides any."""
    handles, names = ax.get_legend_handles_labels()
    style = {"loc": "upper center", "bbox_to_anchor": (0.5, 0.0), "borderaxespad": distance, **more}
    return ax.legend(handles=handles, **legend_style(names, measure_width(ax)), **style)


def wrap(name: str, width: int) -> str:
    """Return a name in lines of at most so many characters, broken at blanks and signs such as _ where it can be."""
    lines = textwrap.wrap(_BREAK.sub(f"{_MARK} ", name), width)
    lines = [line.replace(f"{_MARK} ", "").replace(_MARK, "").strip() for line in lines]
    return "\n".join(lines).replace("$", r"\$") or " "  # a dollar sign would begin a formula


def format_value(value: float, digits: int = 4) -> str:
    """Return a number for the eye: some digits, or all those before the point."""
    return f"{value:.0f}" if 10**digits <= abs(value) < 1e7 else f"{value:.{digits}g}"


def pick_ink(colour: str) -> str:
    """Return black or white, whichever can be read on a colour given as ``#rrggbb``."""
    red, green, blue = (int(colour[k : k + 2], 16) for k in (1, 3, 5))
    return "black" if 0.299 * red + 0.587 * green + 0.114 * blue > 140 else "white"
