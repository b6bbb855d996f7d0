import math
import warnings

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.utils import check_array

from mlrx.rules import Condition, Rule, TableColumns, category_texts, covered_rows, merge_conditions

NAN = math.nan


@pytest.mark.parametrize(
    ("condition", "expected"),
    [
        (Condition(0), [1, 1, 1, 0]),
        (Condition(0, lower=1), [0, 1, 1, 0]),
        (Condition(0, upper=2), [1, 1, 0, 0]),
        (Condition(0, lower=1, upper=2), [0, 1, 0, 0]),
        (Condition(0, lower=2, upper=1), [0, 0, 0, 0]),
        (Condition(0, upper=2, missing=True), [1, 1, 0, 1]),
        (Condition(0, math.inf, math.inf, missing=True), [0, 0, 0, 1]),
    ],
)
def test_interval_excludes_lower_and_includes_upper(condition, expected):
    assert condition.holds(np.array([1.0, 2.0, 3.0, NAN])).astype(int).tolist() == expected


@pytest.mark.parametrize(
    ("condition", "expected"),
    [
        (Condition(0, categories=["a"]), [1, 0, 0, 0, 0]),
        (Condition(0, categories=["a", "3"]), [1, 0, 1, 0, 0]),
        (Condition(0, categories=["a"], negated=True), [0, 1, 1, 0, 0]),
        (Condition(0, categories=["a"], negated=True, missing=True), [0, 1, 1, 1, 1]),
        (Condition(0, categories=[]), [0, 0, 0, 0, 0]),
        (Condition(0, categories=[], negated=True), [1, 1, 1, 0, 0]),
    ],
)
def test_missing_is_no_category_and_outside_of_none(condition, expected):
    values = np.array(["a", "b", 3.0, None, NAN], dtype=object)
    assert condition.holds(values).astype(int).tolist() == expected


def test_float32_compares_the_cast_value_with_the_unrounded_bound():
    """A bound rounded to float32 as well would be equal to the value, and the other branch would be taken."""
    bound = 0.30000000074505806
    above = Condition(0, lower=bound)
    assert above.holds(np.array([0.3]), "float32").tolist() == [True]
    assert above.holds(np.array([0.3]), "float64").tolist() == [False]


def test_numbers_beyond_float32_are_infinite_without_a_warning():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert Condition(0, lower=1.0).holds(np.array([1e300, -1e300]), "float32").tolist() == [True, False]


def test_large_integers_are_cast_to_float32_at_once():
    """By way of float64 the value would be rounded twice, to 1000000000065011712 - 2**36."""
    value = 2**60 + 2**36 + 1  # just above the middle of two float32 neighbours
    condition = Condition(0, lower=float(2**60))
    assert condition.holds(np.array([value]), "float32").tolist() == [True]


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"feature": -1}, ValueError, "feature must be a whole number from 0, got -1"),
        ({"feature": 1.5}, TypeError, "feature must be a whole number, got 1.5"),
        ({"feature": 0, "lower": "x"}, TypeError, "lower must be a number, got 'x'"),
        ({"feature": 0, "missing": "no"}, TypeError, "missing must be True or False, got 'no'"),
        ({"feature": 0, "lower": NAN}, ValueError, "must not be NaN"),
        ({"feature": 0, "negated": True}, ValueError, "negated=True needs categories"),
        ({"feature": 0, "lower": 1, "categories": ["a"]}, ValueError, "either bounds or categories"),
        ({"feature": 0, "categories": "abc"}, TypeError, "got the one text 'abc'"),
    ],
)
def test_unlawful_conditions_are_refused(arguments, error, message):
    with pytest.raises(error, match=message):
        Condition(**arguments)


def test_categories_are_sorted_unique_texts():
    assert Condition(0, categories=["b", "a", "b", 3.0, np.int8(3)]).categories == ("3", "a", "b")


