"""Reproduction: every study of a profile through its notebook, two at a time, and an honest account of it."""

from __future__ import annotations

import os
import re
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path

from rich.console import Console

from .config import Config
from .notebooks import execute
from .progress import RunProgress
from .records import code_changed, code_digest
from .reports.outcomes import Outcome
from .study import Study
from .tasks.registry import TASKS

RUN_LINE = re.compile(r"run \d+/\d+: ")


def reproduce(configs: list[Config], profile: str, console: Console, results: Path) -> list[Outcome]:
    """Run studies: one notebook a data set, two at a time, each in a kernel of one thread.

    Parameters
    ----------
    configs : list of Config
    profile : {"smoke", "quick", "paper"}
    console : rich.console.Console
        Where progress goes.
    results : Path
        Folder that holds one folder a profile.

    Returns
    -------
    list of Outcome
        One a notebook, in the order of the configs.

    Notes
    -----
    Runs that have a finished record are kept. A data set that cannot be had is skipped, with the reason.
    """
    code_digest()  # is kept: from here on the sources must not change
    jobs = [(config, dataset) for config in configs for dataset in config.profiles[profile].datasets]
    outcomes = {(config.id, dataset): _obstacle(config, dataset) for config, dataset in jobs}
    studies = [Study.open(c.path, profile, d, results) for c, d in jobs if outcomes[c.id, d] is None]
    with RunProgress(console, sum(len(study.runs) for study in studies)) as progress:
        for outcome in filter(None, outcomes.values()):
            progress.say(f"{outcome.status}: {outcome.study} on {outcome.dataset}")
        for outcome in _run_all(studies, progress):
            outcomes[outcome.study, outcome.dataset] = outcome
            progress.say(str(outcome))
    return list(outcomes.values())


def summarise(outcomes: list[Outcome], seconds: float, report: Path) -> str:
    """Return the closing words: how many did what, each skip and failure with its reason, time, place of the report."""
    counts = Counter(outcome.status for outcome in outcomes)
    lines = [", ".join(f"{counts[status]} {status}" for status in ("done", "skipped", "failed"))]
    lines += [f"  {outcome}" for outcome in outcomes if outcome.status != "done"]
    lines.append(f"{seconds / 60:.1f} minutes; the report is {report}, tables are beside it")
    return "\n".join(lines)


def _obstacle(config: Config, dataset: str) -> Outcome | None:
    """Return why the study cannot be run on the data set; None when its data is at hand."""
    try:
        TASKS[config.task].ensure_files(dataset, config.datasets[dataset])
    except OSError as error:
        return Outcome(config.id, dataset, "skipped", str(error))
    except ValueError as error:
        return Outcome(config.id, dataset, "failed", str(error))
    return None


def _run_all(studies: list[Study], progress: RunProgress) -> Iterator[Outcome]:
    executor = ThreadPoolExecutor(min(2, os.cpu_count() or 1))
    try:
        for future in as_completed([executor.submit(_run_one, study, progress) for study in studies]):
            yield future.result()
    finally:
        executor.shutdown(wait=False, cancel_futures=True)


def _run_one(study: Study, progress: RunProgress) -> Outcome:
    def count(line: str) -> None:
        if RUN_LINE.match(line):
            progress.step()

    start = time.perf_counter()
    name = f"{study.config.id}-{study.dataset}"
    parameters = {"config": str(study.config.path), "dataset": study.dataset, "profile": study.profile}
    parameters["results"] = str(study.results.parent)
    reason = ""
    try:
        execute(study.config.notebook_path, study.results / "notebooks" / f"{name}.ipynb", parameters, count)
        # A notebook that ends is no proof: the records are, read back with the settings that a search has found.
        missing = Study.open(study.config.path, study.profile, study.dataset, study.results.parent).missing()
        if missing:
            reason = f"{len(missing)} runs are not done, the first: {missing[0]}"
        if missing and code_changed():
            reason = "the sources changed in the meantime, so its runs are of two versions; run it again"
    except (RuntimeError, ValueError, OSError) as error:
        reason = str(error)
    status = "failed" if reason else "done"
    return Outcome(study.config.id, study.dataset, status, reason, time.perf_counter() - start)
