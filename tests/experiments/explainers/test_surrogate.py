import numpy as np
import pytest

from experiments.explainers.explainer import AGREES, DIFFERS
from experiments.explainers.surrogate import Step, Surrogate, agreement, explained, path_rule
from mlrx.rules import Rule


def published_rows():
    X = np.arange(8.0)[:, None]
    return X, np.column_stack([X[:, 0] >= 3, X[:, 0] >= 6])


@pytest.mark.parametrize(("depth", "lower", "upper"), [(None, 2.5, 5.5), (1, 2.5, np.inf)])
def test_rule_of_the_worked_example(depth, lower, upper):
    X, Y = published_rows()
    rule = Surrogate.fit(X, Y, 0, max_depth=depth).rule(np.array([4.0]))
    (condition,) = rule.antecedent
    assert rule.consequent == (0,)
    assert (condition.lower, condition.upper) == pytest.approx((lower, upper), rel=1e-7)


def test_tree_without_a_split_has_the_empty_rule():
    surrogate = Surrogate.fit(np.arange(3.0)[:, None], np.array([[True, False]] * 3), 0)
    assert surrogate.rule(np.array([1.0])) == Rule((), (0,))
    assert surrogate.rule(np.array([1.0])).covers(np.array([[-9.0], [9.0]])).all()


@pytest.mark.parametrize("n_labels", [1, 4])
def test_tree_predicts_what_scikit_learn_says(n_labels):
    rng = np.random.default_rng(0)
    X, Y = rng.normal(size=(60, 3)), rng.random((60, n_labels)) < 0.4
    Y[:, -1] = Y[:, -1] if n_labels == 1 else True
    surrogate = Surrogate.fit(X, Y, 0, min_samples_leaf=4)
    rows = rng.normal(size=(200, 3))
    assert np.array_equal(surrogate.predict(rows), surrogate.tree.predict(rows).reshape(200, -1))


def test_a_tie_in_a_leaf_is_absent():
    surrogate = Surrogate.fit(np.zeros((2, 1)), np.array([[True], [False]]), 0)
    assert surrogate.predict(np.zeros((1, 1))).tolist() == [[False]]


def test_rule_covers_exactly_the_rows_of_the_leaf():
    """Numbers just beside a threshold too, where float64 and the tree's float32 differ."""
    rng = np.random.default_rng(3)
    X, Y = rng.normal(size=(80, 2)).round(1) / 3, rng.random((80, 3)) < 0.5
    surrogate = Surrogate.fit(X, Y, 0)
    thresholds = surrogate.tree.tree_.threshold[surrogate.tree.tree_.children_left >= 0]
    beside = (thresholds[:, None] + np.array([-3e-8, -1e-8, -1e-9, 0, 1e-9, 1e-8, 3e-8])).ravel()
    rows = rng.choice(beside, size=(2000, 2))
    leaves = surrogate.tree.apply(rows)
    # The float64 comparison does differ for some of these rows.
    naive = np.float64(rows[:, 0]) <= surrogate.tree.tree_.threshold[0]
    assert surrogate.tree.tree_.feature[0] == 0
    assert (naive != (np.float32(rows[:, 0]) <= surrogate.tree.tree_.threshold[0])).any()
    for x, leaf in zip(rows[:100], leaves):
        assert np.array_equal(surrogate.rule(x).covers(rows), leaves == leaf)


def test_bounds_on_one_column_are_intersected():
    steps = [Step(1, False, 0.25), Step(1, False, 0.5), Step(1, True, 0.875)]
    (condition,) = path_rule(steps, ()).antecedent
    assert (condition.feature, condition.lower, condition.upper) == (1, pytest.approx(0.5), pytest.approx(0.875))


def test_agreement_on_hand_worked_cells():
    truth = np.array([[1, 0], [1, 1], [0, 0]], dtype=bool)
    predicted = np.array([[1, 0], [0, 1], [0, 1]], dtype=bool)
    # Two labels right, one missed, one too many; four of six cells agree.
    assert agreement(truth, predicted) == {
        "fidelity": pytest.approx(2 / 3),
        "label_fidelity": pytest.approx([2 / 3, 2 / 3]),
    }
    assert agreement(np.zeros((2, 1), dtype=bool), np.zeros((2, 1), dtype=bool))["fidelity"] == 1


def test_labels_are_compared_with_the_forest():
    differing = explained(Rule((), (0, 2)), (0, 1), 4, {"fidelity": 0.5}, 0.0)
    assert (differing.labels, differing.status) == ((0, 2), DIFFERS)
    assert differing.reported == {"fidelity": 0.5, "hit": 0.5, "same_labels": 0.0}
    assert explained(Rule((), (0, 1)), (0, 1), 4, {}, 0.0).status == AGREES
