"""find_violation: proofs hold for every cell, counterexamples are confirmed, ties are neither."""

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import RandomForestClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler

from mlrx import LionForestsExplainer
from mlrx.lionforests import ForestCells, find_violation
from mlrx.lionforests.violation import Target
from mlrx.rules import Condition, Rule

from .small_forests import LADDER, LADDER_LABELS, all_cells, random_box, rows_in, small_forest


def ladder(**parameters):
    return RandomForestClassifier(random_state=0, **parameters).fit(LADDER, LADDER_LABELS)


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("guarantee", ["labels", "labelset"])
def test_verdict_is_right(seed, guarantee):
    rng = np.random.default_rng(seed)
    model = small_forest(seed, with_missing=seed % 2 == 0)
    cells = ForestCells.of(model)
    grid = all_cells(cells)
    predicted = cells.forest.predict_labels(rows_in(cells, grid))
    margins = np.abs(cells.forest.margins(rows_in(cells, grid)))
    for _ in range(20):
        box = random_box(cells, rng)
        rule = cells.rule_of_box(box, [])
        inside = cells.box_of_rule(rule).holds(grid)
        labels = np.flatnonzero(predicted[rng.choice(np.flatnonzero(inside))])
        if guarantee == "labels" and labels.size == 0:
            continue
        verdict = find_violation(cells, rule, labels, guarantee)
        wanted = np.isin(np.arange(cells.forest.n_labels), labels)
        kept = predicted[inside] == wanted if guarantee == "labelset" else predicted[inside][:, labels]
        near = margins[inside] if guarantee == "labelset" else margins[inside][:, labels]
        if verdict.status == "proven":
            assert kept.all()
        elif verdict.status == "counterexample":
            assert rule.covers(verdict.point[None]).all()
            present = model.predict(verdict.point[None]).reshape(-1).astype(bool)
            assert {t.label for t in verdict.violated} == {
                k for k in range(wanted.size) if present[k] != wanted[k] and (guarantee == "labelset" or wanted[k])
            }
            assert verdict.violated
        else:
            assert (near < 1e-9).any()
        assert not kept.all() or verdict.status != "counterexample"


def test_bounds_between_thresholds():
    # The mean of label 1 drops where the rule leaves (2.5, inf); its bounds are no thresholds of the forest.
    model = ladder(n_estimators=9)
    kept = find_violation(model, Rule([Condition(0, lower=4.2)], [1]), [1])
    assert (kept.status, kept.point, kept.violated) == ("proven", None, ())
    lost = find_violation(model, Rule([Condition(0, lower=-3, upper=8)], [1]), [1])
    assert lost.status == "counterexample"
    assert -3 < lost.point[0] <= 8
    assert model.predict(lost.point[None])[0, 1] == 0
    assert lost.violated == (Target(1, True),)


def test_absent_labels_count_for_the_labelset():
    model = ladder(n_estimators=9)
    rule = Rule([Condition(0, upper=0.2)], [])
    assert model.predict([[0.0]]).tolist() == [[0, 0]]
    assert find_violation(model, rule, [], "labelset").status == "proven"
    lost = find_violation(model, Rule([], []), [], "labelset")
    assert lost.status == "counterexample"
    assert all(not target.is_present for target in lost.violated)


def test_exact_tie_of_a_present_label_is_lost_and_of_an_absent_one_undecided():
    model = ladder(n_estimators=2)
    at_two = Rule([Condition(0, 1.9, 2.1)], [])
    assert model.predict([[2.0]]).tolist() == [[0, 0]]
    assert find_violation(model, at_two, [0]).status == "counterexample"
    verdict = find_violation(model, at_two, [], "labelset")
    assert verdict.status == "undecided"
    assert verdict.undecided == (Target(0, False), Target(1, False))


def test_votes_are_probability_mass():
    # Two of three trees are for label 1, yet its mean is 0.467: a quorum of trees proves nothing.
    model = RandomForestClassifier(n_estimators=3, max_depth=1, random_state=13).fit(LADDER, LADDER_LABELS)
    assert model.predict([[2.0]]).tolist() == [[1, 0]]
    at_two = Rule([Condition(0, 1.99, 2.01)], [])
    assert find_violation(model, at_two, [1]).status == "counterexample"
    assert find_violation(model, at_two, [0]).status == "proven"


