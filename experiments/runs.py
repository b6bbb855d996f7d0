"""Runs: which fits a study asks for on a data set, and how one of them becomes a record."""

from __future__ import annotations

import time
import traceback
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from .config import Config
from .evaluation import evaluate
from .methods import METHODS
from .records import DONE, FAILED, Record, RecordStore, code_digest, git_commit, machine, now, package_versions
from .seeds import NOT_REPRODUCIBLE, derive_seed, seed_entry
from .splits import Split, varies


@dataclass(frozen=True)
class Run:
    """One fit of one method on one data set.

    Parameters
    ----------
    dataset, method : str
        Names in the config.
    kind : str
        The adapter, a name of `experiments.methods.METHODS`.
    repetition : int
        From 0.
    n_rules : tuple of int
        Numbers of rules that are scored; several only where one fit serves them all. Empty where none is set.
    parameters : dict
    random_state : int, RandomState or None
    metrics : tuple of str
    zero_division : int
    """

    dataset: str
    method: str
    kind: str
    repetition: int
    n_rules: tuple[int, ...]
    parameters: dict[str, Any]
    random_state: Any
    metrics: tuple[str, ...]
    zero_division: int

    def __str__(self) -> str:
        rules = f", {' '.join(map(str, self.n_rules))} rules" if self.n_rules else ""
        return f"{self.dataset}, {self.method}{rules}, repetition {self.repetition + 1}"

    def sought(self, checksum: str | None) -> Record:
        """Return the record that this run leaves on data of the given checksum, without what comes of it."""
        seed = seed_entry(self.random_state)
        determines = {
            "dataset": self.dataset,
            "repetition": self.repetition,
            "checksum": checksum,
            "method": self.kind,
            "n_rules": list(self.n_rules),
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
    entry = config.datasets[dataset]
    for name, method in config.methods.items():
        numbers = method.n_rules(entry)
        groups = [numbers] if METHODS[method.kind].serves_prefixes or not numbers else [(n,) for n in numbers]
        once = method.deterministic and not varies(entry)
        for repetition in range(1 if once else config.profiles[profile].repetitions):
            seed = derive_seed(config.seed, dataset, repetition, name)
            for group in groups:
                parameters = config.parameters(name, dataset, profile)
                scored = (config.metrics, config.zero_division)
                yield Run(dataset, name, method.kind, repetition, group, parameters, seed, *scored)


def make(run: Run, split: Split, store: RecordStore) -> tuple[Record, bool]:
    """Return the run's record from the store, or make the run and store its record.

    Parameters
    ----------
    run : Run
    split : Split
    store : RecordStore

    Returns
    -------
    record : Record
        Status "failed" with the error when the run raised one; it is tried again the next time.
    made : bool
        Whether the run was made now.
    """
    sought = run.sought(split.checksum)
    found = store.find(sought)
    if found is not None and found.status == DONE and found.reproducible:
        return found, False
    place = {"started": now(), "machine": machine(), "commit": git_commit()}
    try:
        record = replace(sought, **place, **_outcome(run, split))
    except Exception as error:
        reason = f"{type(error).__name__}: {error}"
        record = replace(sought, **place, status=FAILED, error=reason, trace=traceback.format_exc())
    store.write(record)
    return record, True


def _outcome(run: Run, split: Split) -> dict[str, Any]:
    most = max(run.n_rules, default=None)
    fitted = METHODS[run.kind].fit(split, most, run.random_state, run.parameters)
    start = time.perf_counter()
    predicted = fitted.predict(split.test.X)
    seconds = {"fit": fitted.seconds, "predict": time.perf_counter() - start, "rules": list(fitted.rule_seconds)}
    return {
        "metrics": evaluate(fitted, predicted, split, run.n_rules, run.metrics, run.zero_division),
        "seconds": seconds,
        "notes": fitted.notes,
    }
