"""The command line: from a file to rules, predictions and explanations, and one line for each fault."""

import json
import shlex
import subprocess
import sys

import pandas as pd
import pytest
from numba import njit
from sklearn.ensemble import RandomForestClassifier
from typer.testing import CliRunner

from mlrx import (
    CorsetClassifier,
    GuidedRulesClassifier,
    LionForestsExplainer,
    RuleSet,
    VotingRulesClassifier,
    __version__,
)
from mlrx.cli.app import _print_in_colour, app
from mlrx.cli.terminal import one_line_faults, told_of_compiling
from mlrx.datasets import read_csv
from mlrx.lionforests import Explanations, read_forest, write_forest
from mlrx.models import read_model

PLANTS = pd.DataFrame(
    {
        "height": [0.1, 0.2, 0.3, 0.4, 1.1, 1.2, 1.3, 1.4] * 5,
        "shop": [1, 2, 1, 2, 3, 3, 3, 3] * 5,
        "colour": ["red", "red", "green", "green", "red", "red", "green", None] * 5,
        "tree": [0, 0, 0, 0, 1, 1, 1, 1] * 5,
        "edible, raw": [1, 1, 0, 0, 1, 1, 0, 0] * 5,
    }
)
LABELS = ["tree", "edible, raw"]
SPARSE = (
    """@relation 'notes: -C -1'
@attribute a {0,1}
@attribute b {0,1}
@attribute L {0,1}
@data
{0 1, 2 1}
{1 1}
"""
    + 2 * "{0 1, 2 1}\n{1 1}\n"
)


@pytest.fixture
def run(tmp_path, monkeypatch):
    """A folder with data, and what runs the command line in it."""
    monkeypatch.chdir(tmp_path)
    PLANTS.to_csv("plants.csv", index=False)
    return lambda *arguments: CliRunner().invoke(app, [str(argument) for argument in arguments])


@pytest.fixture
def model(run):
    labels = ("--labels", 'tree,"edible, raw"', "--nominal", "shop")
    result = run("fit", "plants.csv", *labels, "--n-rules", 3, "--out", "m.json")
    assert result.exit_code == 0, result.output
    return "m.json"


@pytest.fixture
def forest(run):
    columns = PLANTS[["height", "shop"]]
    fitted = RandomForestClassifier(5, random_state=0).fit(columns, PLANTS[LABELS])
    write_forest(fitted, "f.json", label_names=LABELS)
    return fitted


def test_fit_is_what_the_classifier_does(run, model):
    data = read_csv("plants.csv", LABELS, nominal=["shop"])
    expected = CorsetClassifier(3, random_state=0).fit(data.X, data.Y, label_names=data.label_names)
    learned = read_model(model)
    assert learned.rules == expected.rules_
    assert learned.categories["shop"] == ("1", "2", "3")
    assert (learned.learner, learned.parameters["n_rules"]) == ("CorsetClassifier", 3)
    assert (learned.predict(data.X) == expected.predict(data.X)).all()


def test_settings_reach_estimator_and_binarizer(run):
    arguments = ["--set", "pool_size=20", "--set", "binarizer__cuts=supervised", "--set", "binarizer__n_cuts=1"]
    assert run("fit", "plants.csv", "--n-labels", 2, "--out", "m.json", *arguments).exit_code == 0
    parameters = read_model("m.json").parameters
    names = ("pool_size", "binarizer__cuts", "binarizer__n_cuts")
    assert [parameters[name] for name in names] == [20, "supervised", 1]


