"""Backfitting, by hand and against the gains of the whole set."""

import numpy as np
import pytest

from mlrx.guided.backfitting import backfit
from mlrx.guided.gain import Price
from mlrx.guided.growing import FoundRule, grow_rules
from mlrx.guided.optimise import Search
from tests.guided.problems import as_bits, as_rows, covers, random_problem, rule_gain

SEARCH = Search(3, 3, 4)


def made(X, literals, consequent):
    rows = as_bits(covers(X, literals)[:, None])[0]
    return FoundRule(np.array(literals, dtype=np.int64), np.array(consequent), rows, 1.0, 1.0)


def surplus(X, Y, rules, target):
    """Return the gain, at no price of size, of all cells that the rules predict together."""
    predicted = np.zeros_like(Y)
    for rule in rules:
        predicted[np.ix_(covers(X, rule.literals), rule.consequent)] = True
    return (2 - target) * (predicted & Y).sum() - target * (predicted & ~Y).sum()


def test_a_broad_rule_shrinks_and_an_idle_one_goes():
    X = np.array([[1, 0], [1, 0], [1, 1], [0, 1], [0, 1], [0, 0]], dtype=bool)
    Y = np.array([[1, 0], [1, 0], [1, 0], [0, 1], [0, 1], [0, 0]], dtype=bool)
    rules = [made(X, [1], [1]), made(X, [], [0]), made(X, [0, ~1], [0])]
    again = backfit(rules, as_rows(X, Y), Price(1.0, 0.0), SEARCH)
    found = [(sorted(rule.literals.tolist()), rule.consequent.tolist(), rule.gain) for rule in again]
    # Only the third row is left for the second rule; when that has shrunk, nothing is left for the third.
    assert found == [([~0, 1], [1], 2.0), ([0], [0], 1.0)]


@pytest.mark.parametrize("seed", range(8))
def test_the_whole_set_never_gets_worse(seed):
    X, Y, _ = random_problem(np.random.default_rng(seed), 120, 7, 5)
    rows, price = as_rows(X, Y), Price(0.7, 0.0)
    rules = list(grow_rules(rows, price, SEARCH))
    again = backfit(rules, rows, price, SEARCH)
    assert len(again) <= len(rules)
    assert surplus(X, Y, again, 0.7) >= surplus(X, Y, rules, 0.7) - 1e-9
    predicted = np.zeros_like(Y)
    for rule in again[:-1]:
        predicted[np.ix_(covers(X, rule.literals), rule.consequent)] = True
    last = again[-1]
    assert last.gain == pytest.approx(rule_gain(X, Y, predicted, last.literals, last.consequent, price))
