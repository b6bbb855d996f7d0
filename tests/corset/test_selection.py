"""The selector against exhaustive search, and the rules it must never choose."""

from itertools import permutations

import numpy as np
import pytest

from mlrx import CorsetClassifier
from mlrx.corset.objective import divergence
from tests.corset.laws import rows_as_sets, subsets


def small_data(seed):
    """Return 12 rows of 3 items and 2 labels that depend on them."""
    rng = np.random.default_rng(seed)
    X = rng.random((12, 3)) < 0.5
    Y = np.column_stack([X[:, 0] & ~X[:, 2], X[:, 1]]) ^ (rng.random((12, 2)) < 0.15)
    return X.astype(int), Y.astype(int)


class PlainRule:
    """A rule with everything that the objective asks of it, by the definitions."""

    def __init__(self, X, Y, antecedent, consequent):
        self.items, self.labels = antecedent, consequent
        covered = [set(antecedent) <= row for row in rows_as_sets(X)]
        positive = [set(consequent) <= row for row in rows_as_sets(Y)]
        matched = [i for i in range(len(X)) if covered[i] and positive[i]]
        self.coverage = {(i, label) for i in matched for label in consequent}
        confidence, base = len(matched) / max(1, sum(covered)), sum(positive) / len(Y)
        self.accuracy = divergence(confidence, base) if confidence > base else 0.0


def objective(rules, diversity_weight):
    """f of Problem 1 in the order given; None when a rule adds nothing."""
    total, covered = 0.0, set()
    for k, rule in enumerate(rules):
        quality = len(rule.coverage - covered) * rule.accuracy
        if quality == 0:
            return None
        total += quality
        covered |= rule.coverage
        for other in rules[:k]:
            distance = 1 - len(rule.coverage & other.coverage) / len(rule.coverage | other.coverage)
            total += diversity_weight * distance
    return total


@pytest.mark.parametrize("seed", range(6))
def test_objective_equals_its_definition_and_comes_near_the_best(seed):
    X, Y = small_data(seed)
    every = [PlainRule(X, Y, a, c) for a in subsets(range(3)) for c in subsets(range(2))]
    model = CorsetClassifier(
        2, consequents="full", antecedents="rejection", pool_size=2000, quality_weight=1.0, random_state=seed
    ).fit(X, Y)
    chosen = [PlainRule(X, Y, tuple(c.feature for c in rule.antecedent), rule.consequent) for rule in model.rules_]
    assert model.objective_ == pytest.approx(objective(chosen, 1.0))
    best = max(filter(None, (objective(pair, 1.0) for pair in permutations(every, 2))))
    assert len(chosen) == 2
    # Greedy choice is no exhaustive search; on these twelve rows it never falls below four fifths.
    assert 0.8 * best <= model.objective_ <= best + 1e-9


@pytest.mark.parametrize("seed", range(6))
def test_each_choice_is_the_best_of_its_pool_when_the_pool_holds_everything(seed):
    X, Y = small_data(seed)
    every = [PlainRule(X, Y, a, c) for a in subsets(range(3)) for c in subsets(range(2))]
    for weight in (0.0, 0.7):
        model = CorsetClassifier(
            4, consequents="full", antecedents="coupling", pool_size=3000, diversity_weight=weight, random_state=seed
        ).fit(X, Y)
        covered, earlier = set(), []
        for _, row in model.history_.iterrows():
            best = -1.0
            for rule in every:
                quality = len(rule.coverage - covered) * rule.accuracy
                distance = sum(1 - len(rule.coverage & e.coverage) / len(rule.coverage | e.coverage) for e in earlier)
                if quality > 0:
                    best = max(best, 0.5 * quality + weight * distance)
            assert 0.5 * row.quality + weight * row.diversity == pytest.approx(best)
            rule = model.rules_[len(earlier)]
            plain = PlainRule(X, Y, tuple(c.feature for c in rule.antecedent), rule.consequent)
            assert row.n_new == len(plain.coverage - covered)
            covered |= plain.coverage
            earlier.append(plain)


def larger_data():
    """Return 200 rows of 12 items and 6 labels, each the conjunction of two items with noise."""
    rng = np.random.default_rng(3)
    X = rng.random((200, 12)) < 0.4
    Y = np.column_stack([X[:, k] & X[:, k + 1] for k in range(6)]) ^ (rng.random((200, 6)) < 0.05)
    return X.astype(int), Y.astype(int)


def test_refine_never_lowers_the_objective_and_sometimes_raises_it():
    X, Y = larger_data()
    gains = []
    for seed in range(5):
        options = {"n_rules": 8, "pool_size": 15, "random_state": seed}
        one, two = (CorsetClassifier(**options, refine=refine).fit(X, Y) for refine in (False, True))
        gains.append(two.objective_ - one.objective_)
    assert min(gains) >= 0
    assert max(gains) > 0


@pytest.mark.parametrize("diversity_weight", [0.0, 1.0, 1e9])
@pytest.mark.parametrize("refine", [False, True])
def test_no_useless_rule_and_none_twice(diversity_weight, refine):
    """Seen elsewhere: 13 distinct rules of 30 on such data, and rules of no accuracy chosen for their diversity."""
    rng = np.random.default_rng(0)
    X, Y = rng.random((40, 3)) < 0.5, rng.random((40, 2)) < 0.5
    model = CorsetClassifier(
        30,
        diversity_weight=diversity_weight,
        refine=refine,
        consequents="full",
        antecedents="rejection",
        random_state=0,
    ).fit(X.astype(int), Y.astype(int))
    assert len({(rule.antecedent, rule.consequent) for rule in model.rules_}) == len(model.rules_) > 3
    assert (model.history_[["quality", "n_new"]] > 0).all(axis=None)
    for rule in model.rules_:
        assert rule.confidence > Y[:, rule.consequent].all(axis=1).mean()


def test_tolerance_stops_early():
    X, Y = larger_data()
    few = CorsetClassifier(30, tolerance=0.05, random_state=0).fit(X, Y)
    many = CorsetClassifier(30, random_state=0).fit(X, Y)
    assert len(few.rules_) < len(many.rules_)
    assert "tolerance" in few.stop_reason_
    assert (few.history_["n_new"] > 0.05 * Y.sum()).all()
