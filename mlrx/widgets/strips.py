"""Strips: a feature's distribution with the interval of a rule, the row and where it was moved, as SVG."""

from __future__ import annotations

import html
import textwrap
from collections.abc import Sequence

import numpy as np

from ..plotting.style import COLOURS, QUIET, format_value
from ..rules import Condition
from .what_if import Dial

WIDTH, HEIGHT, SIDE = 440, 96, 70  # px: of a strip, and what is left at each side for the least and greatest value
FLOOR, TOP = 64, 20  # px: where bars stand, and where the highest ends; the name is above, marks and categories below
N_BINS = 40
CHARACTER = 7  # px, of a small letter
LEAST_BAND = 3.0  # px: narrower intervals could not be seen


def draw_strip(dial: Dial, conditions: Sequence[Condition], rows: np.ndarray, choice: int) -> str:
    """Return the strip of one dial as SVG.

    Parameters
    ----------
    dial : Dial
    conditions : sequence of Condition
        Those of the rule on the dial's columns.
    rows : ndarray of shape (n_samples, n_features)
        Rows whose distribution is shown.
    choice : int
        Where the dial stands.
    """
    if len(dial.columns) == 1:
        return _draw_numbers(dial, conditions[0], rows[:, dial.columns[0]], choice)
    return _draw_categories(dial, conditions, rows[:, dial.columns], choice)


def _draw_numbers(dial: Dial, condition: Condition, column: np.ndarray, choice: int) -> str:
    known, offered = column[~np.isnan(column)], dial.values[~np.isnan(dial.values)]
    if offered.size == 0:
        return ""
    low, high = offered.min(), offered.max()
    span = high - low or 1.0
    counts, edges = np.histogram(known, N_BINS, (low, low + span))
    inner = WIDTH - 2 * SIDE
    at = SIDE + inner * (np.array([edges[:-1], edges[1:]]) - low) / span
    parts = [_band(*(SIDE + inner * (np.clip([condition.lower, condition.upper], low, high) - low) / span))]
    for left, right, n in zip(*at, counts):
        parts.append(_bar(left, right - left, n / max(1, counts.max())))
    parts += [_text(SIDE - 8, FLOOR, format_value(low), "end"), _text(WIDTH - SIDE + 8, FLOOR, format_value(high))]
    spots = [None if np.isnan(value) else SIDE + inner * (value - low) / span for value in dial.values[:, 0]]
    return _frame(dial, choice, [*parts, *_marks(dial, choice, spots)])


def _draw_categories(dial: Dial, conditions: Sequence[Condition], columns: np.ndarray, choice: int) -> str:
    width = (WIDTH - 2 * SIDE) / len(dial.values)
    place = {f: k for k, f in enumerate(dial.columns)}
    parts, spots = [], []
    for k, values in enumerate(dial.values):
        left = SIDE + k * width
        if all(c.holds(values[[place[c.feature]]])[0] for c in conditions):
            parts.append(_band(left, left + width))
        share = (columns == values).all(axis=1).mean() if len(columns) else 0.0
        parts.append(_bar(left + 0.15 * width, 0.7 * width, share))
        text = textwrap.shorten(dial.texts[k], max(3, int(width / CHARACTER)), placeholder="…")
        parts.append(_text(left + width / 2, FLOOR + 28, text, "middle"))
        spots.append(left + width / 2)
    return _frame(dial, choice, [*parts, *_marks(dial, choice, spots)])


def _band(left: float, right: float) -> str:
    """Return where the rule holds: a light band with dark sides, never too narrow to be seen."""
    missing = max(0.0, LEAST_BAND - (right - left)) / 2
    x, width = left - missing, right - left + 2 * missing
    return (
        f'<rect class="mlrx-band" x="{x:.1f}" y="{TOP - 4}" width="{width:.1f}" height="{FLOOR - TOP + 4}" '
        f'fill="{COLOURS[5]}" fill-opacity="0.35" stroke="{COLOURS[0]}"/>'
    )


def _bar(left: float, width: float, share: float) -> str:
    height = (FLOOR - TOP) * share
    return (
        f'<rect x="{left:.1f}" y="{FLOOR - height:.1f}" width="{max(width - 0.5, 0.5):.1f}" '
        f'height="{height:.1f}" fill="{QUIET}"/>'
    )


def _text(x: float, y: float, text: str, anchor: str = "start") -> str:
    style = f'text-anchor="{anchor}" font-size="11" fill="currentColor"'
    return f'<text x="{x:.1f}" y="{y}" {style}>{html.escape(text)}</text>'


def _marks(dial: Dial, choice: int, spots: Sequence[float | None]) -> list[str]:
    """Return a dot below the row's own value, and a triangle below the one that it was moved to, if another."""
    marks = []
    if spots[dial.start] is not None:
        marks.append(f'<circle cx="{spots[dial.start]:.1f}" cy="{FLOOR + 8}" r="5" fill="{COLOURS[1]}"/>')
    if choice != dial.start and spots[choice] is not None:
        x, y = spots[choice], FLOOR + 3
        marks.append(
            f'<path class="mlrx-moved" d="M{x:.1f} {y}l6 11h-12z" fill="none" stroke="currentColor" stroke-width="2"/>'
        )
    return marks


def _frame(dial: Dial, choice: int, parts: Sequence[str]) -> str:
    label = f"{dial.name}: the row has {dial.texts[dial.start]}"
    if choice != dial.start:
        label += f", moved to {dial.texts[choice]}"
    line = f'<line x1="{SIDE}" x2="{WIDTH - SIDE}" y1="{FLOOR}" y2="{FLOOR}" stroke="currentColor"/>'
    return (
        f'<svg role="img" aria-label="{html.escape(label)}" width="{WIDTH}" height="{HEIGHT}" '
        f'viewBox="0 0 {WIDTH} {HEIGHT}" style="max-width:100%"><title>{html.escape(label)}</title>'
        f"{_text(SIDE, 12, dial.name)}{''.join(parts)}{line}</svg>"
    )
