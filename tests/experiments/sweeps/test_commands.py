"""The command line on an in-process cluster, with a stand-in for the execution of notebooks."""

import os
from concurrent.futures import Future
from contextlib import contextmanager
from dataclasses import replace

import pytest
from distributed import Client, KilledWorker
from typer.testing import CliRunner

from experiments.__main__ import app
from experiments.records import DONE, FAILED, RecordStore
from experiments.sweeps import commands, run
from experiments.sweeps.sweep import load_sweep
from experiments.sweeps.tables import write_tables
from experiments.sweeps.work import Finished

GRID = "{dataset: [made, other], weight: [0.5, 2.0]}"


# What the stand-in was asked, and which points it lets fail. It runs on a worker in this process.
RAN: list[str] = []
BROKEN: set[str] = set()


def stand_in(job):
    """Stand in for `run_job`."""
    RAN.append(job.name)
    if job.name in BROKEN:
        return Finished(replace(job.sought, status=FAILED, error="no luck [red]"), "how far it came")
    metrics = ({"score": job.sought.determines["parameters"]["weight"]},)
    return Finished(replace(job.sought, metrics=metrics, seconds={"fit": 0.1, "point": 1.5}), "executed")


class Checkout:
    """A sweep of four points and its results."""

    def __init__(self, config, results):
        self.config, self.results = config, results
        self.folder = results / "sweeps" / "sweep_tiny"

    @property
    def points(self):
        return load_sweep(self.config).points

    def __call__(self, *options, command="run"):
        RAN.clear()
        arguments = ["sweep", command, str(self.config), "--results", str(self.results), *options]
        return CliRunner().invoke(app, arguments)


@pytest.fixture
def checkout(make_sweep, tmp_path, monkeypatch):
    @contextmanager
    def connect(*_):
        with Client(processes=False, n_workers=1, threads_per_worker=1, dashboard_address=":0") as client:
            yield client

    monkeypatch.setattr(commands, "connect", connect)
    monkeypatch.setattr(run, "run_job", stand_in)
    BROKEN.clear()
    return Checkout(make_sweep("dataset = ''\nweight = 0.0", "a = 1", grid=GRID), tmp_path / "results")


def test_sweep_runs_what_is_due_and_writes_the_table(checkout):
    result = checkout()
    assert result.exit_code == 0, result.output
    assert len(RAN) == 4
    lines = result.output.splitlines()
    assert lines[0].startswith("4 of 4 points to run; dashboard: ")
    assert lines[-1] == "4 done, 0 failed, 0 not run"
    table = (checkout.folder / "table.csv").read_text()
    assert table == "dataset,weight,score\nmade,0.5,0.5\nmade,2.0,2\nother,0.5,0.5\nother,2.0,2\n"
    assert checkout().exit_code == 0
    assert RAN == []


def test_dry_run_lists_points_and_runs_nothing(checkout):
    BROKEN.add(checkout.points[2].name)
    assert checkout("--dry-run").exit_code == 0
    assert RAN == []
    checkout()
    result = checkout("--dry-run")
    assert result.output.splitlines() == [
        "done: dataset=made, weight=0.5",
        "done: dataset=made, weight=2.0",
        "failed: dataset=other, weight=0.5: no luck [red]",
        "done: dataset=other, weight=2.0",
        "3 done, 1 failed, 0 not run",
    ]
    assert result.exit_code == 0
    assert RAN == []


def test_failed_point_makes_the_exit_code_and_is_run_again(checkout):
    broken = checkout.points[1]
    BROKEN.add(broken.name)
    result = checkout()
    assert result.exit_code == 1
    assert "failed: dataset=made, weight=2.0: no luck [red]" in result.output
    assert len((checkout.folder / "table.csv").read_text().splitlines()) == 4
    assert (checkout.folder / "notebooks" / f"{broken.name}.failed.ipynb").read_text() == "how far it came"
    BROKEN.clear()
    assert checkout().exit_code == 0
    assert [broken.name] == RAN
    assert not (checkout.folder / "notebooks" / f"{broken.name}.failed.ipynb").exists()
    assert len(list((checkout.folder / "records").iterdir())) == 4


def test_retry_runs_failed_points_alone(checkout):
    first, second, *_ = checkout.points
    BROKEN.add(first.name)
    checkout()
    (checkout.folder / "records" / f"{second.name}.json").unlink()
    BROKEN.clear()
    result = checkout(command="retry")
    assert [first.name] == RAN
    assert result.exit_code == 1
    assert result.output.splitlines()[-1] == "3 done, 0 failed, 1 not run"


def test_status_tells_by_its_exit_code(checkout):
    result = checkout(command="status")
    assert (result.exit_code, result.output.splitlines()[-1]) == (1, "0 done, 0 failed, 4 not run")
    checkout()
    result = checkout(command="status")
    assert (result.exit_code, result.output.splitlines()[-1]) == (0, "4 done, 0 failed, 0 not run")


