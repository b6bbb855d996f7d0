"""An explorer of sweeps: the mean of a measure over two parameters."""

from __future__ import annotations

import base64
import html
import io
from typing import Any

import numpy as np
import pandas as pd

from ..plotting import plot_heat_maps
from ..plotting.style import format_value
from .explorer import Explorer, new_dropdown, new_panel

DATASET = "dataset"
SEED = "seed"


def explore_sweep(frame: pd.DataFrame, x: str = "diversity_weight", y: str = "pool_size") -> SweepExplorer:
    """Explore the results of a sweep: a heat map over two parameters, the measure to be chosen.

    Parameters
    ----------
    frame : DataFrame
        One row a run, such as a sweep's ``table.csv``: the parameters; the measures, which are the columns of numbers
        but for ``seed``; and where there are several data sets, ``dataset``.
    x, y : str, default="diversity_weight", "pool_size"
        The parameters of the axes; all others but the data set are averaged over.

    Returns
    -------
    SweepExplorer
        Its controls are ``measure`` and ``dataset``.

    Raises
    ------
    ValueError
        When `frame` has no row, lacks the parameters, or has no measure.
    """
    missing = [name for name in (x, y) if name not in frame]
    if missing or frame.empty:
        raise ValueError(f"frame must have rows with the columns {[x, y]}, got {len(frame)} rows of {[*frame]}")
    numbers = frame.select_dtypes("number").columns
    measures = [name for name in numbers if name not in (x, y, DATASET, SEED)]
    if not measures:
        raise ValueError(f"frame must have a column of numbers beside {[x, y, SEED]}, got {[*frame]}")
    return SweepExplorer(frame, x, y, measures)


class SweepExplorer(Explorer):
    """Draws one measure on one data set; see `explore_sweep`."""

    def __init__(self, frame: pd.DataFrame, x: str, y: str, measures: list[str]) -> None:
        self.frame, self.x, self.y = frame, x, y
        names = frame[DATASET].astype(str).unique().tolist() if DATASET in frame else ["all runs"]
        self.controls = {"measure": new_dropdown("measure", measures), "dataset": new_dropdown("data set", names)}
        self._picture = new_panel("sweep")
        self._show()
        for control in self.controls.values():
            control.observe(self._show, "value")
        super().__init__([*self.controls.values(), self._picture])

    def to_text(self) -> str:
        """Return where the measure is highest and lowest."""
        return describe_cells(self._runs(), self.x, self.y, self.controls["measure"].value)

    def to_html(self) -> str:
        """Return the heat map as a picture, and where the measure is highest and lowest."""
        return self._picture.value

    def _runs(self) -> pd.DataFrame:
        if DATASET not in self.frame:
            return self.frame
        return self.frame[self.frame[DATASET].astype(str) == self.controls["dataset"].value]

    def _show(self, _: Any = None) -> None:
        picture = draw_cells(self._runs(), self.x, self.y, self.controls["measure"].value)
        text = html.escape(self.to_text())
        self._picture.value = f'<img alt="{text}" style="max-width:100%" src="{picture}"><p>{text}</p>'


def describe_cells(runs: pd.DataFrame, x: str, y: str, measure: str) -> str:
    """Return in words where the mean of a measure over runs with equal x and y is highest and lowest."""
    cells = runs.groupby([x, y])[measure].agg(["mean", "count"])
    cells = cells[cells["count"] > 0]
    if cells.empty:
        return f"{measure}: no run has a value"
    counts = sorted({int(cells["count"].min()), int(cells["count"].max())})
    start = f"{measure}, mean of {' to '.join(map(str, counts))} run(s) a cell"
    if cells["mean"].min() == cells["mean"].max():
        return f"{start}: {format_value(cells['mean'].max())} everywhere"
    ends = [
        f"{which} {format_value(cells['mean'].loc[at])} at {x} = {_text(at[0])}, {y} = {_text(at[1])}"
        for which, at in (("highest", cells["mean"].idxmax()), ("lowest", cells["mean"].idxmin()))
    ]
    return f"{start}: {'; '.join(ends)}"


def draw_cells(runs: pd.DataFrame, x: str, y: str, measure: str) -> str:
    """Return the heat map of a measure as the address of a PNG that holds itself."""
    import matplotlib.pyplot as plt

    order = {name: [_text(value) for value in np.sort(runs[name].unique())] for name in (x, y)}
    texts = runs[[measure]].assign(**{name: runs[name].map(_text) for name in (x, y)}, columns="")
    figure = plot_heat_maps(texts, x, y, "columns", [measure], order={**order, "columns": [""]})
    file = io.BytesIO()
    figure.savefig(file, dpi=110)
    plt.close(figure)  # or the notebook shows it once more
    return f"data:image/png;base64,{base64.b64encode(file.getvalue()).decode()}"


def _text(value: Any) -> str:
    return f"{value:g}" if isinstance(value, int | float | np.number) else str(value)
