"""The samplers of Boley et al. follow their laws, and what is said of their cost is exact."""

import math

import numpy as np
import pytest

from experiments.tasks.samplers import (
    describe_sets,
    draw_antecedents,
    draw_sets,
    log_acceptance,
    mean_log_horizon,
    pair_law,
    reduced_space,
)
from mlrx.corset.cliques import ColumnSets, likely_cliques
from mlrx.table import BinaryTable
from tests.corset.laws import ALARM_RATE, discriminativity_law, p_value, rows_as_sets, subsets

N_DRAWS = 6000


def small_rows():
    """Return 14 rows of 6 columns, with an empty row, a repeated row and a row with everything; and the positives."""
    rng = np.random.default_rng(5)
    X = rng.random((14, 6)) < 0.45
    X[3], X[4], X[5] = X[2], False, True
    return X, rng.random(14) < 0.5


def law_of_sets(X, target, sets):
    rows = rows_as_sets(X)
    weights = {F: sum(set(F) <= row for row in rows) * (len(F) if target == "area" else 1) for F in sets}
    return {F: weight / sum(weights.values()) for F, weight in weights.items() if weight}


def drawn_sets(X, target, seed, min_clique_probability=None):
    sets = draw_sets(np.random.default_rng(seed), BinaryTable.from_matrix(X), N_DRAWS, target, min_clique_probability)
    assert len(sets) == N_DRAWS
    return [sets[k] for k in range(N_DRAWS)]


@pytest.mark.parametrize("target", ["support", "area"])
def test_sets_follow_support_and_area(target):
    X, _ = small_rows()
    law = law_of_sets(X, target, subsets(range(6)))
    assert p_value(drawn_sets(X, target, seed=1), law) > ALARM_RATE
    other = "area" if target == "support" else "support"
    assert p_value(drawn_sets(X, other, seed=1), law) < ALARM_RATE


@pytest.mark.parametrize("target", ["support", "area"])
def test_sets_follow_support_and_area_among_likely_cliques(target):
    X, _ = small_rows()
    space = likely_cliques(BinaryTable.from_matrix(X), 0.5, 1000)
    sets = [space[k] for k in range(len(space))]
    assert 6 < len(sets) < 63
    assert p_value(drawn_sets(X, target, 2, 0.5), law_of_sets(X, target, sets)) > ALARM_RATE


def test_support_of_rows_with_thousands_of_ones_does_not_overflow():
    X = np.zeros((3, 4000), dtype=bool)
    X[0, :3000] = X[1, :2999] = X[2, :5] = True
    sets = draw_sets(np.random.default_rng(0), BinaryTable.from_matrix(X), 30, "support")
    assert all(len(sets[k]) > 1300 for k in range(30))


def test_what_cannot_be_drawn_is_named():
    table = BinaryTable.from_matrix(np.zeros((2, 3)))
    with pytest.raises(ValueError, match="table must have a one"):
        draw_sets(np.random.default_rng(0), table, 5, "area")
    with pytest.raises(ValueError, match=r"target must be one of .*'size'"):
        draw_sets(np.random.default_rng(0), table, 5, "size")
    with pytest.raises(ValueError, match=r"proposal must be one of .*'loose'"):
        pair_law("loose", table)


def test_description_by_hand():
    table = BinaryTable.from_matrix(np.array([[1, 1, 0], [1, 1, 1], [1, 0, 0], [1, 0, 0]]))
    frame = describe_sets(table, ColumnSets.from_tuples([(0,), (0, 1), (0, 1, 2)]))
    assert frame["n_rows"].tolist() == [4, 2, 1]
    assert frame["area"].tolist() == [4, 4, 3]
    # Edges: 0-1 has 1 - (1 - 1/2)(1 - 1) = 1, as have 0-2 and 1-2.
    assert math.isnan(frame["edge_probability"][0])
    assert frame["edge_probability"].tolist()[1:] == [1.0, 1.0]


def test_mean_edge_probability_by_hand():
    table = BinaryTable.from_matrix(np.array([[1, 1, 0], [1, 0, 1], [0, 1, 1], [0, 0, 1]]))
    # 0-1: 1 - 1/2 * 1/2; 0-2 and 1-2: 1 - 1/2 * 2/3.
    frame = describe_sets(table, ColumnSets.from_tuples([(0, 1, 2)]))
    assert frame["edge_probability"][0] == pytest.approx((3 / 4 + 2 / 3 + 2 / 3) / 3)


@pytest.mark.parametrize("min_items", [1, 2])
@pytest.mark.parametrize("proposal", ["boley", "tight"])
def test_antecedents_follow_discriminativity(proposal, min_items):
    X, positive = small_rows()
    items = BinaryTable.from_matrix(X)
    law = pair_law(proposal, items, min_items)
    drawn = draw_antecedents(np.random.default_rng(3), items, positive, N_DRAWS, law)
    assert drawn.horizons.min() >= 1
    assert p_value(drawn.sets, discriminativity_law(X, positive, min_items)) > ALARM_RATE


