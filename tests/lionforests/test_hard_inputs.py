"""Hard labels, rows, thresholds, votes, trees and missing values, through the explainer, in both modes."""

import math
from types import SimpleNamespace

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.ensemble import ExtraTreesClassifier, RandomForestClassifier
from sklearn.exceptions import NotFittedError

from mlrx import Condition, LionForestsExplainer

from .explaining import IN_BOTH_MODES, assert_holds, explainer, forest, read_back
from .small_forests import LADDER, LADDER_LABELS

pytestmark = IN_BOTH_MODES

FOUR = [[0.0], [1.0], [2.0], [3.0]]


# Labels that say little.


def test_label_that_is_never_or_always_present(mode):
    X, Y = FOUR, [[0, 1, 0], [0, 1, 0], [0, 1, 1], [0, 1, 1]]
    model = forest(X, Y)
    one = explainer(model, X, Y, mode=mode)
    (whole,) = one.explain([3.0])
    assert whole.labels == (1, 2)
    assert_holds(model, whole)
    constant, other = one.explain([3.0], "each")
    assert (constant.labels, constant.rule.antecedent, constant.length) == ((1,), (), 0)
    assert constant.rule.n_covered == constant.n_samples == 4
    assert constant.to_text().startswith("THEN y1  [")
    assert other.labels == (2,)
    assert len(other.rule) == 1


def test_empty_prediction(mode):
    Y = [[0, 0], [0, 0], [1, 0], [0, 1]]
    model = forest(FOUR, Y, 5)
    assert model.predict([[0.0]]).tolist() == [[0, 0]]
    one = explainer(model, FOUR, Y, mode=mode)
    (whole,) = one.explain([0.0])
    assert (whole.labels, whole.guarantee) == ((), "labelset")
    assert "THEN no label" in whole.to_text()
    assert_holds(model, whole)
    values = np.linspace(-5, 5, 1001)[:, None]
    covered = whole.covers(values)
    assert 0 < covered.sum() < 1001
    assert (model.predict(values[covered]) == 0).all()
    for strategy in ("each", "frequent"):
        found = one.explain([0.0], strategy)
        assert found == []
        assert "no label" in found.reason
        assert "no label" in found._repr_html_()


# Few rows, few features.


def test_one_row_of_training(mode):
    model = forest([[0.0, 1.0]], [[0, 1]])
    (whole,) = explainer(model, [[0.0, 1.0]], [[0, 1]], mode=mode).explain([5.0, 5.0])
    assert (whole.labels, whole.rule.antecedent, whole.rule.n_covered, whole.n_samples) == ((1,), (), 1, 1)
    assert whole.covers([[5.0, 5.0], [-9.0, 0.0]]).all()


def test_one_feature(mode):
    rng = np.random.default_rng(0)
    X = rng.random((40, 1)).round(2)
    Y = np.column_stack([X[:, 0] > 0.3, X[:, 0] < 0.7]).astype(int)
    model = forest(X, Y, 9)
    for found in explainer(model, X, Y, mode=mode).explain_many(X[:10], "each", progress=False):
        for explanation in found:
            assert len(explanation.rule) == 1
            assert_holds(model, explanation, X)


# Precision of thresholds.


def test_float32_branch(mode):
    model = forest([[0.1], [0.5]], [[0, 1], [1, 0]], bootstrap=False)
    assert model.estimators_[0].tree_.threshold[0] == 0.30000000074505806
    assert model.predict([[0.3]]).tolist() == [[1, 0]]  # as float32 it lies above
    (whole,) = explainer(model, [[0.1], [0.5]], mode=mode, feature_names=["f"]).explain([0.3])
    assert whole.labels == (0,)
    assert whole.to_text().startswith("IF f > 0.30000000074505806 THEN y0  [")
    assert whole.covers([[0.3], [0.29999998]]).tolist() == [True, False]
    assert_holds(model, whole)


def test_small_thresholds(mode):
    X, Y = [[1e-6], [3e-6]], [[0, 1], [1, 0]]
    model = forest(X, Y, bootstrap=False)
    one = explainer(model, X, Y, mode=mode)
    for x, label, covers in ((2.5e-6, 0, [False, True]), (1e-6, 1, [True, False])):
        (whole,) = one.explain([x])
        assert whole.labels == (label,)
        read = read_back(whole)
        assert read.antecedent == whole.rule.antecedent
        assert read.covers([[1e-6], [2.5e-6]]).tolist() == covers


def test_row_outside_the_training_range(mode):
    model = forest(LADDER, LADDER_LABELS)
    one = explainer(model, LADDER, LADDER_LABELS, mode=mode)
    assert model.predict([[100.0]]).tolist() == [[1, 1]]
    (whole,) = one.explain([100.0])
    assert whole.labels == (0, 1)
    assert whole.rule.antecedent[0].upper == math.inf
    for x in (-100.0, 0.0, 2.0, 5.0, 100.0):
        for explanation in (*one.explain([x]), *one.explain([x], "each")):
            assert_holds(model, explanation)


