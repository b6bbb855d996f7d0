"""The tables of a profile, made from its records; and what of them is tracked."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pandas as pd

from . import tables
from .config import Config
from .files import RESULTS, ROOT, write_whole
from .loading import list_configs, load_config
from .records import Record, RecordStore, index_records
from .study import Study
from .tasks import TASKS

PUBLISHED = "published"
README_STUDY = "real_data"
README_TEXT = """\
Scores on test rows: mean ± standard deviation over n runs with different seeds. Coverage is the share of label
occurrences that some rule explains; seconds are those of a fit on one core."""
README_METRICS = ("micro_f1", "macro_f1", "n_rules", "n_conditions", "coverage")
MARKERS = ("<!-- results:begin -->", "<!-- results:end -->")
BLOCK = re.compile(f"{MARKERS[0]}.*?{MARKERS[1]}", re.DOTALL)


def write_tables(configs: list[Config], profile: str, results: Path) -> Path:
    """Write the tables of a profile from its records, and remove those of no study.

    Parameters
    ----------
    configs : list of Config
    profile : str
    results : Path
        Folder that holds one folder a profile.

    Returns
    -------
    Path
        The folder of tables. For each config ID: ``ID.csv`` (exact), ``ID.md``, ``ID.tex`` (mean ± sd, n),
        ``ID-published.*`` where numbers are published; over all configs ``runs.csv`` (one row a run) and
        ``timings.csv`` (seconds, times and machine, which are nowhere else).
    """
    folder = results / profile / "tables"
    shutil.rmtree(folder, ignore_errors=True)
    all_scores, all_timings = [], []
    index = _index(profile, results)
    for config in configs:
        studies = [Study.open(config.path, profile, name, results) for name in config.profiles[profile].datasets]
        pairs = [pair for study in studies for pair in study.pairs(index)]
        failed = [pair for study in studies for pair in study.failed(index)]
        if not pairs:
            continue
        scores = tables.score_rows(pairs)
        all_scores.append(scores.assign(study=config.id))
        all_timings.append(tables.timing_rows(pairs).assign(study=config.id))
        summary = tables.summarise(scores, TASKS[config.task].ddof)
        shown = tables.with_failed(tables.formatted(summary, config), failed, config)
        tables.write_table(folder, config.id, summary, shown)
        published = tables.read_published(config)
        if published is not None:
            comparison = tables.compare(summary, published, config.margin, config.profiles[profile].n_rows)
            tables.write_table(
                folder, f"{config.id}-published", comparison, tables.shown_comparison(comparison, config)
            )
    for name, frames in (("runs", all_scores), ("timings", all_timings)):
        if frames:
            frame = pd.concat(frames, ignore_index=True)
            tables.write_csv(folder / f"{name}.csv", frame[["study", *frame.columns.drop("study")]])
    return folder


def publish(profile: str, results: Path = RESULTS, readme: Path = ROOT / "README.md") -> list[Path]:
    """Replace the tracked tables of a profile by its tables, and README's table by that of ``quick``.

    Parameters
    ----------
    profile : str
    results : Path
        The tracked copies are in ``results/published/PROFILE``.
    readme : Path

    Returns
    -------
    list of Path
        The files written.

    Raises
    ------
    ValueError
        When there are no tables, or a run of the profile is missing or failed; the first few are named.
    """
    index = _index(profile, results)
    missing = [
        f"{config.id}: {line}"
        for config in map(load_config, list_configs())
        for dataset in config.profiles[profile].datasets
        for line in Study.open(config.path, profile, dataset, results).missing(index)
    ]
    if missing:
        shown = "\n  ".join(missing[:10])
        raise ValueError(f"{len(missing)} runs of {profile} are not done; nothing is published:\n  {shown}")
    source, target = results / profile / "tables", results / PUBLISHED / profile
    shutil.rmtree(target, ignore_errors=True)
    written = []
    for path in sorted(source.iterdir()):
        write_whole(target / path.name, path.read_text(encoding="utf-8"))
        written.append(target / path.name)
    if profile == "quick":
        text = BLOCK.sub(lambda _: readme_block(target), readme.read_text(encoding="utf-8"))
        write_whole(readme, text)
        written.append(readme)
    return written


def _index(profile: str, results: Path) -> dict[str, Record]:
    return index_records(RecordStore(results / profile / "records").read())


def readme_block(folder: Path) -> str:
    """Return README's block of results, markers included, from the tracked tables in a folder."""
    config = load_config(README_STUDY)
    summary = pd.read_csv(folder / f"{config.id}.csv")
    timings = pd.read_csv(folder / "timings.csv")
    mean_seconds = timings[timings["study"] == config.id].groupby(["dataset", "method"])["fit_seconds"].mean()
    shown = tables.formatted(summary, config, README_METRICS).drop(columns="rules asked")
    shown["seconds"] = [f"{mean_seconds[key]:.2f}" for key in zip(summary["dataset"], summary["method"])]
    return f"{MARKERS[0]}\n\n{README_TEXT}\n\n{tables.to_markdown(shown)}\n{MARKERS[1]}"
