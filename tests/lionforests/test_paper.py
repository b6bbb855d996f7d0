"""Rules of the paper's mode: the running example, every cell of small forests, and forests that broke other code."""

from dataclasses import replace

import numpy as np
import pytest
from sklearn.ensemble import RandomForestClassifier

from mlrx.lionforests.cells import ForestCells
from mlrx.lionforests.paper import paper_box
from mlrx.lionforests.paths import Paths
from mlrx.lionforests.violation import find_violation, targets_of

from .paper_example import A, B, C, D, example_paths
from .small_forests import LADDER, LADDER_LABELS, all_cells, rows_in, small_forest


def rule_for(model, row, labels=None, guarantee="labels"):
    """The rule of the paper's mode for a row, the cells of its forest, and its box."""
    cells = ForestCells.of(model)
    n_features = cells.forest.n_features
    cell = cells.locate([row])[0]
    paths = Paths.of(cells, cell, [[0.0] * n_features, [5.0] * n_features])
    if labels is None:
        labels = np.flatnonzero(cells.forest.predict_labels([row])[0])
    found = paper_box(paths, targets_of(labels, guarantee, cells.forest.n_labels))
    assert found.box.holds(cell[None]).all()
    box = replace(found.box, missing=found.box.missing & (cell < 0))  # as the explainer does
    return cells.rule_of_box(box, labels), cells, found


def interval(box, f):
    return int(box.lower[f]), int(box.upper[f]) + 1


@pytest.mark.parametrize("labels", [[1, 3, 4], [3], [1, 3]])
def test_box_of_the_example(labels):
    box = paper_box(example_paths(), targets_of(labels, "labels", 5)).box
    assert [interval(box, f) for f in (A, B, C, D)] == [(3, 8), (1, 6), (2, 5), (0, 10)]


def test_box_of_all_paths_of_the_example():
    box = paper_box(example_paths(), targets_of([0, 3], "labels", 5)).box
    assert [interval(box, f) for f in (A, B, C, D)] == [(3, 7), (2, 6), (3, 5), (1, 4)]


@pytest.mark.parametrize("guarantee", ["labels", "labelset"])
@pytest.mark.parametrize("seed", range(30))
def test_every_cell_of_the_box_keeps_the_prediction(seed, guarantee):
    rng = np.random.default_rng(seed)
    model = small_forest(seed, with_missing=seed % 3 == 0)
    cells = ForestCells.of(model)
    grid = all_cells(cells)
    predicted = cells.forest.predict_labels(rows_in(cells, grid))
    for at in rng.integers(0, len(grid), 4):
        labels = np.flatnonzero(predicted[at])
        if guarantee == "labels" and not labels.size:
            continue
        row = rows_in(cells, grid[[at]])[0]
        _, _, found = rule_for(cells, row, labels, guarantee)
        inside = predicted[found.box.holds(grid)]
        assert inside[:, labels].all()
        if guarantee == "labelset" or found.reduced.is_fallback:
            assert (inside == predicted[at]).all()


def test_a_row_outside_of_the_training_values_is_covered():
    """Sides closed at the training values left the explained row out."""
    model = RandomForestClassifier(3, random_state=0).fit(LADDER, LADDER_LABELS)
    rule, _, _ = rule_for(model, [100.0])
    assert rule.consequent == (0, 1)
    assert rule.covers(np.array([[100.0]])).all()
    assert rule.antecedent[0].upper == np.inf


def test_single_leaf_trees_give_a_rule_without_conditions():
    model = RandomForestClassifier(3, random_state=0).fit(np.ones((4, 2)), [[0, 1], [1, 0], [0, 1], [1, 1]])
    rule, _, _ = rule_for(model, [1.0, 1.0])
    assert (rule.antecedent, rule.consequent) == ((), (0, 1))


def test_single_leaf_trees_among_others():
    X = [[0.0], [0.0], [0.0], [0.0], [0.0], [1.0]]
    model = RandomForestClassifier(9, random_state=0).fit(X, [0, 0, 0, 0, 0, 1])
    n_leaves = [estimator.tree_.node_count for estimator in model.estimators_]
    assert 1 in n_leaves
    assert 3 in n_leaves
    rule, cells, _ = rule_for(model, [0.0], [], "labelset")
    assert find_violation(cells, rule, [], "labelset").status == "proven"


