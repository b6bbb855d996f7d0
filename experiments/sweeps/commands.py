"""Command line: ``python -m experiments sweep CONFIG``, ``sweep retry CONFIG``, ``sweep status CONFIG``."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from typer.core import TyperGroup

from mlrx.cli.terminal import fail, say

from ..files import RESULTS
from ..progress import RunProgress
from ..records import DONE, FAILED, Record
from .run import NOT_RUN, connect, reason_of, run_points, with_records
from .sweep import Point, Sweep, load_sweep
from .tables import Pairs, write_tables

GOES_ON = "finished points are kept, and the same command goes on from here"


class RunByDefault(TyperGroup):
    """Commands of which ``run`` may be left out: ``sweep CONFIG`` is ``sweep run CONFIG``."""

    def parse_args(self, ctx: typer.Context, args: list[str]) -> list[str]:
        """Put ``run`` before arguments that begin with no command."""
        if args and args[0] not in {*self.commands, "--help"}:
            args = ["run", *args]
        return super().parse_args(ctx, args)


app = typer.Typer(
    cls=RunByDefault, help="Run a notebook over a grid of parameters: sweep CONFIG.", no_args_is_help=True
)
ConfigArgument = Annotated[str, typer.Argument(help="Id of a sweep, or the path of its file.")]
ResultsOption = Annotated[Path, typer.Option(help="Folder of results.", show_default="results")]
SchedulerOption = Annotated[
    str | None, typer.Option(help="Address of a Dask scheduler, such as tcp://host:8786; a local cluster without it.")
]
WorkersOption = Annotated[
    int | None, typer.Option(min=1, help="Processes of the local cluster.", show_default="one a core")
]
DryRunOption = Annotated[bool, typer.Option("--dry-run", help="List the points and those already done; run nothing.")]


@app.command("run")
def run_all(
    config: ConfigArgument,
    scheduler: SchedulerOption = None,
    workers: WorkersOption = None,
    dry_run: DryRunOption = False,
    results: ResultsOption = RESULTS,
) -> None:
    """Run the points that are not done yet, failed ones among them, and write the tables."""
    _run(config, {FAILED, NOT_RUN}, scheduler, workers, dry_run, results)


@app.command("retry")
def retry_failed(
    config: ConfigArgument,
    scheduler: SchedulerOption = None,
    workers: WorkersOption = None,
    dry_run: DryRunOption = False,
    results: ResultsOption = RESULTS,
) -> None:
    """Run the failed points alone."""
    _run(config, {FAILED}, scheduler, workers, dry_run, results)


@app.command("status")
def show_status(config: ConfigArgument, results: ResultsOption = RESULTS) -> None:
    """Say what is done, what failed and why; fails unless all is done."""
    sweep = _load(config)
    counts = _list(sweep, _folder(sweep, results))
    if counts[DONE] < counts.total():
        raise typer.Exit(1)


def _run(
    config: str, statuses: set[str], scheduler: str | None, workers: int | None, dry_run: bool, results: Path
) -> None:
    from dask.system import CPU_COUNT

    if scheduler is not None and workers is not None:
        fail("--workers is for the local cluster; the scheduler has workers of its own")
    sweep = _load(config)
    folder = _folder(sweep, results)
    if dry_run:
        _list(sweep, folder)
        return
    due = [point for point, record in with_records(sweep, folder) if _status(record) in statuses]
    try:
        try:
            counts = _make(sweep, due, scheduler, workers or CPU_COUNT, folder) if due else Counter()
        finally:
            pairs = with_records(sweep, folder)
            for path in write_tables(sweep, pairs, folder):
                say(f"written: {path}")
            standing = _standing(pairs)
    except KeyboardInterrupt:
        fail(f"stopped; {GOES_ON}", 130)
    except OSError as error:
        fail(f"{error}; {GOES_ON}", 1)
    if counts[NOT_RUN]:
        fail(f"the scheduler has gone away with {counts[NOT_RUN]} points; {GOES_ON}", 1)
    if standing[DONE] < len(pairs):
        raise typer.Exit(1)


def _make(sweep: Sweep, due: list[Point], scheduler: str | None, workers: int, folder: Path) -> Counter:
    console = Console()
    with connect(scheduler, min(workers, len(due))) as client, RunProgress(console, len(due)) as progress:
        progress.say(f"{len(due)} of {len(sweep.points)} points to run; dashboard: {client.dashboard_link}")
        return run_points(sweep, due, client, folder, progress)


def _list(sweep: Sweep, folder: Path) -> Counter:
    pairs = with_records(sweep, folder)
    for point, record in pairs:
        say(f"{_status(record)}: {point}{reason_of(record)}")
    return _standing(pairs)


def _standing(pairs: Pairs) -> Counter:
    """Say how many points are done, failed and not run."""
    counts = Counter(_status(record) for _, record in pairs)
    say(", ".join(f"{counts[status]} {status}" for status in (DONE, FAILED, NOT_RUN)))
    return counts


def _status(record: Record | None) -> str:
    return NOT_RUN if record is None else record.status


def _folder(sweep: Sweep, results: Path) -> Path:
    return results / "sweeps" / sweep.id


def _load(config: str) -> Sweep:
    try:
        return load_sweep(config)
    except ValueError as error:
        fail(str(error))
