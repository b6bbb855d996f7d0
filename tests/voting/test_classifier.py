"""VotingRulesClassifier from data to predictions."""

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

from mlrx import FeatureBinarizer, VotingRulesClassifier
from mlrx.metrics import micro_f1
from mlrx.voting.candidates import MIN_ROWS
from mlrx.voting.scoring import METRICS
from tests.estimator_checks import all_checks

GIVEN = {"ridge": 1.0, "price": 0.5, "unit": 0.1, "threshold": 0.4, "lenience": 0.2}


@all_checks(VotingRulesClassifier(n_rules=10, n_trees=10, price=0.1, unit=0.1, random_state=0))
def test_scikit_learn_checks(estimator, check):
    check(estimator)


def planted(seed=0, n_rows=300):
    """Labels that follow two items, a count of them, and noise."""
    rng = np.random.default_rng(seed)
    X = (rng.random((n_rows, 8)) < 0.5).astype(float)
    Y = np.column_stack([X[:, 0] * X[:, 1], X[:, 2], (X[:, 3:6].sum(axis=1) >= 2), rng.random(n_rows) < 0.05])
    return X, Y.astype(int)


def test_planted_labels_are_learned():
    X, Y = planted()
    model = VotingRulesClassifier(random_state=0).fit(X[:200], Y[:200])
    assert micro_f1(Y[200:, :3], model.predict(X[200:])[:, :3], zero_division=0) > 0.97
    assert len(model.rules_) <= 100
    assert all(rule.points for rule in model.rules_)
    assert all(abs(points) <= 3 for rule in model.rules_ for _, points in rule.points)


def test_rules_cover_what_they_were_learned_to_cover():
    X, Y = planted()
    X = X + np.random.default_rng(1).normal(size=X.shape)
    model = VotingRulesClassifier(**GIVEN, random_state=0).fit(X, Y)
    assert model.rules_.covers(X).sum(axis=0).tolist() == [rule.n_covered for rule in model.rules_]
    assert model.rules_.n_samples == 300


def test_missing_values_and_categories_are_covered_as_learned():
    X, Y = planted()
    frame = pd.DataFrame(X, columns=[f"c{k}" for k in range(8)])
    frame["c0"] = np.where(frame["c0"] > 0, "yes", "no")
    frame.loc[:30, "c0"] = None
    frame.loc[20:60, "c2"] = np.nan
    model = VotingRulesClassifier(**GIVEN, random_state=0).fit(frame, Y)
    assert model.rules_.covers(frame).sum(axis=0).tolist() == [rule.n_covered for rule in model.rules_]


def test_nothing_is_tuned_when_all_is_given():
    X, Y = planted()
    model = VotingRulesClassifier(**GIVEN, random_state=0).fit(X, Y)
    assert model.cv_results_.empty
    assert {name: getattr(model, f"{name}_") for name in GIVEN} == GIVEN


def test_what_is_given_is_not_tuned():
    X, Y = planted()
    model = VotingRulesClassifier(unit=0.12, threshold=0.45, random_state=0).fit(X, Y)
    assert set(model.cv_results_["unit"]) == {0.12}
    assert set(model.cv_results_["threshold"]) == {0.45}
    assert model.cv_results_["ridge"].nunique() > 1
    assert (model.unit_, model.threshold_) == (0.12, 0.45)


def test_tolerance_takes_the_fewest_weights_of_those_about_as_good():
    X, Y = planted()
    model = VotingRulesClassifier(tolerance=0.02, random_state=0).fit(X, Y)
    results = model.cv_results_
    good = results[results["score"] >= results["score"].max() - 0.02]
    names = ["ridge", "price", "unit", "lenience"]
    (chosen,) = good[(good[names] == [getattr(model, f"{name}_") for name in names]).all(axis=1)]["n_weights"]
    assert chosen == good["n_weights"].min()


@pytest.mark.parametrize("metric", ["micro_f1", "macro_f1", "subset_accuracy", "hamming_loss"])
def test_each_metric_can_be_tuned_for(metric):
    X, Y = planted()
    model = VotingRulesClassifier(metric=metric, n_trees=20, random_state=0).fit(X, Y)
    assert model.cv_results_["score"].max() > (-0.03 if metric == "hamming_loss" else 0.6)


def test_the_class_of_higher_probability_is_predicted():
    """Where even the least probability in the table is above one half, rows below its margin were predicted 0."""
    for seed in range(12, 32):
        rng = np.random.default_rng(seed)
        n = int(rng.integers(5, 60))
        X = (rng.random((n, 3)) < 0.5).astype(float)
        y = ((X[:, 0] > 0) | (rng.random(n) < 0.5)).astype(int)
        if len(set(y)) == 2:
            model = VotingRulesClassifier(n_trees=5, random_state=0).fit(X, y)
            assert np.array_equal(model.predict(X), model.classes_[model.predict_proba(X).argmax(axis=1)])


def test_lenience_lowers_the_bars_of_rare_labels_and_no_threshold_is_above_1():
    X = np.arange(40.0)[:, None] % 2
    Y = np.zeros((40, 4), dtype=int)
    Y[:, 0], Y[[0, 1, 2], [1, 2, 3]] = 1, 1
    given = {"ridge": 1.0, "price": 1.0, "unit": 0.1, "threshold": 0.6, "random_state": 0}
    bars = {k: VotingRulesClassifier(lenience=k, **given).fit(X, Y) for k in (0.0, 0.2, 1.0)}
    assert all(model.predict(X)[:, 0].all() for model in bars.values())
    rare = [model.rules_.bars[1] for model in bars.values()]
    assert rare[0] > rare[1] > rare[2]


