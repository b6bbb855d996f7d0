"""PointRules and ScoreSheet: worked by hand, read back, refused where wrong."""

import json

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from mlrx import Condition
from mlrx.rules import parse_rule
from mlrx.voting import PointRule, PointRules

RAIN, CALM = Condition(0, lower=0.5), Condition(1, upper=3.0)


def voting(**changes):
    fields = {
        "rules": [
            PointRule([RAIN], [(1, 2), (0, -1)], 4),
            PointRule([CALM, RAIN], [(1, -3)], 2),
            PointRule([], [(2, 1)]),
        ],
        "feature_names": ["rain", "wind speed"],
        "label_names": ["dry", "wet", "any"],
        "bars": [0, 2, 1],
        "kinds": ["binary", "numeric"],
        "n_samples": 8,
        "probabilities": [(-1, 0.1), (0, 0.6), (2, 0.9)],
    }
    return PointRules(**(fields | changes))


ROWS = np.array([[1.0, 9.0], [1.0, 2.0], [0.0, 9.0]])


def test_points_bars_and_predictions_by_hand():
    rules = voting()
    # Points: row 0 dry -1, wet 2, any 1; row 1 dry -1, wet -1, any 1; row 2 any 1.
    assert rules.margins(ROWS).tolist() == [[-1, 0, 0], [-1, -3, 0], [0, -2, 0]]
    assert rules.predict(ROWS).tolist() == [[0, 1, 1], [0, 0, 1], [1, 0, 1]]
    assert rules.predict_proba(ROWS).tolist() == [[0.1, 0.6, 0.6], [0.1, 0.1, 0.6], [0.6, 0.1, 0.6]]
    assert (len(rules), rules.n_conditions, rules.n_weights) == (3, 3, 4)


@pytest.mark.parametrize("form", [sp.csr_array, lambda X: pd.DataFrame(X, columns=["rain", "wind speed"])[::1]])
def test_any_container_predicts_the_same(form):
    rules = voting()
    assert rules.predict(form(ROWS)).tolist() == rules.predict(ROWS).tolist()
    sparse = rules.predict(form(ROWS), sparse=True)
    assert sp.issparse(sparse)
    assert sparse.toarray().tolist() == rules.predict(ROWS).tolist()


def test_columns_of_a_frame_are_found_by_name():
    frame = pd.DataFrame(ROWS[:, ::-1], columns=["wind speed", "rain"])
    assert voting().predict(frame).tolist() == voting().predict(ROWS).tolist()


def test_text():
    assert str(voting()).splitlines() == [
        "IF rain present THEN dry -1, wet +2  [covers 4]",
        'IF rain present AND "wind speed" <= 3 THEN wet -3  [covers 2]',
        "THEN any +1",
        "PREDICT dry FROM 0, wet FROM 2, any FROM 1",
    ]


def test_frame():
    frame = voting().to_frame()
    assert frame["points"].tolist() == ["dry -1, wet +2", "wet -3", "any +1"]
    assert frame["n_conditions"].tolist() == [1, 2, 0]
    assert frame["coverage"].iloc[:2].tolist() == [0.5, 0.25]
    assert np.isnan(frame["coverage"].iloc[2])


def test_score_sheet_by_hand():
    sheet = voting().score_sheet(ROWS[[1]])
    assert [fired.rule for fired in sheet.fired] == [0, 1, 2]
    assert sheet.points == (-1, -1, 1)
    assert sheet.predicted == ("any",)
    assert str(sheet).splitlines() == [
        "any: 1 of 1 points, predicted (probability 0.60)",
        "  +1  IF always",
        "dry: -1 of 0 points, not predicted (probability 0.10)",
        "  -1  IF rain present",
        "wet: -1 of 2 points, not predicted (probability 0.10)",
        "  +2  IF rain present",
        '  -3  IF rain present AND "wind speed" <= 3',
    ]
    assert sheet.to_frame()["predicted"].tolist() == [True, False, False]


def test_score_sheet_names_how_many_labels_are_silent():
    lines = str(voting().score_sheet(ROWS[[2]])).splitlines()
    assert lines[0] == "dry: 0 of 0 points, predicted (probability 0.60)"
    assert lines[-1] == "1 label gets no points and is not predicted"


def test_score_sheet_asks_for_one_row():
    with pytest.raises(ValueError, match="got 3 rows"):
        voting().score_sheet(ROWS)


def test_html_escapes_names():
    rules = voting(label_names=["<dry>", "wet", "any"], feature_names=["a<b", "c&d"])
    for text in (rules._repr_html_(), rules.score_sheet(ROWS[[1]])._repr_html_()):
        assert "&lt;dry&gt;" in text
        assert "a&lt;b" in text
        assert "<dry>" not in text


