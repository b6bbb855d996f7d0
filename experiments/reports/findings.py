"""Findings: what the records of a profile say about each study, and the tables of it."""

from __future__ import annotations

import shutil
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import pandas as pd

from ..config import Config
from ..files import without_places
from ..records import DONE, FAILED, SKIPPED, Record, RecordStore, index_records
from ..runs import Run
from ..study import Study, with_status
from ..tasks.registry import TASKS
from . import tables

STUDIES = "studies"
LOGS = ("runs", "timings", STUDIES)


@dataclass(frozen=True)
class Findings:
    """What the records of a profile say about one study.

    Parameters
    ----------
    config : Config
    profile : str
    runs : tuple of (Run, Record or None)
        All runs that the profile asks for, in the order of the config.
    """

    config: Config
    profile: str
    runs: tuple[tuple[Run, Record | None], ...]

    @cached_property
    def pairs(self) -> tables.Pairs:
        """The finished runs with their records."""
        return with_status(self.runs, DONE)

    @cached_property
    def failed(self) -> tables.Pairs:
        """The runs that raised an error or were skipped, with their records."""
        return with_status(self.runs, FAILED, SKIPPED)

    @cached_property
    def summary(self) -> pd.DataFrame:
        """See `tables.summarise`."""
        return tables.summarise(tables.score_rows(self.pairs), TASKS[self.config.task].ddof)

    @cached_property
    def shown_summary(self) -> pd.DataFrame:
        """The summary for people, with a row for what failed and why."""
        return tables.with_failed(tables.formatted(self.summary, self.config), self.failed, self.config)

    @cached_property
    def comparison(self) -> pd.DataFrame | None:
        """See `tables.compare`; every published number is in it. None where nothing is published."""
        published = tables.read_published(self.config)
        if published is None:
            return None
        rows_explained = self.config.profiles[self.profile].n_rows
        return tables.compare(self.summary, published, self.config.margin, rows_explained)

    @cached_property
    def shown_comparison(self) -> pd.DataFrame | None:
        """The comparison for people."""
        return None if self.comparison is None else tables.shown_comparison(self.comparison, self.config)

    def state(self) -> pd.DataFrame:
        """Return for each data set how many runs are asked for, done, failed and skipped, and their commits."""
        rows = []
        for dataset in self.config.profiles[self.profile].datasets:
            records = [record for run, record in self.runs if run.dataset == dataset]
            made = [record for record in records if record is not None]
            statuses = Counter(record.status for record in made)
            counts = {"runs": len(records)} | {status: statuses[status] for status in (DONE, FAILED, SKIPPED)}
            commits = " ".join(sorted({record.commit for record in made}))
            rows.append({"study": self.config.id, "dataset": dataset, **counts, "commits": commits})
        return pd.DataFrame(rows)

    def scarce(self) -> pd.DataFrame:
        """Return the methods with cells of fewer than three runs: dataset, method, n (the least) and reason.

        Data sets without any record are passed over.
        """
        rows, begun = [], {run.dataset for run, record in self.runs if record is not None}
        for dataset, method in dict.fromkeys((run.dataset, run.method) for run, _ in self.runs if run.dataset in begun):
            own = [(run, record) for run, record in self.runs if (run.dataset, run.method) == (dataset, method)]
            asked_for = Counter(asked for run, _ in own for asked in run.asked or (None,))
            done = Counter(asked for run, _ in with_status(own, DONE) for asked in run.asked or (None,))
            least = min(asked_for, key=lambda asked: done[asked])
            if done[least] < tables.ENOUGH_RUNS:
                reason = self._why_scarce(own, dataset, method, asked_for[least] - done[least])
                rows.append({"dataset": dataset, "method": method, "n": done[least], "reason": reason})
        return pd.DataFrame(rows, columns=["dataset", "method", "n", "reason"])

    def _why_scarce(self, own: list[tuple[Run, Record | None]], dataset: str, method: str, n_unfinished: int) -> str:
        for _, record in with_status(own, FAILED, SKIPPED):
            return f"{record.status}: {without_places(record.error)}"
        if n_unfinished:
            return "not all of its runs are done"
        is_fixed = not TASKS[self.config.task].varies(self.config.datasets[dataset])
        if self.config.methods[method].deterministic and is_fixed:
            return "chance has no part in it, on one split of the rows"
        n = self.config.profiles[self.profile].repetitions
        return f"the profile {self.profile} asks for {n} repetition{'s' if n > 1 else ''}"


def gather(configs: Iterable[Config], profile: str, results: Path) -> list[Findings]:
    """Return what the records of a profile say about each config.

    Parameters
    ----------
    configs : iterable of Config
    profile : str
    results : Path
        Folder that holds one folder a profile.
    """
    index = index_records(RecordStore(results / profile / "records").read())
    found = []
    for config in configs:
        studies = [Study.open(config.path, profile, name, results) for name in config.profiles[profile].datasets]
        found.append(Findings(config, profile, tuple(pair for study in studies for pair in study.records(index))))
    return found


def write_tables(findings: list[Findings], folder: Path) -> Path:
    """Write the tables of a profile, in place of all that is in the folder.

    Parameters
    ----------
    findings : list of Findings
    folder : Path

    Returns
    -------
    Path
        The folder. For each config with finished runs: ``ID.csv`` (exact), ``ID.md``, ``ID.tex`` (mean ± sd, n),
        ``ID-published.*`` where numbers are published; over all configs ``runs.csv`` (one row a run), ``timings.csv``
        (seconds, times and machine, which are nowhere else) and ``studies.csv`` (how many of the runs are done).
    """
    shutil.rmtree(folder, ignore_errors=True)
    write_studies(findings, folder)
    for name, frame in logs(findings).items():
        tables.write_csv(folder / f"{name}.csv", frame)
    return folder


def write_studies(findings: list[Findings], folder: Path) -> None:
    """Write the tables of each study with finished runs, as `write_tables` does."""
    for found in findings:
        if not found.pairs:
            continue
        tables.write_table(folder, found.config.id, found.summary, found.shown_summary)
        if found.comparison is not None:
            tables.write_table(folder, f"{found.config.id}-published", found.comparison, found.shown_comparison)


def logs(findings: list[Findings]) -> dict[str, pd.DataFrame]:
    """Return the tables over all studies, by name; those without a row are left out."""
    frames: dict[str, list[pd.DataFrame]] = {name: [] for name in LOGS}
    for found in findings:
        frames[STUDIES].append(found.state())
        if found.pairs:
            study = {"study": found.config.id}
            frames["runs"].append(tables.score_rows(found.pairs).assign(**study))
            frames["timings"].append(tables.timing_rows(found.pairs).assign(**study))
    joined = {name: pd.concat(parts, ignore_index=True) for name, parts in frames.items() if parts}
    return {name: frame[["study", *frame.columns.drop("study")]] for name, frame in joined.items()}
