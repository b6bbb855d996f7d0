"""LionForestsExplainer: rules for predictions of a forest, and how they are shown."""

import json
import pickle
from copy import copy

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.ensemble import ExtraTreesClassifier, RandomForestClassifier
from sklearn.exceptions import NotFittedError
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler

from mlrx import Condition, Explanation, LionForestsExplainer, Rule
from mlrx.lionforests import find_violation
from mlrx.lionforests.explanation import Explanations
from mlrx.rules import parse_rule

MODES = ["certified", "paper"]


@pytest.fixture(scope="module")
def data():
    rng = np.random.default_rng(5)
    X = rng.normal(size=(120, 5)).round(2)
    X[:, 4] = X[:, 4] > 0
    Y = np.column_stack([X[:, 0] > 0.2, X[:, 1] + X[:, 2] > 0, X[:, 4] == 1]).astype(int)
    return X, Y


@pytest.fixture(scope="module")
def forest(data):
    return RandomForestClassifier(25, max_depth=5, random_state=0).fit(*data)


def explainer(forest, data, **parameters):
    return LionForestsExplainer(forest, **parameters).fit(*data)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("strategy", ["all", "each", "frequent"])
def test_rules_cover_their_row_and_are_conclusive(forest, data, mode, strategy):
    for found in explainer(forest, data, mode=mode).explain_many(data[0][:10], strategy, progress=False):
        for explanation in found:
            assert explanation.status.startswith("certified")
            assert explanation.covers([explanation.x]).all()
            guarantee = "labels" if explanation.labels else "labelset"
            verdict = find_violation(forest, explanation.rule, explanation.labels, guarantee)
            assert verdict.status == "proven", (explanation, verdict)


@pytest.mark.parametrize("mode", MODES)
def test_label_sets_of_the_strategies(forest, data, mode):
    X, Y = data
    predicted = forest.predict(X)
    row = int(np.flatnonzero(predicted.sum(axis=1) == 3)[0])
    explain = explainer(forest, data, mode=mode).explain
    assert [e.labels for e in explain(X[row])] == [(0, 1, 2)]
    assert [e.labels for e in explain(X[row], "each")] == [(0,), (1,), (2,)]
    assert [e.labels for e in explain(X[row], [[2, 0]])] == [(0, 2)]
    frequent = [e.labels for e in explain(X[row], "frequent")]
    support = [Y[:, labels].all(axis=1).mean() for labels in frequent]
    assert len(frequent) == 7
    assert support == sorted(support, reverse=True)
    assert [e.labels for e in explain(X[row], "frequent", max_sets=2)] == frequent[:2]


@pytest.mark.parametrize("mode", MODES)
def test_labelset_keeps_other_labels_absent(forest, data, mode):
    X = data[0]
    one = explainer(forest, data, mode=mode, guarantee="labelset")
    for found in one.explain_many(X[:10], progress=False):
        assert find_violation(forest, found[0].rule, found[0].labels, "labelset").status == "proven"
    row = int(np.flatnonzero(forest.predict(X).sum(axis=1) > 1)[0])
    with pytest.raises(ValueError, match="guarantee='labelset' keeps all labels absent that are not in the set"):
        one.explain(X[row], "each")


@pytest.mark.parametrize("mode", MODES)
def test_labels_that_are_not_predicted_are_refused(forest, data, mode):
    X = data[0]
    row = int(np.flatnonzero(forest.predict(X)[:, 0] == 0)[0])
    explain = explainer(forest, data, mode=mode).explain
    with pytest.raises(ValueError, match="label 0 must be present for x, but the forest predicts"):
        explain(X[row], [[0]])
    with pytest.raises(ValueError, match="labels must be from 0 to 2, got 3"):
        explain(X[row], [[3]])


@pytest.mark.parametrize("mode", MODES)
def test_result_does_not_depend_on_jobs_or_order(forest, data, mode):
    one = explainer(forest, data, mode=mode)
    alone = [[(e.rule, e.status) for e in one.explain(x, "each")] for x in data[0][:6]]
    many = one.explain_many(data[0][:6][::-1], "each", n_jobs=2, progress=False)[::-1]
    assert [[(e.rule, e.status) for e in found] for found in many] == alone


