"""A sweep killed in mid-run and taken up again, or run on a cluster, comes to the same as an undisturbed one."""

import json
import os
import signal
import subprocess
import sys
import time
from contextlib import contextmanager, suppress
from pathlib import Path

import psutil
import pytest

from experiments.files import ROOT

from .tiny import HAND_IN, start, write_sweep

N_POINTS = 18
GRID = "{dataset: [made, other], weight: [0.1, 1.0, 10.0], size: [1, 2, 3]}"
# A score that would differ with the process's hash seed, locale, time zone or number of threads, were it to use them.
CELL = """
import random, time
time.sleep(0.3)
score = random.Random(f"{dataset} {weight} {size}").random()
hand_in(Result({"score": score}, {"fit": 0.3}))
"""
TIMINGS = ("seconds", "started", "machine", "commit")


def wait_until(condition, seconds=200):
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "waited in vain"
        time.sleep(0.05)


class Tiny:
    """A sweep of 18 points and a folder for its results."""

    def __init__(self, folder: Path):
        folder.mkdir()
        self.config = write_sweep(folder, 'dataset = ""\nweight = 0.0\nsize = 0', HAND_IN + CELL, grid=GRID)
        self.results = folder / "results"
        self.folder = self.results / "sweeps" / "sweep_tiny"

    def start(self, *options: str, **environment: str) -> subprocess.Popen:
        return start(str(self.config), "--results", str(self.results), *options, **environment)

    def run(self, *options: str, **environment: str) -> str:
        process = self.start(*options, **environment)
        output, errors = process.communicate(timeout=280)
        assert process.returncode == 0, output + errors
        return output

    def paths(self) -> list[Path]:
        return sorted((self.folder / "records").glob("*.json"))

    def wait_for_records(self, n: int) -> None:
        wait_until(lambda: len(self.paths()) >= n)

    def records(self) -> list[dict]:
        """All records without what differs from run to run by right."""
        records = [json.loads(path.read_text("utf-8")) for path in self.paths()]
        return [{key: value for key, value in record.items() if key not in TIMINGS} for record in records]

    def table(self) -> bytes:
        return (self.folder / "table.csv").read_bytes()


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory) -> Tiny:
    sweep = Tiny(tmp_path_factory.mktemp("sweep") / "undisturbed")
    output = sweep.run("--workers", "2")
    assert "dashboard: http://127.0.0.1:" in output
    assert f"{N_POINTS} done, 0 failed, 0 not run" in output
    assert f"1/{N_POINTS} done in " in output
    assert "s left" in output
    return sweep


def test_undisturbed_sweep_is_complete(undisturbed):
    assert len(undisturbed.records()) == N_POINTS
    assert len(list((undisturbed.folder / "notebooks").iterdir())) == N_POINTS
    assert len(list((undisturbed.folder / "logs").iterdir())) == N_POINTS
    lines = undisturbed.table().decode().splitlines()
    assert lines[0] == "dataset,weight,size,score"
    assert [line.rsplit(",", 1)[0] for line in lines[1:4]] == ["made,0.1,1", "made,0.1,2", "made,0.1,3"]
    assert (undisturbed.folder / "timings.csv").read_text().startswith("dataset,weight,size,fit_seconds,point_seconds,")


def offspring(runner: subprocess.Popen) -> list[psutil.Process]:
    """The workers of a runner, and their kernels."""
    return psutil.Process(runner.pid).children(recursive=True)


def workers_of(runner: subprocess.Popen) -> list[psutil.Process]:
    found = []
    for process in offspring(runner):
        with suppress(psutil.NoSuchProcess):
            if any("spawn_main" in part for part in process.cmdline()):
                found.append(process)
    return found


def both_work(runner: subprocess.Popen) -> bool:
    """Whether two workers have a kernel each."""
    with suppress(psutil.NoSuchProcess):
        return sum(bool(worker.children()) for worker in workers_of(runner)) == 2
    return False