def test_torn_and_foreign_files_are_named_and_torn_ones_made_again(checkout):
    checkout()
    table = (checkout.folder / "table.csv").read_bytes()
    torn = checkout.folder / "records" / f"{checkout.points[3].name}.json"
    torn.write_text(torn.read_text("utf-8")[:-40], "utf-8")
    (checkout.folder / "records" / "notes.json").write_text("{}", "utf-8")
    with pytest.warns(UserWarning, match="no complete record") as warned:
        result = checkout()
    texts = [str(warning.message) for warning in warned]
    assert any(text.startswith(f"{torn.name} is no complete record") for text in texts)
    assert any(text.startswith("notes.json is no complete record") for text in texts)
    assert [checkout.points[3].name] == RAN
    assert result.exit_code == 0
    assert (checkout.folder / "table.csv").read_bytes() == table


def test_full_disk_stops_the_sweep_and_loses_nothing(checkout, monkeypatch):
    def full(_):
        if len(list((checkout.folder / "records").glob("*.json"))) == 2:
            raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    result = checkout()
    assert result.exit_code == 1
    assert "error: [Errno 28] No space left on device; finished points are kept" in result.output
    assert len(RecordStore(checkout.folder / "records").read()) == 2
    assert not list(checkout.folder.rglob(".*.tmp"))
    monkeypatch.setattr(os, "fsync", lambda _: None)
    assert checkout().exit_code == 0
    assert len(RAN) == 2


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (KilledWorker("key", None, 3), "4 workers died of it, one after another"),
        (ModuleNotFoundError("No module named 'experiments'"), "ModuleNotFoundError: No module named 'experiments'"),
    ],
)
def test_point_that_no_worker_could_run_is_failed(checkout, error, reason):
    future = Future()
    future.set_exception(error)
    record = run._finished(future, checkout.points[0]).record
    assert (record.status, record.error, record.id) == (FAILED, reason, checkout.points[0].sought.id)
    assert record.started.endswith("+00:00")


def test_point_that_a_scheduler_took_with_it_is_not_run(checkout):
    future = Future()
    future.cancel()
    assert run._finished(future, checkout.points[0]) is None


def test_table_knows_no_clock(checkout, tmp_path):
    """Wall clocks may go back: neither the rows nor their order depend on when a point was run."""
    sweep = load_sweep(checkout.config)
    for k, times in enumerate((range(4), range(4, 0, -1))):
        pairs = [
            (point, replace(point.sought, metrics=({"score": 1.0},), seconds={"point": t}, started=f"2026-01-0{t + 1}"))
            for point, t in zip(sweep.points, times)
        ]
        write_tables(sweep, pairs, tmp_path / str(k))
    assert (tmp_path / "0" / "table.csv").read_bytes() == (tmp_path / "1" / "table.csv").read_bytes()
    assert (tmp_path / "0" / "timings.csv").read_bytes() != (tmp_path / "1" / "timings.csv").read_bytes()


def test_wrong_sweep_is_one_line_of_error(checkout):
    checkout.config.write_text(checkout.config.read_text("utf-8").replace("weight:", "lambda:"), "utf-8")
    result = checkout()
    assert result.exit_code == 2
    assert result.output.startswith("error: sweep_tiny.yaml: parameter 'lambda' is a Python keyword")
    assert not checkout.results.exists()


def test_workers_are_for_the_local_cluster(checkout):
    result = checkout("--scheduler", "tcp://127.0.0.1:1", "--workers", "2")
    assert (result.exit_code, RAN) == (2, [])
    assert "--workers is for the local cluster" in result.output


def test_address_without_a_scheduler_is_an_error(make_sweep, tmp_path, monkeypatch):
    monkeypatch.setattr(run, "CONNECT_SECONDS", 0.5)
    config = make_sweep("weight = 0.0", "a = 1", grid="{weight: [1]}")
    arguments = ["sweep", str(config), "--results", str(tmp_path), "--scheduler", "tcp://127.0.0.1:9"]
    result = CliRunner().invoke(app, arguments)
    assert result.exit_code == 1
    assert "tcp://127.0.0.1:9" in result.output


def test_log_of_a_point_is_written_as_it_comes(checkout, tmp_path):
    run._append(tmp_path, "point", "one")
    run._append(tmp_path, "point", "naïve ☃")
    assert (tmp_path / "logs" / "point.log").read_text("utf-8") == "one\nnaïve ☃\n"


def test_done_is_what_the_record_says(checkout):
    point = checkout.points[0]
    run.write(Finished(replace(point.sought, metrics=({"score": 1},)), "executed"), point, checkout.folder)
    pairs = run.with_records(load_sweep(checkout.config), checkout.folder)
    statuses = [None if record is None else record.status for _, record in pairs]
    assert statuses == [DONE, None, None, None]
