import numpy as np

from experiments.explainers.deadline import Deadline
from experiments.explainers.trepan import Oracle, grow
from mlrx.rules import Condition, TableColumns, covered_rows


def test_grown_out_without_drawn_rows_the_tree_says_what_the_forest_does(surrogate_fold):
    leaves = grow(surrogate_fold, np.random.default_rng(0), Deadline(), max_leaf_nodes=90, n_rows=0)
    X = surrogate_fold.X_train
    covered = covered_rows([leaf.rule for leaf in leaves], TableColumns(X))
    said = np.array([leaf.present for leaf in leaves])[covered.argmax(axis=1)]
    assert np.array_equal(said, surrogate_fold.forest.predict_labels(X))
    assert sorted(np.concatenate([leaf.trained for leaf in leaves]).tolist()) == list(range(len(X)))


def test_leaves_part_all_rows(surrogate_fold):
    leaves = grow(surrogate_fold, np.random.default_rng(0), Deadline(), max_leaf_nodes=7, n_rows=50)
    assert len(leaves) == 7
    rows = np.random.default_rng(1).normal(size=(200, 5)) * [1, 100, 1, 1, 1]
    assert (covered_rows([leaf.rule for leaf in leaves], TableColumns(rows)).sum(axis=1) == 1).all()


def test_nodes_are_topped_up_with_rows_that_meet_their_conditions(surrogate_fold):
    for leaf in grow(surrogate_fold, np.random.default_rng(0), Deadline(), max_leaf_nodes=6, n_rows=40):
        assert len(leaf.X) == max(40, leaf.trained.size)
        assert leaf.rule.covers(leaf.X).all()
        assert np.array_equal(leaf.Y, surrogate_fold.forest.predict_labels(leaf.X))
        assert (leaf.X[:, 2:].sum(axis=1) == 1).all()  # one category each


def test_columns_are_drawn_by_themselves_and_parts_together():
    X = np.array([[0.0, 0, 1, 0], [1, 10, 0, 1], [2, 20, 0, 1], [3, 30, 1, 0]])
    oracle = Oracle(X, ((2, 3), (0,), (1,)), lambda X: X > 0, 0, np.random.default_rng(0))
    drawn = oracle.draw((Condition(0, lower=0.5), Condition(3, upper=0.5)), 2000)
    assert set(np.unique(drawn[:, 0])) == {1, 2, 3}
    assert set(np.unique(drawn[:, 1])) == {0, 10, 20, 30}
    assert np.array_equal(np.unique(drawn[:, 2:], axis=0), [[1, 0]])
    # Far from the rows that the training rows hold together: 12 pairs, each about as often.
    _, counts = np.unique(drawn[:, :2], axis=0, return_counts=True)
    assert counts.size == 12
    assert counts.min() > 100