def wait_for_the_end_of(processes: list[psutil.Process]) -> None:
    wait_until(lambda: not any(p.is_running() and p.status() != psutil.STATUS_ZOMBIE for p in processes))


def test_killed_worker_stopped_and_killed_runner_lose_and_double_nothing(undisturbed, tmp_path):
    sweep = Tiny(tmp_path / "killed")
    runner = sweep.start("--workers", "2")
    sweep.wait_for_records(3)
    workers = workers_of(runner)
    assert len(workers) == 2
    workers[0].send_signal(signal.SIGKILL)
    sweep.wait_for_records(6)
    # One that is being started yet would say that it was interrupted.
    wait_until(lambda: both_work(runner))
    processes = workers + offspring(runner)
    os.killpg(runner.pid, signal.SIGINT)  # to all of them, as a terminal does on Ctrl-C
    _, errors = runner.communicate(timeout=200)
    assert runner.returncode == 130
    assert errors == "error: stopped; finished points are kept, and the same command goes on from here\n"
    assert (sweep.folder / "table.csv").exists()
    wait_for_the_end_of(processes)

    n_kept = len(sweep.paths())
    runner = sweep.start("--workers", "2")
    sweep.wait_for_records(n_kept + 3)
    processes = offspring(runner)
    runner.send_signal(signal.SIGKILL)
    runner.communicate()
    kept = {path: path.stat().st_mtime_ns for path in sweep.paths()}
    assert len(kept) < N_POINTS
    assert {record["status"] for record in sweep.records()} == {"done"}
    wait_for_the_end_of(processes)

    sweep.run("--workers", "2")
    assert {path: path.stat().st_mtime_ns for path in kept} == kept
    assert sweep.table() == undisturbed.table()
    assert sweep.records() == undisturbed.records()
    assert not list(sweep.folder.rglob("*.tmp"))


@contextmanager
def cluster(folder: Path, **environment: str):
    """A scheduler and two workers of one thread, started by their own commands in another folder."""
    folder.mkdir()
    file = folder / "scheduler.json"
    # The checkout that is tested, whichever is installed.
    environment = {**os.environ, "PYTHONPATH": str(ROOT), **environment}
    options = {"cwd": folder, "env": environment, "stdout": subprocess.DEVNULL}
    options |= {"stderr": subprocess.DEVNULL, "start_new_session": True}
    dask = [sys.executable, "-m", "dask"]
    scheduler = [*dask, "scheduler", "--host", "127.0.0.1", "--port", "0", "--no-dashboard"]
    processes = [subprocess.Popen([*scheduler, "--scheduler-file", str(file)], **options)]
    try:
        wait_until(file.exists)
        address = json.loads(file.read_text())["address"]
        for _ in range(2):
            processes.append(
                subprocess.Popen([*dask, "worker", address, "--nthreads", "1", "--no-dashboard"], **options)
            )
        yield address, processes[0]
    finally:
        for process in processes:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()


def test_dask_cluster_gives_the_same_records_though_its_scheduler_goes_away(undisturbed, tmp_path):
    """The workers see neither the runner's folder nor its locale, time zone and hash seed."""
    elsewhere = {"TZ": "Pacific/Auckland", "LC_ALL": "C", "PYTHONHASHSEED": "7"}
    here = {"TZ": "America/Caracas", "PYTHONHASHSEED": "99"}
    sweep = Tiny(tmp_path / "cluster")
    with cluster(tmp_path / "first", **elsewhere) as (address, scheduler):
        runner = sweep.start("--scheduler", address, **here)
        sweep.wait_for_records(2)
        scheduler.kill()
        output, errors = runner.communicate(timeout=200)
    assert runner.returncode == 1, output + errors
    assert "error: the scheduler has gone away with " in errors
    assert 2 <= len(sweep.paths()) < N_POINTS
    assert {record["status"] for record in sweep.records()} == {"done"}

    with cluster(tmp_path / "second", **elsewhere) as (address, _):
        sweep.run("--scheduler", address, **here)
    assert sweep.table() == undisturbed.table()
    assert sweep.records() == undisturbed.records()
