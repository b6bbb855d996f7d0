import math
import warnings

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from sklearn.metrics import accuracy_score, f1_score, hamming_loss

from mlrx.metrics import (
    exact_recovery,
    hamming_accuracy,
    label_coverage,
    macro_f1,
    micro_f1,
    rule_coverage,
    rule_diversity,
    rule_precision,
    rule_recovery,
    samples_f1,
    score_rules,
    score_table,
    subset_accuracy,
)
from mlrx.rules import Condition, Rule, RuleSet

NAN = math.nan

# Predictions.

Y_TRUE = np.array([[0, 0, 0], [1, 0, 1], [0, 1, 0]])
Y_PRED = np.array([[0, 0, 0], [1, 0, 0], [0, 0, 0]])


@pytest.mark.parametrize(("zero_division", "samples"), [(0, 2 / 9), (1, 5 / 9), (NAN, 1 / 3)])
def test_scores_by_hand(zero_division, samples):
    # Pairs: 1 right, 2 missed, 0 too many. Labels: 1, 0, 0. Rows: undefined, 2/3, 0.
    for true, predicted in [(Y_TRUE, Y_PRED), (Y_TRUE.tolist(), Y_PRED.astype(bool)), (sp.csr_array(Y_TRUE), Y_PRED)]:
        scores = score_table(true, predicted, zero_division=zero_division)
        assert scores == {
            "micro_f1": pytest.approx(1 / 2),
            "macro_f1": pytest.approx(1 / 3),
            "samples_f1": pytest.approx(samples),
            "hamming_accuracy": pytest.approx(7 / 9),
            "subset_accuracy": pytest.approx(1 / 3),
        }
        assert {type(score) for score in scores.values()} == {float}


def test_zero_division_of_a_label_that_nowhere_occurs():
    true, predicted = np.array([[1, 0], [1, 0]]), np.array([[1, 0], [0, 0]])
    assert macro_f1(true, predicted, zero_division=0) == pytest.approx(1 / 3)
    assert macro_f1(true, predicted, zero_division=1) == pytest.approx(5 / 6)
    assert macro_f1(true, predicted, zero_division=NAN) == pytest.approx(2 / 3)


@pytest.mark.parametrize("zero_division", [0, 1, NAN])
def test_nothing_true_and_nothing_predicted(zero_division):
    nothing = np.zeros((2, 3), dtype=int)
    for score in (micro_f1, macro_f1, samples_f1):
        assert score(nothing, nothing, zero_division=zero_division) == pytest.approx(zero_division, nan_ok=True)
    assert hamming_accuracy(nothing, nothing) == subset_accuracy(nothing, nothing) == 1


def test_one_label_is_no_binary_problem():
    """Taken for a binary problem, the zeros of the only label would count as a class of their own."""
    true, predicted = np.array([[1], [0], [0]]), np.array([[1], [1], [0]])
    assert micro_f1(true, predicted, zero_division=0) == pytest.approx(2 / 3)
    assert macro_f1(true, predicted, zero_division=0) == pytest.approx(2 / 3)
    assert samples_f1(true, predicted, zero_division=0) == pytest.approx(1 / 3)


def test_small_integers_do_not_overflow():
    ones = np.ones((300, 2), dtype=np.uint8)
    assert micro_f1(ones, ones, zero_division=0) == macro_f1(sp.csr_array(ones), ones, zero_division=0) == 1


label_tables = hnp.array_shapes(min_dims=2, max_dims=2, min_side=2, max_side=6).flatmap(
    lambda shape: st.tuples(*[hnp.arrays(np.uint8, shape, elements=st.integers(0, 1))] * 2)
)


@settings(max_examples=40)
@given(label_tables, st.sampled_from([0.0, 1.0, NAN]))
def test_scores_agree_with_scikit_learn_and_warn_of_nothing(tables, zero_division):
    true, predicted = tables
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        dense = score_table(true, predicted, zero_division=zero_division)
        sparse = score_table(sp.csr_matrix(true), sp.csc_array(predicted), zero_division=zero_division)
    expected = {
        f"{average}_f1": f1_score(true, predicted, average=average, zero_division=zero_division)
        for average in ("micro", "macro", "samples")
    }
    expected["hamming_accuracy"] = 1 - hamming_loss(true, predicted)
    expected["subset_accuracy"] = accuracy_score(true, predicted)
    assert dense == pytest.approx(expected, nan_ok=True)
    assert sparse == pytest.approx(dense, nan_ok=True)


