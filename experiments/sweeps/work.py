"""What a worker does with a point: execute the notebook, and make a record of what it hands in."""

from __future__ import annotations

import signal
import time
import traceback
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from ..notebooks import execute
from ..records import FAILED, Record, code_changed, code_digest, git_commit, machine, now, package_versions
from .result import Result, read_result


@dataclass(frozen=True)
class Job:
    """A point on its way to a worker, with all that the worker has not got in its checkout.

    Parameters
    ----------
    name : str
    sought : Record
    notebook : str
        Text of the notebook.
    metrics : tuple of str
        Scores that the notebook must hand in.
    timeout : float
        Seconds.
    topic : str
        Under which lines of the log are sent: (name, line).
    """

    name: str
    sought: Record
    notebook: str
    metrics: tuple[str, ...]
    timeout: float
    topic: str


@dataclass(frozen=True)
class Finished:
    """What comes back: the record, and the executed notebook as text where there is one."""

    record: Record
    notebook: str | None = None


def run_job(job: Job) -> Finished:
    """Execute the notebook in a kernel of one thread; whatever goes wrong becomes a record of status "failed"."""
    say = _sender(job)
    place = {"started": now(), "machine": machine(), "commit": git_commit()}
    start = time.perf_counter()
    say(f"{place['started']} started on {place['machine']}")
    with TemporaryDirectory() as folder:
        output = Path(folder) / "executed.ipynb"
        try:
            result = _execute(job, output, say)
            seconds = {**result.seconds, "point": time.perf_counter() - start}
            metrics = ({**result.scores, "checksum": result.checksum},)
            record = replace(job.sought, **place, metrics=metrics, seconds=seconds, notes=result.notes)
        except Exception as error:
            trace = str(error.__cause__ or "".join(traceback.format_exception(error)))
            record = replace(job.sought, **place, status=FAILED, error=_text(error), trace=trace)
            say(trace)
        say(f"{now()} {record.status}{f': {record.error}' if record.error else ''}")
        kept = output if output.exists() else output.with_suffix(".failed.ipynb")
        return Finished(record, kept.read_text(encoding="utf-8") if kept.exists() else None)


def dask_setup(_: Any) -> None:
    """Leave Ctrl-C, which a terminal sends to all, to the runner; called as a worker of a local cluster starts."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def _execute(job: Job, output: Path, say: Callable[[str], None]) -> Result:
    differences = name_differences(job.sought.determines, {"code": code_digest(), "packages": package_versions()})
    if differences:
        raise RuntimeError(f"the worker is another installation ({', '.join(differences)}); mend and restart it")
    notebook = output.with_name(f"{job.sought.determines['method']}.ipynb")
    notebook.write_text(job.notebook, encoding="utf-8")
    execute(notebook, output, job.sought.determines["parameters"], say, job.timeout)
    if code_changed():
        raise RuntimeError("the sources changed in the meantime; run it again")
    result = read_result(output.read_text(encoding="utf-8"))
    for name in job.metrics:
        if name not in result.scores:
            raise ValueError(f"the notebook hands in no {name}, only {', '.join(result.scores)}")
        if not isinstance(result.scores[name], int | float | None):
            raise ValueError(f"{name} must be a number or None, got {result.scores[name]!r}")
    return result


def name_differences(expected: dict[str, Any], found: dict[str, Any]) -> list[str]:
    """Return in what two installations differ, each given by the digest of its sources and its packages' versions."""
    differences = [] if found["code"] == expected["code"] else ["other sources"]
    for name, version in expected["packages"].items():
        if found["packages"].get(name) != version:
            differences.append(f"{name} {found['packages'].get(name)}, not {version}")
    return differences


def _sender(job: Job) -> Callable[[str], None]:
    from distributed import get_worker

    worker = get_worker()
    return lambda line: worker.log_event(job.topic, (job.name, line))


def _text(error: Exception) -> str:
    return str(error) if isinstance(error, RuntimeError) else f"{type(error).__name__}: {error}"
