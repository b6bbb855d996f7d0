"""Tables: made of records alone, in the order of the config, so that they come out the same to the byte."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from mlrx.files import write_whole

from ..config import PUBLISHED_SD, Config
from ..files import without_places
from ..records import Record
from ..runs import Run
from ..tasks.measures import MEASURES
from ..tasks.registry import TASKS

KEYS = ["dataset", "method", "asked"]
TIMES = ["fit_seconds", "use_seconds"]
ENOUGH_RUNS = 3
# What chance has no say in: one run is enough.
COUNT = "a count"
COMPARABLE = ("yes", "same method", COUNT)
# The parts of a run's seconds in which a fitted method is used, by task.
USES = ("predict", "explain", "observe")
# Published numbers have two digits after the point: what a mean may be off by for that alone.
ROUNDING = 0.005
PUBLISHED_COLUMNS = ["dataset", "method", "asked", "metric", "value", "sd", "comparable", "source"]
Pairs = list[tuple[Run, Record]]


def score_rows(pairs: Pairs) -> pd.DataFrame:
    """Return one row for each run and number of rules or strategy.

    Parameters
    ----------
    pairs : list of (Run, Record)
        Finished runs, in order.

    Returns
    -------
    DataFrame
        dataset, method, asked (number of rules or strategy, missing where none is set), repetition, seed, and the
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
    return _with_asked(frame).astype(dict.fromkeys(metrics, "float64"))


def explained_rows(pairs: Pairs) -> pd.DataFrame:
    """Return one row for each row explained and strategy: dataset, method, asked, repetition, row and its scores."""
    frames = [
        pd.DataFrame(entry["rows"]).assign(
            dataset=run.dataset, method=run.method, asked=entry["asked"], repetition=run.repetition + 1
        )
        for run, record in pairs
        for entry in record.metrics
    ]
    frame = pd.concat(frames, ignore_index=True)
    keys = [*KEYS, "repetition", "row"]
    return frame[[*keys, *frame.columns.drop(keys)]]


def timing_rows(pairs: Pairs) -> pd.DataFrame:
    """Return seconds and place of each run and number of rules or strategy, which no other table holds.

    ``fit_seconds`` of a prefix is the time until its last rule was chosen; ``use_seconds`` is that of the whole model
    on the test rows: of predicting them, or of explaining them by all strategies. Where nothing is fitted, it is that
    of all that was done.
    """
    rows = []
    for run, record in pairs:
        seconds = record.seconds
        use = next(seconds[name] for name in USES if name in seconds)
        until = seconds.get("rules", ())
        for entry in record.metrics:
            asked = entry["asked"]
            fit = until[asked - 1] if isinstance(asked, int) and asked <= len(until) else seconds["fit"]
            key = {"dataset": run.dataset, "method": run.method, "asked": asked, "repetition": run.repetition + 1}
            taken = {"fit_seconds": round(fit, 4), "use_seconds": round(use, 4)}
            rows.append(key | taken | {"started": record.started, "machine": record.machine})
    return _with_asked(pd.DataFrame(rows, columns=[*KEYS, "repetition", *TIMES, "started", "machine"]))


def _with_asked(frame: pd.DataFrame) -> pd.DataFrame:
    """Return the frame with whole numbers, missing ones among them, as such; strategies stay text."""
    is_text = frame["asked"].map(lambda asked: isinstance(asked, str)).any()
    return frame if is_text else frame.astype({"asked": "Int64"})