def test_result_does_not_depend_on_jobs_with_a_generator(forest, data):
    """Every process once went on with a copy of the generator of its own."""

    def paths(n_jobs):
        one = explainer(forest, data, mode="paper", reductions=["random"], random_state=np.random.RandomState(3))
        return [found[0].rule for found in one.explain_many(data[0][:16], n_jobs=n_jobs, progress=False)]

    alone = paths(1)
    assert paths(2) == alone
    one = explainer(forest, data, mode="paper", reductions=["random"], random_state=np.random.RandomState(3))
    assert [one.explain(x)[0].rule for x in data[0][:16]] == alone
    assert [one.explain(x)[0].rule for x in data[0][:16]] != alone


def test_processes_are_sent_few_parts_and_no_trees(forest, data, monkeypatch):
    """Each row was once sent with the whole forest: two processes were thirty times slower than one."""
    sent = []

    class Jobs:
        def __init__(self, **_):
            pass

        def __call__(self, jobs):
            for function, arguments, options in jobs:
                sent.append(len(pickle.dumps(function)))
                yield function(*arguments, **options)

    monkeypatch.setattr("mlrx.lionforests.explainer.Parallel", Jobs)
    one = explainer(forest, data)
    assert len(one.explain_many(data[0][:30], n_jobs=2, progress=False)) == 30
    assert len(sent) == 8
    assert max(sent) < len(pickle.dumps(one)) - len(pickle.dumps(forest)) / 2
    assert one.forest is one.cells_.forest.model is forest


def test_paper_reductions_keep_the_rule_conclusive_and_each_shortens_or_keeps(forest, data):
    X = data[0]
    stages = [(), ("association",), ("association", "clustering"), ("association", "clustering", "random")]
    sizes = [
        [found[0].n_paths for found in explainer(forest, data, mode="paper", reductions=stage).explain_many(X[:20])]
        for stage in stages
    ]
    assert (np.diff(np.array(sizes), axis=0) <= 0).all()
    assert np.sum(sizes[3]) < np.sum(sizes[0])


def test_coverage_takes_in_more_rows_than_short(forest, data):
    short, broad = (explainer(forest, data, prefer=prefer) for prefer in ("short", "coverage"))
    covered = [[one.explain(x)[0].rule.n_covered for x in data[0][:15]] for one in (short, broad)]
    assert np.mean(covered[1]) >= np.mean(covered[0])


def test_smallest_is_never_longer(forest, data):
    short, smallest = explainer(forest, data), explainer(forest, data, smallest=True)
    for x in data[0][:10]:
        found = smallest.explain(x)[0]
        assert found.length <= short.explain(x)[0].length
        assert found.is_smallest
        assert "; fewest features" in found.to_text()
        assert "no rule that keeps the prediction has fewer features" in found._repr_html_()
    broad = explainer(forest, data, prefer="coverage").explain(x)[0]
    assert not broad.is_smallest
    assert "fewer" not in broad.to_text()


def test_notes_stay_in_one_line():
    """A name with a line separator once split the text."""
    rule = Rule([Condition(0, lower=2.5)], [0], dtype="float32")
    found = Explanation((0,), rule, "certified", "labels", 0.25, (3.0,), ("a\u2028b",), ("y",), undecided=(0,))
    assert found.to_text().splitlines() == [found.to_text()]


def test_slices_of_explanations_are_explanations(forest, data):
    X = data[0]
    row = int(np.flatnonzero(forest.predict(X).sum(axis=1) == 3)[0])
    found = explainer(forest, data).explain(X[row], "each")
    assert isinstance(found[:2], Explanations)
    assert (found[:2].to_text(), found[1]) == ("\n".join(map(str, [*found][:2])), [*found][1])
    assert found[:2]._repr_html_().count("<b>") == 2
    assert found[3:].to_text() == "no explanation: none was taken of those there are"