@pytest.mark.parametrize(("learner", "kind"), [("guided", GuidedRulesClassifier), ("voting", VotingRulesClassifier)])
def test_other_learners_from_fit_to_rules(run, learner, kind):
    labels = ("--labels", 'tree,"edible, raw"', "--nominal", "shop")
    result = run("fit", "plants.csv", *labels, "--learner", learner, "--n-rules", 4, "--out", "m.json")
    assert result.exit_code == 0, result.output
    data = read_csv("plants.csv", LABELS, nominal=["shop"])
    expected = kind(n_rules=4, random_state=0).fit(data.X, data.Y, label_names=data.label_names)
    learned = read_model("m.json")
    assert (learned.learner, learned.rules) == (kind.__name__, expected.rules_)
    assert (learned.predict(data.X) == expected.predict(data.X)).all()
    assert run("rules", "m.json").stdout == expected.rules_.to_text() + "\n"
    for form, text in (("csv", "antecedent"), ("json", type(expected.rules_).from_json), ("html", "<table>")):
        shown = run("rules", "m.json", "--format", form)
        assert shown.exit_code == 0, shown.output
        assert text(shown.stdout) == expected.rules_ if callable(text) else text in shown.stdout


def test_predict_finds_columns_by_name_and_passes_over_labels(run, model):
    columns = ["colour", "tree", "shop", "height"]
    PLANTS[columns].iloc[:4].to_csv("new.csv", index=False)
    result = run("predict", model, "new.csv")
    assert result.exit_code == 0, result.output
    expected = read_model(model).predict(read_csv("plants.csv", LABELS, nominal=["shop"]).X)[:4]
    lines = result.stdout.splitlines()
    assert lines[0] == 'tree,"edible, raw"'
    assert lines[1:] == [",".join(map(str, row)) for row in expected]
    assert run("predict", model, "new.csv", "--out", "folder/p.csv").stdout == ""
    with open("folder/p.csv", encoding="utf-8") as file:
        assert file.read() == result.stdout


def test_predict_warns_of_unseen_categories_in_one_line(run, model):
    PLANTS.assign(colour="blue").to_csv("blue.csv", index=False)
    result = run("predict", model, "blue.csv")
    assert result.exit_code == 0
    assert result.stderr.splitlines() == [
        "warning: column 'colour' has categories that were not seen in training: 'blue'"
    ]


@pytest.mark.parametrize("name", ["notes.arff", "NOTES.ARFF"])
def test_sparse_arff_from_fit_to_predict(run, tmp_path, name):
    (tmp_path / name).write_text(SPARSE)
    assert run("fit", name, "--out", "m.json", "--n-rules", 1).exit_code == 0
    assert run("predict", "m.json", name).stdout == "L\n1\n0\n1\n0\n1\n0\n"


def test_rules_in_every_format(run, model):
    rules = read_model(model).rules
    assert run("rules", model).stdout == rules.to_text() + "\n"
    assert RuleSet.from_json(run("rules", model, "--format", "json").stdout) == rules
    assert run("rules", model, "--format", "csv").stdout == rules.to_frame().to_csv(index=False)
    page = run("rules", model, "--format", "html").stdout
    assert page.startswith("<!DOCTYPE html>")
    assert page.count("<tr>") == len(rules) + 1


def test_explain_is_what_the_explainer_does(run, forest):
    columns = PLANTS[["height", "shop"]]
    expected = LionForestsExplainer(forest, label_names=LABELS).fit(columns).explain_many(columns.iloc[[4, 0]], "each")
    common = [
        "explain",
        "--forest",
        "f.json",
        "plants.csv",
        "--drop",
        "colour",
        "--row",
        "4",
        "--row",
        "0",
        "--strategy",
        "each",
    ]
    text = run(*common)
    assert text.exit_code == 0, text.output
    pairs = list(zip((4, 0), expected))
    assert text.stdout.splitlines() == [f"row {row}: {line}" for row, found in pairs for line in map(str, found)]
    listed = json.loads(run(*common, "--format", "json").stdout)
    restored = [Explanations.from_json(json.dumps({k: v for k, v in one.items() if k != "row"})) for one in listed]
    assert restored == expected
    assert [one["row"] for one in listed] == [4, 0]
    table = run(*common, "--format", "csv").stdout.splitlines()
    assert table[0].startswith("row,labels,antecedent,status")
    assert len(table) == 1 + sum(map(len, expected))


