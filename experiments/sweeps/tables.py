"""The tables of a sweep: made of records alone, in the order of the grid, so that they are the same to the byte."""

from __future__ import annotations

from pathlib import Path

import pandas as pd

from ..records import DONE, Record
from ..reports.tables import write_csv
from .sweep import Point, Sweep, as_text

Pairs = list[tuple[Point, Record | None]]


def score_table(sweep: Sweep, pairs: Pairs) -> pd.DataFrame:
    """Return one row for each finished point: the grid's parameters as text, then the metrics."""
    metrics = list(sweep.metrics)
    rows = [_place(point) | {name: record.metrics[0][name] for name in metrics} for point, record in _done(pairs)]
    return pd.DataFrame(rows, columns=[*sweep.grid, *metrics]).astype(dict.fromkeys(metrics, "float64"))


def timing_table(sweep: Sweep, pairs: Pairs) -> pd.DataFrame:
    """Return seconds, start and machine of each finished point, which no other table holds."""
    rows = [
        _place(point)
        | {f"{name}_seconds": value for name, value in record.seconds.items()}
        | {"started": record.started, "machine": record.machine}
        for point, record in _done(pairs)
    ]
    return pd.DataFrame(rows, columns=None if rows else list(sweep.grid))


def write_tables(sweep: Sweep, pairs: Pairs, folder: Path) -> list[Path]:
    """Write ``table.csv``, ``timings.csv`` and, where the sweep asks for it, ``picture.png``; return the files."""
    scores = score_table(sweep, pairs)
    written = [folder / "table.csv", folder / "timings.csv"]
    write_csv(written[0], scores)
    write_csv(written[1], timing_table(sweep, pairs))
    if sweep.picture is not None and len(scores):
        written.append(folder / "picture.png")
        _draw(sweep, scores, written[-1])
    return written


def _draw(sweep: Sweep, scores: pd.DataFrame, path: Path) -> None:
    import matplotlib.pyplot as plt

    from mlrx.plotting import plot_heat_maps

    picture = sweep.picture
    order = {name: [as_text(value) for value in sweep.grid[name]] for name in (picture.x, picture.y, picture.columns)}
    figure = plot_heat_maps(scores, picture.x, picture.y, picture.columns, picture.metrics, order=order)
    figure.savefig(path, dpi=150)
    plt.close(figure)


def _place(point: Point) -> dict[str, str]:
    return {name: as_text(value) for name, value in point.place.items()}


def _done(pairs: Pairs) -> list[tuple[Point, Record]]:
    return [(point, record) for point, record in pairs if record is not None and record.status == DONE]