@pytest.mark.parametrize(
    ("true", "predicted", "message"),
    [
        ([[1, 0]], [[1, 0], [0, 0]], r"one shape, got \(1, 2\) and \(2, 2\)"),
        ([[1, 2]], [[1, 0]], r"Y_true must hold 0 and 1 only, got .*2"),
        ([[1, 0]], [[0.5, 0]], r"Y_pred must hold 0 and 1 only, got .*0\.5"),
        ([[NAN, 0]], [[1, 0]], r"Y_true must hold 0 and 1 only, got .*nan"),
        ([1, 0], [[1, 0]], r"Y_true must be two-dimensional .* got 1 dimension"),
        (np.zeros((0, 2)), np.zeros((0, 2)), r"must have rows and labels, got the shape \(0, 2\)"),
    ],
)
def test_tables_that_are_no_labels_are_refused(true, predicted, message):
    for score in (subset_accuracy, hamming_accuracy, lambda t, p: micro_f1(t, p, zero_division=0)):
        with pytest.raises(ValueError, match=message):
            score(true, predicted)


@pytest.mark.parametrize("zero_division", ["warn", 0.5, None])
def test_zero_division_must_be_stated(zero_division):
    with pytest.raises(ValueError, match="zero_division must be 0, 1 or nan"):
        micro_f1(Y_TRUE, Y_PRED, zero_division=zero_division)
    with pytest.raises(TypeError, match="zero_division"):
        score_table(Y_TRUE, Y_PRED)


# Rules.


def present(*features):
    return [Condition(feature, lower=0.5) for feature in features]


def test_coverage_by_hand():
    X = np.array([[1, 0], [2, 1], [3, 0], [4, 1], [5, 0], [6, 1]])
    assert rule_coverage(Rule([Condition(0, upper=4), Condition(1, lower=0.5)], [0]), X) == pytest.approx(2 / 6)
    assert rule_coverage(Rule([Condition(0, upper=4)], [0]), X) == pytest.approx(4 / 6)


X = np.array([[1, 0], [1, 1], [1, 0], [0, 1], [0, 0]])
Y = np.array([[1, 1, 0], [1, 0, 0], [0, 0, 0], [0, 0, 1], [1, 1, 1]])
RULES = [
    Rule(present(0), [0]),  # covers rows 0, 1, 2; correct on 0, 1
    Rule(present(0), [0, 1]),  # covers 0, 1, 2; correct on 0
    Rule(present(1), [2]),  # covers 1, 3; correct on 3
    Rule(present(0), []),  # covers 0, 1, 2; "no label" is correct on 2
    Rule([*present(0), Condition(1, lower=7)], [0]),  # covers nothing
    Rule([], [0]),  # covers all; correct on 0, 1, 4
]


def test_rule_scores_by_hand():
    containers = [
        (X, Y),
        (sp.csr_array(X), sp.csr_array(Y)),
        (pd.DataFrame(X), pd.DataFrame(Y)),
        (X.tolist(), Y.tolist()),
    ]
    for table, labels in containers:
        scores = score_rules(RULES, table, labels)
        assert scores["length"].tolist() == [1, 1, 1, 1, 2, 0]
        assert scores["n_covered"].tolist() == [3, 3, 2, 3, 0, 5]
        assert scores["n_correct"].tolist() == [2, 1, 1, 1, 0, 3]
        assert scores["coverage"].tolist() == [0.6, 0.6, 0.4, 0.6, 0, 1]
        np.testing.assert_array_equal(scores["precision"], [2 / 3, 1 / 3, 1 / 2, 1 / 3, NAN, 3 / 5])
        assert [rule_precision(rule, table, labels) for rule in RULES] == pytest.approx(
            list(scores["precision"]), nan_ok=True
        )
    assert score_rules(RULES, X, Y)["precision"].isna().sum() == 1
    assert score_rules([], X, Y).shape == (0, 5)


def test_length_counts_a_two_sided_interval_once():
    rule = Rule([Condition(0, lower=1), Condition(0, upper=3), Condition(1, upper=2)], [0])
    assert score_rules([rule], X, Y)["length"].tolist() == [2]


def test_duplicate_rows_and_copied_columns_count_as_they_are():
    table = np.array([[1, 1, 1, 0], [1, 1, 1, 0], [1, 0, 0, 1], [1, 0, 0, 0], [1, 0, 0, 0]])
    labels = np.array([[1], [1], [0], [0], [0]])
    scores = score_rules([Rule(present(1), [0])], table, labels)
    assert scores[["n_correct", "coverage", "precision"]].to_numpy().tolist() == [[2, 0.4, 1.0]]


def test_columns_of_a_frame_are_found_by_name_for_a_rule_set():
    frame = pd.DataFrame(X, columns=["a", "b"])[["b", "a"]]
    rules = RuleSet(RULES, ["a", "b"], ["A", "B", "C"])
    assert score_rules(rules, frame, Y).equals(score_rules(RULES, X, Y))
    assert label_coverage(rules[:3], frame, Y) == label_coverage(RULES[:3], X, Y)
    assert rule_recovery(rules, rules[:1], frame, Y) == 1


