"""Hard containers, names, label sets and codes, and what the authors' code fails on, in both modes."""

import warnings

import numpy as np
import pandas as pd
import pytest

from mlrx.datasets import load_dataset
from mlrx.lionforests import find_violation

from .explaining import IN_BOTH_MODES, assert_holds, explainer, forest, read_back
from .small_forests import LADDER, LADDER_LABELS

pytestmark = IN_BOTH_MODES

FOUR = [[0.0], [1.0], [2.0], [3.0]]


# Containers and names.


def test_containers_agree(mode):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.integers(0, 5, (30, 2)).astype(float), columns=["a", "b b"])
    Y = (frame.to_numpy() > 2).astype(int)
    model = forest(frame, Y, 9)
    row = int(np.flatnonzero(Y.sum(axis=1))[0])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        one = explainer(model, frame, Y, mode=mode)
        (expected,) = one.explain(frame.iloc[[row]])
        swapped = frame[["b b", "a"]]
        for x in (
            frame.to_numpy()[row],
            frame.iloc[row],
            frame.to_numpy()[[row]],
            swapped.iloc[row],
            swapped[row:][:1],
        ):
            assert one.explain(x)[0].rule == expected.rule
        for X in (frame, swapped, frame.to_numpy()):
            many = one.explain_many(X[:5], progress=False)
            assert [found[0].rule for found in many] == [one.explain(frame.iloc[k])[0].rule for k in range(5)]
            np.testing.assert_array_equal(expected.covers(X), expected.rule.covers(frame))
    assert "b b" in expected.to_text() or "a" in expected.to_text()
    for bad, named in (
        (frame[["a"]], "'b b'"),
        (frame.assign(c=1.0), "'c'"),
        (frame.rename(columns={"a": "z"}), "'a'"),
    ):
        with pytest.raises(ValueError, match=named):
            one.explain(bad.iloc[[row]])
        with pytest.raises(ValueError, match=named):
            one.explain(bad.iloc[row])
        with pytest.raises(ValueError, match=named):
            expected.covers(bad)


def test_names_that_the_forest_does_not_know(mode):
    # The forest saw no names: reordered columns would be taken by position, without a word.
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(40, 3)).round(2), columns=["a", "b", "c"])
    Y = (frame.to_numpy()[:, :2] > 0).astype(int)
    model = forest(frame.to_numpy(), Y, 9)
    row, swapped = int(Y.sum(axis=1).argmax()), frame[["c", "a", "b"]]
    expected = explainer(model, frame.to_numpy(), Y, mode=mode, feature_names=["a", "b", "c"]).explain(frame.iloc[row])
    for one in (
        explainer(model, frame, Y, mode=mode),
        explainer(model, swapped, Y, mode=mode, feature_names=["a", "b", "c"]),
    ):
        for x in (frame.iloc[row], frame.to_numpy()[row], swapped.iloc[row], swapped.iloc[[row]]):
            assert one.explain(x)[0].rule == expected[0].rule
        assert one.explain_many(swapped[row:][:1], progress=False)[0][0].rule == expected[0].rule
        with pytest.raises(ValueError, match="'b'"):
            one.explain(frame[["a", "c"]].iloc[row])
    with pytest.raises(ValueError, match="'a'"):
        explainer(model, frame.rename(columns={"a": "z"}), Y, mode=mode, feature_names=["a", "b", "c"])


@pytest.mark.parametrize(("names", "argument"), [(["a", "a"], "feature_names"), (["u", "u"], "label_names")])
def test_names_that_come_twice(mode, names, argument):
    X = [[value, 0.0] for [value] in LADDER]
    with pytest.raises(ValueError, match=rf"{argument} must be distinct, but more than one is called \['{names[0]}'\]"):
        explainer(forest(X, LADDER_LABELS), X, mode=mode, **{argument: names})


