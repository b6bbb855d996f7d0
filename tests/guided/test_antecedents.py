"""The search for an antecedent, against all antecedents."""

import numpy as np
import pytest

from mlrx.guided.antecedents import Cells, search_antecedent
from mlrx.guided.gain import Price
from mlrx.guided.optimise import Search, cells_of, covered_by, optimise_rule
from tests.guided.problems import antecedents, as_bits, as_rows, covers, random_problem, rule_gain

WIDE = 100_000


def cells_by_hand(Y, predicted, consequent):
    return (Y & ~predicted)[:, consequent].sum(axis=1), predicted[:, consequent].sum(axis=1)


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("density", [0.05, 0.5])
def test_a_wide_beam_is_as_good_as_all_antecedents(seed, density):
    """Few items set or many: rows are held in two ways, and the smaller side of an item is counted."""
    rng = np.random.default_rng(seed)
    X, Y, predicted = random_problem(rng, 70, 5, 4, density)
    rows, consequent = as_rows(X, Y), np.flatnonzero(rng.random(4) < 0.6)
    price = Price(rng.uniform(0.3, 1.2), rng.uniform(0.0, 1.5))
    cells = cells_of(consequent, rows.labels, as_bits(predicted), 70)
    for wanted, found in zip(cells_by_hand(Y, predicted, consequent), cells):
        np.testing.assert_array_equal(found, wanted)
    gains = {a: rule_gain(X, Y, predicted, a, consequent, price) for a in antecedents(5, 3)}
    best = max(0.0, *gains.values())
    literals, value = search_antecedent(rows.items, cells, price, 3, WIDE, 0.0)
    assert value == pytest.approx(best, rel=1e-8, abs=1e-9)
    if best > 1e-9:
        assert rule_gain(X, Y, predicted, literals, consequent, price) == pytest.approx(best)
    narrow = search_antecedent(rows.items, cells, price, 3, 1, 0.0)[1]
    assert 0 <= narrow <= value + 1e-9
    assert search_antecedent(rows.items, cells, price, 3, WIDE, best + 1.0)[1] == best + 1.0


def test_rows_are_held_as_a_table_only_when_many_items_are_set():
    X, Y, _ = random_problem(np.random.default_rng(0), 70, 30, 2, 0.02)
    assert as_rows(X, Y).items.dense.shape == (0, 30)
    assert as_rows(~X, Y).items.dense.shape == (70, 30)


def test_antecedent_by_hand():
    """Item 0 without item 1 is the label; item 1 alone would cover as many rows."""
    X = np.array([[1, 0], [1, 0], [1, 0], [1, 1], [0, 1], [0, 1], [0, 0], [0, 0]], dtype=bool)
    Y = np.array([[1, 1, 1, 0, 0, 0, 0, 0]], dtype=bool).T
    rows = as_rows(X, Y)
    cells = Cells(Y[:, 0].astype(np.int32), np.zeros(8, dtype=np.int32), 1)
    literals, value = search_antecedent(rows.items, cells, Price(0.5, 0.0), 4, 3, 0.0)
    assert sorted(literals.tolist()) == [~1, 0]
    assert value == 4.5
    # With one condition the wrong cell costs a half.
    assert search_antecedent(rows.items, cells, Price(0.5, 0.0), 1, 3, 0.0)[1] == 4.0


def test_rows_of_literals():
    X, Y, _ = random_problem(np.random.default_rng(1), 70, 5, 2)
    rows = as_rows(X, Y)
    for literals in antecedents(5, 3):
        expected = as_bits(covers(X, literals)[:, None])[0]
        np.testing.assert_array_equal(covered_by(np.array(literals, dtype=np.int64), rows.items.bits, 70), expected)


@pytest.mark.parametrize("seed", range(8))
def test_alternation_never_ends_below_its_first_antecedent(seed):
    rng = np.random.default_rng(seed)
    X, Y, predicted = random_problem(rng, 80, 6, 5)
    rows, bits, price = as_rows(X, Y), as_bits(predicted), Price(0.6, 0.5)
    for label in range(5):
        seed_labels = np.array([label])
        cells = cells_of(seed_labels, rows.labels, bits, 80)
        first = search_antecedent(rows.items, cells, price, 3, 3, 0.0)[1]
        literals, consequent, value = optimise_rule(rows.items, rows.labels, bits, seed_labels, price, Search(3, 3, 4))
        assert value >= first
        if value > 0:
            assert rule_gain(X, Y, predicted, literals, consequent, price) == pytest.approx(value)
