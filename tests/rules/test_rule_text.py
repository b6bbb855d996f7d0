import math

import numpy as np
import pytest
from hypothesis import example, given

from mlrx.rules import Condition, Rule, format_condition, format_rule, parse_rule
from tests.rules.printed_rules import NASTY, printed_rules


@pytest.mark.parametrize(
    ("condition", "kind", "text"),
    [
        (Condition(0, lower=0.5), "numeric", "f > 0.5"),
        (Condition(0, upper=3), "numeric", "f <= 3"),
        (Condition(0, 0.1, 1e-7), "numeric", "0.1 < f <= 1e-07"),
        (Condition(0, lower=0.5), "binary", "f present"),
        (Condition(0, upper=0.5), "binary", "f absent"),
        (Condition(0, lower=0.25), "binary", "f > 0.25"),
        (Condition(0, upper=8, missing=True), "numeric", "f <= 8 (or missing)"),
        (Condition(0, math.inf, math.inf, missing=True), "numeric", "f is missing"),
        (Condition(0), "numeric", "f is known"),
        (Condition(0, missing=True), "numeric", "f is known (or missing)"),
        (Condition(0, categories=["a"]), "nominal", "f = a"),
        (Condition(0, categories=["San Remo", "b", "3"]), "nominal", 'f in {"3", "San Remo", b}'),
        (Condition(0, categories=["a"], negated=True), "nominal", "f != a"),
        (Condition(0, categories=["a", "b"], negated=True, missing=True), "nominal", "f not in {a, b} (or missing)"),
        (Condition(0, categories=[]), "nominal", "f in {}"),
    ],
)
def test_condition_as_text(condition, kind, text):
    assert format_condition(condition, "f", kind) == text
    assert parse_rule(f"IF {text} THEN L", ["f"], ["L"]) == Rule([condition], [0])


def test_no_one_can_take_or_to_bind_after_and():
    """``f <= 8 or missing AND g > 2`` looked like ``f <= 8 OR (missing AND g > 2)``; it is read as it was meant."""
    rule = Rule([Condition(0, upper=8, missing=True), Condition(1, lower=2)], [0])
    assert format_rule(rule, ["f", "g"], ["L"], ["numeric"] * 2) == "IF f <= 8 (or missing) AND g > 2 THEN L"
    assert parse_rule("IF f <= 8 or missing AND g > 2 THEN L", ["f", "g"], ["L"]) == rule


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("wind.speed-2", "wind.speed-2"),
        ("größe", "größe"),
        ("", '""'),
        ("1st", '"1st"'),
        ("AND", '"AND"'),
        ('say "hi"', r'"say \"hi\""'),
        ("two\nlines", r'"two\nlines"'),
        ("two\u2028lines", r'"two\u2028lines"'),
    ],
)
def test_names_are_quoted_where_they_must_be(name, text):
    assert format_condition(Condition(0, lower=1), name) == f"{text} > 1"


def test_rule_as_text():
    rule = Rule([Condition(1, upper=4), Condition(0, lower=0.5)], [1, 0], 4, 3)
    text = format_rule(rule, ["on", "f"], ["A", "B b"], ["binary", "numeric"])
    assert text == 'IF on present AND f <= 4 THEN A, "B b"'
    assert format_rule(Rule([], []), [], [], []) == "THEN no label"
    assert parse_rule("THEN no label", [], []) == Rule([], [])


def table_around(rule, kinds):
    """Rows at, next to and far from every bound, with every category, another one, and missing values."""
    values = {feature: [math.nan, 0.0, 1.0, -1.0, 1e9] for feature in range(len(kinds))}
    for feature, kind in enumerate(kinds):
        if kind == "nominal":
            values[feature] = [None, "elsewhere", ""]
    for condition in rule.antecedent:
        if condition.is_nominal:
            values[condition.feature] += list(condition.categories)
            continue
        for bound in (condition.lower, condition.upper):
            values[condition.feature] += [bound, *np.nextafter(bound, [-math.inf, math.inf])]
            values[condition.feature] += [*np.nextafter(np.float32(bound), np.float32([-math.inf, math.inf]))]
    n_rows = max(len(column) for column in values.values())
    columns = [[column[row % len(column)] for row in range(n_rows)] for column in values.values()]
    return np.array(columns, dtype=object).T


