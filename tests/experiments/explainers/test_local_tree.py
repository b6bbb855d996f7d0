from dataclasses import replace

import numpy as np
import pytest

from experiments.explainers import grid, local_tree, marlena
from experiments.explainers.columns import Columns
from mlrx.rules import Rule

from .small_folds import make_fold, make_mixed_fold, make_steps_fold


def explain(fitted, x, labels=(0,)):
    (one,) = fitted.explain(np.array(x, dtype=float), labels, ("all",))["all"]
    return one


def test_three_nearest_rows_of_the_worked_example_have_the_same_labels():
    one = explain(local_tree.fit_nearest(make_steps_fold(), 0, {"n_neighbors": 3, "mode": "paper"}), [4])
    assert one.rule == Rule((), (0,))
    assert one.reported == {"fidelity": 1, "label_fidelity": [1, 1], "hit": 1, "same_labels": 1}


def test_neighbours_are_found_among_scaled_columns():
    """By the plain columns the second row would be nearer."""
    X = np.array([[0.0, 0], [1, 900], [3, 0], [10, 1000]])
    fold = make_fold(X, np.repeat(X[:, :1] < 2, 2, axis=1))
    (one,) = local_tree.fit_nearest(fold, 0, {"n_neighbors": 1}).explain(np.array([2.2, 400]), (), ("all",))["all"]
    assert one.labels == ()
    assert np.abs(X - [2.2, 400]).sum(axis=1)[2] < 500


@pytest.mark.parametrize("module", ["local_tree", "marlena"])
def test_unscaled_columns_are_compared_as_they_are(module):
    """Where no scaler precedes the forest, its trees were once taken for one."""
    fold = replace(make_steps_fold(), is_scaled=False)
    assert np.array_equal(fold.scaler.transform(fold.X_train), fold.X_train)
    fit = {"local_tree": local_tree.fit_nearest, "marlena": marlena.fit}[module]
    rule = explain(fit(fold, 0, {"n_neighbors": 3, "mode": "paper"}), [4]).rule
    assert rule.covers(np.array([[4.0]])).all()


def test_a_tenth_of_the_rows_is_the_default(monkeypatch):
    sizes = []
    search = local_tree.best_surrogate
    monkeypatch.setattr(local_tree, "best_surrogate", lambda X, *rest: sizes.append(len(X)) or search(X, *rest))
    explain(local_tree.fit_nearest(make_steps_fold(), 0, {}), [4])
    explain(local_tree.fit_nearest(make_mixed_fold(60), 0, {}), [0, 0, 0, 0, 0, 1])
    explain(local_tree.fit_nearest(make_steps_fold(), 0, {"n_neighbors": 150}), [4])
    assert sizes == [1, 6, 8]


def test_neighbours_that_are_most_of_the_rows_are_noted():
    assert local_tree.fit_nearest(make_steps_fold(), 0, {"n_neighbors": 4}).notes == ()
    notes = local_tree.fit_nearest(make_steps_fold(), 0, {"n_neighbors": 7}).notes
    assert notes == ("the neighbours are 88% of the training rows",)


def test_drawn_rows_are_around_the_row_and_keep_categories():
    fold = make_mixed_fold()
    spread = fold.X_train.std(axis=0)
    x = fold.X_train[0]
    X = local_tree.draw_around(x, fold.X_train, spread, Columns.of(fold), 4000, np.random.RandomState(0))
    assert (X[:, 3:].sum(axis=1) == 1).all()
    assert set(X[:, 2]) == {0, 1}
    # The standard error of a mean of 4000 rows is 0.016 standard deviations.
    assert X[:, :2].mean(axis=0) == pytest.approx(x[:2], abs=0.08 * spread[1])
    assert (np.abs((X[:, :2].mean(axis=0) - x[:2]) / spread[:2]) < 0.08).all()
    assert X[:, :2].std(axis=0) / spread[:2] == pytest.approx([1, 1], abs=0.06)
    assert X[:, 2].mean() == pytest.approx(fold.X_train[:, 2].mean(), abs=0.04)


def test_kernel_is_the_one_of_lime():
    # One standard deviation in each of two columns: d^2 = 2, w^2 = 2 * 0.75^2.
    weights = local_tree.kernel(np.array([[1.0, 7, 5], [3, 3, 5]]), np.array([1.0, 7, 5]), np.array([2.0, 4, 0]))
    assert weights == pytest.approx([1, np.exp(-2 / (3 * 0.75**2)) ** 0.5])


def test_drawn_explanations_depend_on_seed_and_row_only(monkeypatch):
    monkeypatch.setattr(grid, "N_SPLITS", 2)
    fold = make_mixed_fold()
    rows = fold.X_test[:2]
    first = local_tree.fit_drawn(fold, 5, {"n_samples": 60})
    forwards = [explain(first, x).rule for x in rows]
    backwards = [explain(local_tree.fit_drawn(fold, 5, {"n_samples": 60}), x).rule for x in rows[::-1]]
    others = [explain(local_tree.fit_drawn(fold, 6, {"n_samples": 60}), x).rule for x in rows]
    assert forwards == backwards[::-1]
    assert forwards != others
    assert all(rule.covers(x[None]).all() for rule, x in zip(forwards, rows))


@pytest.mark.parametrize(
    ("check", "parameters"),
    [
        (local_tree.check_nearest, {"n_neighbors": 0}),
        (local_tree.check_nearest, {"n_samples": 5}),
        (local_tree.check_drawn, {"n_samples": 0}),
        (local_tree.check_drawn, {"mode": "paper"}),
    ],
)
def test_unknown_parameters_are_refused(check, parameters):
    with pytest.raises(ValueError, match=next(iter(parameters))):
        check(parameters)