@pytest.mark.parametrize("form", ["text", "csv", "json"])
@pytest.mark.parametrize("strategy", ["each", "frequent"])
def test_why_there_is_no_explanation_is_said_in_options(run, forest, form, strategy):
    """It said ``strategy='all'``, as Python spells it."""
    row = forest.predict(PLANTS[["height", "shop"]]).any(axis=1).argmin()
    common = ("explain", "--forest", "f.json", "plants.csv", "--drop", "colour", "--row", row, "--format", form)
    result = run(*common, "--strategy", strategy)
    assert result.exit_code == 0, result.output
    assert "strategy=" not in result.output
    assert form == "csv" or "; --strategy all explains that" in result.stdout
    assert "no label" in run(*common).stdout or form != "text"


def test_who_waits_at_a_terminal_for_the_compiler_is_told_once(capsys, monkeypatch):
    compiled = njit(lambda x: x + 1)
    with told_of_compiling():
        compiled(1)
    assert capsys.readouterr().err == ""
    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    with told_of_compiling():
        compiled(1)
    assert capsys.readouterr().err == ""
    with told_of_compiling():
        assert compiled(1.0) + compiled(1j) == 3 + 1j
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith("compiling, once for this installation")


@pytest.mark.parametrize(("cause", "raised"), [(KeyboardInterrupt, KeyboardInterrupt), (IndexError, SystemError)])
def test_a_stop_by_keyboard_in_compiled_code_is_one(cause, raised):
    """What CPython made of it, a SystemError, was shown with its traceback."""
    with pytest.raises(raised), one_line_faults():
        raise SystemError("returned a result with an exception set") from cause()


FIT = "fit plants.csv --out x.json"
EXPLAIN = "explain --forest f.json"
FAULTS = [
    (FIT, 1, "plants.csv: say which columns are labels, with --labels or --n-labels"),
    (f"{FIT} --labels ''", 1, "say which columns are labels"),
    (f"{FIT} --labels bush", 1, "absent from plants.csv: 'bush'; it has 'height', 'shop', 'colour', 'tree'"),
    (f"{FIT} --labels height", 1, "plants.csv, line 2: label 'height' has the value '0.1'; allowed are 0 and 1"),
    (f"{FIT} --labels tree --n-labels 1", 2, "give one of --labels, --labels-from-xml and --n-labels"),
    (f"{FIT} --n-labels 9", 1, "plants.csv has 5 columns; give 1 to 5"),
    (f"{FIT} --labels-from-xml a.xml", 1, "--labels-from-xml goes with an ARFF file"),
    (f"{FIT} --n-labels 2 --sep ';'", 1, "plants.csv: with --sep ';' it has the single column"),
    (f"{FIT} --n-labels 2 --encoding klingon", 1, "--encoding klingon: there is no such encoding"),
    ("predict m.json plants.csv --sep ab", 1, "--sep 'ab': give one character"),
    (f"{FIT} --n-labels 2 --drop-text", 1, "--drop-text is for ARFF files"),
    (f"{FIT} --n-labels 2 --nominal size", 1, "--nominal ['size']: give a list of columns; those of plants.csv are"),
    (f"{FIT} --n-labels 2 --set pool", 1, "--set pool: give NAME=VALUE"),
    (f"{FIT} --n-labels 2 --set pool=1", 1, "Invalid parameter 'pool'"),
    (f"{FIT} --n-labels 2 --set pool_size=few", 1, "Got 'few' instead"),
    ("fit no.csv --n-labels 2 --out x.json", 1, "no.csv: No such file or directory"),
    ("fit labels.csv --n-labels 2 --out x.json", 1, "labels.csv has no column that is a feature"),
    ("fit plants.csv --n-labels 2 --out .", 2, "--out . is a folder"),
    (f"{FIT} --n-labels 9", 1, "--n-labels 9: plants.csv has"),
    (f"{FIT} --labels bush", 1, "--labels names columns that are absent"),
    ("predict m.json plants.csv --out .", 2, "--out . is a folder; give a file"),
    ("rules m.json --out .", 2, "--out . is a folder; give a file"),
    ("explain --forest f.json plants.csv --drop colour --out .", 2, "--out . is a folder; give a file"),
    ("predict plants.csv plants.csv", 1, "plants.csv: the model is damaged: it is no JSON: Expecting value: line 1"),
    ("rules f.json", 1, "f.json: not a model: the field 'format' must be 'mlrx.model', got 'mlrx.forest'"),
    ("predict m.json few.csv", 1, "few.csv lacks columns that the model knows: 'shop', 'colour'"),
    ("predict m.json more.csv", 1, "more.csv has columns that the model does not know: 'id'; --drop leaves them out"),
    ("predict m.json text.csv", 1, "text.csv: column 'height' is nominal, but the model takes it as numeric"),
    ("explain --forest m.json plants.csv", 1, "m.json: not a forest"),
    (f"{EXPLAIN} plants.csv", 1, "does not know: 'colour'; --drop leaves them out"),
    (f"{EXPLAIN} plants.csv --drop colour --row 40", 1, "--row 40: plants.csv has 40 rows; allowed are 0 to 39"),
    (f"{EXPLAIN} notes.arff --sep ';'", 1, "--sep is for CSV files"),
    (f"{EXPLAIN} notes.arff --drop c", 1, "--drop 'c': notes.arff has no such feature; it has 'a', 'b'"),
]


