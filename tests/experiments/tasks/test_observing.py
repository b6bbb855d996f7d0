"""Studies that fit nothing, from config to table."""

import pytest

from experiments.loading import load_config
from experiments.study import Study

TEXT = """
id: looked
title: Looked
paper: corset
table: none
claim: none
task: sample
unstated: []
notebook: 08_consequent_samplers.ipynb
metrics: [log_rows, edge_probability, n_items]
seed: 5
margin: 0.02
datasets:
  made:
    generate: {generator: ground-truth, n_samples: 40, n_features: 6, n_labels: 4, n_rules: 2, consequent_size: 2}
methods:
  sets: {kind: consequents, title: label sets, parameters: {n_draws: 50}}
  rules: {kind: rules, title: rules, parameters: {n_consequents: 5, n_draws: 4, target: greedy}}
profiles:
  smoke: {datasets: [made], repetitions: 2}
  quick: {datasets: [made], repetitions: 3}
  paper: {datasets: [made], repetitions: 3}
"""


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "looked.yaml"
    path.write_text(TEXT, encoding="utf-8")
    return path


def test_study_runs_and_shows(path, tmp_path, capsys):
    study = Study.open(path, "smoke", "made", tmp_path).run()
    assert study.missing() == []
    assert capsys.readouterr().out.startswith("run 1/4: made, sets, repetition 1: done, ")
    table = study.table()
    assert list(table.columns) == [
        "data set",
        "method",
        "ln rows with all of it",
        "edge probability",
        "items of an antecedent",
        "n",
    ]
    assert table["n"].tolist() == ["2", "2"]
    assert (table["items of an antecedent"] == "–").tolist() == [True, False]
    # Nothing is fitted, so that there is no time of a fit to draw.
    assert study.titled_timings().empty


def test_draws_follow_from_the_seed(path, tmp_path):
    first, second = (Study.open(path, "smoke", "made", tmp_path / name).run().scores() for name in "ab")
    assert first.equals(second)
    assert first["log_rows"].nunique() > 1


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("margin: 0.02", "margin: {all: 0.1}", "margin must be a number, got {'all': 0.1}"),
        ("seed: 5", "seed: 5\nzero_division: 0", "zero_division has no meaning where nothing is fitted, got 0"),
        ("seed: 5", "seed: 5\naudit_budget: 7", "audit_budget has no meaning where nothing is fitted, got 7"),
        ("repetitions: 2", "repetitions: 2, tune: true", "profiles.smoke: rows and tune have no meaning"),
        ("repetitions: 2", "repetitions: 2, rows: {made: 3}", "profiles.smoke: rows and tune have no meaning"),
        ("title: label sets,", "title: label sets, rules: [3],", "have neither rules nor strategies"),
        ("kind: consequents", "kind: corset", "methods.sets.kind: unknown 'corset'; allowed are consequents"),
        ("log_rows,", "micro_f1,", "metrics: unknown 'micro_f1'"),
        ("n_draws: 50", "n_draws: 0", "methods.sets on made, profile smoke: n_draws must be at least 1, got 0"),
    ],
)
def test_faults_are_named(path, old, new, message):
    assert TEXT.count(old) == 1
    path.write_text(TEXT.replace(old, new), encoding="utf-8")
    with pytest.raises(ValueError, match=message):
        load_config(path)
