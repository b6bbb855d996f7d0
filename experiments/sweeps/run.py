"""Running a sweep: points go to the workers of a Dask cluster, and what comes back is written here and nowhere else."""

from __future__ import annotations

import logging
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import CancelledError
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mlrx.files import write_whole

from ..progress import RunProgress
from ..records import DONE, FAILED, Record, RecordStore, machine, now
from .sweep import Point, Sweep
from .work import Finished, Job, run_job

if TYPE_CHECKING:
    from distributed import Client

NOT_RUN = "not run"
CONNECT_SECONDS = 30


@contextmanager
def connect(scheduler: str | None, n_workers: int) -> Iterator[Client]:
    """Connect to a Dask scheduler; None starts a local one, with so many processes of one thread each.

    Raises
    ------
    OSError
        When there is no scheduler at the address.
    """
    from distributed import Client, LocalCluster

    if scheduler is not None:
        with Client(scheduler, timeout=CONNECT_SECONDS) as client:
            yield client
        return
    options = {"threads_per_worker": 1, "processes": True, "silence_logs": logging.CRITICAL}
    options |= {"dashboard_address": "127.0.0.1:0", "preload": "experiments.sweeps.work"}  # port 0: one that is free
    with LocalCluster(n_workers=n_workers, **options) as cluster, Client(cluster) as client:
        yield client


def run_points(sweep: Sweep, points: list[Point], client: Client, folder: Path, progress: RunProgress) -> Counter:
    """Run points on the client's workers; each leaves a record, an executed notebook and a log.

    Parameters
    ----------
    sweep : Sweep
    points : list of Point
    client : distributed.Client
    folder : Path
        Folder of the sweep's results.
    progress : RunProgress

    Returns
    -------
    Counter
        How many are "done", "failed" and "not run", which are those that a scheduler took with it.

    Raises
    ------
    OSError
        When a file cannot be written.

    Notes
    -----
    A point whose worker dies is run again by Dask, on another or the restarted one. A point that has cost several
    workers their lives fails.
    """
    from distributed import as_completed

    topic = f"mlrx-{sweep.id}"
    client.subscribe_topic(topic, lambda event: _append(folder, *event[1]))
    notebook = sweep.notebook_path.read_text(encoding="utf-8")
    futures = {}
    for point in points:
        job = Job(point.name, point.sought, notebook, sweep.metrics, sweep.timeout, topic)
        futures[client.submit(run_job, job, key=point.name)] = point
    counts, start = Counter(), time.perf_counter()
    for future in as_completed(list(futures)):
        point = futures.pop(future)
        finished = _finished(future, point)
        if finished is None:
            counts[NOT_RUN] += 1
            continue
        write(finished, point, folder)
        counts[finished.record.status] += 1
        progress.step()
        progress.say(_line(finished.record, point, counts.total(), len(points), time.perf_counter() - start))
    return counts


def write(finished: Finished, point: Point, folder: Path) -> None:
    """Write the executed notebook, then the record: a point that has one is complete."""
    outputs = {DONE: folder / "notebooks" / f"{point.name}.ipynb"}
    outputs[FAILED] = outputs[DONE].with_suffix(".failed.ipynb")
    if finished.notebook is not None:
        write_whole(outputs[finished.record.status], finished.notebook)
    store(folder).write(finished.record)
    if finished.record.status == DONE:
        outputs[FAILED].unlink(missing_ok=True)


def store(folder: Path) -> RecordStore:
    """Return the records of the sweep whose results are in a folder."""
    return RecordStore(folder / "records")


def with_records(sweep: Sweep, folder: Path) -> list[tuple[Point, Record | None]]:
    """Return every point with its record, in the order of the grid; torn and foreign files are named in a warning."""
    found = {record.id: record for record in store(folder).read()}
    return [(point, found.get(point.sought.id)) for point in sweep.points]


def _finished(future: Any, point: Point) -> Finished | None:
    """Return what came of the point; None where the scheduler was lost before it was known."""
    from distributed import KilledWorker

    try:
        return future.result()
    except CancelledError:
        return None
    except KilledWorker as error:
        reason = f"{error.allowed_failures + 1} workers died of it, one after another"
    except Exception as error:  # the worker could not even begin
        reason = f"{type(error).__name__}: {error}"
    return Finished(replace(point.sought, status=FAILED, error=reason, started=now(), machine=machine()))


def _line(record: Record, point: Point, n_finished: int, n_points: int, elapsed: float) -> str:
    left = elapsed / n_finished * (n_points - n_finished)
    outcome = f" in {record.seconds['point']:.1f} s" if record.status == DONE else ""
    return f"{n_finished}/{n_points} {record.status}{outcome}: {point}{reason_of(record)}; about {left:.0f} s left"


def reason_of(record: Record | None) -> str:
    """Return why a point failed, as the end of one line; "" when it did not."""
    return f": {' '.join(record.error.split())}" if record is not None and record.error else ""


def _append(folder: Path, name: str, line: str) -> None:
    path = folder / "logs" / f"{name}.log"
    path.parent.mkdir(parents=True, exist_ok=True)
    with open(path, "a", encoding="utf-8", newline="\n") as file:
        file.write(line + "\n")