def test_threads_do_not_change_the_result():
    X, Y = planted()
    one, two = (VotingRulesClassifier(n_trees=20, random_state=3, n_jobs=n).fit(X, Y) for n in (1, 2))
    assert one.rules_ == two.rules_
    pd.testing.assert_frame_equal(one.cv_results_, two.cv_results_)


def test_sparse_tables_give_the_same_rules():
    X, Y = planted()
    dense = VotingRulesClassifier(n_trees=20, random_state=0).fit(X, Y)
    sparse = VotingRulesClassifier(n_trees=20, random_state=0).fit(sp.csr_array(X), sp.csr_array(Y))
    assert dense.rules_ == sparse.rules_
    predicted = sparse.predict(sp.csr_array(X))
    assert sp.issparse(predicted)
    assert np.array_equal(predicted.toarray(), dense.predict(X))


def test_probabilities_rise_with_points_and_come_from_held_out_rows():
    X, Y = planted()
    model = VotingRulesClassifier(random_state=0).fit(X, Y)
    probabilities, margins = model.predict_proba(X), model.rules_.margins(X)
    order = np.argsort(margins.ravel(), kind="stable")
    assert (np.diff(probabilities.ravel()[order]) >= 0).all()
    fresh, truth = planted(seed=9, n_rows=3000)
    assert np.mean((model.predict_proba(fresh) - truth) ** 2) < 0.03
    bold = VotingRulesClassifier(**GIVEN, random_state=0).fit(X, Y).predict_proba(X)
    assert ((bold >= 0) & (bold <= 1)).all()


def test_labels_that_never_occur_are_never_predicted():
    X, Y = planted()
    Y[:, 1] = 0
    model = VotingRulesClassifier(random_state=0).fit(X, Y)
    assert not model.predict(X)[:, 1].any()
    assert model.predict_proba(X)[:, 1].max() < 0.1
    assert len(model.rules_.bars) == 4


def test_no_label_at_all():
    """Only for micro-F1 it worked; the other metrics divided by no labels."""
    X, Y = planted(n_rows=30)
    for parameters in (GIVEN, *({"metric": metric} for metric in METRICS)):
        model = VotingRulesClassifier(**parameters, random_state=0).fit(X, Y * 0)
        assert len(model.rules_) == 0
        assert not model.predict(X).any()
        assert not model.predict_proba(X).any()


def test_labels_that_always_occur_are_always_predicted():
    X, Y = planted()
    Y[:, 1] = 1
    assert VotingRulesClassifier(random_state=0).fit(X, Y).predict(X)[:, 1].all()


def test_columns_that_say_nothing_leave_the_constants():
    Y = np.repeat([[1, 0], [1, 1]], [30, 10], axis=0)
    model = VotingRulesClassifier(random_state=0).fit(np.full((40, 2), 7.0), Y)
    assert len(model.rules_) == 0
    assert model.predict(np.full((1, 2), 7.0)).tolist() == [[1, 0]]


def test_score_sheet_tells_the_prediction():
    X, Y = planted()
    frame = pd.DataFrame(X, columns=list("abcdefgh"))
    model = VotingRulesClassifier(**GIVEN, random_state=0).fit(frame, Y, label_names=list("pqrs"))
    for row in range(5):
        sheet = model.score_sheet(frame.iloc[[row]])
        predicted = model.predict(frame.iloc[[row]])[0]
        assert sheet.predicted == tuple(np.array(list("pqrs"))[predicted.astype(bool)])
        assert [fired.rule for fired in sheet.fired] == np.flatnonzero(
            model.rules_.covers(frame.iloc[[row]])[0]
        ).tolist()


def test_one_dimensional_y_keeps_its_classes():
    X, Y = planted()
    y = np.where(Y[:, 1] > 0, "yes", "no")
    model = VotingRulesClassifier(random_state=0).fit(X, y)
    assert model.score(X, y) == 1.0
    assert model.predict_proba(X).shape == (300, 2)
    assert np.array_equal(model.classes_[model.predict_proba(X).argmax(axis=1)], y)


def test_a_binarizer_of_ones_own():
    X, Y = planted()
    X = X + np.random.default_rng(1).normal(scale=0.1, size=X.shape)
    binarizer = FeatureBinarizer(cuts="supervised", n_cuts=1)
    model = VotingRulesClassifier(**GIVEN, binarizer=binarizer, random_state=0).fit(X, Y)
    assert micro_f1(Y[:, :3], model.predict(X)[:, :3], zero_division=0) > 0.95
    assert len(model.binarizer_.items_) <= 8


def test_one_row_cannot_be_cross_validated():
    with pytest.raises(ValueError, match="n_samples=1"):
        VotingRulesClassifier().fit(np.ones((1, 2)), np.ones((1, 2), dtype=int))


def test_fewer_rows_than_trees_need():
    X, Y = planted(n_rows=MIN_ROWS)
    assert VotingRulesClassifier(random_state=0).fit(X, Y).predict(X).shape == Y.shape


@pytest.mark.parametrize(
    ("parameter", "value"),
    [
        ("n_rules", 0),
        ("metric", "accuracy"),
        ("ridge", 0.0),
        ("unit", -0.1),
        ("threshold", 1.5),
        ("lenience", -0.1),
        ("tolerance", -1),
    ],
)
def test_wrong_parameters_are_named(parameter, value):
    X, Y = planted(n_rows=20)
    with pytest.raises(ValueError, match=f"'{parameter}' parameter"):
        VotingRulesClassifier(**{parameter: value}).fit(X, Y)
