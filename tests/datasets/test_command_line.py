import re
from pathlib import Path

import pytest
from typer.testing import CliRunner

from mlrx.datasets import DataUnavailableError
from mlrx.datasets.__main__ import app
from mlrx.datasets.catalogue import CataloguedSet, DataFile

MAKEFILE = Path(__file__).resolve().parents[2] / "Makefile"


@pytest.fixture
def run(monkeypatch):
    monkeypatch.setenv("COLUMNS", "200")
    return lambda *arguments: CliRunner().invoke(app, arguments)


def test_list(run):
    result = run("list")
    assert result.exit_code == 0
    (line,) = [line for line in result.output.splitlines() if " bibtex " in line]
    assert [cell.strip() for cell in line.split("│")[1:-1]] == [
        "bibtex", "7395", "1836", "159", "all, train, test", "3.51", "address",
    ]  # fmt: skip
    assert len([line for line in result.output.splitlines() if " own copy " in line]) == 3


def test_info(run):
    result = run("info", "synthetic-250")
    assert result.exit_code == 0
    assert "all: 500, train: 250, test: 250" in result.output
    assert "corset-synthetic/250_5_5_5.npz" in result.output
    assert "no address serves it" in result.output
    assert "5, 5" in result.output


def test_fetch_prints_where_the_files_are(run, data_folder, monkeypatch):
    monkeypatch.setenv("MLRX_DATA", str(data_folder))
    result = run("fetch", "cal500")
    assert result.exit_code == 0
    assert result.output.splitlines() == [str(data_folder / "cal500" / name) for name in ("cal500.arff", "cal500.xml")]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["fetch", "yelp"], "data set 'yelp' needs an own copy"),
        (["fetch", "emotion"], "did you mean 'emotions'?"),
        (["info", "emotion"], "did you mean 'emotions'?"),
        (["fetch", "synthetic-250"], "no address serves corset-synthetic/250_5_5_5.npz"),
    ],
)
def test_faults_end_in_one_line_and_status_one(run, monkeypatch, arguments, message):
    monkeypatch.delenv("MLRX_DATA", raising=False)
    result = run(*arguments)
    assert result.exit_code == 1
    assert message in result.output
    assert len(result.output.splitlines()) == 1


def locate_but_b(entry, file):
    if entry.name == "b":
        raise DataUnavailableError("data set 'b': no answer")
    return file.path


@pytest.fixture
def four_sets(monkeypatch):
    """Sets a, b, c with an address, b's silent; d without any."""
    sets = {name: CataloguedSet(name, "csv", "none", files={"all": DataFile(name, 1, "", name)}) for name in "abc"}
    sets["d"] = CataloguedSet("d", "csv", "none", files={"all": DataFile("d", 1, "", None)})
    monkeypatch.setattr("mlrx.datasets.__main__.catalogue", lambda: sets)
    monkeypatch.setattr("mlrx.datasets.catalogue.catalogue", lambda: sets)
    monkeypatch.setattr("mlrx.datasets.__main__.locate", locate_but_b)


@pytest.mark.parametrize("names", [[], ["a", "b", "c"]])
def test_fetch_goes_on_after_a_failure_and_names_it(run, four_sets, names):
    result = run("fetch", *names)
    assert result.exit_code == 1
    assert result.output.splitlines() == ["a", "data set 'b': no answer", "c", "1 of 3 data sets are not at hand: b"]


def test_unknown_name_is_refused_before_anything_is_fetched(run, four_sets):
    result = run("fetch", "a", "e")
    assert result.exit_code == 1
    assert result.output.startswith("name='e': no such data set")


def test_lines_of_the_makefile_are_accepted(run, monkeypatch):
    # `make data` ran `fetch` without names, which the command line refused.
    monkeypatch.setattr("mlrx.datasets.__main__.locate", lambda entry, file: file.path)
    lines = re.findall(r"-m mlrx\.datasets\b(.*)", MAKEFILE.read_text("utf-8"))
    assert lines
    for line in lines:
        result = run(*line.split())
        assert result.exit_code == 0, result.output
        assert "emotions/emotions.xml" in result.output