# Votes and ties.


def test_tie(mode):
    model = forest(LADDER, LADDER_LABELS, 2)
    assert [p[0, 1] for p in model.predict_proba([[2.0]])] == [0.5, 0.5]
    one = explainer(model, LADDER, LADDER_LABELS, mode=mode)
    assert one.explain([2.0], "each") == []
    (whole,) = one.explain([2.0])
    (asked,) = one.explain([2.0], [[0]])
    for explanation in (whole, asked):
        assert (explanation.status, explanation.rule, explanation.margin) == ("tie", None, 0)
        assert not explanation.covers(LADDER).any()
        assert "tie" in explanation.to_text()


def test_votes_are_no_majority_of_probability(mode):
    # Two of three trees are for label 1, yet its mean is 0.467; with the other seed one in three is for label 0.
    for seed, votes in ((13, [0.6, 0.8, 0.0]), (0, [0.5, 0.5, 1.0])):
        model = forest(LADDER, LADDER_LABELS, max_depth=1, random_state=seed)
        label = 1 if seed == 13 else 0
        assert np.allclose([tree.predict_proba([[2.0]])[label][0, 1] for tree in model.estimators_], votes)
        assert model.predict([[2.0]]).tolist() == [[1, 0]]
        one = explainer(model, LADDER, LADDER_LABELS, mode=mode)
        (each,) = one.explain([2.0], "each")
        assert each.labels == (0,)
        assert_holds(model, each)
        with pytest.raises(ValueError, match="label 1 must be present for x"):
            one.explain([2.0], [[1]])


# Kinds of forests.


def test_trees_of_one_leaf(mode):
    X, Y = np.ones((4, 2)), [[0, 1], [1, 0], [0, 1], [1, 1]]
    model = forest(X, Y)
    assert [tree.tree_.node_count for tree in model.estimators_] == [1, 1, 1]
    (whole,) = explainer(model, X, Y, mode=mode).explain([7.0, 7.0])
    assert (whole.labels, whole.rule.antecedent, whole.length) == ((0, 1), (), 0)
    assert whole.rule.n_covered == whole.n_samples == 4
    assert whole.to_text().startswith("THEN y0, y1  [")


def test_trees_of_one_leaf_beside_others(mode):
    # Bootstrap samples of few rows are of one class now and then.
    X = [[0.0, 1.0], [1.0, 1.0], [2.0, 1.0]]
    Y = [[0, 1], [1, 1], [1, 0]]
    model = forest(X, Y, 15)
    assert {tree.tree_.node_count == 1 for tree in model.estimators_} == {True, False}
    for found in explainer(model, X, Y, mode=mode).explain_many(X, "each", progress=False):
        for explanation in found:
            assert_holds(model, explanation)
            assert {c.feature for c in explanation.rule.antecedent} <= {0}


def test_monotonic_constraints(mode):
    with pytest.raises(ValueError, match="Monotonicity constraints are not supported with multiple outputs"):
        forest(LADDER, LADDER_LABELS, monotonic_cst=[1])
    y = [0, 0, 0, 1, 1, 1]
    model = forest(LADDER, y, monotonic_cst=[1])
    (whole,) = explainer(model, LADDER, y, mode=mode).explain([5.0])
    assert_holds(model, whole)
    assert whole.rule.antecedent[0].upper == math.inf


def test_extremely_randomised_trees(mode):
    rng = np.random.default_rng(0)
    X = rng.integers(0, 6, (40, 3)).astype(float)
    Y = (X[:, :2] > 2).astype(int)
    model = ExtraTreesClassifier(9, max_depth=4, random_state=0).fit(X, Y)
    for found in explainer(model, X, Y, mode=mode).explain_many(X[:8], progress=False):
        assert_holds(model, found[0], X)


def test_equal_trees_count_once(mode):
    model = forest(LADDER, LADDER_LABELS, bootstrap=False)
    assert len({tuple(tree.tree_.threshold) for tree in model.estimators_}) == 1
    (whole,) = explainer(model, LADDER, LADDER_LABELS, mode=mode).explain([5.0])
    assert (len(whole.rule.antecedent), whole.length) == (1, 1)
    assert_holds(model, whole)


def test_one_tree(mode):
    for bootstrap in (True, False):
        model = forest(LADDER, LADDER_LABELS, 1, bootstrap=bootstrap)
        for found in explainer(model, LADDER, LADDER_LABELS, mode=mode).explain_many(LADDER, "each", progress=False):
            for explanation in found:
                assert (explanation.n_voting, explanation.n_trees) == (1, 1)
                assert_holds(model, explanation)