def test_conditions_on_one_column_are_merged_and_sorted():
    conditions = [Condition(1, lower=0), Condition(0, upper=5, missing=True), Condition(1, upper=3)]
    conditions.append(Condition(0, lower=2, missing=True))
    merged = (Condition(0, 2, 5, missing=True), Condition(1, 0, 3))
    assert merge_conditions(conditions) == merged
    rule = Rule(conditions, [2, 0, 2])
    assert rule.antecedent == merged
    assert rule.consequent == (0, 2)
    assert len(rule) == 2


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        (("ab", False), ("bc", False), ("b", False)),
        (("ab", False), ("bc", True), ("a", False)),
        (("ab", True), ("bc", False), ("c", False)),
        (("ab", True), ("bc", True), ("abc", True)),
    ],
)
def test_nominal_conditions_intersect(first, second, expected):
    def condition(letters, negated):
        return Condition(4, categories=list(letters), negated=negated)

    both = condition(*first).intersect(condition(*second))
    assert both == condition(*expected)
    values = np.array(["a", "b", "c", "d", None], dtype=object)
    expected_rows = condition(*first).holds(values) & condition(*second).holds(values)
    assert both.holds(values).tolist() == expected_rows.tolist()


def test_conditions_that_cannot_be_intersected():
    with pytest.raises(ValueError, match="columns 0 and 1"):
        Condition(0).intersect(Condition(1))
    with pytest.raises(ValueError, match="column 3 has both a numeric and a nominal condition"):
        Rule([Condition(3, lower=1), Condition(3, categories=["a"])], [0])


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ([[0], 2, 3], ValueError, "n_correct must be at most n_covered=2, got 3"),
        ([[0], -5], ValueError, "n_covered must be a whole number from 0, got -5"),
        ([[0], 2, -1], ValueError, "n_correct must be a whole number from 0, got -1"),
        ([[0], "3"], TypeError, "n_covered must be a whole number, got '3'"),
        ([[-1]], ValueError, "label must be a whole number from 0, got -1"),
        ([["a"]], TypeError, "label must be a whole number, got 'a'"),
    ],
)
def test_rule_refuses_unlawful_counts_and_labels(arguments, error, message):
    with pytest.raises(error, match=message):
        Rule([], *arguments)


def test_rule_refuses_unknown_precision():
    with pytest.raises(ValueError, match=r"dtype must be one of .* got 'float16'"):
        Rule([], [0], dtype="float16")


@pytest.mark.parametrize(
    ("n_covered", "n_correct", "confidence"),
    [(4, 3, 0.75), (4, 0, 0.0), (0, 0, NAN), (None, None, NAN), (4, None, NAN)],
)
def test_confidence(n_covered, n_correct, confidence):
    assert Rule([], [0], n_covered, n_correct).confidence == pytest.approx(confidence, nan_ok=True)


def test_coverage_of_two_conditions():
    X = np.array([[1, 0], [2, 1], [3, 0], [4, 1], [5, 0], [6, 1]])
    rule = Rule([Condition(0, upper=4), Condition(1, 0.5, 1)], [0])
    assert rule.covers(X).tolist() == [False, True, False, True, False, False]
    assert rule.covers(X).mean() == 2 / 6
    assert Rule([Condition(0, upper=4)], [0]).covers(X).mean() == 4 / 6
    assert Rule([], [0]).covers(X).mean() == 1


def test_shared_conditions_and_mixed_precision():
    bound = 0.30000000074505806
    rules = [
        Rule([Condition(0, lower=bound)], [0], dtype="float32"),
        Rule([Condition(0, lower=bound)], [0]),
        Rule([Condition(0, lower=bound), Condition(1, upper=0)], [0], dtype="float32"),
    ]
    covered = covered_rows(rules, TableColumns(np.array([[0.3, 0.0], [0.3, 1.0], [0.4, 1.0]])))
    assert covered.astype(int).tolist() == [[1, 0, 1], [1, 0, 0], [1, 1, 0]]
    assert covered_rows([], TableColumns(np.zeros((3, 2)))).shape == (3, 0)


