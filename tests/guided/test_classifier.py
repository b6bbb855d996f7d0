"""GuidedRulesClassifier as a user meets it: scikit-learn's checks, containers, hard inputs."""

import logging
import tracemalloc

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MaxAbsScaler

from mlrx import FeatureBinarizer, GuidedRulesClassifier, RuleSet
from mlrx.metrics import micro_f1
from tests.estimator_checks import all_checks

GIVEN = {"n_rules": 20, "target_f1": 0.7, "size_price": 0.5}


@all_checks(GuidedRulesClassifier(), GuidedRulesClassifier(**GIVEN))
def test_scikit_learn_checks(estimator, check):
    check(estimator)


def rule_data(n=300, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.random((n, 10)) < 0.4
    Y = np.column_stack([X[:, 0] & ~X[:, 1], X[:, 2], X[:, 3] & X[:, 4], X[:, 5]]) ^ (rng.random((n, 4)) < 0.03)
    return X.astype(int), Y.astype(int)


def test_rules_by_hand():
    """At F = 1 and a price of 0.5, three right cells gain 3 - sqrt(3) / 2, and one gains a half."""
    X = pd.DataFrame({"rain": [1, 1, 1, 0, 0, 0], "wind": [1, 0, 1, 0, 1, 0]})
    Y = pd.DataFrame({"umbrella": [1, 1, 1, 0, 0, 0], "kite": [0, 0, 0, 0, 1, 0]})
    model = GuidedRulesClassifier(2, target_f1=1.0, size_price=0.5).fit(X, Y)
    assert model.rules_.to_text(counts=False).splitlines() == [
        "IF rain present THEN umbrella",
        "IF rain absent AND wind present THEN kite",
    ]
    np.testing.assert_array_equal(model.predict(X), Y)
    assert model.history_["gain"].tolist() == pytest.approx([3 - 0.5 * 3**0.5, 0.5])
    assert model.history_["n_true"].tolist() == [3, 1]
    assert model.history_["n_false"].tolist() == [0, 0]
    assert model.history_["n_covered"].tolist() == model.history_["n_correct"].tolist() == [3, 1]
    assert (model.target_f1_, model.size_price_, model.n_rules_) == (1.0, 0.5, 2)
    assert model.cv_results_.empty


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("n_rules", 0), ("target_f1", 2), ("target_f1", -0.1), ("target_f1", float("nan")), ("size_price", -1),
        ("metric", "f1"), ("max_rules", 0), ("max_conditions", 0), ("beam_width", 0), ("n_folds", 1),
        ("binarizer", "cuts"), ("random_state", "3"),
    ],
)  # fmt: skip
def test_parameters_out_of_their_domain_are_named(name, value):
    with pytest.raises(ValueError, match=name):
        GuidedRulesClassifier(**{name: value}).fit(*rule_data(20))


@pytest.mark.parametrize("metric", ["micro_f1", "macro_f1", "subset_accuracy", "hamming_accuracy"])
def test_what_is_not_given_is_chosen_by_the_best_score(metric):
    X, Y = rule_data()
    model = GuidedRulesClassifier(metric=metric, max_rules=15, n_folds=3, random_state=0).fit(X, Y)
    results = model.cv_results_
    assert len(results) == 6 * 3 * 16
    chosen = results[(results["target_f1"] == model.target_f1_) & (results["size_price"] == model.size_price_)]
    assert chosen["score"].max() == results["score"].max()
    # Of equal scores the fewest rules.
    best = results[results["score"] == results["score"].max()]
    assert model.n_rules_ <= best["n_rules"].min()
    assert model.score(X, Y) > 0.7
    part = GuidedRulesClassifier(3, size_price=0.5, metric=metric, n_folds=3, random_state=0).fit(X, Y)
    assert len(part.rules_) == part.n_rules_ == 3
    assert set(part.cv_results_["size_price"]) == {0.5}
    assert part.cv_results_["n_rules"].max() == 3
    # The number of rules was chosen for the rules as they grow; sought again, some may prove idle.
    again = {
        "target_f1": model.target_f1_,
        "size_price": model.size_price_,
        "n_rules": chosen["n_rules"][chosen["score"].idxmax()],
    }
    assert GuidedRulesClassifier(**again).fit(X, Y).rules_ == model.rules_


def test_the_result_does_not_depend_on_threads_and_only_tuning_on_chance():
    X, Y = rule_data()

    def fitted(random_state, n_jobs=None):
        model = GuidedRulesClassifier(max_rules=8, n_folds=3, random_state=random_state, n_jobs=n_jobs)
        return model.fit(X, Y)

    one, two = fitted(3), fitted(3, n_jobs=2)
    pd.testing.assert_frame_equal(one.cv_results_, two.cv_results_)
    assert one.rules_ == two.rules_
    assert not fitted(4).cv_results_.equals(one.cv_results_)
    given = [GuidedRulesClassifier(**GIVEN, random_state=seed).fit(X, Y).rules_ for seed in (0, 1)]
    assert given[0] == given[1]


