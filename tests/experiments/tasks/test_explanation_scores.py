import math
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from experiments.explainers.explainer import PROVEN, Explained
from experiments.tasks.explanation_scores import average_rows, score_row, score_rule
from mlrx.rules import Condition, Rule

# Four rows told apart by their first column; label sets 101, 101, 110, 001. Columns 1 and 2 are of one category.
FOLD = SimpleNamespace(
    X_test=np.array([[0.0, 0, 1], [1, 0, 1], [2, 1, 0], [3, 1, 0]]),
    predicted=np.array([[1, 0, 1], [1, 0, 1], [1, 1, 0], [0, 0, 1]], dtype=bool),
    groups={"day": (1, 2)},
)


def explained(labels, *conditions, status=PROVEN, seconds=0.5):
    return Explained(labels, Rule(conditions, labels), status, seconds)


ALL_BUT_FIRST = Condition(0, lower=0.5)


def test_precision_as_coded_is_micro_recall():
    """Covered are 101, 110, 001 and Z is 101: the authors' code gives 4/5, the precision of labels is 4/6."""
    scores = score_rule(explained((0, 2), ALL_BUT_FIRST), 1, FOLD, is_whole=True)
    assert scores["coded_precision"] == pytest.approx(4 / 5)
    assert scores["label_precision"] == pytest.approx(4 / 6)
    assert scores["precision"] == scores["exact_precision"] == pytest.approx(1 / 3)


def test_precision_and_exact_precision_differ_where_more_is_predicted():
    scores = score_rule(explained((0,), Condition(0, upper=2.0)), 0, FOLD, is_whole=True)
    assert (scores["precision"], scores["exact_precision"]) == (1.0, 0.0)


def test_coverage_counts_the_explained_row_or_not():
    scores = score_rule(explained((0, 2), ALL_BUT_FIRST), 1, FOLD, is_whole=True)
    assert (scores["rule_coverage"], scores["coverage_of_others"], scores["own_row"]) == (0.75, pytest.approx(2 / 3), 1)
    scores = score_rule(explained((0, 2), ALL_BUT_FIRST), 0, FOLD, is_whole=True)
    assert (scores["rule_coverage"], scores["coverage_of_others"], scores["own_row"]) == (0.75, 1.0, 0)


def test_columns_of_one_category_count_once():
    rule = explained((0,), ALL_BUT_FIRST, Condition(1, upper=0.5), Condition(2, lower=0.5))
    assert score_rule(rule, 1, FOLD, is_whole=True)["length"] == 2


def test_rule_that_covers_no_row_has_no_precision_and_is_counted():
    scores = score_rule(explained((0,), Condition(0, lower=9.0)), 1, FOLD, is_whole=True)
    names = ("coded_precision", "precision", "exact_precision", "label_precision")
    assert all(math.isnan(scores[name]) for name in names)
    assert (scores["n_covering_none"], scores["rule_coverage"]) == (1, 0)


def test_missing_rule_has_no_length_and_proves_nothing():
    scores = score_rule(Explained((0,), None, "tie", 0.1), 1, FOLD, is_whole=True)
    assert math.isnan(scores["length"])
    assert (scores["proven"], scores["own_row"], scores["n_covering_none"]) == (0, 0, 1)


def test_precision_as_coded_of_parts():
    one = score_rule(explained((2,), ALL_BUT_FIRST), 1, FOLD, is_whole=False)
    assert one["coded_precision"] == pytest.approx(2 / 3)
    assert math.isnan(one["exact_precision"])
    two = score_rule(explained((0, 2), ALL_BUT_FIRST), 1, FOLD, is_whole=False)
    assert math.isnan(two["coded_precision"])


def test_row_sums_lengths_and_seconds_and_averages_the_rest():
    rules = [explained((0,), ALL_BUT_FIRST), explained((2,), Condition(0, upper=1.0), status="uncertified")]
    row = score_row(rules, 1, FOLD, is_whole=False)
    assert {name: row[name] for name in ("row", "length", "n_rules", "seconds")} == {
        "row": 1,
        "length": 2,
        "n_rules": 2,
        "seconds": 1.0,
    }
    assert (row["rule_coverage"], row["proven"]) == (0.625, 0.5)
    assert row["precision"] == pytest.approx((2 / 3 + 1) / 2)


def test_means_leave_out_what_is_undefined():
    covering = score_row([explained((0,), ALL_BUT_FIRST)], 1, FOLD, is_whole=True)
    not_covering = score_row([explained((0,), Condition(0, lower=9.0))], 2, FOLD, is_whole=True)
    means = average_rows([covering, not_covering])
    assert means["precision"] == covering["precision"] == pytest.approx(2 / 3)
    assert (means["rule_coverage"], means["n_covering_none"], means["own_row"]) == (0.375, 1, 0.5)
    assert average_rows([]) == {"n_covering_none": 0.0}


def test_rule_for_no_label_has_no_precision_but_that_of_the_exact_set():
    """That all of no labels are predicted is true of every row."""
    scores = score_rule(explained((), Condition(0, upper=2.0)), 0, FOLD, is_whole=True)
    assert np.isnan(scores["precision"])
    assert scores["exact_precision"] == 0.0


def test_reported_lists_are_averaged_label_by_label_and_stay_with_the_row():
    """A list in the place of a number once ended the run."""
    rules = [explained((0,), ALL_BUT_FIRST), explained((2,), ALL_BUT_FIRST)]
    told = [replace(rule, reported={"fidelity": k, "of_labels": [1.0, k]}) for k, rule in enumerate(rules)]
    row = score_row(told, 1, FOLD, is_whole=False)
    assert (row["fidelity"], row["of_labels"]) == (0.5, [1.0, 0.5])
    means = average_rows([row, row])
    assert means["fidelity"] == 0.5
    assert "of_labels" not in means


@pytest.mark.parametrize(
    ("labels", "own"), [([(0, 2)], 1), ([(0,), (2,)], 1), ([(0,)], 0), ([()], 0), ([(0, 1, 2)], 0)]
)
def test_labels_of_all_rules_together_are_the_forests_or_not(labels, own):
    row = score_row([explained(one, ALL_BUT_FIRST) for one in labels], 1, FOLD, is_whole=False)
    assert row["own_labels"] == own


def test_labels_without_a_rule_are_not_explained():
    rules = [explained((0,), ALL_BUT_FIRST), Explained((2,), None, "tie", 0.1)]
    assert score_row(rules, 1, FOLD, is_whole=False)["own_labels"] == 0


def test_columns_are_counted_one_by_one_too():
    rule = explained((0,), ALL_BUT_FIRST, Condition(1, upper=0.5), Condition(2, lower=0.5))
    assert score_row([rule, rule], 1, FOLD, is_whole=False)["n_columns"] == 6


def test_scores_of_the_audit_are_averaged():
    audits = [{"audited_proven": 1.0}, {"audited_proven": 0.0}]
    row = score_row([explained((0,), ALL_BUT_FIRST)] * 2, 1, FOLD, is_whole=False, audits=audits)
    assert row["audited_proven"] == 0.5
    with pytest.raises(ValueError, match="zip"):
        score_row([explained((0,), ALL_BUT_FIRST)] * 2, 1, FOLD, is_whole=False, audits=audits[:1])