@pytest.mark.parametrize("mode", MODES)
def test_one_hot_columns_read_as_a_category(mode):
    rng = np.random.default_rng(1)
    kind = rng.integers(0, 3, 90)
    X = pd.DataFrame({"size": rng.random(90), "kind_a": kind == 0, "kind_b": kind == 1, "kind_c": kind == 2}).astype(
        float
    )
    Y = np.column_stack([(kind == 1), (kind != 0)]).astype(int)
    forest = RandomForestClassifier(30, max_depth=3, random_state=0).fit(X, Y)
    one = LionForestsExplainer(forest, categorical={"kind": ["kind_a", "kind_b", "kind_c"]}, mode=mode).fit(X, Y)
    found = one.explain(X.iloc[int(np.flatnonzero(kind == 1)[0])])[0]
    assert "kind = b" in found.to_text()
    assert found.covers(X)[kind == 1].any()
    assert not found.covers(X)[kind != 1].any()
    assert found.length <= 2
    with pytest.raises(ValueError, match=r"column 'kind_a' of 'kind' has the value 0\.7; one-hot"):
        one.explain([0.5, 0.7, 0.2, 0.0])
    with pytest.raises(ValueError, match="row 1 has more than one category of 'kind'"):
        one.explain_many([[0.5, 0, 1, 0], [0.5, 1, 1, 0]], progress=False)
    assert "kind = b" in found._repr_html_()
    assert "<td" in found._repr_html_()


def test_counts_are_those_of_the_rows_given_to_fit(forest, data):
    found = explainer(forest, data).explain(data[0][3])[0]
    assert found.rule.n_covered == found.covers(data[0]).sum() >= 1
    assert found.n_samples == 120
    assert 0 < found.n_voting <= found.n_trees == 25
    assert found.n_paths is None


def test_trees_that_vote_in_the_rule_are_not_the_paths_that_make_it():
    """Where all paths make up the rule, the HTML once said that all trees vote so."""
    X = np.random.default_rng(0).normal(size=(60, 3)).round(1)
    y = (X[:, 0] + X[:, 1] > 1.2).astype(int)
    forest = RandomForestClassifier(9, max_depth=2, random_state=0).fit(X, y)
    one = LionForestsExplainer(forest, mode="paper").fit(X, y)
    votes = np.array([tree.predict_proba(X)[:, 1] > 0.5 for tree in forest.estimators_]).sum(axis=0)
    row = int(np.where(forest.predict(X) == 1, votes, 9).argmin())
    (found,) = one.explain(X[row])
    assert found.n_paths == 9 > votes[row] == found.n_voting
    assert f"{votes[row]} of 9 trees vote so in the whole rule" in found._repr_html_()
    assert "made of the paths of 9 trees" in found._repr_html_()


def test_pipeline_is_explained_in_the_units_of_its_input(data):
    X, Y = data
    model = make_pipeline(MinMaxScaler(), RandomForestClassifier(15, max_depth=4, random_state=0)).fit(X, Y)
    for mode in MODES:
        for found in explainer(model, data, mode=mode).explain_many(X[:5], progress=False):
            assert found[0].covers(X[:5]).any()
            assert found[0].rule.dtype == "float64"
            assert find_violation(model, found[0].rule, found[0].labels, found[0].guarantee).status == "proven"


def test_text_read_back_is_the_same_rule(forest, data):
    for x in data[0][:10]:
        found = explainer(forest, data).explain(x)[0]
        read = parse_rule(found.to_text(), found.feature_names, found.label_names, found.rule.dtype)
        assert read.antecedent == found.rule.antecedent
        assert read.consequent == found.labels


def test_json_restores_the_explanation(forest, data):
    found = explainer(forest, data, mode="paper").explain(data[0][0])[0]
    assert Explanation.from_json(found.to_json()) == found
    document = json.loads(found.to_json())
    with pytest.raises(ValueError, match="the field 'format' must be"):
        Explanation.from_json("[]")
    with pytest.raises(ValueError, match="format version 2; this mlrx reads 1"):
        Explanation.from_json(json.dumps(document | {"version": 2}))
    with pytest.raises(ValueError, match="lacks the field 'rule'"):
        Explanation.from_json(json.dumps({k: v for k, v in document.items() if k != "rule"}))


