"""Run all measurements and print them beside their bounds."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from itertools import product
from typing import Any

from rich.console import Console
from rich.table import Table

from mlrx.datasets import DataUnavailableError

from .measure import GROWTH

ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS"), "1")
# Seconds for one fit on one core with a pool of 500, compilation excluded.
FIT_BOUNDS = {"medical": 0.2, "emotions": 0.2, "synthetic-3000": 0.2, "enron": 1.5, "bibtex": 1.5}
BIBTEX_MEMORY_BOUND = 1.0
SCALE_BOUNDS = {"seconds": 60.0, "peak_gb": 4.0}
# Of the exponent by which a fit grows with the rows; the other axes have no bound.
ROWS_BOUND = 1.05
# Rows explained, and mean length and CPU seconds a row: proven rules, then the paper's.
EXPLAIN_BOUNDS = {
    ("flags", "certified"): (20, 7.6, 0.5),
    ("ai4i", "certified"): (34, 3.8, 0.5),
    ("water-quality", "certified"): (20, 13.9, 0.5),
    ("foodtruck", "certified"): (5, 15, 4),
    ("flags", "paper"): (20, None, 0.1),
    ("ai4i", "paper"): (34, None, 0.1),
    ("water-quality", "paper"): (20, None, 0.02),
    ("foodtruck", "paper"): (5, None, 0.5),
}
# Mean length and CPU seconds a row of proven rules, by number of trees.
SINGLE_BOUNDS = {100: (4.4, 0.02), 500: (4.1, 0.1)}
# Our share of anchor-exp's time.
ANCHORS_BOUND = 1 / 3
IMPORT_BOUND = 1.3


def measure(*arguments: str) -> dict[str, Any] | str:
    """Take one measurement in a process of its own; return what went wrong, in a line, where it did."""
    command = [sys.executable, "-m", "benchmarks.measure", *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=os.environ | ONE_THREAD)
    if done.returncode:
        last = (done.stderr.strip().splitlines() or ["no output"])[-1]
        return f"not measured: {last}" if DataUnavailableError.__name__ in last else f"failed: {last}"
    return json.loads(done.stdout)


def verdict(value: float, bound: float) -> str:
    """Return a value beside its bound."""
    return f"{value:.3g} ({'within' if value <= bound else '[red]over[/red]'} {bound:g})"


def main() -> None:
    """Print the tables."""
    console = Console(width=120)
    console.print("Medians on one core; shared machines are noisy, so that ratios say more than seconds.")
    fits = Table("data set", "settings", "rules", "CORSET, s", "BOOMER-1000, s", "BOOMER / CORSET", "peak memory, GB")
    for (name, bound), settings in product(FIT_BOUNDS.items(), ("study", "default")):
        found = measure("fit", name, settings)
        if isinstance(found, str):
            fits.add_row(name, settings, "", found)
            continue
        memory = f"{found['peak_gb']:.2f}" if name != "bibtex" else verdict(found["peak_gb"], BIBTEX_MEMORY_BOUND)
        seconds = verdict(found["seconds"], bound)
        fits.add_row(
            name, settings, str(found["n_rules"]), seconds, f"{found['boomer']:.3g}", f"{found['ratio']:.2f}", memory
        )
    console.print(fits)
    scales = Table("rows x columns -> labels, 1 % ones", "rules", "CORSET, s", "peak memory, GB")
    for shape in (("100000",), ("1000000",)):
        found = measure("scale", *shape)
        bounds = SCALE_BOUNDS if shape == ("1000000",) else None
        cells = [found] if isinstance(found, str) else _scale_cells(found, bounds)
        scales.add_row(f"{int(shape[0]):,} x 1,000 -> 100", *cells)
    console.print(scales)
    _print_growth(console)
    _print_explanations(console)
    searches = Table("Anchors on flags, 500 trees", "rules", "same", "ours, s", "anchor-exp, s", "ours / anchor-exp")
    found = measure("anchors")
    searches.add_row("first rows, beam 1", *([found] if isinstance(found, str) else _anchor_cells(found)))
    console.print(searches)
    found = measure("imports")
    if isinstance(found, str):
        console.print(f"import of CorsetClassifier: {found}")
    else:
        console.print(
            f"import of CorsetClassifier: {found['seconds']:.2f} s, its libraries alone {found['libraries']:.2f} s, "
            f"ratio {verdict(found['ratio'], IMPORT_BOUND)}"
        )


def _print_growth(console: Console) -> None:
    table = Table("growth exponents of a fit, not tuned", *GROWTH)
    for learner in ("corset", "guided", "voting"):
        cells = []
        for axis in GROWTH:
            found = measure("growth", learner, axis)
            if isinstance(found, str):
                cells.append(found)
            else:
                exponent = found["exponent"]
                cells.append(verdict(exponent, ROWS_BOUND) if axis == "rows" else f"{exponent:.2f}")
        table.add_row(learner, *cells)
    console.print(table)


def _print_explanations(console: Console) -> None:
    table = Table("LionForests, all labels of a row together", "mode", "rows", "length", "CPU s a row")
    for (name, mode), (n_rows, length, seconds) in EXPLAIN_BOUNDS.items():
        found = measure("explain", name, mode, str(n_rows))
        table.add_row(name, mode, *([found] if isinstance(found, str) else _explain_cells(found, length, seconds)))
    for n_trees, bounds in SINGLE_BOUNDS.items():
        found = measure("single", str(n_trees))
        cells = [found] if isinstance(found, str) else _explain_cells(found, *bounds)
        table.add_row(f"flags, one label, {n_trees} trees", "certified", *cells)
    console.print(table)


def _explain_cells(found: dict[str, Any], length: float | None, seconds: float) -> list[str]:
    shown = f"{found['length']:.3g}" if length is None else verdict(found["length"], length)
    return [str(found["n_rows"]), shown, verdict(found["seconds"], seconds)]


def _scale_cells(found: dict[str, Any], bounds: dict[str, float] | None) -> list[str]:
    values = [found["seconds"], found["peak_gb"]]
    if bounds is None:
        return [str(found["n_rules"]), *(f"{value:.3g}" for value in values)]
    return [str(found["n_rules"]), *(verdict(found[key], bounds[key]) for key in ("seconds", "peak_gb"))]


def _anchor_cells(found: dict[str, Any]) -> list[str]:
    library = f"{found['library']:.3g}, {found['prediction']:.0%} of it predictions"
    ratio = verdict(found["ratio"], ANCHORS_BOUND)
    return [str(found["n_rules"]), str(found["n_same"]), f"{found['seconds']:.3g}", library, ratio]


if __name__ == "__main__":
    main()