@pytest.mark.parametrize("proposal", ["boley", "tight"])
def test_antecedents_of_the_reduced_space_follow_discriminativity(proposal):
    X, positive = small_rows()
    sets, table, law = reduced_space(BinaryTable.from_matrix(X), 0.5, proposal)
    space = [sets[k] for k in range(len(sets))]
    assert 6 < len(space) < 63
    drawn = draw_antecedents(np.random.default_rng(3), table, positive, N_DRAWS, law)
    assert p_value([space[k] for (k,) in drawn.sets], discriminativity_law(X, positive, sets=space)) > ALARM_RATE
    rows = rows_as_sets(X)
    within = [{H for H in space if set(H) <= row} for row in rows]
    plus, minus = np.array(within)[positive], np.array(within)[~positive]
    total = sum(len(a - b) for a in plus for b in minus)
    bound = sum(len(a) for a in plus) * len(minus)
    if proposal == "boley":
        bound = sum(math.sqrt(len(a)) for a in plus) * sum(math.sqrt(len(space) - len(b)) for b in minus)
    assert 2 ** log_acceptance(table, positive, law) == pytest.approx(total / bound)


def acceptance_by_counting(X, positive, proposal, min_items):
    """Return sum(w) / sum(w_bar) over all pairs, in whole numbers but for the roots."""
    rows, everything = rows_as_sets(X), subsets(range(X.shape[1]), min_items)
    plus = [row for row, p in zip(rows, positive) if p]
    minus = [row for row, p in zip(rows, positive) if not p]

    def n_sets(inside, outside):
        return sum((inside is None or set(H) <= inside) and not set(H) <= outside for H in everything)

    total = sum(n_sets(a, b) for a in plus for b in minus)
    firsts = [sum(set(H) <= a for H in everything) for a in plus]
    seconds = [n_sets(None, b) for b in minus]
    if proposal == "tight":
        return total / (sum(firsts) * len(minus))
    return total / (sum(map(math.sqrt, firsts)) * sum(map(math.sqrt, seconds)))


@pytest.mark.parametrize("min_items", [1, 2])
@pytest.mark.parametrize("proposal", ["boley", "tight"])
def test_cost_of_a_draw_is_exact(proposal, min_items):
    X, positive = small_rows()
    items = BinaryTable.from_matrix(X)
    law = pair_law(proposal, items, min_items)
    log = log_acceptance(items, positive, law)
    assert 2**log == pytest.approx(acceptance_by_counting(X, positive, proposal, min_items))
    # The mean over draws agrees; rows of weight 0 are left out there, and here.
    rows = rows_as_sets(X)
    told = [any(set(H) <= a and not set(H) <= b for a in np.array(rows)[positive] for H in subsets(a, min_items))
            for b in rows]  # fmt: skip
    kept = positive & (X.sum(axis=1) >= min_items) | ~positive & np.array(told)
    log = log_acceptance(BinaryTable.from_matrix(X[kept]), positive[kept], law)
    horizons = draw_antecedents(np.random.default_rng(4), items, positive, 2000, law).horizons
    error = np.log(horizons).std() / math.sqrt(2000)
    assert abs(np.log(horizons).mean() - mean_log_horizon(log)) < 4 * error


def test_mean_log_horizon_by_hand():
    assert mean_log_horizon(0.0) == 0.0
    assert mean_log_horizon(-math.inf) == math.inf
    # p = 1/2: P(N > 2 ** k) = 2 ** -(2 ** k).
    assert mean_log_horizon(-1.0) == pytest.approx(math.log(2) * sum(2.0 ** -(2**k) for k in range(7)))
    # Twice as rare is twice as far, also where 1 - p is no float.
    for log in (-30.0, -45.0, -700.0, -3000.0):
        assert mean_log_horizon(log - 1) - mean_log_horizon(log) == pytest.approx(math.log(2), rel=1e-6)


def test_draws_without_end_are_given_up_and_their_cost_is_known():
    """With many absent columns the proposal of Boley et al. is out of reach, the tight one is not."""
    rng = np.random.default_rng(0)
    X = rng.random((20, 400)) < 0.02
    positive = np.arange(20) < 10
    items = BinaryTable.from_matrix(X)
    loose, tight = pair_law("boley", items), pair_law("tight", items)
    assert draw_antecedents(rng, items, positive, 2, loose, max_steps=64).horizons.tolist() == [0, 0]
    assert draw_antecedents(rng, items, positive, 2, tight, max_steps=64).horizons.min() >= 1
    assert -210 < log_acceptance(items, positive, loose) < -180
    assert -1 < log_acceptance(items, positive, tight) <= 0


def test_nothing_to_draw():
    X = np.ones((6, 3), dtype=bool)
    items = BinaryTable.from_matrix(X)
    positive = np.arange(6) < 3
    for proposal in ("boley", "tight"):
        law = pair_law(proposal, items)
        assert draw_antecedents(np.random.default_rng(0), items, positive, 3, law).sets == [(), (), ()]
        assert log_acceptance(items, positive, law) == -math.inf
        assert log_acceptance(items, np.ones(6, bool), law) == -math.inf
