"""The order in which association rules name features, against mlxtend's rules, and the ranks that follow."""

import time

import numpy as np
import pandas as pd
import pytest
from mlxtend.frequent_patterns import association_rules, hmine

from mlrx.lionforests.association import order_of_antecedents, rank_by_association

from .paper_example import A, B, C, D, example_paths


def order_by_mlxtend(used):
    itemsets = hmine(pd.DataFrame(used), min_support=0.1)
    if itemsets.empty:
        return []
    rules = association_rules(itemsets, metric="support", min_threshold=0.1)
    keys = [
        (round(confidence, 9), -round(support, 9), len(antecedent), sorted(antecedent), sorted(consequent))
        for antecedent, consequent, support, confidence in zip(
            rules["antecedents"], rules["consequents"], rules["support"], rules["confidence"]
        )
    ]
    return list(dict.fromkeys(f for key in sorted(keys) for f in key[3]))


@pytest.mark.filterwarnings("ignore:invalid value encountered in divide:RuntimeWarning")  # mlxtend's own
@pytest.mark.parametrize("seed", range(60))
def test_order_is_that_of_sorted_rules(seed):
    rng = np.random.default_rng(seed)
    n_paths, n_features = rng.choice([1, 2, 5, 10, 11, 23, 40]), rng.integers(1, 8)
    used = rng.random((n_paths, n_features)) < rng.random(n_features) ** rng.integers(1, 3)
    if seed % 3 == 0:  # few paths that differ, each often
        used = used[rng.integers(0, min(n_paths, 4), n_paths)]
    assert order_of_antecedents(used) == order_by_mlxtend(used)


def test_order_of_the_example():
    used = example_paths().used
    assert order_of_antecedents(used[:6]) == [A, B, C]
    assert order_of_antecedents(used[:8]) == [A, B, C, D]
    assert order_of_antecedents(used[[0, 1, 2, 3, 4, 5, 7]]) == [A, B, C]


def test_ranks_of_the_example():
    used = example_paths().used
    # The first two places hold A and B; the last place, C, comes with all that is left.
    assert rank_by_association(used[:6]).tolist() == [1, 1, 1, 2, 2, 1]
    assert rank_by_association(used[:8]).tolist() == [1, 1, 1, 2, 2, 1, 3, 3]
    # D has no rule here: the path that uses it alone has the last rank.
    assert rank_by_association(used[[0, 1, 2, 3, 4, 5, 7]]).tolist() == [1, 1, 1, 2, 2, 1, 2]


@pytest.mark.parametrize(
    "used",
    [
        np.zeros((3, 2), bool),  # no path uses anything
        np.eye(4, dtype=bool),  # no two features together
        np.ones((5, 1), bool),  # one feature
        np.eye(20, 21, dtype=bool),  # no frequent itemset
    ],
)
def test_without_a_rule_nothing_is_told_apart(used):
    assert order_of_antecedents(used) == []
    assert (rank_by_association(used) == 0).all()


def test_paths_without_features_come_first():
    used = np.array([[0, 0], [1, 1], [1, 0], [0, 0]], bool)
    assert rank_by_association(used).tolist() == [0, 1, 0, 0]


@pytest.mark.parametrize("n_equal", [20, 40])
def test_many_equal_paths_do_not_take_forever(n_equal):
    """Counts that equal paths cannot add up to were looked for in all itemsets."""
    used = np.random.default_rng(0).random((15, 200)) < 0.6
    start = time.process_time()
    assert len(order_of_antecedents(np.repeat(used, n_equal, axis=0))) == 200
    assert time.process_time() - start < 5
