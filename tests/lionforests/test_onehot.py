"""Categories behind one-hot columns."""

import numpy as np
import pytest

from mlrx import Condition, Rule
from mlrx.lionforests.onehot import OneHot, count_features, read_groups, with_categories
from mlrx.rules import format_rule, parse_rule

NAMES = ("age", "time=noon", "time=night", "time=dawn", "city_Rome", "city_San Remo")
TIME = OneHot("time", (1, 2, 3), ("noon", "night", "dawn"))
CITY = OneHot("city", (4, 5), ("Rome", "San Remo"))


def test_groups_are_read_by_name_index_or_category():
    assert read_groups({"time": [1, "time=night", 3]}, NAMES) == (TIME,)
    assert read_groups({"city": {"Rome": 4, "San Remo": "city_San Remo"}}, NAMES) == (CITY,)
    assert read_groups({"place": [4, 5]}, NAMES)[0].categories == ("city_Rome", "city_San Remo")
    assert read_groups(None, NAMES) == ()


@pytest.mark.parametrize(
    ("categorical", "message"),
    [
        ({"time": ["time=tea"]}, r"'time' names the column 'time=tea'"),
        ({"time": [9]}, r"'time' names column 9, allowed are 0 to 5"),
        ({"time": []}, "'time' has no columns"),
        ({"time": [1], "t": [1]}, "column 'time=noon' is in 'time' and in 't'"),
        ({"age": [1]}, "'age' is the name of a column"),
        ({"time": {"a": 1, "b": 1}}, "column 'time=noon' is in 'time' and in 'time'"),
    ],
)
def test_errors_name_group_and_column(categorical, message):
    with pytest.raises(ValueError, match=message):
        read_groups(categorical, NAMES)


def test_names_of_groups_are_texts_before_they_are_compared():
    """Two groups were once called 1, and a group 0 stood beside a column of that name."""
    with pytest.raises(ValueError, match="two groups are called '1'"):
        read_groups({1: [1], "1": [2]}, NAMES)
    with pytest.raises(ValueError, match="'0' is the name of a column"):
        read_groups({0: [1]}, ["0", "a"])
    assert read_groups({0: ["x0"]}, ["x0"]) == (OneHot("0", (0,), ("x0",)),)


@pytest.mark.parametrize(
    ("entry", "message"),
    [
        ([0.5, 1.5], r"'g' needs names or indices of columns, got 0\.5"),
        ([None], "'g' needs names or indices of columns, got None"),
        (3, "'g' needs a list of columns or a dict by category, got 3"),
        ("age", "'g' needs a list of columns or a dict by category, got 'age'"),
    ],
)
def test_columns_are_names_or_whole_numbers(entry, message):
    """Fractions were once cut off, and a text taken for its letters."""
    with pytest.raises(TypeError, match=message):
        read_groups({"g": entry}, NAMES)


def text(*conditions: Condition) -> str:
    rule = with_categories(Rule(conditions, [0]), [TIME, CITY], len(NAMES))
    names = [*NAMES, TIME.name, CITY.name]
    return format_rule(rule, names, ["y"], ["numeric"] * len(names))


def test_terms():
    assert text(Condition(2, lower=0.5)) == "IF time = night THEN y"
    assert text(Condition(2, lower=0.5), Condition(1, upper=0.5)) == "IF time = night THEN y"
    assert text(Condition(1, upper=0.5)) == "IF time != noon THEN y"
    assert text(Condition(1, upper=0.5), Condition(3, upper=0.5)) == "IF time not in {dawn, noon} THEN y"
    assert text(Condition(0, lower=3), Condition(5, lower=0.5)) == 'IF age > 3 AND city = "San Remo" THEN y'


def test_what_does_not_tell_0_from_1_stays_as_it_is():
    assert text(Condition(2, lower=1.5)) == 'IF "time=night" > 1.5 THEN y'
    assert text(Condition(2, upper=0.5, missing=True)) == 'IF "time=night" <= 0.5 (or missing) THEN y'
    both = text(Condition(1, lower=0.5), Condition(2, lower=0.5))
    assert both == 'IF "time=noon" > 0.5 AND "time=night" > 0.5 THEN y'


def test_text_read_back_covers_the_same_rows():
    rng = np.random.default_rng(0)
    rows = np.zeros((200, len(NAMES)))
    rows[:, 0] = rng.integers(0, 6, 200)
    rows[np.arange(200), rng.integers(1, 4, 200)] = 1
    rows[np.arange(200), rng.integers(4, 6, 200)] = 1
    named = np.concatenate([rows.astype(object), np.empty((200, 2), dtype=object)], axis=1)
    for g, group in enumerate([TIME, CITY]):
        named[:, len(NAMES) + g] = [group.categories[row[list(group.columns)].argmax()] for row in rows]
    for _ in range(50):
        columns = rng.choice(len(NAMES), rng.integers(1, 5), replace=False)
        below = rng.random(columns.size) < 0.5
        sides = [{"upper": 0.5} if low else {"lower": 0.5} for low in below]
        rule = Rule([Condition(f, **side) for f, side in zip(columns, sides)], [0])
        names = [*NAMES, TIME.name, CITY.name]
        printed = format_rule(with_categories(rule, [TIME, CITY], len(NAMES)), names, ["y"], ["numeric"] * len(names))
        assert (parse_rule(printed, names, ["y"]).covers(named) == rule.covers(rows)).all(), printed


def test_a_category_counts_once():
    rule = Rule([Condition(0, lower=3), Condition(1, upper=0.5), Condition(3, upper=0.5), Condition(4, upper=0.5)], [0])
    assert count_features(rule, [TIME.columns]) == 3
    assert count_features(rule, []) == 4


def test_that_a_value_may_be_missing_does_not_count():
    free, either, absent = Condition(0, missing=True), Condition(4, missing=True), Condition(5, np.inf, missing=True)
    assert count_features(Rule([free], [0]), []) == 0
    assert count_features(Rule([free, either, absent], [0]), [CITY.columns]) == 1
    assert count_features(Rule([free, Condition(1, categories=["a"], negated=True)], [0]), []) == 1
