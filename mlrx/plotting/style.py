"""What all pictures share: colours, axes, names that wrap."""

from __future__ import annotations

import re
import textwrap
from typing import TYPE_CHECKING

import matplotlib.pyplot as plt

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# The colours of Okabe and Ito, told apart with any kind of colour vision; markers differ as well.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
MARKERS = ("o", "s", "^", "D", "v", "P", "X")
FAINT = "#d9d9d9"
QUIET = "#777777"
SMALL = 8  # points
# Where a name may be broken, and what marks the place meanwhile: the unit separator, which no name has.
_BREAK, _MARK = re.compile(r"(?<=[_./=:])(?=[^\W_])"), "\x1f"


def new_axes(height: float = 4.0, width: float = 6.4) -> Axes:
    """Return the axes of a new figure of so many inches."""
    _, ax = plt.subplots(figsize=(width, height), layout="constrained")
    ax.grid(alpha=0.3)
    return ax


def wrap(name: str, width: int) -> str:
    """Return a name in lines of at most so many characters, broken at blanks and signs such as _ where it can be."""
    lines = textwrap.wrap(_BREAK.sub(f"{_MARK} ", name), width)
    # A dollar sign would begin a formula.
    return "\n".join(line.replace(f"{_MARK} ", "").replace(_MARK, "") for line in lines).replace("$", r"\$") or " "


def format_value(value: float) -> str:
    """Return a number for the eye: four digits, or all those before the point."""
    return f"{value:.0f}" if 1e4 <= abs(value) < 1e7 else f"{value:.4g}"


def pick_ink(colour: str) -> str:
    """Return black or white, whichever can be read on a colour given as ``#rrggbb``."""
    red, green, blue = (int(colour[k : k + 2], 16) for k in (1, 3, 5))
    return "black" if 0.299 * red + 0.587 * green + 0.114 * blue > 140 else "white"
