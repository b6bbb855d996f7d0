"""ScoreSheet: why a row gets its labels, as points that rules give and bars that labels reach."""

from __future__ import annotations

import html
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import pandas as pd

from ..rules.text import format_name


@dataclass(frozen=True)
class Fired:
    """A rule that covers the row.

    Attributes
    ----------
    rule : int
        Its number, from 0.
    antecedent : str
        Its conditions as text; empty for a rule that covers every row.
    points : mapping of int to int
        What it gives to or takes from labels.
    """

    rule: int
    antecedent: str
    points: Mapping[int, int]


@dataclass(frozen=True)
class ScoreSheet:
    """The points of one row.

    Attributes
    ----------
    fired : tuple of Fired
        The rules that cover the row.
    label_names : tuple of str
    points, bars : tuple of int, one a label
        Sum of the points that the rules give, and what is needed.
    probabilities : tuple of float, one a label
    """

    fired: tuple[Fired, ...]
    label_names: tuple[str, ...]
    points: tuple[int, ...]
    bars: tuple[int, ...]
    probabilities: tuple[float, ...]

    def __post_init__(self) -> None:
        object.__setattr__(self, "probabilities", tuple(float(share) for share in self.probabilities))

    @property
    def predicted(self) -> tuple[str, ...]:
        """Names of the labels whose points reach their bar."""
        return tuple(name for name, points, bar in zip(self.label_names, self.points, self.bars) if points >= bar)

    def to_frame(self) -> pd.DataFrame:
        """Return one row for each label: points, bar, probability, whether it is predicted; predicted ones first."""
        frame = pd.DataFrame(
            {
                "label": self.label_names,
                "points": self.points,
                "bar": self.bars,
                "probability": self.probabilities,
            }
        )
        frame["predicted"] = frame["points"] >= frame["bar"]
        order = (frame["bar"] - frame["points"]).argsort(kind="stable")
        return frame.iloc[order].reset_index(drop=True)

    def _shown(self) -> Iterator[tuple[tuple, list[tuple[int, Fired]]]]:
        """Yield for each label that has something to show its line of the frame and the rules that give it points."""
        position = {name: k for k, name in enumerate(self.label_names)}
        for line in self.to_frame().itertuples():
            label = position[line.label]
            givers = [(fired.points[label], fired) for fired in self.fired if label in fired.points]
            if givers or line.predicted:
                yield line, givers

    def __str__(self) -> str:
        return self.to_text()

    def to_text(self) -> str:
        """Return the sheet as text: each label with points or predicted, below it the rules that it has them from."""
        lines = []
        for line, givers in self._shown():
            verdict = "predicted" if line.predicted else "not predicted"
            points = f"{line.points} of {line.bar} points"
            lines.append(f"{format_name(line.label)}: {points}, {verdict} (probability {line.probability:.2f})")
            lines += [f"  {given:+d}  IF {fired.antecedent or 'always'}" for given, fired in givers]
        n_silent = len(self.label_names) - sum(1 for _ in self._shown())
        if n_silent:
            silent = "1 label gets no points and is" if n_silent == 1 else f"{n_silent} labels get no points and are"
            lines.append(f"{silent} not predicted")
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        rows = []
        for line, givers in self._shown():
            mark = "background:#56b4e955;" if line.predicted else ""
            cells = (f"{line.points:+d}", line.bar, f"{line.probability:.2f}")
            numbers = "".join(f'<td style="text-align:right">{cell}</td>' for cell in cells)
            verdict = "predicted" if line.predicted else ""
            rows.append(
                f'<tr style="font-weight:bold;{mark}"><td style="text-align:left">{html.escape(line.label)}</td>'
                f"{numbers}<td>{verdict}</td></tr>"
            )
            wrap = "text-align:left;padding-left:2em;max-width:40em;overflow-wrap:anywhere"
            rows += [
                f'<tr><td style="{wrap}">{html.escape(fired.antecedent) or "<i>always</i>"}</td>'
                f'<td style="text-align:right">{given:+d}</td><td></td><td></td><td></td></tr>'
                for given, fired in givers
            ]
        titles = ("label, and the rules that cover the row", "points", "bar", "probability", "")
        header = "".join(f'<th style="text-align:left">{title}</th>' for title in titles)
        return f"<table><thead><tr>{header}</tr></thead><tbody>{''.join(rows)}</tbody></table>"