def test_label_coverage_by_hand():
    # Ones of Y: 7. Explained: rule 0 (0,0) (1,0); rule 1 (0,0) (0,1); rule 2 (3,2).
    assert label_coverage(RULES[:1], X, Y) == pytest.approx(2 / 7)
    assert label_coverage(RULES[1:2], X, Y) == pytest.approx(2 / 7)
    assert label_coverage(RULES[:3], X, Y) == pytest.approx(4 / 7)
    assert label_coverage(RULES[:3], X, sp.csr_array(Y)) == pytest.approx(4 / 7)
    assert label_coverage(RULES[3:5], X, Y) == 0
    assert label_coverage([], X, Y) == 0
    assert math.isnan(label_coverage(RULES[:1], X, np.zeros((5, 3))))


def test_rule_diversity_by_hand():
    # RULES[0] and RULES[1] are 2/3 apart (see below), both have nothing of RULES[2].
    assert rule_diversity(RULES[:3], X, Y) == pytest.approx((2 / 3 + 1 + 1) / 3)
    assert rule_diversity([RULES[0], RULES[0]], X, sp.csr_array(Y)) == 0
    # Rules 3 and 4 cover nothing.
    assert rule_diversity(RULES[:2] + RULES[3:5], X, Y) == pytest.approx(2 / 3)
    assert math.isnan(rule_diversity([RULES[0], RULES[3]], X, Y))
    assert math.isnan(rule_diversity([], X, Y))


def test_rule_recovery_by_hand():
    generating = [RULES[0], RULES[2]]
    # RULES[1] shares (0,0) with RULES[0], of (0,0) (1,0) (0,1): 1/3.
    assert rule_recovery([RULES[1]], generating, X, Y) == pytest.approx((1 / 3 + 0) / 2)
    assert rule_recovery([RULES[1], RULES[5]], generating, X, Y) == pytest.approx((2 / 3 + 0) / 2)
    assert rule_recovery([], generating, X, Y) == 0
    assert rule_recovery(generating, generating, X, sp.csr_array(Y)) == 1
    assert exact_recovery([RULES[1], RULES[2]], generating, X, Y) == 0.5
    # Another text, but the same rows and labels.
    assert exact_recovery([Rule([*present(1), Condition(0, upper=0.5)], [2])], generating, X, Y) == 0.5


def test_generating_rules_that_cover_nothing_are_left_out():
    assert rule_recovery([RULES[0]], [RULES[0], RULES[4], RULES[3]], X, Y) == 1
    assert exact_recovery([RULES[0]], [RULES[0], RULES[4]], X, Y) == 1
    for recovery in (rule_recovery, exact_recovery):
        assert math.isnan(recovery([RULES[0]], [RULES[4]], X, Y))
        assert math.isnan(recovery([RULES[0]], [], X, Y))


conditions = st.lists(st.sampled_from([Condition(f, lower=0.5) for f in range(3)]), max_size=2)
some_rules = st.lists(st.builds(Rule, conditions, st.lists(st.integers(0, 3), max_size=3)), max_size=4)


@settings(max_examples=40)
@given(
    some_rules,
    some_rules,
    hnp.arrays(np.uint8, (8, 3), elements=st.integers(0, 1)),
    hnp.arrays(np.uint8, (8, 4), elements=st.integers(0, 1)),
)
def test_recovery_and_label_coverage_equal_their_definition_by_sets(learned, generating, table, labels):
    def pairs(rule):
        rows = [i for i in np.flatnonzero(rule.covers(table)) if all(labels[i, k] for k in rule.consequent)]
        return {(i, k) for i in rows for k in rule.consequent}

    found = [pairs(rule) for rule in learned]
    best = [max((len(p & q) / len(p | q) for q in found), default=0) for p in map(pairs, generating) if p]
    assert rule_recovery(learned, generating, table, labels) == pytest.approx(
        np.mean(best) if best else NAN, nan_ok=True
    )
    exact = np.mean([b == 1 for b in best]) if best else NAN
    assert exact_recovery(learned, generating, table, labels) == pytest.approx(exact, nan_ok=True)
    covered = len(set().union(*found)) / labels.sum() if labels.any() else NAN
    assert label_coverage(learned, table, labels) == pytest.approx(covered, nan_ok=True)


def test_tables_that_do_not_fit_are_refused():
    with pytest.raises(ValueError, match="X has 5 rows, but Y has 4"):
        score_rules(RULES, X, Y[:4])
    with pytest.raises(ValueError, match="a rule predicts label 3, but Y has 3 labels"):
        label_coverage([Rule([], [3])], X, Y)
