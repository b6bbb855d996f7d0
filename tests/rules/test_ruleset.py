import json
import math

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from mlrx.rules import Condition, Rule, RuleSet
from tests.rules.printed_rules import NASTY, printed_rules

X = np.array([[1.0, 0.0], [2.0, 1.0], [3.0, 0.0], [4.0, 1.0]])


@pytest.fixture
def rules():
    return RuleSet(
        [
            Rule([Condition(0, upper=2)], [0], 2, 1),
            Rule([Condition(0, lower=1), Condition(1, lower=0.5)], [0, 2], 2, 2),
            Rule([], []),
        ],
        ["f", "g"],
        ["A", "B", "C"],
        ["numeric", "binary"],
        n_samples=4,
    )


def test_iteration_indexing_and_counts(rules):
    assert len(rules) == 3
    assert list(rules) == [rules[0], rules[1], rules[2]]
    assert rules.n_conditions == 3
    first = rules[:2]
    assert isinstance(first, RuleSet)
    assert (len(first), first.n_samples, first.kinds) == (2, 4, ("numeric", "binary"))


def test_text(rules):
    assert str(rules).splitlines() == [
        "IF f <= 2 THEN A  [confidence 0.50, 1 of 2]",
        "IF f > 1 AND g present THEN A, C  [confidence 1.00, 2 of 2]",
        "THEN no label",
    ]
    assert rules.to_text(counts=False).splitlines()[0] == "IF f <= 2 THEN A"


def test_covers_and_predicts_in_every_container(rules):
    frame = pd.DataFrame(X, columns=["f", "g"])
    for table in (X, X.tolist(), X.astype(np.float32), sp.csr_array(X), sp.csc_matrix(X), frame, frame[["g", "f"]]):
        assert rules.covers(table).astype(int).tolist() == [[1, 0, 1], [1, 1, 1], [0, 0, 1], [0, 1, 1]]
        expected = [[1, 0, 0], [1, 0, 1], [0, 0, 0], [1, 0, 1]]
        dense, sparse = rules.predict(table), rules.predict(table, sparse=True)
        assert dense.tolist() == expected
        assert sparse.toarray().tolist() == expected
        assert dense.dtype == sparse.dtype == np.uint8
        assert sparse.nnz == 5


def test_labels_of_many_rules_do_not_add_up():
    """300 rules for one label must not overflow a byte, nor give a count in place of a 1."""
    rules = RuleSet([Rule([], [0])] * 256, ["f"], ["A"])
    assert rules.predict([[0.0]]).tolist() == [[1]]
    assert rules.predict([[0.0]], sparse=True).toarray().tolist() == [[1]]


def test_empty_set_predicts_no_label():
    rules = RuleSet([], ["f", "g"], ["A"])
    assert rules.predict(X).tolist() == [[0]] * 4
    assert rules.predict(X, sparse=True).shape == (4, 1)
    assert str(rules) == ""
    assert RuleSet.from_json(rules.to_json()) == rules
    assert list(rules.to_frame()) == list(RuleSet([Rule([], [0])], ["f"], ["A"]).to_frame())


def test_missing_and_misnamed_columns_are_named(rules):
    with pytest.raises(ValueError, match=r"X lacks the columns \['f'\]"):
        rules.covers(pd.DataFrame({"g": [1.0], "h": [1.0]}))
    with pytest.raises(ValueError, match=r"not seen in training: \['h'\]"):
        rules.covers(pd.DataFrame({"f": [1.0], "g": [1.0], "h": [1.0]}))
    with pytest.raises(ValueError, match="X has 3 features, but 2 features are expected"):
        rules.covers(np.zeros((1, 3)))


def test_names_have_no_influence_on_coverage():
    conditions = [Condition(k, lower=k, upper=k + 2) for k in range(7)]
    rows = np.random.default_rng(0).uniform(0, 9, size=(50, 7))
    plain = RuleSet([Rule([c], [0]) for c in conditions], [f"f{k}" for k in range(7)], ["L"])
    nasty = RuleSet(plain.rules, NASTY[:7], ["L"])
    expected = plain.covers(pd.DataFrame(rows, columns=plain.feature_names))
    assert 0 < expected.sum() < expected.size
    assert nasty.covers(pd.DataFrame(rows, columns=nasty.feature_names)).tolist() == expected.tolist()
    assert nasty.covers(rows).tolist() == expected.tolist()


def test_frame(rules):
    frame = rules.to_frame()
    assert frame["antecedent"].tolist() == ["f <= 2", "f > 1 AND g present", ""]
    assert frame["consequent"].tolist() == ["A", "A, C", "no label"]
    assert frame["n_conditions"].tolist() == [1, 2, 0]
    assert frame["n_labels"].tolist() == [1, 2, 0]
    np.testing.assert_array_equal(frame["confidence"], [0.5, 1.0, math.nan])
    np.testing.assert_array_equal(frame["coverage"], [0.5, 0.5, math.nan])


# JSON.


@settings(max_examples=40)
@given(printed_rules(), st.none() | st.integers(1, 9))
def test_json_restores_the_rule_set(printed, n_samples):
    rule, feature_names, label_names, kinds = printed
    rules = RuleSet([rule, Rule([], [0], 3, 2)], feature_names, label_names, kinds, n_samples)
    text = rules.to_json()
    assert RuleSet.from_json(text) == rules
    assert RuleSet.from_json(rules.to_json(indent=1)) == rules
    assert "Infinity" not in [word for word in text.split() if not word.startswith('"')]


