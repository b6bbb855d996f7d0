from dataclasses import replace

import numpy as np
import pytest
import yaml

from experiments.config import Dataset, Range, Tuning
from experiments.loading import load_config
from experiments.methods import METHODS
from experiments.splits import Split, load_split, take
from experiments.tuning import _prefix_scores, draw_candidates, tune, with_tuned
from mlrx.metrics import micro_f1

TUNING = Tuning(
    method="corset",
    candidates=3,
    folds=2,
    n_rules=6,
    space={"negative_weight": Range(0.1, 1, log=True), "refine": (True, False)},
    parameters={"pool_size": 10},
)


@pytest.fixture
def split(tiny_config):
    config = load_config(tiny_config)
    return load_split("made", config.datasets["made"], config.seed, 0)


@pytest.fixture
def config(tiny_config, split, monkeypatch):
    """The tiny config, which tunes on a set that stands for a loaded one; its test rows must not be touched."""
    train_only = Split("flags", replace(split.train, generating_rules=()), None, "")
    monkeypatch.setattr("experiments.tuning.load_split", lambda *_: train_only)
    config = load_config(tiny_config)
    profiles = config.profiles | {"paper": replace(config.profiles["paper"], datasets=("flags",), tune=True)}
    return replace(config, tuning=TUNING, profiles=profiles, datasets={"flags": Dataset(n_rules=3)})


def test_candidates_are_drawn_from_the_space():
    drawn = list(draw_candidates(replace(TUNING, candidates=200), 1))
    assert drawn == list(draw_candidates(replace(TUNING, candidates=200), 1))
    weights = np.array([candidate["negative_weight"] for candidate in drawn])
    assert weights.min() >= 0.1
    assert weights.max() <= 1
    # Uniform on a logarithmic scale: half of the draws are below the geometric mean, give or take 4 sd of 3.5 %.
    assert abs((weights < 0.1**0.5).mean() - 0.5) < 0.14
    assert {candidate["refine"] for candidate in drawn} == {True, False}


def test_scores_of_prefixes_are_those_of_their_predictions(config, split):
    rows = np.arange(0, 40, 3)
    scores = _prefix_scores(config, {"pool_size": 10}, split, rows, 5)
    others = np.setdiff1d(np.arange(40), rows)
    fold = Split("fold", take(split.train, others), take(split.train, rows), "")
    rules = METHODS["corset"].fit(fold, 6, 5, {"pool_size": 10}).rules
    expected = [micro_f1(fold.test.Y, rules[: k + 1].predict(fold.test.X), zero_division=0) for k in range(6)]
    assert scores.tolist() == pytest.approx(expected)


def test_result_is_the_best_candidate_and_is_kept(config, tmp_path):
    found = tune(config, "paper", "flags", tmp_path)
    assert [len(found["trials"]), found["micro_f1"]] == [3, max(trial["micro_f1"] for trial in found["trials"])]
    assert set(found["parameters"]) == {"negative_weight", "refine"}
    assert 1 <= found["n_rules"] <= 6
    path = tmp_path / "tuning" / "tiny" / "flags.yaml"
    assert yaml.safe_load(path.read_text("utf-8")) == found
    tuned = with_tuned(config, "paper", tmp_path)
    assert tuned.datasets["flags"].n_rules == found["n_rules"]
    assert (
        tuned.parameters("corset", "flags", "paper") == {"pool_size": 30, "consequents": "full"} | found["parameters"]
    )
    assert with_tuned(config, "quick", tmp_path) == config


def test_result_of_another_search_is_out_of_date(config, tmp_path):
    tune(config, "paper", "flags", tmp_path)
    other = replace(config, tuning=replace(TUNING, folds=3))
    assert with_tuned(other, "paper", tmp_path) == other
    fewer = replace(config.profiles["paper"], parameters={"corset": {"pool_size": 29}})
    other = replace(config, profiles=config.profiles | {"paper": fewer})
    assert with_tuned(other, "paper", tmp_path) == other
    (tmp_path / "tuning" / "tiny" / "flags.yaml").write_text("key: [", "utf-8")
    assert with_tuned(config, "paper", tmp_path) == config


def test_more_folds_than_rows_are_refused_before_work_starts(config, tmp_path, monkeypatch):
    monkeypatch.setattr("experiments.tuning._prefix_scores", lambda *_: pytest.fail("work was started"))
    many = replace(config, tuning=replace(TUNING, folds=41))
    with pytest.raises(ValueError, match="41 folds > 40 rows"):
        tune(many, "paper", "flags", tmp_path)


def test_generated_sets_are_not_tuned(tiny_config, tmp_path):
    config = replace(load_config(tiny_config), tuning=TUNING)
    assert tune(config, "quick", "made", tmp_path) is None