def test_explanations_of_a_row_are_restored_and_tabulated(forest, data):
    fitted = explainer(forest, data)
    for x in data[0][:5]:
        found = fitted.explain(x, "each")
        restored = Explanations.from_json(found.to_json())
        assert (restored, restored.reason) == (found, found.reason)
        table = found.to_frame()
        assert table["antecedent"].map(lambda text: f"IF {text} THEN").tolist() == [
            str(one).split(" THEN")[0] + " THEN" for one in found
        ]
        for name in ("status", "guarantee", "is_smallest", "margin", "n_voting", "n_trees"):
            assert table[name].tolist() == [getattr(one, name) for one in found]
        assert table["n_features"].tolist() == [one.length for one in found]
        assert table["n_covered"].tolist() == [one.rule.n_covered for one in found]
    empty = Explanations(reason="none")
    assert empty.to_frame().shape == (0, table.shape[1])
    assert Explanations.from_json(empty.to_json()).reason == "none"
    with pytest.raises(ValueError, match="not a list of explanations"):
        Explanations.from_json(found[0].to_json())
    with pytest.raises(ValueError, match=r"the list of explanations is damaged: .*not an explanation"):
        Explanations.from_json(json.dumps(json.loads(found.to_json()) | {"explanations": [3]}))


@pytest.mark.parametrize(
    ("field", "value", "message"),
    [
        ("status", "great", "status must be one of"),
        ("guarantee", None, "guarantee must be one of"),
        ("labels", [7], "labels must be from 0 to 2, got 7"),
        ("labels", None, "damaged"),
        ("x", ["a"], "x must be a number, got 'a'"),
        ("x", [1.0], "x has 1 values for 5 features"),
        ("label_names", None, "damaged"),
        ("feature_names", "abcde", "feature_names must be several texts"),
        ("rule", None, "a tie has no rule"),
        ("undecided", [9], "undecided must be from 0 to 4, got 9"),
        ("n_trees", -1, "n_trees must be a whole number"),
        ("margin", None, "margin must be a number"),
        ("groups", [{"name": "g", "columns": [8], "categories": ["a"]}], "columns of 'g' must be from 0 to 4, got 8"),
    ],
)
def test_damaged_json_is_refused(forest, data, field, value, message):
    """Such texts were once read, and the explanation failed when it was shown."""
    document = json.loads(explainer(forest, data).explain(data[0][0])[0].to_json())
    with pytest.raises(ValueError, match=message):
        Explanation.from_json(json.dumps(document | {field: value}))


def test_copies_with_missing_values_are_equal():
    X = [[np.nan, 1.0], [2.0, 0.0], [3.0, 1.0]] * 4
    forest = RandomForestClassifier(5, random_state=0).fit(X, [0, 1, 1] * 4)
    one = LionForestsExplainer(forest).fit(X)
    (found,), (again,) = one.explain(X[0]), one.explain(X[0])
    assert found.seconds != again.seconds
    for other in (again, Explanation.from_json(found.to_json()), pickle.loads(pickle.dumps(found)), copy(found)):
        assert other == found
        assert hash(other) == hash(found)


def test_html_escapes_names(data):
    X, Y = data
    names = ["<b>x</b>", *"abcd"]
    one = LionForestsExplainer(ExtraTreesClassifier(9, max_depth=3, random_state=0).fit(X, Y), names, ["<i>", "u", "v"])
    page = "".join(one.fit(X).explain(x)._repr_html_() for x in X[:5])
    assert "<b>x" not in page
    assert "<i>always" not in page.replace("<i>always</i>", "")