def test_json_of_numpy_numbers():
    rule = Rule([Condition(np.int64(0), lower=np.float32(0.1))], [np.int64(0)], np.int64(3), np.int64(2))
    rules = RuleSet([rule], np.array(["f"]), np.array(["L"]), n_samples=np.int64(4))
    assert RuleSet.from_json(rules.to_json()) == rules
    assert json.loads(rules.to_json())["rules"][0]["antecedent"] == [{"feature": 0, "lower": 0.10000000149011612}]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[]", "not a rule set"),
        ('{"format": "other"}', "not a rule set"),
        ('{"format": "mlrx.ruleset", "version": 2}', "format version 2; this mlrx reads 1"),
        ('{"format": "mlrx.ruleset", "version": 1}', "the rule set is damaged: .*'rules'"),
        ('{"format": "mlrx.ruleset", "version": 1, "rules": [{"antecedent": [{"colour": 1}]}]}', "damaged: .*'colour'"),
        ("{", "Expecting"),
    ],
)
def test_text_that_is_no_rule_set_is_refused(text, message):
    with pytest.raises(ValueError, match=message):
        RuleSet.from_json(text)


def spoiled(place, field, value):
    """The text of a sound rule set but for one field: of the whole, of its rule 1, or of that rule's condition."""
    rules = RuleSet([Rule([], [0]), Rule([Condition(1, lower=1)], [0], 4, 3)], list("abcd"), ["L"], n_samples=9)
    document = json.loads(rules.to_json())
    rule = document["rules"][1]
    {"whole": document, "rule": rule, "condition": rule["antecedent"][0]}[place][field] = value
    return json.dumps(document)


@pytest.mark.parametrize(
    ("place", "field", "value", "message"),
    [
        ("rule", "n_covered", "3", "rule 1: n_covered must be a whole number, got '3'"),
        ("rule", "n_covered", -5, "rule 1: n_covered must be a whole number from 0, got -5"),
        ("rule", "n_correct", 5, "rule 1: n_correct must be at most n_covered=4, got 5"),
        ("rule", "consequent", ["L"], "rule 1: label must be a whole number, got 'L'"),
        ("rule", "consequent", [1], "rule 1 has a label beyond the 1 named"),
        ("rule", "antecedent", [[1, 2]], r"rule 1: a condition must have named fields, got \[1, 2\]"),
        ("condition", "lower", "x", "rule 1: lower must be a number, got 'x'"),
        ("condition", "lower", "2", "rule 1: lower must be a number, got '2'"),
        ("condition", "missing", "no", "rule 1: missing must be True or False, got 'no'"),
        ("condition", "feature", "1", "rule 1: feature must be a whole number, got '1'"),
        ("whole", "n_samples", "7", "n_samples must be a whole number, got '7'"),
        ("whole", "feature_names", "abcd", "feature_names must be several texts, got the one text 'abcd'"),
        ("whole", "kinds", ["date"] * 4, r"kinds must be among .* got \['date'\]"),
    ],
)
def test_damaged_fields_are_named(place, field, value, message):
    with pytest.raises(ValueError, match=f"the rule set is damaged: {message}"):
        RuleSet.from_json(spoiled(place, field, value))


@pytest.mark.parametrize(
    ("rule", "kinds", "message"),
    [
        (Rule([Condition(2)], [0]), None, "rule 0 has a condition on a column beyond the 2 named"),
        (Rule([], [1]), None, "rule 0 has a label beyond the 1 named"),
        (Rule([], [0]), ["numeric"], "kinds has 1 entries for 2 feature names"),
        (Rule([], [0]), ["numeric", "date"], r"kinds must be among .* got \['date'\]"),
    ],
)
def test_sets_that_do_not_fit_their_names_are_refused(rule, kinds, message):
    with pytest.raises(ValueError, match=message):
        RuleSet([rule], ["a", "b"], ["L"], kinds)


# HTML.


def test_html_shows_names_as_text():
    rules = RuleSet(
        [Rule([Condition(0, lower=1), Condition(1, categories=["<i>", "&"])], [0], 4, 3)],
        ["<b>", "x AND y"],
        ["<script>alert(1)</script>"],
        ["numeric", "nominal"],
    )
    page = rules._repr_html_()
    assert (
        "&quot;&lt;b&gt;&quot; &gt; 1 <b>and</b><br>&quot;x AND y&quot; in {&quot;&amp;&quot;, &quot;&lt;i&gt;&quot;}"
        in page
    )
    assert "<script" not in page
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in page
    assert ">0.75<" in page


def test_html_joins_conditions_not_names():
    """Joining by replacing " AND " in the text would break a name that contains it."""
    page = RuleSet([Rule([Condition(0, lower=1)], [0])], ["x AND y"], ["L"])._repr_html_()
    assert "<b>and</b>" not in page
    assert "&quot;x AND y&quot; &gt; 1" in page


def test_html_of_many_rules_is_cut_short():
    page = RuleSet([Rule([], [0])] * 103, ["f"], ["L"])._repr_html_()
    assert page.count("<i>always</i>") == 100
    assert "and 3 more rules" in page
    assert "103 rules, 0 conditions" in page
    whole = RuleSet([Rule([], [0])] * 103, ["f"], ["L"]).to_html()
    assert whole.count("<tr>") == 1 + 103
    assert "more rules" not in whole