def test_missing_values_only_where_the_rule_allows_them():
    model = RandomForestClassifier(3, bootstrap=False, random_state=0)
    model.fit([[1.0], [2.0], [3.0], [4.0], [12.0]], [[0, 1]] * 4 + [[1, 0]])
    assert find_violation(model, Rule([Condition(0, upper=8.0, missing=True)], [1]), [1]).status == "proven"
    assert find_violation(model, Rule([Condition(0, lower=8.0)], [0]), [0]).status == "proven"
    lost = find_violation(model, Rule([Condition(0, lower=8.0, missing=True)], [0]), [0])
    assert np.isnan(lost.point[0])


def test_constant_label():
    model = RandomForestClassifier(3, random_state=0).fit([[0.0], [1.0]], [[0, 1], [1, 1]])
    assert find_violation(model, Rule([], [1]), [1]).status == "proven"
    single = RandomForestClassifier(3, random_state=0).fit(np.ones((4, 2)), [[0, 1], [1, 0], [0, 1], [1, 1]])
    assert find_violation(single, Rule([], [0, 1]), [0, 1]).status == "proven"


def test_rule_that_covers_no_row_is_proven():
    assert find_violation(ladder(), Rule([Condition(0, 3.0, 3.00000001)], [0]), [0]).status == "proven"


def test_pipeline_is_judged_on_original_values():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(20, 5, (30, 2)).round(1), columns=["a", "b b"])
    model = make_pipeline(MinMaxScaler(), RandomForestClassifier(9, random_state=0))
    model.fit(frame, (frame.to_numpy() > 20).astype(int))
    verdict = find_violation(model, Rule([Condition(0, lower=18.0)], [0]), [0])
    assert verdict.point.dtype == np.float64
    assert verdict.point[0] > 18
    assert (
        find_violation(model, Rule([Condition(0, lower=25.0), Condition(1, lower=25.0)], [0]), [0, 1]).status
        == "proven"
    )


def test_budget_of_one_box_leaves_it_undecided():
    rng = np.random.default_rng(0)
    model = RandomForestClassifier(30, random_state=0).fit(rng.random((60, 5)), rng.integers(0, 2, 60))
    label_0 = Rule([Condition(0, lower=0.5)], [0])
    assert find_violation(model, label_0, [0]).status == "counterexample"
    cells = ForestCells.of(model)
    row = rng.random((500, 5))
    row = row[cells.forest.margins(row)[:, 0].argmax()]
    rule = Rule([Condition(f, v - 0.05, v + 0.05) for f, v in enumerate(row)], [0])
    verdict = find_violation(cells, rule, [0], budget=1)
    assert verdict.n_boxes == 1
    assert verdict.status in {"undecided", "counterexample"}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"labels": [2]}, "labels must be from 0 to 1, got 2"),
        ({"labels": [-1]}, "got -1"),
        ({"labels": []}, "labels is empty"),
        ({"labels": [0], "guarantee": "all"}, "guarantee must be one of .*'all'"),
        ({"labels": [0], "budget": 0}, "budget must be a whole number from 1, got 0"),
    ],
)
def test_wrong_arguments_are_named(options, message):
    with pytest.raises(ValueError, match=message):
        find_violation(ladder(), Rule([], [0]), **options)


def test_names_and_explanations_in_place_of_indices_and_rules_are_named():
    forest = RandomForestClassifier(5, random_state=0).fit(LADDER, LADDER_LABELS)
    # Both ended in errors about ints and attributes.
    rule = Rule([Condition(0, lower=2.5)], [0])
    for labels in (["storm"], "storm", [0.5], 3):
        with pytest.raises(TypeError, match=r"labels must list indices of labels, from 0 to 1, got"):
            find_violation(forest, rule, labels)
    explanation = LionForestsExplainer(forest).fit(LADDER).explain([5.0])[0]
    with pytest.raises(TypeError, match="such as the `rule` of an Explanation, got Explanation"):
        find_violation(forest, explanation, [0])