def test_names_come_from_the_forest_the_frame_or_the_caller(data):
    X, Y = data
    named = pd.DataFrame(X, columns=list("abcde"))
    bare, fitted = (RandomForestClassifier(3, random_state=0).fit(rows, Y) for rows in (X, named))
    assert LionForestsExplainer(fitted).fit(X).feature_names_ == tuple("abcde")
    assert LionForestsExplainer(bare).fit(named).feature_names_ == tuple("abcde")
    assert LionForestsExplainer(bare).fit(X).feature_names_ == ("x0", "x1", "x2", "x3", "x4")
    labels = pd.DataFrame(Y, columns=["p", "q", "r"])
    assert LionForestsExplainer(bare).fit(X, labels).label_names_ == ("p", "q", "r")
    named = LionForestsExplainer(bare, label_names=["p", "q", "r"]).fit(X, labels[["r", "p", "q"]])
    np.testing.assert_array_equal(named.row_labels_, Y)  # once read by position
    with pytest.raises(ValueError, match=r"label_names are .*, but Y has the columns"):
        LionForestsExplainer(bare, label_names=["p", "q", "s"]).fit(X, labels)
    with pytest.raises(ValueError, match="but the forest was fitted with"):
        LionForestsExplainer(fitted, list("vwxyz")).fit(X)
    with pytest.raises(ValueError, match="feature_names has 2 names for 5 columns"):
        LionForestsExplainer(bare, ["a", "b"]).fit(X)
    with pytest.raises(ValueError, match="'label_names' parameter"):
        LionForestsExplainer(bare, label_names="pqr").fit(X)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"mode": "fast"}, "'mode' parameter"),
        ({"guarantee": "all"}, "'guarantee' parameter"),
        ({"budget": 0}, "'budget' parameter"),
        ({"min_support": 0}, "'min_support' parameter"),
        ({"reductions": ["magic"]}, "reductions must be of"),
        ({"random_state": -1}, "'random_state' parameter"),
        ({"budget": True}, "budget must be a whole number from 1, got True"),
        ({"smallest": True, "prefer": "coverage"}, "smallest=True needs prefer='short'"),
        ({"smallest": True, "mode": "paper"}, "smallest=True needs mode='certified'"),
        ({"prefer": "coverage", "mode": "paper"}, "prefer='coverage' needs mode='certified'"),
    ],
)
def test_parameters_out_of_their_domain_are_named(forest, data, parameters, message):
    with pytest.raises(ValueError, match=message):
        LionForestsExplainer(forest, **parameters).fit(*data)


def test_parameters_set_after_fit_are_checked(forest, data):
    """A mode that there is not was once taken for the paper's."""
    one = explainer(forest, data).set_params(mode="ceritfied")
    with pytest.raises(ValueError, match="'mode' parameter"):
        one.explain(data[0][0])
    with pytest.raises(ValueError, match="'mode' parameter"):
        one.explain_many(data[0][:2], progress=False)
    assert one.set_params(mode="paper").explain(data[0][0])[0].n_paths is not None


def test_rows_and_labels_are_checked(forest, data):
    X, Y = data
    with pytest.raises(ValueError, match="Y has 5 rows, but X has 120"):
        LionForestsExplainer(forest).fit(X, Y[:5])
    with pytest.raises(ValueError, match=r"Y must have 3 label\(s\)"):
        LionForestsExplainer(forest).fit(X, Y[:, :2])
    with pytest.raises(ValueError, match="label 0 has the value 2 in Y; in training it had"):
        LionForestsExplainer(forest).fit(X, Y + 1)
    with pytest.raises(ValueError, match="x must be one row, got 2 rows"):
        LionForestsExplainer(forest).fit(X).explain(X[:2])


def test_not_fitted(forest, data):
    with pytest.raises(NotFittedError):
        LionForestsExplainer(forest).explain(data[0][0])
    with pytest.raises(NotFittedError):
        LionForestsExplainer(RandomForestClassifier()).fit(*data)


def test_clone_keeps_the_fitted_forest(forest, data):
    one = clone(LionForestsExplainer(forest, mode="paper"))
    assert one.forest is forest
    assert one.mode == "paper"
    assert one.fit(*data).explain(data[0][0])