def test_one_row_of_training():
    rule, _, _ = rule_for(RandomForestClassifier(5, random_state=0).fit([[0.0, 1.0]], [[0, 1]]), [5.0, 5.0])
    assert (rule.antecedent, rule.consequent) == ((), (1,))


def test_labels_that_are_always_present_need_no_condition():
    Y = [[0, 1, 0], [0, 1, 0], [0, 1, 1], [0, 1, 1]]
    model = RandomForestClassifier(3, random_state=0).fit([[0.0], [1.0], [2.0], [3.0]], Y)
    both, cells, _ = rule_for(model, [3.0])
    assert both.consequent == (1, 2)
    assert find_violation(cells, both, [1, 2], "labelset").status == "proven"
    alone, _, found = rule_for(model, [3.0], [1])
    assert (alone.antecedent, alone.consequent) == ((), (1,))
    assert (found.reduced.trees.size, found.reduced.is_fallback) == (0, False)


def test_no_predicted_label_is_explained_by_the_labelset():
    model = RandomForestClassifier(5, random_state=0).fit(
        [[0.0], [1.0], [2.0], [3.0]], [[0, 0], [0, 0], [1, 0], [0, 1]]
    )
    assert model.predict([[0.0]]).tolist() == [[0, 0]]
    rule, cells, _ = rule_for(model, [0.0], [], "labelset")
    assert find_violation(cells, rule, [], "labelset").status == "proven"


@pytest.mark.parametrize(("n_trees", "max_depth"), [(1, None), (2, None), (3, 1), (4, 2)])
def test_few_trees(n_trees, max_depth):
    model = RandomForestClassifier(n_trees, max_depth=max_depth, random_state=0).fit(LADDER, LADDER_LABELS)
    for row in np.array(LADDER):
        labels = np.flatnonzero(ForestCells.of(model).forest.predict_labels([row])[0])
        if labels.size:
            rule, cells, _ = rule_for(model, row)
            assert find_violation(cells, rule, labels).status == "proven"


def test_equal_trees_are_one_path():
    model = RandomForestClassifier(3, bootstrap=False, random_state=0).fit([[0.1], [0.5]], [[0, 1], [1, 0]])
    rule, _, found = rule_for(model, [0.3])
    assert rule.antecedent[0].lower == pytest.approx(0.3, rel=1e-6)
    assert rule.covers(np.array([[0.3]])).all()
    assert rule.consequent == (0,)
    assert found.reduced.trees.size == 2


def one_hot_forest():
    """Four categories in the columns 0 to 3, a number in column 4; label 0: in the first two, if the number is high."""
    rng = np.random.default_rng(0)
    category, number = rng.integers(0, 4, 200), rng.integers(0, 6, 200)
    X = np.column_stack([np.eye(4)[category], number])
    return RandomForestClassifier(50, max_features=0.8, random_state=0).fit(X, (category < 2) & (number > 2))


def test_categories_are_and_are_not():
    model = one_hot_forest()
    rule, cells, found = rule_for(model, [1, 0, 0, 0, 5])
    conditions = {c.feature: (c.lower, c.upper) for c in rule.antecedent}
    assert conditions[0] == (0.5, np.inf)  # "is"
    assert find_violation(cells, rule, [0]).status == "proven"
    columns = found.box.lower[:4] > 0, found.box.upper[:4] < 1
    assert columns[0].tolist() == [True, False, False, False]
    assert not columns[1][0]
    # Rows of the other categories that the kept paths name are outside.
    others = np.column_stack([np.eye(4)[1:], np.full(3, 5.0)])
    assert not rule.covers(others).any()


def test_other_categories_are_excluded_where_the_own_is_in_no_path():
    """ "Is not" was neither printed nor enforced."""
    X = np.column_stack([np.eye(3)[[0, 1, 2] * 20]])
    model = RandomForestClassifier(5, bootstrap=False, max_features=None, max_depth=1, random_state=0)
    model.fit(X, np.tile([1, 1, 0], 20))
    rule, _, _ = rule_for(model, [1, 0, 0])
    assert [(c.feature, c.lower, c.upper) for c in rule.antecedent] == [(2, -np.inf, 0.5)]
    assert rule.covers(np.eye(3)).tolist() == [True, True, False]