# Columns of tables.


def test_columns_of_all_containers():
    dense = np.array([[0.0, 2.0], [3.0, 0.0]])
    for table in (dense, dense.tolist(), sp.csr_array(dense), sp.csc_matrix(dense), sp.coo_array(dense)):
        columns = TableColumns(table)
        assert [columns[0].tolist(), columns[1].tolist()] == [[0, 3], [2, 0]]
    frame = pd.DataFrame({"n": pd.array([1, None], dtype="Int64"), "c": pd.Categorical(["a", None]), "t": ["x", pd.NA]})
    columns = TableColumns(frame)
    np.testing.assert_array_equal(columns[0], [1, NAN])
    assert columns[1].tolist() == ["a", None]
    assert columns[2].tolist() == ["x", None]


LONG = 2**60 + 2**36 + 1  # as float64, and then as float32, it is 2 ** 60; as float32 at once, 2 ** 60 + 2 ** 37


@pytest.mark.parametrize(
    ("table", "expected"),
    [
        (np.array([[LONG]]), 2**37),
        (pd.DataFrame({"a": [LONG]}), 2**37),
        (pd.DataFrame({"a": np.array([LONG], dtype=np.uint64)}), 2**37),
        (pd.DataFrame({"a": pd.array([LONG], dtype="Int64"), "b": [0.5]}), 2**37),
        (pd.DataFrame({"a": [LONG], "b": [True], "c": [0.5]}), 2**37),
        (pd.DataFrame({"a": [LONG], "b": [0.5]}), 0),
        (pd.DataFrame({"a": [LONG], "b": np.array([1], dtype=np.uint64)}), 0),
        (sp.csr_array(np.array([[LONG]])), 2**37),
    ],
)
def test_long_integers_are_rounded_as_scikit_learn_does(table, expected):
    # A frame's integers went through float64, so that rules told other rows apart than forests do.
    assert check_array(table, dtype="float32", accept_sparse=True)[0, 0] == 2**60 + expected
    rule = Rule([Condition(0, lower=2**60)], [0], dtype="float32")
    assert rule.covers(table).tolist() == [expected > 0]


def test_duplicate_entries_of_a_sparse_matrix_are_summed():
    X = sp.csr_array((np.array([1.0, 1.0, 5.0]), np.array([0, 0, 1]), np.array([0, 3])), shape=(1, 2))
    assert TableColumns(X)[0].tolist() == [2]


@pytest.mark.parametrize(
    ("X", "names", "message"),
    [
        (np.zeros(3), None, "two-dimensional .* got 1 dimension"),
        (np.zeros((1, 2)), ["a"], "X has 2 features, but 1 features are expected"),
        (pd.DataFrame({"a": [1]}), ["a", "b"], r"lacks the columns \['b'\]"),
        (pd.DataFrame({"a": [1], "b": [1]}), ["a"], r"not seen in training: \['b'\]"),
        (pd.DataFrame([[1, 2, 3]], columns=["a", "b", "a"]), ["a", "b"], r"more than one is called \['a'\]"),
        (pd.DataFrame([[1, 2]], columns=["a", "b"]), ["a", "b", "a"], r"more than one is called \['a'\]"),
    ],
)
def test_columns_that_do_not_fit_are_named(X, names, message):
    with pytest.raises(ValueError, match=message):
        TableColumns(X, names)


def test_rule_on_a_column_that_is_not_there():
    with pytest.raises(ValueError, match="X has 2 columns, but column 5 is asked for"):
        Rule([Condition(5, lower=0)], [0]).covers(np.zeros((1, 2)))


def test_category_text_of_a_number_does_not_depend_on_its_type():
    values = [3, 3.0, np.int8(3), np.float32(3), 0.1, True, "3", "a", None, NAN, pd.NA, pd.NaT]
    assert category_texts(values).tolist() == ["3"] * 4 + ["0.1", "1", "3", "a"] + [None] * 4
    assert category_texts([]).shape == (0,)
