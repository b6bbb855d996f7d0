"""What is tracked of the results: the tables of a profile, and those in README that are made from them."""

from __future__ import annotations

import re
import shutil
from collections.abc import Sequence
from io import StringIO
from pathlib import Path

import pandas as pd

from mlrx.files import write_whole

from ..files import RESULTS, ROOT
from ..loading import list_configs, load_config
from ..study import unfinished
from ..tasks.measures import MEASURES
from . import tables
from .findings import STUDIES, Findings, gather, logs, write_studies

PUBLISHED = RESULTS / "published"
README = ROOT / "README.md"
MARKED = re.compile(r"<!-- (?P<name>\w+):begin -->.*?<!-- (?P=name):end -->", re.DOTALL)
README_STUDY = "real_data"
README_TEXT = """\
Scores on test rows: mean ± standard deviation over n runs with different seeds. Coverage is the share of label
occurrences that some rule explains; seconds are those of a fit on one core."""
README_METRICS = ("micro_f1", "macro_f1", "n_rules", "n_conditions", "coverage")
STRATEGIES_STUDY = "lionforests_strategies"
STRATEGIES_TEXT = """\
Length L and CPU seconds T of explanations by LionForests, over n folds: as published in Table 2 of its paper, of the
same reductions run again (the verdict is on their L), and of rules that are proven. Published seconds are those of
another machine."""
STRATEGIES = {"all": "LF-a", "each": "LF-l", "frequent": "LF-p"}


def publish(
    profile: str,
    names: Sequence[str | Path] = (),
    results: Path = RESULTS,
    tracked: Path = PUBLISHED,
    readme: Path = README,
) -> list[str]:
    """Replace the tracked tables of a profile by those of its records, and README's tables with them.

    Parameters
    ----------
    profile : str
    names : sequence of str or Path, default=()
        Ids of configs. None stands for all studies: then every run must be done, and tables of studies that are gone
        are removed. Else only the tables of these studies are replaced, as far as their runs are done.
    results : Path
        Folder that holds one folder a profile.
    tracked : Path
        The tracked copies are in ``tracked/PROFILE``.
    readme : Path

    Returns
    -------
    list of str
        For each study and data set how many of its runs are done.

    Raises
    ------
    ValueError
        When there is no such config, when no run of a named study is done, or, without names, when a run is missing or
        failed; the first few are named. Then nothing is changed.
    """
    findings = gather([load_config(name) for name in names or list_configs()], profile, results)
    _check(findings, profile, is_part=bool(names))
    folder = tracked / profile
    if not names:
        shutil.rmtree(folder, ignore_errors=True)
    _replace(findings, folder)
    write_whole(readme, with_blocks(readme.read_text(encoding="utf-8"), tracked))
    return [
        f"{row.study} on {row.dataset}: {row.done} of {row.runs} runs" for row in logs(findings)[STUDIES].itertuples()
    ]


def _check(findings: list[Findings], profile: str, is_part: bool) -> None:
    """Refuse named studies without a finished run, and all studies when a run of any is unfinished."""
    empty = [found.config.id for found in findings if not found.pairs]
    if is_part and empty:
        raise ValueError(f"no run of {', '.join(empty)} in {profile} is done; nothing is published")
    missing = [f"{found.config.id}: {line}" for found in findings for line in unfinished(found.runs)]
    if missing and not is_part:
        shown = "\n  ".join(missing[:10])
        raise ValueError(
            f"{len(missing)} runs of {profile} are not done; nothing is published (name studies to publish them as far "
            f"as they are done):\n  {shown}"
        )


def _replace(findings: list[Findings], folder: Path) -> None:
    """Write the tables of the studies, and their rows in the tables over all; leave those of others alone."""
    for found in findings:
        for path in [*folder.glob(f"{found.config.id}.*"), *folder.glob(f"{found.config.id}-published.*")]:
            path.unlink()
    write_studies(findings, folder)
    ids = {found.config.id for found in findings}
    for name, frame in logs(findings).items():
        path, rows = folder / f"{name}.csv", _as_text(tables.to_csv(frame))
        if path.exists():
            before = _as_text(path.read_text(encoding="utf-8"))
            rows = pd.concat([before[~before["study"].isin(ids)], rows]).fillna("").sort_values("study", kind="stable")
        tables.write_csv(path, rows)


def _as_text(csv: str) -> pd.DataFrame:
    """Return the cells of a CSV as the text that they are."""
    return pd.read_csv(StringIO(csv), dtype=str, keep_default_na=False)


def with_blocks(readme: str, tracked: Path) -> str:
    """Return README's text with its generated tables in place, from the tracked tables."""
    return MARKED.sub(lambda match: _block(match["name"], tracked), readme)


def _block(name: str, tracked: Path) -> str:
    """Return a generated table between its markers."""
    table = BLOCKS[name](tracked)
    inner = f"\n\n{table}\n" if table else "\n"
    return f"<!-- {name}:begin -->{inner}<!-- {name}:end -->"


def results_block(tracked: Path) -> str:
    """Return the table of real data in the profile ``quick``; nothing when none is tracked."""
    folder = tracked / "quick"
    config = load_config(README_STUDY)
    if not (folder / f"{config.id}.csv").exists():
        return ""
    summary = pd.read_csv(folder / f"{config.id}.csv")
    timings = pd.read_csv(folder / "timings.csv")
    mean_seconds = timings[timings["study"] == config.id].groupby(["dataset", "method"])["fit_seconds"].mean()
    shown = tables.formatted(summary, config, README_METRICS).drop(columns="rules asked")
    shown["seconds"] = [f"{mean_seconds[key]:.2f}" for key in zip(summary["dataset"], summary["method"])]
    return f"{README_TEXT}\n\n{tables.to_markdown(shown)}"


def strategies_block(tracked: Path) -> str:
    """Return lengths and seconds of the strategies in the profile ``paper``; nothing when none are tracked."""
    path = tracked / "paper" / f"{STRATEGIES_STUDY}-published.csv"
    if not path.exists():
        return ""
    cells = {(row.dataset, row.asked, row.method, row.metric): row for row in pd.read_csv(path).itertuples()}
    rows = []
    for dataset, asked in dict.fromkeys(key[:2] for key in cells):
        row = {"data set": dataset, "strategy": STRATEGIES[asked]}
        for metric, letter in (("length", "L"), ("seconds", "T")):
            again, proven = (cells[dataset, asked, method, metric] for method in ("paper", "certified"))
            digits = MEASURES[metric].digits
            row[f"{letter} published"] = tables.mean_sd(again.published, again.published_sd, digits)
            row[f"{letter} again"] = tables.mean_sd(again.mean, again.sd, digits)
            row[f"{letter} proven"] = tables.mean_sd(proven.mean, proven.sd, digits)
            if metric == "length":
                counts = dict.fromkeys((str(again.n), str(proven.n)))
                row |= {"n": " / ".join(counts), "verdict": again.verdict}
        rows.append(row)
    return f"{STRATEGIES_TEXT}\n\n{tables.to_markdown(pd.DataFrame(rows))}"


# README's generated tables, by the name in their markers.
BLOCKS = {"results": results_block, "lionforests": strategies_block}
