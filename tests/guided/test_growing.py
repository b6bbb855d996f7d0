"""Growing a rule set, with every gain counted again cell by cell."""

from itertools import islice

import numpy as np
import pytest

from mlrx.guided.gain import Price
from mlrx.guided.growing import grow_rules, targets_on_the_way
from mlrx.guided.optimise import Search
from tests.guided.problems import antecedents, as_rows, covers, random_problem, rule_gain

SEARCH = Search(3, 3, 4)


def test_targets_on_the_way():
    assert targets_on_the_way(0.4) == pytest.approx([1.0, 0.8, 0.6, 0.4])
    assert targets_on_the_way(1.0) == [1.0]
    assert targets_on_the_way(1.3) == [1.3]


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("target", [0.5, 1.0])
def test_each_rule_gains_what_it_says(seed, target):
    X, Y, _ = random_problem(np.random.default_rng(seed), 150, 8, 5)
    rules = list(grow_rules(as_rows(X, Y), Price(target, 0.5), SEARCH))
    assert rules
    predicted = np.zeros_like(Y)
    for rule in rules:
        price = Price(rule.target_f1, 0.5)
        assert rule.gain > 0
        assert rule_gain(X, Y, predicted, rule.literals, rule.consequent, price) == pytest.approx(rule.gain)
        predicted[np.ix_(covers(X, rule.literals), rule.consequent)] = True
    targets = [rule.target_f1 for rule in rules]
    assert targets == sorted(targets, reverse=True)
    assert targets[-1] == target


@pytest.mark.parametrize("seed", range(6))
def test_it_ends_when_no_rule_for_one_label_gains(seed):
    rng = np.random.default_rng(seed)
    X, Y, _ = random_problem(rng, 60, 4, 3)
    price = Price(0.7, rng.uniform(0.0, 1.0))
    predicted = np.zeros_like(Y)
    for rule in grow_rules(as_rows(X, Y), price, Search(2, 10_000, 4)):
        predicted[np.ix_(covers(X, rule.literals), rule.consequent)] = True
    gains = [rule_gain(X, Y, predicted, a, [label], price) for a in antecedents(4, 2) for label in range(3)]
    assert max(gains) <= 1e-6


def test_more_rules_begin_like_fewer():
    X, Y, _ = random_problem(np.random.default_rng(3), 200, 10, 6)
    rows, price = as_rows(X, Y), Price(0.6, 0.5)
    all_rules = list(grow_rules(rows, price, SEARCH))
    assert len(all_rules) > 10
    for few, rule in zip(islice(grow_rules(rows, price, SEARCH), 7), all_rules):
        np.testing.assert_array_equal(few.literals, rule.literals)
        np.testing.assert_array_equal(few.consequent, rule.consequent)


def test_labels_that_go_together_come_in_one_rule():
    X = np.zeros((40, 3), dtype=bool)
    X[:20, 0] = X[10:30, 1] = True
    Y = np.column_stack([X[:, 0] & X[:, 1]] * 4 + [~X[:, 0]])
    rules = list(grow_rules(as_rows(X, Y), Price(1.0, 0.5), SEARCH))
    found = sorted((sorted(rule.literals.tolist()), rule.consequent.tolist()) for rule in rules)
    assert found == [([~0], [4]), ([0, 1], [0, 1, 2, 3])]


def test_a_low_target_predicts_nearly_everything():
    """A wrong cell then costs next to nothing: the trap of F below about .4."""
    X, Y, _ = random_problem(np.random.default_rng(0), 100, 6, 4)
    predicted = np.zeros_like(Y)
    for rule in grow_rules(as_rows(X, Y), Price(0.05, 0.0), SEARCH):
        predicted[np.ix_(covers(X, rule.literals), rule.consequent)] = True
    assert Y.mean() < 0.5
    assert predicted.mean() > 0.9


def test_no_label_no_rule():
    X, Y, _ = random_problem(np.random.default_rng(0), 30, 4, 3)
    assert list(grow_rules(as_rows(X, Y[:, :0]), Price(0.5, 0.5), SEARCH)) == []
    assert list(grow_rules(as_rows(X, 0 * Y), Price(0.5, 0.5), SEARCH)) == []


def test_no_item_leaves_the_rule_without_conditions():
    Y = np.array([[1, 0], [1, 0], [1, 1], [0, 0]], dtype=bool)
    (rule,) = grow_rules(as_rows(np.zeros((4, 0), dtype=bool), Y), Price(1.0, 0.0), SEARCH)
    assert rule.literals.size == 0
    assert rule.consequent.tolist() == [0]
