import textwrap

import numpy as np
import pytest

from experiments.forests import Copied, load_fold
from experiments.loading import load_config
from experiments.study import Study

TEXT = """
id: copied
title: Copied
paper: none
table: none
claim: none
unstated: []
notebook: 17_forest_surrogates.ipynb
task: copy
metrics: [cell_fidelity, f1_fidelity, set_fidelity, n_rules, n_conditions]
zero_division: 1
seed: 5
margin: 0.02
datasets: {ai4i-simulated: {}}
methods:
  gs: {kind: global-tree, title: GS}
  trepan: {kind: trepan, title: TREPAN, rules: [2, 20], parameters: {n_rows: 50}}
  tree: {kind: tree, title: tree}
profiles:
  smoke: {datasets: [ai4i-simulated], repetitions: 1}
  quick: {datasets: [ai4i-simulated], repetitions: 3}
  paper: {datasets: [ai4i-simulated], repetitions: 10}
"""


@pytest.fixture
def config(tmp_path):
    path = tmp_path / "copied.yaml"
    path.write_text(textwrap.dedent(TEXT), encoding="utf-8")
    return path


def test_models_are_held_to_the_labels_of_the_forest(config, tmp_path, capsys):
    study = Study.open(config, "smoke", "ai4i-simulated", tmp_path).run()
    scores = study.scores().set_index(["method", "asked"])
    assert scores[["cell_fidelity", "f1_fidelity", "set_fidelity"]].notna().all(axis=None)
    # A tree grown in full copies training rows exactly, and test rows well.
    assert scores["cell_fidelity"].min() > 0.7
    assert (scores["set_fidelity"] <= scores["cell_fidelity"]).all()
    assert scores["n_rules"].loc["trepan"].tolist() == sorted(scores["n_rules"].loc["trepan"])
    assert scores["n_rules"].loc["trepan", 2].item() <= 2
    split = study.split()
    assert isinstance(split, Copied)
    assert (split.fold.model.predict(split.fold.X_test) == split.test.Y).all()
    assert (split.fold.model.predict(split.fold.X_train) == split.train.Y).all()
    assert study.table().columns[2:6].tolist() == [
        "rules asked",
        "labels as the forest's",
        "micro-F1 against the forest",
        "label sets as the forest's",
    ]


def test_own_labels_of_the_rows_are_not_those_that_are_copied():
    fold = load_fold("ai4i-simulated", 0)
    copied = Copied.of(fold)
    assert (copied.test.Y != fold.test.Y).any()
    assert (copied.test.X.to_numpy() == fold.test.X.to_numpy()).all()
    assert np.shares_memory(copied.fold.predicted, fold.predicted)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("repetitions: 10", "repetitions: 11", "profiles.paper.repetitions must be at most 10, got 11"),
        ("zero_division: 1", "", "zero_division must be 0 or 1, got None"),
        ("n_rows: 50", "n_rows: -1", "n_rows"),
        ("kind: tree,", "kind: chirps,", "methods.tree.kind: unknown 'chirps'"),
        ("set_fidelity", "micro_f1", "metrics: unknown 'micro_f1'"),
        ("datasets: {ai4i-simulated: {}}", "datasets: {ai4i-simulated: {}, emotions: {}}", "unknown 'emotions'"),
    ],
)
def test_faults_are_named(config, old, new, message):
    assert old in TEXT
    config.write_text(TEXT.replace(old, new, 1), encoding="utf-8")
    with pytest.raises(ValueError, match=message):
        load_config(config)
