"""Study: one config on one data set in one profile, as notebooks use it."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import pandas as pd

from .config import Config
from .files import RESULTS
from .loading import load_config
from .records import DONE, FAILED, SKIPPED, Record, RecordStore, index_records
from .reports import tables
from .runs import Run, is_late, make, plan
from .splits import Split
from .tasks.registry import TASKS
from .tuning import tune, with_tuned


def with_status(runs: Iterable[tuple[Run, Record | None]], *statuses: str) -> list[tuple[Run, Record]]:
    """Return the runs whose record has one of the statuses, with their records."""
    return [(run, record) for run, record in runs if record is not None and record.status in statuses]


def unfinished(runs: Iterable[tuple[Run, Record | None]]) -> list[str]:
    """Return a line for each run that is neither finished nor skipped, with the reason."""
    return [
        f"{run}: {'not run' if record is None else record.error}"
        for run, record in runs
        if record is None or record.status == FAILED
    ]


@dataclass(frozen=True)
class Study:
    """One config on one data set in one profile.

    Parameters
    ----------
    config : Config
    profile : str
        "smoke", "quick" or "paper".
    dataset : str
    results : Path
        Folder of the profile's results.
    """

    config: Config
    profile: str
    dataset: str
    results: Path

    @classmethod
    def open(cls, config: str | Path, profile: str, dataset: str, results: str | Path | None = None) -> Study:
        """Open a study by the names that stand in a notebook's parameters.

        Parameters
        ----------
        config : str or Path
            Id or file of the config.
        profile, dataset : str
            Names in the config.
        results : str, Path or None, default=None
            Folder that holds one folder a profile; None is the checkout's ``results``.

        Raises
        ------
        ValueError
            When the config lacks a name, or is at fault itself.
        """
        loaded = load_config(config)
        for name, value, known in (("profile", profile, loaded.profiles), ("dataset", dataset, loaded.datasets)):
            if value not in known:
                raise ValueError(f"{name} must be one of {', '.join(known)}, got {value!r}")
        folder = Path(results or RESULTS) / profile
        return cls(with_tuned(loaded, profile, folder), profile, dataset, folder)

    @property
    def store(self) -> RecordStore:
        """The profile's records."""
        return RecordStore(self.results / "records")

    @property
    def runs(self) -> tuple[Run, ...]:
        """All runs of the study, in the order of the config."""
        return plan(self.config, self.profile, self.dataset)

    def split(self, repetition: int = 0) -> Split:
        """Return the training and test rows that a repetition (from 0) sees."""
        entry = self.config.datasets[self.dataset]
        return TASKS[self.config.task].load(self.dataset, entry, self.config.seed, repetition)

    def run(self) -> Study:
        """Make the runs that are not done yet, and tell of each in a line on standard output.

        Returns
        -------
        Study
            This one; where the profile tunes first, the one with the parameters found.
        """
        study = self
        if self.config.profiles[self.profile].tune:
            # The search starts from the file's settings, not from those that an earlier search has found.
            tune(load_config(self.config.path), self.profile, self.dataset, self.results)
            study = Study.open(self.config.path, self.profile, self.dataset, self.results.parent)
        for line in study._progress():
            sys.stdout.write(line + "\n")
            sys.stdout.flush()
        return study

    def _progress(self) -> Iterator[str]:
        # Repetition by repetition, so that one split at a time is kept, and its forest fitted once for all methods.
        runs, split = sorted(self.runs, key=lambda run: run.repetition), lru_cache(maxsize=1)(self.split)
        own_rows, late = TASKS[self.config.task].varies(self.config.datasets[self.dataset]), {}
        for k, run in enumerate(runs):
            rows, what = split(run.repetition if own_rows else 0), (run.method, run.asked)
            record, made = make(run, rows, self.store, late.get(what))
            if is_late(record):
                late[what] = record
            seconds = sum(record.seconds.get(part, 0) for part in ("search", "fit", "explain", "observe"))
            outcome = f"{seconds:.2f} s" if record.status == DONE else record.error
            told = ", ".join([record.status, outcome, *record.notes])
            yield f"run {k + 1}/{len(runs)}: {run}: {told}{'' if made else ' (kept)'}"

    def pairs(self) -> list[tuple[Run, Record]]:
        """Return the finished runs with their records."""
        return with_status(self.records(), DONE)

    def failed(self) -> list[tuple[Run, Record]]:
        """Return the runs that raised an error or were skipped, with their records."""
        return with_status(self.records(), FAILED, SKIPPED)

    def missing(self) -> list[str]:
        """Return a line for each run that is neither finished nor skipped, with the reason."""
        return unfinished(self.records())

    def records(self, index: dict[str, Record] | None = None) -> list[tuple[Run, Record | None]]:
        """Return all runs with their records, None where there is none.

        `index` is of `index_records`, for whoever asks about many studies; None reads the store.
        """
        index = index_records(self.store.read(self.dataset)) if index is None else index
        return [(run, index.get(run.sought(None).id)) for run in self.runs]

    def scores(self) -> pd.DataFrame:
        """Return one row a finished run and number of rules; see `experiments.reports.tables.score_rows`."""
        return tables.score_rows(self.pairs())

    def titled_scores(self) -> pd.DataFrame:
        """Return `scores` with the methods' titles in place of their names, for pictures."""
        return self._titled(self.scores())

    def titled_timings(self) -> pd.DataFrame:
        """Return seconds of each run and number of rules, with the methods' titles, for pictures.

        Methods that nothing is fitted for, such as the generating rules, are left out.
        """
        timings = tables.timing_rows(self.pairs())
        return self._titled(timings[timings["fit_seconds"] > 0])

    def values_of(self, parameter: str) -> dict[str, Any]:
        """Return the parameter's value by title of method, for the axis of a picture; methods without it are left out.

        A method that is not told the value, but has a default for it, is without it too.
        """
        given = {name: self.config.parameters(name, self.dataset, self.profile) for name in self.config.methods}
        return {
            self.config.methods[name].title: values[parameter] for name, values in given.items() if parameter in values
        }

    def _titled(self, frame: pd.DataFrame) -> pd.DataFrame:
        return frame.assign(method=frame["method"].map(lambda name: self.config.methods[name].title))

    def rows(self) -> pd.DataFrame:
        """Return one row for each row explained and strategy, with the methods' titles, for pictures and medians."""
        return self._titled(tables.explained_rows(self.pairs()))

    def table(self) -> pd.DataFrame:
        """Return mean ± standard deviation over the repetitions, and n; a row with the reason for what failed."""
        return tables.with_failed(tables.formatted(self._summary(), self.config), self.failed(), self.config)

    def _summary(self) -> pd.DataFrame:
        return tables.summarise(self.scores(), TASKS[self.config.task].ddof)

    def comparison(self) -> pd.DataFrame | None:
        """Return published numbers beside ours with a verdict; None where nothing is published for this data set."""
        published = tables.read_published(self.config)
        if published is None or self.dataset not in set(published["dataset"]):
            return None
        published = published[published["dataset"] == self.dataset]
        rows_explained = self.config.profiles[self.profile].n_rows
        return tables.compare(self._summary(), published, self.config.margin, rows_explained)

    def figure_path(self, name: str) -> Path:
        """Return where a picture goes; the folder is made."""
        folder = self.results / "figures"
        folder.mkdir(parents=True, exist_ok=True)
        return folder / f"{self.config.id}-{self.dataset}-{name}.png"
