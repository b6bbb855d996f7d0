"""Runs: which fits a study asks for on a data set, and how one of them becomes a record."""

from __future__ import annotations

import traceback
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from .config import Config
from .explainers.deadline import OutOfTimeError
from .extras import MissingExtraError
from .records import DONE, FAILED, SKIPPED, Record, RecordStore, code_digest, git_commit, machine, now, package_versions
from .seeds import NOT_REPRODUCIBLE, derive_seed, seed_entry
from .splits import Split
from .tasks.registry import TASKS


@dataclass(frozen=True)
class Run:
    """One fit of one method on one data set.

    Parameters
    ----------
    task : str
        A name of `experiments.tasks.registry.TASKS`.
    dataset, method : str
        Names in the config.
    kind : str
        The adapter, one of the task's.
    repetition : int
        From 0.
    asked : tuple of int or str
        Numbers of rules that are scored, several only where one fit serves them all, empty where none is set; or
        strategies.
    parameters : dict
    random_state : int, RandomState or None
    metrics : tuple of str
    zero_division : int or None
    rows : int or None, default=None
        How many test rows are explained; None is all.
    audit_budget : int or None, default=None
        Boxes that the search for a counterexample to a rule may look at; None where no rule is audited.
    folds : int or None, default=None
        Of how many folds of all rows the repetition tests one; None where the rows are split otherwise.
    """

    task: str
    dataset: str
    method: str
    kind: str
    repetition: int
    asked: tuple[int | str, ...]
    parameters: dict[str, Any]
    random_state: Any
    metrics: tuple[str, ...]
    zero_division: int | None
    rows: int | None = None
    audit_budget: int | None = None
    folds: int | None = None

    def __str__(self) -> str:
        asked = f", {' '.join(map(str, self.asked))}" if self.asked else ""
        asked += " rules" if self.asked and self.task == "predict" else ""
        return f"{self.dataset}, {self.method}{asked}, repetition {self.repetition + 1}"

    def sought(self, checksum: str | None) -> Record:
        """Return the record that this run leaves on data of the given checksum, without what comes of it."""
        seed = seed_entry(self.random_state)
        determines = {
            "task": self.task,
            "dataset": self.dataset,
            "repetition": self.repetition,
            "checksum": checksum,
            "method": self.kind,
            "asked": list(self.asked),
            "rows": self.rows,
            "audit_budget": self.audit_budget,
            "folds": self.folds,
            "parameters": self.parameters,
            "seed": seed,
            "metrics": list(self.metrics),
            "zero_division": self.zero_division,
            "code": code_digest(),
            "packages": package_versions(),
        }
        return Record(determines, DONE, seed != NOT_REPRODUCIBLE)


def plan(config: Config, profile: str, dataset: str) -> tuple[Run, ...]:
    """Return the runs of a study on a data set, in the order of the config.

    Notes
    -----
    The seed of a run derives from the config's seed, the data set, the repetition and the method. A deterministic
    method is run once where all repetitions have the same rows.
    """
    return tuple(_plan(config, profile, dataset))


def _plan(config: Config, profile: str, dataset: str) -> Iterator[Run]:
    entry, task, extent = config.datasets[dataset], TASKS[config.task], config.profiles[profile]
    for name, method in config.methods.items():
        once = method.deterministic and not task.varies(entry)
        parameters = config.parameters(name, dataset, profile)
        for repetition in range(1 if once else extent.repetitions):
            seed = derive_seed(config.seed, dataset, repetition, name)
            for asked in task.asked(method, entry):
                what = (config.task, dataset, name, method.kind, repetition, asked, parameters, seed)
                measured = config.metrics, config.zero_division, extent.n_rows(dataset, name), config.audit_budget
                yield Run(*what, *measured, entry.folds)


def is_late(record: Record) -> bool:
    """Tell whether a run was given up because its fit took longer than its limit."""
    return record.status == SKIPPED and record.error.startswith(OutOfTimeError.__name__)


def make(run: Run, split: Split, store: RecordStore, late: Record | None = None) -> tuple[Record, bool]:
    """Return the run's record from the store, or make the run and store its record.

    Parameters
    ----------
    run : Run
    split : Split
    store : RecordStore
    late : Record or None, default=None
        Of an earlier repetition that was given up for its limit of time; this one is then given up at once.

    Returns
    -------
    record : Record
        Status "failed" with the error when the run raised one, "skipped" when its package is not installed; it is tried
        again the next time. "skipped" too, and not tried again, when its fit took longer than its limit.
    made : bool
        Whether the run was made now.
    """
    sought = run.sought(split.checksum)
    found = store.find(sought)
    if found is not None and ((found.status == DONE and found.reproducible) or is_late(found)):
        return found, False
    place = {"started": now(), "machine": machine(), "commit": git_commit()}
    try:
        if late is not None:
            raise OutOfTimeError(late.error.removeprefix(f"{OutOfTimeError.__name__}: "))
        record = replace(sought, **place, **TASKS[run.task].outcome(run, split))
    except Exception as error:
        reason = f"{type(error).__name__}: {error}"
        status = SKIPPED if isinstance(error, MissingExtraError | OutOfTimeError) else FAILED
        record = replace(sought, **place, status=status, error=reason, trace=traceback.format_exc())
    if found is not None and found.status == record.status == SKIPPED:
        return found, False
    store.write(record)
    return record, True