def test_containers_agree():
    X, Y = rule_data()
    model = GuidedRulesClassifier(**GIVEN).fit(X, Y)
    expected = model.predict(X)
    assert expected.dtype == Y.dtype
    assert micro_f1(Y, expected, zero_division=0) > 0.9
    for make_X in (sp.csr_matrix, sp.csc_array, pd.DataFrame, lambda X: X.astype(bool), lambda X: X.tolist()):
        other = GuidedRulesClassifier(**GIVEN).fit(make_X(X), Y)
        np.testing.assert_array_equal(other.predict(make_X(X)), expected)
    for make_Y in (sp.csr_matrix, sp.csc_array, lambda Y: pd.DataFrame(Y).astype(bool), lambda Y: Y.tolist()):
        predicted = GuidedRulesClassifier(**GIVEN).fit(X, make_Y(Y)).predict(X)
        assert sp.issparse(predicted) == sp.issparse(make_Y(Y))
        np.testing.assert_array_equal(predicted.toarray() if sp.issparse(predicted) else predicted, expected)


def test_names_can_be_given():
    X, Y = rule_data()
    model = GuidedRulesClassifier(**GIVEN)
    model.fit(sp.csr_matrix(X), Y, feature_names=[f"word{k}" for k in range(10)], label_names=list("abcd"))
    assert "IF word0 present AND word1 absent THEN a" in model.rules_.to_text(counts=False).splitlines()
    assert RuleSet.from_json(model.rules_.to_json()) == model.rules_
    np.testing.assert_array_equal(model.predict(sp.csr_matrix(X)), model.rules_.predict(X))


@pytest.mark.parametrize("options", [{}, GIVEN])
def test_labels_everywhere_and_nowhere(options):
    X, Y = rule_data(80)
    Y[:, 1], Y[:, 3] = 1, 0
    model = GuidedRulesClassifier(**options, random_state=0).fit(X, Y)
    assert "THEN y1" in {line.split("  ")[0] for line in str(model.rules_).splitlines()}
    assert not any(3 in rule.consequent for rule in model.rules_)
    assert model.predict(X).shape == Y.shape
    nothing = GuidedRulesClassifier(**options, random_state=0).fit(X, 0 * Y)
    assert len(nothing.rules_) == nothing.n_rules_ == 0
    assert nothing.predict(X).sum() == 0
    assert nothing.history_.empty


def test_fewer_rules_than_asked_is_a_note(caplog):
    with caplog.at_level(logging.WARNING, logger="mlrx"):
        model = GuidedRulesClassifier(500, target_f1=1.0, size_price=2.0).fit(*rule_data())
    assert f"{model.n_rules_} of 500 rules" in caplog.text


def test_a_numeric_column_is_cut_on_both_sides():
    X = np.arange(40.0)[:, None]
    Y = np.column_stack([X[:, 0] >= 30, X[:, 0] < 10]).astype(int)
    model = GuidedRulesClassifier(2, target_f1=1.0, size_price=0.0).fit(X, Y)
    assert set(model.rules_.to_text(counts=False).splitlines()) == {"IF x0 > 29.5 THEN y0", "IF x0 <= 9.5 THEN y1"}


def test_twenty_thousand_labels_stay_sparse():
    rows, columns = np.repeat(range(30), 3), (7919 * np.arange(90)) % 20_000
    Y = sp.csr_matrix((np.ones(90, dtype=int), (rows, columns)), shape=(30, 20_000))
    X = np.random.default_rng(0).integers(0, 2, (30, 6))
    GuidedRulesClassifier(**GIVEN).fit(X, Y)
    tracemalloc.start()
    predicted = GuidedRulesClassifier(**GIVEN).fit(X, Y).predict(X)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 50e6
    assert predicted.shape == Y.shape


def test_in_a_pipeline_with_progress(capsys):
    X, Y = rule_data(100)
    pipeline = make_pipeline(MaxAbsScaler(), GuidedRulesClassifier(max_rules=4, n_folds=2, random_state=0, verbose=1))
    assert pipeline.fit(X, Y).score(X, Y) > 0.3
    assert "18/18" in capsys.readouterr().out


@settings(deadline=None, max_examples=40)
@given(
    arrays(np.int64, st.tuples(st.integers(2, 12), st.integers(1, 5)), elements=st.integers(0, 2)),
    st.integers(0, 2**12 - 1),
    st.floats(0.0, 1.9),
    st.floats(0.0, 3.0),
)
def test_rules_hold_on_the_rows_they_were_learned_from(X, labels, target, price):
    Y = np.array([[labels >> i & 1, labels >> (i + 3) & 1] for i in range(len(X))])
    model = GuidedRulesClassifier(6, target_f1=target, size_price=price, max_conditions=2).fit(X, Y)
    assert [rule.covers(X).sum() for rule in model.rules_] == model.history_["n_covered"].tolist()
    predicted = model.predict(X)
    assert (predicted & Y).sum() == model.history_["n_true"].sum()
    assert (predicted & (1 - Y)).sum() == model.history_["n_false"].sum()
    assert (model.history_["gain"] > 0).all()


def test_supervised_cuts_are_possible():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 3))
    Y = (X > 0.8).astype(int)
    model = GuidedRulesClassifier(3, target_f1=1.0, size_price=0.5, binarizer=FeatureBinarizer(cuts="supervised"))
    np.testing.assert_array_equal(model.fit(X, Y).predict(X), Y)
