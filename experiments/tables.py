"""Tables: made of records alone, in the order of the config, so that they come out the same to the byte."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pandas as pd

from .config import Config
from .files import write_whole
from .measures import MEASURES
from .records import Record
from .runs import Run

KEYS = ["dataset", "method", "asked"]
ENOUGH_RUNS = 3
Pairs = list[tuple[Run, Record]]


def score_rows(pairs: Pairs) -> pd.DataFrame:
    """Return one row for each run and number of rules.

    Parameters
    ----------
    pairs : list of (Run, Record)
        Finished runs, in order.

    Returns
    -------
    DataFrame
        dataset, method, asked (number of rules asked for, missing where none is set), repetition, seed, and the
        metrics (missing where a method has none).
    """
    rows = [
        {"dataset": run.dataset, "method": run.method, "asked": entry["asked"], "repetition": run.repetition + 1}
        | {"seed": record.determines["seed"]}
        | {name: entry[name] for name in run.metrics}
        for run, record in pairs
        for entry in record.metrics
    ]
    metrics = list(pairs[0][0].metrics) if pairs else []
    frame = pd.DataFrame(rows, columns=[*KEYS, "repetition", "seed", *metrics])
    return frame.astype({"asked": "Int64", **dict.fromkeys(metrics, "float64")})


def timing_rows(pairs: Pairs) -> pd.DataFrame:
    """Return seconds and place of each run and number of rules, which no other table holds.

    ``fit_seconds`` of a prefix is the time until its last rule was chosen; ``predict_seconds`` is that of the whole
    model on the test rows.
    """
    rows = []
    for run, record in pairs:
        for entry in record.metrics:
            until, asked = record.seconds["rules"], entry["asked"]
            fit = until[asked - 1] if asked is not None and asked <= len(until) else record.seconds["fit"]
            key = {"dataset": run.dataset, "method": run.method, "asked": asked, "repetition": run.repetition + 1}
            seconds = {"fit_seconds": round(fit, 4), "predict_seconds": round(record.seconds["predict"], 4)}
            rows.append(key | seconds | {"started": record.started, "machine": record.machine})
    columns = [*KEYS, "repetition", "fit_seconds", "predict_seconds", "started", "machine"]
    return pd.DataFrame(rows, columns=columns).astype({"asked": "Int64"})


def summarise(scores: pd.DataFrame) -> pd.DataFrame:
    """Return one row a cell: n, and mean and standard deviation (n - 1) of every metric over the repetitions.

    Parameters
    ----------
    scores : DataFrame
        Of `score_rows`.

    Returns
    -------
    DataFrame
        dataset, method, asked, n, then NAME_mean and NAME_sd; the deviation of a single run is missing.
    """
    metrics = [name for name in scores.columns if name in MEASURES]
    grouped = scores.groupby(KEYS, sort=False, dropna=False)
    frame = grouped.size().rename("n").to_frame()
    for name in metrics:
        frame[f"{name}_mean"] = grouped[name].mean()
        frame[f"{name}_sd"] = grouped[name].std()
    return frame.reset_index()


def compare(summary: pd.DataFrame, published: pd.DataFrame, margin: float) -> pd.DataFrame:
    """Return published numbers beside ours, with a verdict.

    Parameters
    ----------
    summary : DataFrame
        Of `summarise`.
    published : DataFrame
        dataset, method, metric, value (missing: not published), comparable ("yes", or what stands against it), source.
    margin : float
        Largest difference that counts as the same.

    Returns
    -------
    DataFrame
        dataset, method, asked, metric, published, mean, sd, n, difference, verdict, source.
    """
    rows = []
    for claim in published.itertuples(index=False):
        ours = summary[(summary["dataset"] == claim.dataset) & (summary["method"] == claim.method)]
        for cell in ours.to_dict("records"):
            mean = cell[f"{claim.metric}_mean"]
            rising = MEASURES[claim.metric].higher_is_better
            row = {"dataset": claim.dataset, "method": claim.method, "asked": cell["asked"], "metric": claim.metric}
            row |= {"published": claim.value, "mean": mean, "sd": cell[f"{claim.metric}_sd"], "n": cell["n"]}
            row |= {"difference": mean - claim.value, "source": claim.source}
            row["verdict"] = verdict(mean, cell["n"], claim.value, claim.comparable, margin, rising)
            rows.append(row)
    columns = [*KEYS, "metric", "published", "mean", "sd", "n", "difference", "verdict", "source"]
    return pd.DataFrame(rows, columns=columns)


def verdict(
    mean: float, n: int, published: float, comparable: str, margin: float, higher_is_better: bool = True
) -> str:
    """Return how a mean of n runs stands to a published number.

    Examples
    --------
    >>> verdict(0.70, 5, 0.71, "yes", 0.02), verdict(0.75, 5, 0.71, "yes", 0.02), verdict(0.70, 2, 0.71, "yes", 0.02)
    ('within margin', 'better', 'too few runs')
    """
    if np.isnan(published):
        return "not published"
    if np.isnan(mean):
        return "not measured"
    if comparable != "yes":
        return f"not comparable: {comparable}"
    if n < ENOUGH_RUNS:
        return "too few runs"
    if abs(mean - published) <= margin:
        return "within margin"
    return "better" if higher_is_better and mean > published else "outside"


def formatted(summary: pd.DataFrame, config: Config, metrics: Sequence[str] | None = None) -> pd.DataFrame:
    """Return the summary for people: titles, "mean ± sd", an en dash where there is no number.

    Parameters
    ----------
    summary : DataFrame
        Of `summarise`.
    config : Config
    metrics : sequence of str or None, default=None
        Which metrics; None takes all of the config.
    """
    titles = {name: method.title for name, method in config.methods.items()}
    frame = pd.DataFrame({"data set": summary["dataset"], "method": summary["method"].map(titles)})
    if summary["asked"].notna().any():
        frame["rules asked"] = [("–" if pd.isna(asked) else str(asked)) for asked in summary["asked"]]
    for name in metrics or config.metrics:
        measure = MEASURES[name]
        pairs = zip(summary[f"{name}_mean"], summary[f"{name}_sd"])
        frame[measure.title] = [_mean_sd(mean, sd, measure.digits) for mean, sd in pairs]
    frame["n"] = summary["n"].astype(str)
    return frame


def shown_comparison(comparison: pd.DataFrame, config: Config) -> pd.DataFrame:
    """Return the comparison for people: titles, and numbers as text."""
    titles = {name: method.title for name, method in config.methods.items()}
    measures = comparison["metric"].map(MEASURES)
    frame = pd.DataFrame({"data set": comparison["dataset"], "method": comparison["method"].map(titles)})
    frame["metric"] = [measure.title for measure in measures]
    frame["published"] = [_number(value, m.digits) for value, m in zip(comparison["published"], measures)]
    pairs = zip(comparison["mean"], comparison["sd"], measures)
    frame["ours"] = [_mean_sd(mean, sd, m.digits) for mean, sd, m in pairs]
    frame["n"] = comparison["n"].astype(str)
    frame["difference"] = [_number(value, m.digits, "+") for value, m in zip(comparison["difference"], measures)]
    return frame.assign(verdict=comparison["verdict"], source=comparison["source"])


def _number(value: float, digits: int, sign: str = "") -> str:
    return "–" if np.isnan(value) else f"{value:{sign}.{digits}f}"


def _mean_sd(mean: float, sd: float, digits: int) -> str:
    if np.isnan(mean) or np.isnan(sd):
        return _number(mean, digits)
    return f"{_number(mean, digits)} ± {_number(sd, digits)}"


def read_published(config: Config) -> pd.DataFrame | None:
    """Return the config's published numbers, None when it has none.

    Raises
    ------
    ValueError
        Naming the file and what is wrong in it.
    """
    if config.published_path is None:
        return None
    frame = pd.read_csv(config.published_path)
    columns = ["dataset", "method", "metric", "value", "comparable", "source"]
    if list(frame.columns) != columns:
        raise ValueError(f"{config.published}: columns must be {', '.join(columns)}, got {', '.join(frame.columns)}")
    for column, known in (("dataset", config.datasets), ("method", config.methods), ("metric", config.metrics)):
        unknown = sorted(set(frame[column]) - set(known))
        if unknown:
            raise ValueError(f"{config.published}: {column} {unknown[0]!r} is not in the config")
    return frame


def write_table(folder: Path, name: str, exact: pd.DataFrame, shown: pd.DataFrame) -> None:
    """Write a table as NAME.csv (exact) and as NAME.md and NAME.tex (shown)."""
    write_csv(folder / f"{name}.csv", exact)
    write_whole(folder / f"{name}.md", to_markdown(shown))
    latex = shown.to_latex(index=False, escape=True).replace("±", r"$\pm$").replace("–", "--")
    write_whole(folder / f"{name}.tex", latex)


def write_csv(path: Path, frame: pd.DataFrame) -> None:
    """Write a frame as CSV, floats in 6 significant digits, so that the last bits of a sum do not show."""
    write_whole(path, frame.to_csv(index=False, float_format="%.6g", lineterminator="\n"))


def to_markdown(frame: pd.DataFrame) -> str:
    """Return a frame of text as a Markdown table."""
    return frame.to_markdown(index=False, disable_numparse=True) + "\n"
