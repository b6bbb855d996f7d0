import numpy as np
import pytest

from experiments.explainers import grid, lore
from experiments.explainers.columns import Columns

from .small_folds import make_mixed_fold, make_steps_fold

COLUMNS = Columns((0, 1), ((2, 3),))


def explain(fitted, x, labels):
    (one,) = fitted.explain(x, labels, ("all",))["all"]
    return one


def test_similarity_by_parts():
    X = np.array([[1, 5, 1, 0], [3, 5, 0, 1], [9, 5, 1, 0.0]])
    # Parts of three: (0, 0, 0), (2 of 4, 0, 1), (more than the whole range, 0, 0).
    found = lore.similarity(X, X[0], np.array([4.0, 0, 1, 1]), COLUMNS)
    assert found == pytest.approx([1, 1 - 1.5 / 3, 1 - 1 / 3])


def test_exchange_keeps_what_two_rows_hold():
    X = np.arange(4.0 * 401).reshape(401, 4)
    before = X.copy()
    lore.exchange(X, COLUMNS, np.random.RandomState(0))
    assert (X[400] == before[400]).all()
    pairs, pairs_before = X[:400].reshape(200, 2, 4), before[:400].reshape(200, 2, 4)
    assert (np.sort(pairs, axis=1) == np.sort(pairs_before, axis=1)).all()
    moved = (pairs != pairs_before).any(axis=1)
    # Columns of one part move together; half of the pairs exchange, 3 of 8 ordered draws of ends of them nothing.
    assert (moved[:, 2] == moved[:, 3]).all()
    assert 0.25 < moved.any(axis=1).mean() < 0.5
    assert (moved[:, [0, 1, 2]].sum(axis=0) > 20).all()


def test_breeding_finds_rows_on_both_sides():
    fold = make_mixed_fold()
    columns, spans = Columns.of(fold), np.ptp(fold.X_train, axis=0)
    x, present = fold.X_test[0], fold.predicted[0]
    for is_same in (True, False):

        def fitness(X, is_same=is_same):
            return ((fold.forest.predict_labels(X) == present).all(axis=1) == is_same) + lore.similarity(
                X, x, spans, columns
            )

        X = lore.breed(x, 60, fitness, fold.X_train, columns, 10, np.random.RandomState(0))
        same = (fold.forest.predict_labels(X) == present).all(axis=1)
        assert (same == is_same).mean() > 0.7
        assert lore.similarity(X, x, spans, columns).mean() > 0.7
        assert (X[:, 3:].sum(axis=1) == 1).all()


def test_rule_of_a_step():
    fold = make_steps_fold(2)
    one = explain(lore.fit(fold, 0, {"n_samples": 60}), np.array([4.0]), (0,))
    assert one.labels == (0,)
    assert one.rule.covers(fold.X_test).tolist() == 2 * ([False] * 3 + [True] * 3 + [False] * 2)
    assert one.reported["hit"] == one.reported["fidelity"] == 1


def test_same_seed_same_rules_in_any_order(monkeypatch):
    monkeypatch.setattr(grid, "N_SPLITS", 2)
    fold = make_mixed_fold()
    one, other = (lore.fit(fold, 5, {"n_samples": 40, "n_generations": 4}) for _ in range(2))
    asked = [(x, tuple(np.flatnonzero(present).tolist())) for x, present in zip(fold.X_test[:2], fold.predicted)]
    rules = [explain(one, *row).rule for row in asked]
    assert rules == [explain(other, *row).rule for row in asked[::-1]][::-1]
    assert all(rule.covers(x[None]).all() for rule, (x, _) in zip(rules, asked))


@pytest.mark.parametrize("parameters", [{"n_samples": 1}, {"n_generations": 0}, {"population": 9}])
def test_unknown_parameters_are_refused(parameters):
    with pytest.raises(ValueError, match=next(iter(parameters))):
        lore.check(parameters)
