import numpy as np
import pytest

from experiments.sweeps.diversity import mean_distance
from mlrx.rules import BINARY_CUT, Condition, Rule, RuleSet

X = np.array([[1, 0], [1, 1], [0, 1], [0, 0]])
Y = np.array([[1, 1, 0], [1, 1, 0], [0, 1, 0], [0, 0, 0]])


def rule(column, *labels):
    return Rule([Condition(column, lower=BINARY_CUT)], labels)


def mean(*rules):
    return mean_distance(RuleSet(rules, ["a", "b"], ["p", "q", "r"], ["numeric", "numeric"], len(X)), X, Y)


def test_worked_by_hand():
    """The first covers rows 0, 1 with labels p, q (4 pairs), the second rows 1, 2 with q (2 pairs); both (1, q)."""
    assert mean(rule(0, 0, 1), rule(1, 1)) == pytest.approx(1 - 1 / 5)
    # The third covers rows 0, 1 with p: 2 of the first's 4 pairs, none of the second's.
    assert mean(rule(0, 0, 1), rule(1, 1), rule(0, 0)) == pytest.approx((4 / 5 + 1 / 2 + 1) / 3)


def test_row_without_the_whole_consequent_is_not_covered():
    """Column b holds in rows 1 and 2, and row 2 has q alone."""
    assert mean(rule(1, 0, 1), rule(0, 0, 1)) == pytest.approx(1 - 2 / 4)


def test_same_rules_and_too_few():
    assert mean(rule(0, 0), rule(0, 0)) == 0
    assert np.isnan(mean(rule(0, 0)))
    assert np.isnan(mean(rule(0, 0), rule(0, 2)))  # nothing carries r
