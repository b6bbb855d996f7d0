"""The whole way, as a user goes it: the command line, every notebook, records, tables, summary, exit code."""

import os
import subprocess
import sys
from functools import partial
from pathlib import Path

import nbformat
import pandas as pd
import pytest
from rich.console import Console
from typer.testing import CliRunner

from experiments.__main__ import app
from experiments.files import NOTEBOOKS, ROOT
from experiments.loading import list_configs, list_sweeps, load_config
from experiments.notebooks import execute
from experiments.reproduce import Outcome, reproduce, summarise
from experiments.sweeps.sweep import load_sweep

# Notebooks of sweeps, which no study runs; what they leave is what they hand in.
SWEPT = {load_sweep(name).notebook for name in list_sweeps()}
# Notebooks that show the package and belong to no study.
TEACHING = {
    "00_quick_start.ipynb",
    "14_known_causes.ipynb",
    "15_choosing_parameters.ipynb",
    "18_running_a_sweep.ipynb",
}


def command(*arguments: str, **environment: str) -> subprocess.CompletedProcess:
    return subprocess.run(
        [sys.executable, "-m", "experiments", *arguments],
        cwd=ROOT,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
    )


@pytest.fixture(scope="module")
def smoke(tmp_path_factory):
    """All studies in the profile smoke, without any file of a data set and without a network."""
    folder = tmp_path_factory.mktemp("smoke")
    empty = folder / "empty"
    empty.mkdir()
    offline = {"MLRX_DATA": str(empty), "XDG_CACHE_HOME": str(folder / "cache"), "https_proxy": "http://127.0.0.1:9"}
    place = ("--profile", "smoke", "--results", str(folder / "results"))
    return (
        folder / "results" / "smoke",
        partial(command, "run", *place, **offline),
        command("reproduce", *place, **offline),
    )


def test_smoke_runs_every_notebook(smoke):
    folder, _, first = smoke
    assert first.returncode == 0, first.stdout + first.stderr
    executed = sorted(path.name for path in (folder / "notebooks").iterdir())
    made = {
        f"{name}-{dataset}.ipynb"
        for name in list_configs()
        for dataset in load_config(name).profiles["smoke"].datasets
        if load_config(name).datasets[dataset].generate or "simulated" in dataset
    }
    assert executed == sorted(made)
    used = {load_config(name).notebook for name in list_configs()} | SWEPT | TEACHING
    assert used == {path.name for path in NOTEBOOKS.glob("*.ipynb")}


@pytest.mark.parametrize("name", sorted(TEACHING))
def test_teaching_notebooks_run_from_top_to_bottom(name, tmp_path):
    execute(NOTEBOOKS / name, tmp_path / name, {})
    outputs = [output for cell in nbformat.read(tmp_path / name, 4).cells for output in cell.get("outputs", [])]
    assert [output.text for output in outputs if output.get("name") == "stderr"] == []


def test_summary_says_what_was_skipped_and_why(smoke):
    _, _, first = smoke
    lines = first.stdout.splitlines()
    n_done = sum(line.startswith("done: ") for line in lines)
    assert n_done > 1
    assert f"{n_done} done, 1 skipped, 0 failed" in lines
    reason = next(line for line in lines if line.startswith("  skipped: real_data on emotions: "))
    assert "MLRX_DATA" in reason
    assert "report.html" in lines[-1]


def test_run_ends_with_a_report(smoke):
    folder, _, _ = smoke
    text = (folder.parent / "report.html").read_text("utf-8")
    assert "all runs done" in text
    assert all(load_config(name).title in text for name in list_configs())
    assert "skipped" in text
    assert str(folder.parent.parent) not in text
    n_pictures = len(list((folder / "figures").glob("*.png")))
    assert text.count("data:image/png;base64,") == n_pictures > 5


@pytest.mark.parametrize("config", ["synthetic", "lionforests_labelset", "consequent_samplers"])
def test_second_run_keeps_all_and_changes_no_table(smoke, config):
    folder, again, _ = smoke
    before = {path.name: path.read_bytes() for path in (folder / "tables").iterdir()}
    records = {path: path.stat().st_mtime_ns for path in (folder / "records").iterdir()}
    assert again(config).returncode == 0
    assert {path.name: path.read_bytes() for path in (folder / "tables").iterdir()} == before
    assert {path: path.stat().st_mtime_ns for path in (folder / "records").iterdir()} == records


def test_tables_hold_no_seconds_but_in_timings(smoke):
    folder, _, _ = smoke
    names = {path.name for path in (folder / "tables").iterdir()}
    assert {"runs.csv", "timings.csv", "synthetic.csv", "synthetic.md", "synthetic.tex", "real_data.csv"} <= names
    for path in (folder / "tables").glob("*.csv"):
        columns = set(pd.read_csv(path).columns)
        assert bool(columns & {"fit_seconds", "started", "machine"}) == (path.name == "timings.csv")
    assert all(str(Path.home()) not in path.read_text("utf-8") for path in (folder / "tables").iterdir())