def test_json_reads_back():
    rules = voting()
    assert PointRules.from_json(rules.to_json()) == rules
    assert PointRules.from_json(rules.to_json(indent=1)).to_text() == rules.to_text()


@given(st.data())
def test_any_rules_read_back_from_json(data):
    bound = st.floats(allow_nan=False)
    conditions = st.builds(Condition, st.integers(0, 1), bound, bound, missing=st.booleans())
    points = st.dictionaries(st.integers(0, 2), st.integers(-3, 3).filter(bool), max_size=3).map(dict.items)
    rule = st.builds(PointRule, st.lists(conditions, max_size=3), points, st.none() | st.integers(0, 9))
    rules = voting(rules=data.draw(st.lists(rule, max_size=4)), bars=data.draw(st.tuples(*[st.integers(-9, 9)] * 3)))
    assert PointRules.from_json(rules.to_json()) == rules


def test_printed_antecedent_selects_the_rows_that_the_rule_covers():
    rules = voting()
    lines = rules.to_text(counts=False).splitlines()
    for k in range(2):
        text = lines[k].split(" THEN ")[0] + " THEN dry"
        read = parse_rule(text, rules.feature_names, rules.label_names)
        assert read.covers(ROWS).tolist() == rules.covers(ROWS)[:, k].tolist()


@pytest.mark.parametrize(
    ("changes", "error", "message"),
    [
        ({"bars": [1, 2]}, ValueError, "bars has 2 entries for 3 labels"),
        ({"bars": [1, 2, 0.5]}, TypeError, "bars must be whole numbers, got 0.5"),
        ({"bars": [1, 2, float("nan")]}, TypeError, "bars must be whole numbers, got nan"),
        ({"probabilities": [(0, 0.6), (1, 0.5)]}, ValueError, "rise"),
        ({"probabilities": [(1, 0.5), (0, 0.6)]}, ValueError, "rise"),
        ({"probabilities": [(0, 1.5)]}, ValueError, "rise"),
        ({"probabilities": []}, ValueError, "must be some"),
        ({"rules": [PointRule([], [(3, 1)])]}, ValueError, "label beyond the 3 named"),
        ({"kinds": ["binary", "odd"]}, ValueError, "kinds must be among"),
    ],
)
def test_wrong_fields_are_named(changes, error, message):
    with pytest.raises(error, match=message):
        voting(**changes)


@pytest.mark.parametrize(
    ("points", "error", "message"),
    [
        ([(0, 0)], ValueError, "points must name a label once and not be 0, got 0 for label 0"),
        ([(0, 1), (0, 2)], ValueError, "got 2 for label 0"),
        ([(0, 1.5)], TypeError, "points must be a whole number, got 1.5"),
        ([(-1, 1)], ValueError, "label must be a whole number from 0"),
    ],
)
def test_wrong_points_are_named(points, error, message):
    with pytest.raises(error, match=message):
        PointRule([], points)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"format": "mlrx.ruleset"}, "not a set of point rules"),
        ({"version": 2}, "set of point rules of format version 2; this mlrx reads 1"),
        ({"bars": [1]}, "damaged: bars has 1 entries"),
        ({"bars": None}, "damaged"),
    ],
)
def test_damaged_json_is_refused(change, message):
    document = json.loads(voting().to_json()) | change
    with pytest.raises(ValueError, match=message):
        PointRules.from_json(json.dumps(document))


def test_damaged_rules_are_named_by_number():
    document = json.loads(voting().to_json())
    document["rules"][1]["points"] = [[0, 1]]
    with pytest.raises(ValueError, match="rule 1: the consequent must be the labels that get points"):
        PointRules.from_json(json.dumps(document))
    del document["rules"][1]["points"]
    with pytest.raises(ValueError, match="rule 1: it lacks the field 'points'"):
        PointRules.from_json(json.dumps(document))
    del document["bars"]
    document["rules"] = []
    with pytest.raises(ValueError, match="lacks the field 'bars'"):
        PointRules.from_json(json.dumps(document))


def test_a_condition_that_also_holds_of_missing_values_stands_in_brackets_among_others():
    rule = PointRule([Condition(0, upper=1.0, missing=True), Condition(1, lower=2.0)], [(0, 1)])
    rules = PointRules([rule], ["x", "z"], ["a, b"], [1])
    assert rules.to_text() == 'IF (x <= 1 or missing) AND z > 2 THEN "a, b" +1\nPREDICT "a, b" FROM 1'
    assert rules.to_frame()["antecedent"].tolist() == ["(x <= 1 or missing) AND z > 2"]
    assert "Predicted: &quot;a, b&quot; from 1" in rules.to_html()