def summarise(scores: pd.DataFrame, ddof: int = 1) -> pd.DataFrame:
    """Return one row a cell: n, and mean and standard deviation of every metric over the repetitions.

    Parameters
    ----------
    scores : DataFrame
        Of `score_rows`.
    ddof : int, default=1
        The standard deviation divides by n - `ddof`.

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
        frame[f"{name}_sd"] = grouped[name].std(ddof=ddof).where(grouped[name].count() > 1)
    return frame.reset_index()


def compare(
    summary: pd.DataFrame,
    published: pd.DataFrame,
    margin: float | dict[str, float],
    rows_explained: Callable[[str, str], int | None] = lambda dataset, method: None,
) -> pd.DataFrame:
    """Return published numbers beside ours, with a verdict.

    Parameters
    ----------
    summary : DataFrame
        Of `summarise`.
    published : DataFrame
        Of `read_published`.
    margin : float or dict of str to float
        Largest difference that counts as the same; by strategy, as a share of the published number. With the only key
        "published_sd", in published standard deviations, and half of the last published digit more.
    rows_explained : callable, optional
        ``rows_explained(dataset, method)`` returns how many rows of a fold were explained, which the verdict says; None
        where all were.

    Returns
    -------
    DataFrame
        dataset, method, asked, metric, published, published_sd, mean, sd, n, difference, verdict, source; a published
        number without a finished run of ours is there with n = 0.
    """
    rows = []
    for claim in published.itertuples(index=False):
        for cell in _cells(summary, claim):
            mean = cell[f"{claim.metric}_mean"]
            allowed = _margin(margin, cell["asked"], claim.value, claim.sd) if cell["n"] else np.nan
            row = {"dataset": claim.dataset, "method": claim.method, "asked": cell["asked"], "metric": claim.metric}
            row |= {"published": claim.value, "published_sd": claim.sd}
            row |= {"mean": mean, "sd": cell[f"{claim.metric}_sd"], "n": cell["n"]}
            row |= {"difference": mean - claim.value, "source": claim.source}
            better = MEASURES[claim.metric].better
            row["verdict"] = verdict(mean, cell["n"], claim.value, claim.comparable, allowed, better)
            if cell["n"] and (n_rows := rows_explained(claim.dataset, claim.method)) is not None:
                row["verdict"] += f" ({n_rows} rows a fold)"
            rows.append(row)
    columns = ["metric", "published", "published_sd", "mean", "sd", "n", "difference", "verdict", "source"]
    return _with_asked(pd.DataFrame(rows, columns=[*KEYS, *columns]))


def _cells(summary: pd.DataFrame, claim: Any) -> list[dict[str, Any]]:
    """Return our cells that a published number speaks of; where there are none, one of no runs."""
    ours = summary[(summary["dataset"] == claim.dataset) & (summary["method"] == claim.method)]
    cells = [cell for cell in ours.to_dict("records") if pd.isna(claim.asked) or claim.asked == str(cell["asked"])]
    asked = int(claim.asked) if str(claim.asked).isdigit() else claim.asked
    return cells or [{"asked": asked, f"{claim.metric}_mean": np.nan, f"{claim.metric}_sd": np.nan, "n": 0}]


def _margin(margin: float | dict[str, float], asked: str, value: float, sd: float) -> float:
    if not isinstance(margin, dict):
        return margin
    return margin[PUBLISHED_SD] * sd + ROUNDING if PUBLISHED_SD in margin else margin[asked] * value


def verdict(
    mean: float, n: int, published: float, comparable: str, margin: float, better: str | None = "higher"
) -> str:
    """Return how a mean of n runs stands to a published number.

    What is meant to be the published method itself ("same method") is not better when it is outside the margin, and
    one run is enough where chance has no say ("a count").

    Examples
    --------
    >>> verdict(0.70, 5, 0.71, "yes", 0.02), verdict(0.75, 5, 0.71, "yes", 0.02), verdict(0.70, 2, 0.71, "yes", 0.02)
    ('within margin', 'better', 'too few runs')
    """
    if np.isnan(published):
        return "not published"
    if n == 0:
        return "not run"
    if np.isnan(mean):
        return "not measured"
    if comparable not in COMPARABLE:
        return f"not comparable: {comparable}"
    if n < ENOUGH_RUNS and comparable != COUNT:
        return "too few runs"
    if abs(mean - published) <= margin:
        return "within margin"
    is_better = better == ("higher" if mean > published else "lower")
    return "better" if is_better and comparable == "yes" else "outside"


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
        frame[TASKS[config.task].asked_title] = [_asked_text(asked) for asked in summary["asked"]]
    for name in metrics or config.metrics:
        measure = MEASURES[name]
        pairs = zip(summary[f"{name}_mean"], summary[f"{name}_sd"])
        frame[measure.title] = [mean_sd(mean, sd, measure.digits) for mean, sd in pairs]
    frame["n"] = summary["n"].astype(str)
    return frame


def failed_rows(failed: Pairs, config: Config) -> pd.DataFrame:
    """Return a row, in the form of `formatted`, for each method and reason why runs of it have no scores."""
    rows = [
        {"data set": run.dataset, "method": config.methods[run.method].title}
        | {TASKS[config.task].asked_title: _asked_text(asked), "n": "0", "reason": without_places(record.error)}
        for run, record in failed
        for asked in run.asked or (None,)
    ]
    return pd.DataFrame(rows).drop_duplicates()


def with_failed(frame: pd.DataFrame, failed: Pairs, config: Config) -> pd.DataFrame:
    """Return a table of `formatted` with the rows of `failed_rows` below, where there are any."""
    if not failed:
        return frame
    rows = pd.concat([frame, failed_rows(failed, config)], ignore_index=True)
    return rows[[*(name for name in rows.columns if name not in ("n", "reason")), "n", "reason"]].fillna("–")


def shown_comparison(comparison: pd.DataFrame, config: Config) -> pd.DataFrame:
    """Return the comparison for people: titles, and numbers as text."""
    titles = {name: method.title for name, method in config.methods.items()}
    measures = comparison["metric"].map(MEASURES)
    frame = pd.DataFrame({"data set": comparison["dataset"], "method": comparison["method"].map(titles)})
    if comparison["asked"].notna().any():
        frame[TASKS[config.task].asked_title] = [_asked_text(asked) for asked in comparison["asked"]]
    frame["metric"] = [measure.title for measure in measures]
    stated = zip(comparison["published"], comparison["published_sd"], measures)
    frame["published"] = [mean_sd(value, sd, m.digits) for value, sd, m in stated]
    pairs = zip(comparison["mean"], comparison["sd"], measures)
    frame["ours"] = [mean_sd(mean, sd, m.digits) for mean, sd, m in pairs]
    frame["n"] = comparison["n"].astype(str)
    frame["difference"] = [_number(value, m.digits, "+") for value, m in zip(comparison["difference"], measures)]
    return frame.assign(verdict=comparison["verdict"], source=comparison["source"])


def _asked_text(asked: int | str | None) -> str:
    return "–" if pd.isna(asked) else str(asked)


def _number(value: float, digits: int, sign: str = "") -> str:
    return "–" if np.isnan(value) else f"{value:{sign}.{digits}f}"


def mean_sd(mean: float, sd: float, digits: int) -> str:
    """Return "mean ± sd", the mean alone without a deviation, an en dash without a mean."""
    if np.isnan(mean) or np.isnan(sd):
        return _number(mean, digits)
    return f"{_number(mean, digits)} ± {_number(sd, digits)}"


def read_published(config: Config) -> pd.DataFrame | None:
    """Return the config's published numbers, None when it has none.

    Returns
    -------
    DataFrame or None
        dataset, method, asked (missing: whatever was asked), metric, value (missing: not published), sd (missing: not
        published), comparable ("yes"; "same method", which cannot be better; "a count", which one run settles; or what
        stands against it), source.

    Raises
    ------
    ValueError
        Naming the file and what is wrong in it.
    """
    if config.published_path is None:
        return None
    frame = pd.read_csv(config.published_path, dtype={"asked": str})
    if list(frame.columns) != PUBLISHED_COLUMNS:
        allowed, given = ", ".join(PUBLISHED_COLUMNS), ", ".join(frame.columns)
        raise ValueError(f"{config.published}: columns must be {allowed}, got {given}")
    for column, known in (("dataset", config.datasets), ("method", config.methods), ("metric", config.metrics)):
        unknown = sorted(set(frame[column]) - set(known))
        if unknown:
            raise ValueError(f"{config.published}: {column} {unknown[0]!r} is not in the config")
    if isinstance(config.margin, dict) and PUBLISHED_SD in config.margin and frame["sd"].isna().any():
        raise ValueError(f"{config.published}: the margin needs the sd of every number")
    return frame


def write_table(folder: Path, name: str, exact: pd.DataFrame, shown: pd.DataFrame) -> None:
    """Write a table as NAME.csv (exact) and as NAME.md and NAME.tex (shown)."""
    write_csv(folder / f"{name}.csv", exact)
    write_whole(folder / f"{name}.md", to_markdown(shown))
    latex = shown.to_latex(index=False, escape=True).replace("±", r"$\pm$").replace("–", "--")
    write_whole(folder / f"{name}.tex", latex)


def write_csv(path: Path, frame: pd.DataFrame) -> None:
    """Write a frame as CSV, floats in 6 significant digits, so that the last bits of a sum do not show."""
    write_whole(path, to_csv(frame))


def to_csv(frame: pd.DataFrame) -> str:
    """Return a frame as the text that `write_csv` writes."""
    return frame.to_csv(index=False, float_format="%.6g", lineterminator="\n")


def to_markdown(frame: pd.DataFrame) -> str:
    """Return a frame of text as a Markdown table."""
    escaped = frame.map(lambda text: " ".join(text.split()).replace("|", "\\|"))
    return escaped.to_markdown(index=False, disable_numparse=True) + "\n"