def test_names_that_read_like_code(mode):
    rng = np.random.default_rng(1)
    X = rng.integers(0, 6, (60, 7)).astype(float)
    Y = np.column_stack([X[:, 0] + X[:, 1] > 5, X[:, 4] + X[:, 5] > 5, X[:, 2] + X[:, 3] + X[:, 6] > 7]).astype(int)
    plain = [f"f{f}" for f in range(7)]
    odd = ["a <= 1 and b", "class", "x[0]", "größe", "1st", "", "Air temp [K]"]
    tagged = ["<b>", "</td>", "&amp;", "THEN", "and", "[", '"']
    found = {}
    for names in (plain, odd, tagged):
        frame = pd.DataFrame(X, columns=names)
        model = forest(frame, Y, 15, max_depth=4)
        labels = [f"{name} label" for name in names[:3]]
        one = explainer(model, frame, Y, mode=mode, label_names=labels)
        found[tuple(names)] = [one.explain(frame.iloc[k])[0] for k in range(12)]
        for explanation in found[tuple(names)]:
            assert explanation.feature_names == tuple(names)
            assert read_back(explanation).antecedent == explanation.rule.antecedent
            assert explanation.covers(frame).sum() == explanation.rule.n_covered
            assert "<b>" not in explanation._repr_html_().replace("<p>predicted: <b>", "")
    first = [explanation.rule for explanation in found[tuple(plain)]]
    for names in (odd, tagged):
        assert [explanation.rule for explanation in found[tuple(names)]] == first
    assert {c.feature for rule in first for c in rule.antecedent} == set(range(7))


# Label sets.


def test_no_frequent_pair_of_labels(mode):
    X, Y = FOUR, [[1, 0], [1, 0], [0, 1], [0, 1]]
    model = forest(X, [[1, 0], [1, 1], [1, 1], [0, 1]], 9, bootstrap=False)
    assert model.predict([[1.0]]).tolist() == [[1, 1]]
    one = explainer(model, X, Y, mode=mode)
    # No label at all: no itemset.
    none = explainer(model, X, np.zeros((4, 2), dtype=int), mode=mode)
    for found in (one.explain([1.0], "frequent"), none.explain([1.0], "frequent")):
        assert found == []
        assert "no two labels are frequent together" in found.reason
        assert found.reason in found.to_text()


def test_counts_in_place_of_labels(mode):
    model = forest(LADDER, LADDER_LABELS)
    counts = np.array(LADDER_LABELS)
    counts[3, 1] = 2
    with pytest.raises(ValueError, match=r"label 1 has the value .*2.* in Y"):
        explainer(model, LADDER, counts, mode=mode)


@pytest.mark.parametrize("strategy", [[0, 1], [["y0"]], [[0.5]], [[True, False]], None, 3])
def test_strategies_that_are_no_label_sets(mode, strategy):
    one = explainer(forest(LADDER, LADDER_LABELS), LADDER, mode=mode)
    with pytest.raises(TypeError, match=r"strategy must be one of .* or a list of label sets"):
        one.explain([5.0], strategy)


# What the authors' code fails on.


@pytest.mark.filterwarnings("ignore:A column-vector y was passed")
def test_shapes_and_containers_of_labels(mode):
    y = [0, 0, 1, 1, 1, 1]
    for Y in (y, np.array(y)[:, None], pd.DataFrame({"on": y}), pd.Series(y)):
        model = forest(LADDER, Y)
        one = explainer(model, LADDER, Y, mode=mode)
        (whole,) = one.explain([5.0])
        assert whole.labels == (0,)
        assert_holds(model, whole)
        assert one.label_names_ == (("on",) if isinstance(Y, pd.DataFrame) else ("y0",))


@pytest.mark.parametrize(
    "codes",
    [("no", "yes"), (-1, 1), (False, True), (1, 2), (0.0, 1.0)],
    ids=["strings", "signs", "Booleans", "one and two", "floats"],
)
def test_codes_of_labels(mode, codes):
    Y = np.array(codes)[np.array(LADDER_LABELS)]
    plain, model = forest(LADDER, LADDER_LABELS), forest(LADDER, Y)
    found = explainer(model, LADDER, Y, mode=mode).explain_many(LADDER, progress=False)
    expected = explainer(plain, LADDER, LADDER_LABELS, mode=mode).explain_many(LADDER, progress=False)
    for mine, theirs in zip(found, expected, strict=True):
        assert (mine[0].labels, mine[0].rule) == (theirs[0].labels, theirs[0].rule)


