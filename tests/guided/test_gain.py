"""Gains, the cells an antecedent needs, and the best consequent, against enumeration."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mlrx.guided.gain import Price, best_consequent, count_cells, gain, least_right
from tests.guided.problems import as_bits, as_rows, plain_gain, random_problem

prices = st.builds(Price, st.floats(0.0, 1.9), st.floats(0.0, 5.0))


def test_gain_by_hand():
    # 3 right and 1 wrong cell: 1.5 * 3 - 0.5 * 1 - 0.5 * 2.
    assert gain(3, 1, Price(0.5, 0.5)) == 3.0
    assert gain(0, 0, Price(0.5, 0.5)) == 0.0
    assert gain(2, 2, Price(1.0, 0.0)) == 0.0


@given(st.integers(0, 50), st.integers(0, 50), st.integers(1, 50), st.floats(0.0, 1.9))
def test_gains_tell_whether_f1_is_above_the_target(n_true, n_false, n_missed, target):
    f1 = 2 * n_true / (2 * n_true + n_false + n_missed)
    surplus = gain(n_true, n_false, Price(target, 0.0)) - target * (n_true + n_missed)
    if abs(f1 - target) > 1e-9:
        assert (surplus > 0) == (f1 > target)


@given(prices, st.floats(0.0, 200.0), st.integers(1, 300))
def test_no_antecedent_with_too_few_right_cells_can_gain_more(price, best, n_true):
    needed = least_right(best, price)
    if n_true < needed:
        assert all(gain(n, 0, price) <= best * (1 + 1e-6) + 1e-6 for n in range(n_true + 1))
    elif n_true > needed:
        assert gain(n_true, 0, price) > best


@given(prices, st.lists(st.tuples(st.integers(0, 12), st.integers(0, 12)), min_size=1, max_size=7))
def test_best_consequent_is_best_of_all_label_sets(price, counts):
    n_true, n_false = np.array(counts).T.astype(np.int64)
    consequent, value = best_consequent(n_true.copy(), n_false.copy(), price)
    labels = range(len(counts))
    sets = [list(chosen) for size in labels for chosen in combinations(labels, size + 1)]
    best = max(0.0, *(plain_gain(n_true[chosen].sum(), n_false[chosen].sum(), price) for chosen in sets))
    assert value == pytest.approx(best, abs=1e-9)
    assert consequent.tolist() == sorted(set(consequent.tolist()))
    assert plain_gain(n_true[consequent].sum(), n_false[consequent].sum(), price) == pytest.approx(value, abs=1e-9)


@pytest.mark.parametrize("seed", range(5))
def test_cells_are_counted(seed):
    X, Y, predicted = random_problem(np.random.default_rng(seed), 90, 4, 6)
    Y[:, 5] = False
    covered, labels = X[:, 0], as_rows(X, Y).labels
    n_true, n_false = np.full(6, 7), np.full(6, 7)
    count_cells(as_bits(covered[:, None])[0], labels, as_bits(predicted), n_true, n_false)
    new = covered[:, None] & ~predicted
    np.testing.assert_array_equal(n_true, (new & Y).sum(axis=0))
    # Labels that no row has are not looked at.
    expected = np.where(n_true > 0, (new & ~Y).sum(axis=0), 0)
    np.testing.assert_array_equal(n_false, expected)
