import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

from mlrx import Condition, CorsetClassifier, PointRules, Rule, RuleSet
from mlrx.voting import PointRule
from mlrx.widgets import explore_rules
from mlrx.widgets.rules_on_rows import MOST_ROWS, RulesOnRows, search_html

X = pd.DataFrame({"rain <mm>": [0.0, 2.0, 3.0, np.nan], "sky": pd.Categorical(["blue", "grey", "grey", "blue"])})
Y = np.array([[1, 0, 0], [0, 1, 1], [0, 1, 0], [1, 0, 0]])
RULES = RuleSet(
    [
        Rule([Condition(0, lower=1.0)], [1, 2], 9, 9),  # counts of other rows
        Rule([Condition(1, categories=["grey"]), Condition(0, lower=1.0)], [1]),
        Rule([Condition(1, categories=["blue"])], [0]),
        Rule([Condition(0, lower=5.0)], [0]),
    ],
    X.columns,
    ["dry", "wet & cold", "windy"],
    ["numeric", "nominal"],
    20,
)


@pytest.fixture
def explorer():
    return explore_rules(RULES, X, Y)


def shown(explorer):
    return [line.split(":")[0] for line in explorer.to_text().splitlines()[1:]]


@pytest.mark.parametrize("form", [np.asarray, sp.csr_array, lambda Y: pd.DataFrame(Y, columns=RULES.label_names)])
def test_counts_are_those_of_the_rows_given(form):
    table = RulesOnRows.of(RULES, X, form(Y)).table()
    assert table.index.tolist() == [1, 2, 3, 4]
    assert table["n_covered"].tolist() == [2, 2, 2, 0]
    assert table["n_correct"].tolist() == [1, 2, 2, 0]
    assert table["coverage"].tolist() == [0.5, 0.5, 0.5, 0.0]
    assert table["confidence"].tolist()[:3] == [0.5, 1.0, 1.0]
    assert np.isnan(table["confidence"][4])


def test_labels_of_another_shape_are_refused():
    with pytest.raises(ValueError, match=r"Y has the shape \(4, 2\), expected is \(4, 3\)"):
        explore_rules(RULES, X, Y[:, :2])


@pytest.mark.parametrize(
    ("choice", "numbers"),
    [
        ({}, ["1", "2", "3", "4"]),
        ({"label": 0}, ["3", "4"]),
        ({"label": 2}, ["1"]),
        ({"feature": " SKY"}, ["2", "3"]),
        ({"feature": "grey", "label": 0}, []),
        ({"order": "confidence"}, ["2", "3", "1", "4"]),
        ({"order": "number of conditions"}, ["1", "3", "4", "2"]),
        ({"order": "rows covered", "feature": "rain"}, ["1", "2", "4"]),
    ],
)
def test_search_shows_what_fits_in_order(explorer, choice, numbers):
    for name, value in choice.items():
        explorer.controls[name].value = value
    assert shown(explorer) == numbers
    assert [number for _, number in explorer.controls["rule"].options] == [int(number) for number in numbers]


def test_first_line_says_what_they_cover_together(explorer):
    assert explorer.to_text().startswith("4 of 4 rules; together they cover 4 of 4 rows\n")
    explorer.controls["label"].value = 2
    assert explorer.to_text() == (
        '1 of 4 rules; together they cover 2 of 4 rows\n1: IF "rain <mm>" > 1 THEN "wet & cold", windy  [1 of 2 rows]'
    )


def test_every_list_shows_what_is_chosen(explorer):
    """A list that was given its entries later, or has None among them, once showed nothing."""
    for name in ("label", "order", "rule"):
        assert explorer.controls[name].index == 0, name
    explorer.controls["rule"].value = 2
    explorer.controls["feature"].value = "sky"
    assert explorer.controls["rule"].value == 2
    explorer.controls["feature"].value = "blue"
    assert (explorer.controls["rule"].value, explorer.controls["rule"].index) == (3, 0)
    explorer.controls["feature"].value = "no such"
    assert explorer.controls["rule"].value is None
    explorer.controls["feature"].value = ""
    assert explorer.controls["rule"].index == 0


def test_rows_of_the_chosen_rule_are_shown(explorer):
    explorer.controls["rule"].value = 1
    assert "rule 1 covers 2 of 4 rows, 1 of them with all its labels" in explorer.to_html()
    rows = RulesOnRows.of(RULES, X, Y).rows_of(1)
    assert rows.index.tolist() == [1, 2]
    assert rows["rain <mm>"].tolist() == [2.0, 3.0]
    assert rows["all its labels"].tolist() == ["yes", "no"]
    assert rows["labels of the row"].tolist() == ["wet & cold, windy", "wet & cold"]
    assert RulesOnRows.of(RULES, X, Y).rows_of(2)["not of the rule"].tolist() == ["windy", ""]


def test_long_lists_of_rows_are_cut_and_say_so():
    rules = RuleSet([Rule([], [0])], ["x"], ["a"])
    explorer = explore_rules(rules, np.zeros((30, 1)), np.ones((30, 1)))
    assert f"rule 1 covers 30 of 30 rows, 30 of them with all its labels; shown are the first {MOST_ROWS}" in (
        explorer.to_html()
    )
    assert "<i>always</i>" in explorer.to_html()


def test_rules_of_points_are_refused_by_name():
    """They were an AttributeError about a consequent."""
    points = PointRules([PointRule([Condition(0, lower=0.5)], [(0, 1)], 1)], ["f"], ["L"], [1], ["binary"], 2)
    with pytest.raises(TypeError, match=r"rules must be a RuleSet, .*, got PointRules"):
        explore_rules(points, [[1], [0]], [[1], [0]])
    with pytest.raises(TypeError, match="got CorsetClassifier"):
        explore_rules(CorsetClassifier(), [[1], [0]], [[1], [0]])


def test_names_are_escaped(explorer):
    text = explorer.to_html()
    assert "rain &lt;mm&gt;" in text
    assert "wet &amp; cold" in text
    assert "<mm>" not in text


def test_no_rule_at_all():
    explorer = explore_rules(RULES[:0], X, Y)
    assert explorer.to_text() == "0 of 0 rules; together they cover 0 of 4 rows"
    assert "<table>" not in search_html(explorer.view, explorer.view.search())


def test_text_and_html_stand_in_for_widgets(explorer):
    bundle = explorer._repr_mimebundle_()
    assert bundle["text/plain"] == explorer.to_text()
    assert bundle["text/html"] == explorer.to_html()
    assert "application/vnd.jupyter.widget-view+json" in bundle