@pytest.mark.parametrize(("line", "code", "message"), FAULTS)
def test_a_fault_is_one_line_and_a_code(run, model, forest, tmp_path, line, code, message):
    PLANTS[LABELS].to_csv("labels.csv", index=False)
    PLANTS[["height"]].to_csv("few.csv", index=False)
    PLANTS.assign(id=1).to_csv("more.csv", index=False)
    PLANTS.assign(height="tall").to_csv("text.csv", index=False)
    (tmp_path / "notes.arff").write_text(SPARSE)
    result = run(*shlex.split(line))
    (told,) = result.stderr.splitlines()
    assert told.startswith("error: ")
    assert message in told
    assert result.exit_code == code
    assert result.stdout == ""
    assert not (tmp_path / "x.json").exists()


@pytest.mark.parametrize("line", ["fit", "fit a.csv --n-labels 0", "guess", "rules m --format x", "fit --x"])
def test_a_wrong_command_line_is_code_two_without_traceback(run, line):
    result = run(*line.split())
    assert result.exit_code == 2
    assert result.stdout == ""
    assert "Traceback" not in result.stderr


@pytest.mark.parametrize("command", ["fit", "predict", "rules", "explain"])
def test_help_has_examples(run, command):
    result = run(command, "--help")
    assert result.exit_code == 0
    assert f"  mlrx {command} " in result.stdout.split("Example")[1]
    assert "\x1b" not in result.stdout


def test_rules_in_colour_are_the_same_text(model, capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "20")
    text = read_model(model).rules.to_text()
    _print_in_colour(text)
    assert capsys.readouterr().out == text + "\n"


def test_version(run):
    assert run("--version").stdout == f"mlrx {__version__}\n"


def test_module_is_the_program(tmp_path):
    ended = subprocess.run(
        [sys.executable, "-m", "mlrx", "rules", "no.json"], capture_output=True, text=True, check=False
    )
    assert (ended.returncode, ended.stdout, ended.stderr) == (1, "", "error: no.json: No such file or directory\n")


def test_forest_of_the_file_is_the_forest(forest):
    saved = read_forest("f.json")
    columns = PLANTS[["height", "shop"]]
    assert (saved.forest.predict(columns) == forest.predict(columns)).all()