def test_public_arrays_of_trees_suffice(mode):
    public = ("node_count", "children_left", "children_right", "feature", "threshold", "value", "missing_go_to_left")
    model = forest(LADDER, LADDER_LABELS)
    expected = explainer(model, LADDER, LADDER_LABELS, mode=mode).explain([5.0])[0].rule
    for tree in model.estimators_:
        tree.tree_ = SimpleNamespace(**{name: getattr(tree.tree_, name) for name in public})
    assert explainer(model, LADDER, LADDER_LABELS, mode=mode).explain([5.0])[0].rule == expected


def test_forest_that_is_not_fitted(mode):
    with pytest.raises(NotFittedError, match="not fitted"):
        explainer(RandomForestClassifier(), FOUR, mode=mode)
    with pytest.raises(NotFittedError, match="not fitted"):
        LionForestsExplainer(forest(LADDER, LADDER_LABELS), mode=mode).explain([0.0])


# Missing values.


def test_missing_value(mode):
    X, Y = [[1.0], [2.0], [3.0], [4.0], [12.0]], [[0, 1]] * 4 + [[1, 0]]
    model = forest(X, Y, bootstrap=False)
    assert model.predict([[np.nan]]).tolist() == [[0, 1]]
    one = explainer(model, X, Y, mode=mode, feature_names=["f"])
    (whole,) = one.explain([np.nan])
    assert whole.labels == (1,)
    assert whole.to_text().startswith("IF f <= 8 (or missing) THEN y1  [")
    assert whole.covers([[np.nan], [1.0], [12.0]]).tolist() == [True, True, False]
    assert_holds(model, whole)
    assert "missing" in whole._repr_html_()
    (known,) = one.explain([1.0])
    assert known.covers([[np.nan], [1.0]]).tolist() == [False, True]
    with pytest.raises(ValueError, match="contains NaN"):
        one.explain(sp.csr_array([[np.nan]]))


def test_rule_itself_says_that_a_column_without_bounds_may_be_missing(mode):
    """Rule and proof once spoke of known values only, while the explanation covered missing ones beside the rule."""
    rng = np.random.default_rng(2)
    X = rng.normal(size=(80, 3)).round(1)
    X[rng.random(X.shape) < 0.3] = np.nan
    y = (np.nan_to_num(X[:, 0]) > 0).astype(int)
    model = forest(X, y, 9)
    rows = X[np.isnan(X[:, 1:]).all(axis=1) & (model.predict(X) == 1)]
    found = [one[0] for one in explainer(model, X, y, mode=mode).explain_many(rows, progress=False)]
    is_free = [[c.feature for c in e.rule.antecedent if c == Condition(c.feature, missing=True)] for e in found]
    assert any(is_free)
    for explanation, features in zip(found, is_free):
        assert_holds(model, explanation, X)
        assert explanation.rule.covers([explanation.x]).all()
        assert all(f"x{f} is known (or missing)" in explanation.to_text() for f in features)
        assert explanation.length == len(explanation.rule) - len(features)
    assert "for all known values" in found[0]._repr_html_()


def test_missing_values_in_training_rows(mode):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 4)).round(1)
    Y = np.column_stack([X[:, 0] > 0, X[:, 1] + X[:, 2] > 0]).astype(int)
    X[rng.random(X.shape) < 0.3] = np.nan
    X[:, 3] = np.nan
    model = forest(X, Y, 15, max_depth=4)
    for found in explainer(model, X, Y, mode=mode).explain_many(X[:15], progress=False):
        assert_holds(model, found[0], X)


def test_rows_without_the_values_that_trees_were_grown_on(mode):
    model = forest([[1.0, 5.0], [2.0, 6.0], [3.0, 7.0], [4.0, 8.0]], [[0, 1], [0, 1], [1, 0], [1, 0]], 9)
    X = [[1.0, np.nan], [4.0, np.nan]]
    for found in explainer(model, X, mode=mode).explain_many(X, progress=False):
        assert_holds(model, found[0], X)


def test_split_between_missing_and_known(mode):
    X, y = [[np.nan], [1.0], [2.0]], [1, 0, 0]
    model = forest(X, y, 5, bootstrap=False)
    assert all(np.isinf(tree.tree_.threshold[0]) for tree in model.estimators_)
    one = explainer(model, X, y, mode=mode, feature_names=["f"])
    (missing,), (known,) = one.explain([np.nan]), one.explain([7.0])
    assert missing.to_text().startswith("IF f is missing THEN y0  [")
    assert missing.covers([[np.nan], [1.0]]).tolist() == [True, False]
    assert known.labels == ()
    assert known.covers([[np.nan], [1.0]]).tolist() == [False, True]
    assert_holds(model, missing)
    assert_holds(model, known)
