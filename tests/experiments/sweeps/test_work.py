"""What a worker does with one point, with a real kernel where the fault lies in one."""

import json
import math
from dataclasses import asdict, replace

import nbformat
import numpy as np
import pytest

from experiments.loading import list_sweeps
from experiments.notebooks import execute
from experiments.records import DONE, FAILED, RecordStore
from experiments.sweeps import work
from experiments.sweeps.result import MIME_TYPE, Result, read_result
from experiments.sweeps.sweep import load_sweep
from experiments.sweeps.work import Job, run_job
from experiments.values import to_json

from .tiny import HAND_IN


@pytest.fixture
def log(monkeypatch):
    lines = []
    monkeypatch.setattr(work, "_sender", lambda _: lines.append)
    return lines


@pytest.fixture
def make_job(make_sweep):
    """The first point of a sweep over `value`, as a job."""

    def make(*cells: str, timeout: float = 60, **parameters) -> Job:
        sweep = load_sweep(make_sweep("value = 0", *cells, grid="{value: [1]}"))
        (point,) = sweep.points
        sought = replace(point.sought, determines={**point.sought.determines, "parameters": parameters or {"value": 1}})
        notebook = sweep.notebook_path.read_text("utf-8")
        return Job(point.name, sought, notebook, sweep.metrics, timeout, "topic")

    return make


def test_values_reach_the_notebook_and_the_record_unchanged(make_job, log, tmp_path, hard_values):
    cell = "hand_in(Result({'score': value['nan'], 'seen': value}, {'fit': float('inf')}, 'sum', ('naïve ☃',)))"
    job = make_job(HAND_IN + cell, value=hard_values)
    finished = run_job(job)
    assert finished.record.status == DONE, finished.record.error
    store = RecordStore(tmp_path / "records")
    store.write(finished.record)
    (restored,) = store.read()
    (metrics,) = restored.metrics
    for seen in (restored.determines["parameters"]["value"], metrics["seen"]):
        assert math.isnan(seen["nan"])
        assert {**seen, "nan": 0} == {**hard_values, "nan": 0}
    assert math.isnan(metrics["score"])
    assert (metrics["checksum"], restored.seconds["fit"], restored.notes) == ("sum", math.inf, ("naïve ☃",))
    assert restored.seconds["point"] > 0
    assert restored.started.endswith("+00:00")
    assert read_result(finished.notebook).checksum == "sum"
    assert log[-1].endswith("+00:00 done")


def test_kernel_has_one_thread(make_job, log, monkeypatch):
    """A worker's kernels must not take all cores each."""
    names = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS")
    for name in names:
        monkeypatch.delenv(name, raising=False)
    cell = f"import os; hand_in(Result({{'score': 1, 'threads': [os.environ[name] for name in {names}]}}))"
    assert run_job(make_job(HAND_IN + cell)).record.metrics[0]["threads"] == ["1"] * 4


def test_failed_cell_is_a_failed_record_with_trace_log_and_notebook(make_job, log):
    finished = run_job(make_job("import sys; print('so far', file=sys.stderr)", "1 / 0"))
    assert finished.record.status == FAILED
    assert finished.record.error == "point.ipynb: cell 4: ZeroDivisionError: division by zero"
    assert "1 / 0" in finished.record.trace
    assert "so far" in log
    assert log[-1].endswith("failed: " + finished.record.error)
    assert "ZeroDivisionError" in finished.notebook


def test_time_limit_is_for_all_cells_together(make_job, log):
    finished = run_job(make_job("import time; time.sleep(1.5)", "time.sleep(1.5)", "time.sleep(60)", timeout=8))
    assert finished.record.status == FAILED
    assert finished.record.error == "point.ipynb: the time was up"


def test_dead_kernel_is_a_failed_record(make_job, log):
    record = run_job(make_job("import os\nos._exit(1)")).record
    assert (record.status, record.error.split(":")[1]) == (FAILED, " DeadKernelError")


@pytest.mark.parametrize("name", list_sweeps())
def test_notebook_of_each_sweep_runs_as_it_stands(name, tmp_path):
    sweep = load_sweep(name)
    execute(sweep.notebook_path, tmp_path / "out.ipynb", {})
    result = read_result((tmp_path / "out.ipynb").read_text("utf-8"))
    assert set(sweep.metrics) <= set(result.scores)
    assert 0 < result.scores["diversity"] < 1
    assert result.seconds["fit"] > 0
    assert len(result.checksum) == 64


def fake_execution(monkeypatch, *results: Result):
    """Execute nothing; the notebook seems to have handed in these results."""

    def pretend(notebook, output, parameters, on_line, timeout):
        executed = nbformat.read(notebook, as_version=4)
        executed.cells[-1]["outputs"] = [
            nbformat.v4.new_output("display_data", {MIME_TYPE: json.loads(to_json(asdict(result)))})
            for result in results
        ]
        nbformat.write(executed, output)

    monkeypatch.setattr(work, "execute", pretend)


@pytest.mark.parametrize(
    ("results", "message"),
    [
        ([], "ValueError: the notebook must hand in one result, got 0"),
        ([Result({"score": 1})] * 2, "ValueError: the notebook must hand in one result, got 2"),
        ([Result({"score": "good"})], "ValueError: score must be a number or None, got 'good'"),
        ([Result({"other": 1})], "ValueError: the notebook hands in no score, only other"),
    ],
)
def test_notebook_that_ends_without_its_scores_is_failed(make_job, log, monkeypatch, results, message):
    """A notebook may end "completed" without having done its work."""
    fake_execution(monkeypatch, *results)
    record = run_job(make_job("a = 1")).record
    assert (record.status, record.error) == (FAILED, message)


def test_worker_with_another_installation_is_named(make_job, log, monkeypatch):
    monkeypatch.setattr(work, "execute", lambda *_: pytest.fail("a kernel was started"))
    job = make_job("a = 1")
    packages = {**job.sought.determines["packages"], "numpy": "1.0"}
    job = replace(
        job, sought=replace(job.sought, determines={**job.sought.determines, "packages": packages, "code": ""})
    )
    record = run_job(job).record
    assert record.error == (
        f"the worker is another installation (other sources, numpy {np.__version__}, not 1.0); mend and restart it"
    )


def test_sources_that_change_during_a_point_make_it_fail(make_job, log, monkeypatch):
    fake_execution(monkeypatch, Result({"score": 1}))
    monkeypatch.setattr(work, "code_changed", lambda: True)
    record = run_job(make_job("a = 1")).record
    assert (record.status, record.error) == (FAILED, "the sources changed in the meantime; run it again")