def test_names_that_are_numbers(mode):
    Y = pd.DataFrame(LADDER_LABELS, columns=[7, 8])
    (whole,) = explainer(forest(LADDER, Y), pd.DataFrame(LADDER, columns=[3]), Y, mode=mode).explain([5.0])
    assert (whole.feature_names, whole.label_names) == (("3",), ("7", "8"))
    assert read_back(whole).antecedent == whole.rule.antecedent
    (whole,) = explainer(forest(LADDER, Y), LADDER, mode=mode, feature_names=[3], label_names=[7, 8]).explain([5.0])
    assert (whole.feature_names, whole.label_names) == (("3",), ("7", "8"))


def test_shallow_trees_that_share_no_feature(mode):
    # No set of features is frequent, so that no path is among those of the first features of the order.
    rng = np.random.default_rng(0)
    X = rng.integers(0, 2, (200, 12)).astype(float)
    Y = np.column_stack([X.sum(axis=1) > 6, X.sum(axis=1) > 3]).astype(int)
    model = forest(X, Y, 40, max_depth=1, max_features=1)
    for found in explainer(model, X, Y, mode=mode).explain_many(X[:10], "each", progress=False):
        for explanation in found:
            assert_holds(model, explanation, X)


def test_flags_at_depth_three(mode, data_folder):
    data = load_dataset("flags")
    X, Y = pd.get_dummies(data.X, dtype=float), np.asarray(data.Y)
    model = forest(X, Y, 60, max_depth=3)
    for found in explainer(model, X, Y, mode=mode).explain_many(X[:15], "each", progress=False):
        for explanation in found:
            assert explanation.covers(np.array([explanation.x])).all()
            verdict = find_violation(model, explanation.rule, explanation.labels)
            assert verdict.status == "proven"


def test_threshold_of_minus_two(mode):
    X, Y = [[-3.0], [-1.0]], [[0, 1], [1, 0]]
    model = forest(X, Y, bootstrap=False)
    assert model.estimators_[0].tree_.threshold[0] == -2.0
    one = explainer(model, X, Y, mode=mode, feature_names=["f"])
    assert [one.explain([x])[0].to_text().split("  ")[0] for x in (-3, -1)] == [
        "IF f <= -2 THEN y1",
        "IF f > -2 THEN y0",
    ]


def test_names_of_categories_within_others(mode):
    rng = np.random.default_rng(2)
    code, size = rng.integers(0, 3, 120), rng.integers(0, 6, 120)
    columns = {f"hue_{name}": code == k for k, name in enumerate(["red", "red dark", "ed"])}
    frame = pd.DataFrame(columns | {"red": size, "hue_size": 5 - size}).astype(float)
    Y = np.column_stack([code == 0, size > 2]).astype(int)
    model = forest(frame, Y, 30, max_depth=4)
    one = explainer(model, frame, Y, mode=mode, categorical={"hue": list(columns)})
    assert one.groups_[0].categories == ("red", "red dark", "ed")
    row = int(np.flatnonzero((code == 0) & (size > 2))[0])
    (whole,) = one.explain(frame.iloc[row])
    assert "hue = red" in whole.to_text()
    assert whole.covers(frame)[row]
    assert not whole.covers(frame)[code != 0].any()
    by_label = {explanation.labels: explanation for explanation in one.explain(frame.iloc[row], "each")}
    assert {c.feature for c in by_label[1,].rule.antecedent} & {3, 4}


def test_categories_of_numbers(mode):
    rng = np.random.default_rng(2)
    X = rng.normal(size=(30, 2)).round(1)
    model = forest(X, (X > 0).astype(int), 5)
    with pytest.raises(ValueError, match=r"column 'x1' of 'hue' has the value .*one-hot columns hold 0 and 1"):
        explainer(model, np.column_stack([np.ones(30), X[:, 1]]), mode=mode, categorical={"hue": ["x0", "x1"]})
    with pytest.raises(ValueError, match="row 0 has more than one category of 'hue'"):
        explainer(model, np.ones((30, 2)), mode=mode, categorical={"hue": ["x0", "x1"]})


def test_forest_fitted_elsewhere_and_frequent_label_sets(mode):
    model = forest(LADDER, LADDER_LABELS, 9)
    for Y in (LADDER_LABELS, None):
        found = explainer(model, LADDER, Y, mode=mode).explain([5.0], "frequent")
        assert sorted(explanation.labels for explanation in found) == [(0,), (0, 1), (1,)]
        for explanation in found:
            assert_holds(model, explanation)