def test_notebooks_are_kept_without_outputs():
    for path in NOTEBOOKS.glob("*.ipynb"):
        code = [cell for cell in nbformat.read(path, as_version=4).cells if cell.cell_type == "code"]
        assert not any(cell.outputs or cell.execution_count for cell in code), path.name
        proof = (
            "hand_in(" if path.name in SWEPT else "assert " if path.name in TEACHING else "assert not study.missing()"
        )
        assert proof in code[-1].source
        assert not any("def " in cell.source for cell in code)


def test_failed_notebook_is_failed_with_its_reason(change, tmp_path):
    config = change("n_rules: 2, consequent_size: 2}", "n_rules: 3, consequent_size: 2}")
    (outcome,) = reproduce([config], "smoke", Console(quiet=True), tmp_path)
    assert (outcome.status, outcome.study, outcome.dataset) == ("failed", "tiny", "made")
    assert "made has 3 generating rules, the config says 2" in outcome.reason


@pytest.mark.parametrize(("status", "exit_code"), [("done", 0), ("skipped", 0), ("failed", 1)])
def test_exit_code_tells_of_failures(tiny_config, tmp_path, monkeypatch, status, exit_code):
    monkeypatch.setattr("experiments.reproduce.reproduce", lambda *_: [Outcome("tiny", "made", status)])
    result = CliRunner().invoke(app, ["run", str(tiny_config), "--profile", "smoke", "--results", str(tmp_path)])
    assert result.exit_code == exit_code
    assert f"1 {status}" in result.output


def test_notebook_that_ends_without_records_is_failed(tiny_config, tmp_path, monkeypatch):
    """A notebook may end "completed" without having made its runs."""
    monkeypatch.setattr("experiments.reproduce.execute", lambda *_: None)
    (outcome,) = reproduce([load_config(tiny_config)], "smoke", Console(quiet=True), tmp_path)
    assert outcome.status == "failed"
    assert outcome.reason == "3 runs are not done, the first: made, corset, 2 4 rules, repetition 1: not run"


def test_sources_that_change_during_a_run_are_the_reason(tiny_config, tmp_path, monkeypatch):
    """Records of an older version are not counted; the summary once called such runs "not run" and no more."""
    monkeypatch.setattr("experiments.reproduce.execute", lambda *_: None)
    monkeypatch.setattr("experiments.reproduce.code_changed", lambda: True)
    (outcome,) = reproduce([load_config(tiny_config)], "smoke", Console(quiet=True), tmp_path)
    assert outcome.reason.startswith("the sources changed in the meantime")


def test_file_with_a_wrong_checksum_is_a_failure_not_a_skip(change, tmp_path, monkeypatch):
    (tmp_path / "flags").mkdir()
    (tmp_path / "flags" / "flags-train.arff").write_text("changed")
    monkeypatch.setenv("MLRX_DATA", str(tmp_path))
    config = change("smoke: {datasets: [made]", "smoke: {datasets: [flags]")
    (outcome,) = reproduce([config], "smoke", Console(quiet=True), tmp_path)
    assert outcome.status == "failed"
    assert "SHA-256" in outcome.reason


def test_summary():
    outcomes = [
        Outcome("a", "x", "done", seconds=60),
        Outcome("a", "y", "skipped", "no file"),
        Outcome("b", "x", "failed", "no luck"),
        Outcome("b", "y", "done", seconds=3),
    ]
    assert summarise(outcomes, 90, Path("results/report.html")) == (
        "2 done, 1 skipped, 1 failed\n"
        "  skipped: a on y: no file\n"
        "  failed: b on x: no luck\n"
        "1.5 minutes; the report is results/report.html, tables are beside it"
    )


def test_wrong_config_is_one_line_of_error():
    result = command("run", "none")
    assert result.returncode == 2
    assert result.stderr.startswith("error: there is no config 'none'; there are ")
    assert "Traceback" not in result.stderr


def test_report_is_written_again_from_records(tmp_path):
    result = CliRunner().invoke(app, ["report", "--profile", "smoke", "--results", str(tmp_path)])
    assert (result.exit_code, result.output) == (0, f"written: {tmp_path / 'report.html'}\n")
    assert "# Results of the profile smoke\n" in (tmp_path / "smoke" / "report.md").read_text("utf-8")


def test_publishing_needs_finished_runs(tmp_path):
    result = CliRunner().invoke(app, ["publish", "synthetic", "--profile", "smoke", "--results", str(tmp_path)])
    assert result.exit_code == 2
    assert result.output == "error: no run of synthetic in smoke is done; nothing is published\n"


def test_list_names_every_config():
    result = command("list", COLUMNS="200")
    assert all(name in result.stdout for name in list_configs())
