"""Reproduction: every study of a profile through its notebook, then tables and an honest summary."""

from __future__ import annotations

import os
import time
from concurrent.futures import FIRST_COMPLETED, ThreadPoolExecutor, wait
from dataclasses import dataclass
from pathlib import Path

from .config import Config
from .files import RESULTS
from .notebooks import execute
from .progress import RunProgress
from .report import write_tables
from .splits import ensure_files
from .study import Study


@dataclass(frozen=True)
class Outcome:
    """What became of one notebook.

    Parameters
    ----------
    study, dataset : str
    status : {"done", "skipped", "failed"}
    reason : str
        Why it was skipped or failed.
    seconds : float
        Wall time by a monotonic clock.
    """

    study: str
    dataset: str
    status: str
    reason: str = ""
    seconds: float = 0.0


def reproduce(configs: list[Config], profile: str, console, results: Path | None = None) -> list[Outcome]:
    """Run the studies of a profile: one notebook a data set, two at a time, each in a kernel of one thread.

    Parameters
    ----------
    configs : list of Config
    profile : {"smoke", "quick", "paper"}
    console : rich.console.Console
        Where progress goes.
    results : Path or None, default=None
        Folder that holds one folder a profile; None is the checkout's ``results``.

    Returns
    -------
    list of Outcome
        One a notebook, in the order of the configs. Tables are written to ``results/PROFILE/tables``.

    Notes
    -----
    Runs that have a finished record are kept. Data sets that cannot be had are skipped with the reason.
    """
    results = Path(results or RESULTS)
    outcomes: dict[tuple[str, str], Outcome] = {}
    studies = []
    for config in configs:
        for dataset in config.profiles[profile].datasets:
            outcomes[config.id, dataset] = Outcome(config.id, dataset, "skipped")
            try:
                ensure_files(dataset, config.datasets[dataset])
                studies.append(Study.open(config.path, profile, dataset, results))
            except OSError as error:
                outcomes[config.id, dataset] = Outcome(config.id, dataset, "skipped", str(error))
            except ValueError as error:
                outcomes[config.id, dataset] = Outcome(config.id, dataset, "failed", str(error))
    with RunProgress(console, sum(len(study.runs) for study in studies)) as progress:
        for outcome in _run_all(studies, progress):
            outcomes[outcome.study, outcome.dataset] = outcome
            progress.say(f"{outcome.status}: {outcome.study}, {outcome.dataset} ({outcome.seconds:.0f} s) {outcome.reason}")
    for config in configs:
        write_tables(config, profile, results)
    return list(outcomes.values())