@pytest.mark.filterwarnings("ignore:overflow:RuntimeWarning")
@given(printed_rules())
@example((Rule([Condition(0, lower=0.30000000074505806)], [0], dtype="float32"), ["f"], ["L"], ["numeric"]))
@example((Rule([Condition(k, 0.1, 0.3) for k in range(len(NASTY))], [0]), NASTY, NASTY[::-1], ["numeric"] * len(NASTY)))
def test_printed_rule_read_back_is_the_same_and_covers_the_same_rows(printed):
    rule, feature_names, label_names, kinds = printed
    text = format_rule(rule, feature_names, label_names, kinds)
    assert len(text.splitlines()) == 1
    again = parse_rule(text, feature_names, label_names, rule.dtype)
    assert again == rule
    X = table_around(rule, kinds)
    assert again.covers(X).tolist() == rule.covers(X).tolist()


def test_bounds_keep_all_their_digits():
    """Rounded to six digits, the bound would move to the other side of a value."""
    rule = Rule([Condition(0, lower=2.0000000517939043e-06)], [0], dtype="float32")
    text = format_rule(rule, ["f"], ["L"], ["numeric"])
    assert text == "IF f > 2.0000000517939043e-06 THEN L"
    again = parse_rule(text, ["f"], ["L"], "float32")
    assert again.covers(np.array([[1e-6], [2.5e-6]])).tolist() == [False, True]


@pytest.mark.parametrize(
    "text",
    [
        "IF a > 1 THEN L  [confidence 0.75, 3 of 4]",
        "IF  a>1  THEN\tL\n",
        "IF a > 1 THEN L [any % thing",
        "IF a > 1.0 THEN L",
    ],
)
def test_counts_and_spacing_do_not_matter(text):
    assert parse_rule(text, ["a"], ["L"]) == Rule([Condition(0, lower=1)], [0])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("IF a > 1 % THEN L", r"stray '%' at character 10 of the rule"),
        ('IF "a > 1 THEN L', r"""stray '"' at character 4 of"""),
        ("IF a! > 1 THEN L", r"stray '!' at character 5 of"),
        ("IF a[0] > 1 THEN L", r"found '\[0\] > 1 THEN L' at character 5 of"),
        ("IF a > 1 THEN L M", "expected the end, found 'M' at character 17 of"),
        ("IF a > 1 THEN L\nIF a > 2 THEN L", "expected the end, found 'IF' at character 17 of"),
        ("IF a > 1", "expected 'THEN', found the end at character 9 of"),
        ("a > 1 THEN L", "expected 'THEN', found 'a' at character 1 of"),
        ("", "expected 'THEN', found the end"),
        ("IF a > b THEN L", "expected a number, found 'b'"),
        ("IF a > 1_0 THEN L", "expected a number, found '1_0'"),
        ("IF 1 < a < 2 THEN L", "expected '<=', found '<' at character 10"),
        ("IF a = {b} THEN L", "expected a name, found '{'"),
        ("IF a in {b c} THEN L", "expected ',', found 'c'"),
        ("IF a in {b", "expected ',', found the end"),
        ("IF c > 1 THEN L", "expected a feature whose name is known, found 'c' at character 4"),
        ("IF twice > 1 THEN L", "expected a feature whose name is unique, found 'twice'"),
        ("IF a > 1 THEN M", "expected a label whose name is known, found 'M'"),
        (r'IF "\q" > 1 THEN L', "expected a name with the escapes of JSON"),
        ("IF a > nan THEN L", "must not be NaN"),
        ("IF a > 1 AND a = b THEN L", "column 0 has both a numeric and a nominal condition"),
    ],
)
def test_what_is_no_rule_is_refused_with_its_place(text, message):
    with pytest.raises(ValueError, match=message):
        parse_rule(text, ["a", "twice", "twice"], ["L"])
