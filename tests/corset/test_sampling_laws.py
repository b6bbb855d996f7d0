"""Every sampler draws exactly by its law: chi-square against enumeration."""

import numpy as np
import pytest

from mlrx.bits import pack, unpack
from mlrx.corset.antecedents import DIFFERENCE, Growth
from mlrx.corset.cliques import ColumnSets, likely_cliques
from mlrx.corset.consequents import CliqueConsequents, Drawn, FullConsequents
from mlrx.corset.pairs import (
    BOLEY,
    MAX_STEPS,
    SIZE,
    SUBSETS,
    TIGHT,
    PairLaw,
    draw_pair_by_coupling,
    draw_pair_by_rejection,
    pair_rows,
    without_idle,
)
from mlrx.corset.pool import PoolSampler
from mlrx.table import BinaryTable
from tests.corset.laws import (
    ALARM_RATE,
    discriminativity_law,
    p_value,
    pair_law,
    rows_as_sets,
    subsets,
    uncovered_area_law,
)

N_DRAWS = 30_000


def small_data():
    """Return 14 rows of 6 items and 4 labels, with an empty row, a repeated row and a row with everything."""
    rng = np.random.default_rng(5)
    X, Y = rng.random((14, 6)) < 0.45, rng.random((14, 4)) < 0.5
    X[3], X[4], X[5] = X[2], False, True
    return X, Y


def draw_consequents(sampler, seed):
    drawn = sampler.draw(np.random.default_rng(seed), N_DRAWS)
    return [drawn.sets[k] for k in range(len(drawn.sets)) for _ in range(drawn.times[k])]


def draw_antecedents(X, positive, method, law, seed, min_clique_probability=0.5, n_draws=N_DRAWS):
    items, labels = BinaryTable.from_matrix(X), BinaryTable.from_matrix(positive[:, None])
    growth = Growth(1.0, False, 1, 10, 0.0)
    sampler = PoolSampler(items, labels, method, law, growth, DIFFERENCE, False, min_clique_probability)
    one_label = Drawn(ColumnSets.from_tuples([(0,)]), np.array([n_draws]), np.array([-1]))
    pool = sampler.draw(np.random.default_rng(seed), one_label, labels.bits)
    return [tuple(sorted(pool.antecedents[k, : pool.lengths[k]].tolist())) for k in range(len(pool))]


def draw_pairs(X, positive, draw, law, seed, n_draws=N_DRAWS):
    table, rng = BinaryTable.from_matrix(X), np.random.default_rng(seed)
    rows = pair_rows(table.indptr, pack(positive[:, None])[0], law)
    rows = without_idle(table.indptr, table.indices, table.frequencies, rows, law)
    work = np.empty(X.shape[1] + 1, dtype=np.int32)
    drawn = [draw(rng, table.indptr, table.indices, table.bits, rows, law, work, MAX_STEPS) for _ in range(n_draws)]
    return [(int(i), int(j)) for i, j, _, _ in drawn], np.array([steps for *_, steps in drawn])


def test_full_consequents_follow_uncovered_area():
    _, Y = small_data()
    assert (
        p_value(draw_consequents(FullConsequents(BinaryTable.from_matrix(Y)), 1), uncovered_area_law(Y, 0 * Y))
        > ALARM_RATE
    )


@pytest.mark.parametrize("space", ["full", "cliques"])
def test_consequents_follow_uncovered_area_after_rules(space):
    _, Y = small_data()
    labels = BinaryTable.from_matrix(Y)
    sampler = FullConsequents(labels) if space == "full" else CliqueConsequents(labels, 0.75)
    covered = np.zeros_like(Y)
    for consequent in ([0, 1], [1, 2, 3], [2]):
        rows = Y[:, consequent].all(axis=1) & (np.arange(len(Y)) % 3 > 0)
        sampler.cover(pack(rows[:, None])[0], np.array(consequent, dtype=np.int32))
        covered[np.ix_(rows, consequent)] = True
    sets = None if space == "full" else [sampler.sets[k] for k in range(len(sampler.sets))]
    if sets is not None:
        assert 4 < len(sets) < len(subsets(range(4)))  # the space is reduced, but not to single labels
    assert p_value(draw_consequents(sampler, 2), uncovered_area_law(Y, covered, sets)) > ALARM_RATE
    np.testing.assert_array_equal(unpack(sampler.uncovered, len(Y)).T, Y & ~covered)


@pytest.mark.parametrize("min_items", [1, 2])
@pytest.mark.parametrize("method", ["coupling", "rejection"])
def test_antecedents_follow_discriminativity(method, min_items):
    X, Y = small_data()
    for label in range(2):
        positive = Y[:, label]
        drawn = draw_antecedents(X, positive, method, PairLaw(SUBSETS, min_items, TIGHT, 6), seed=3 + label)
        assert p_value(drawn, discriminativity_law(X, positive, min_items)) > ALARM_RATE


def test_clique_antecedents_follow_discriminativity_in_their_space():
    X, Y = small_data()
    space = likely_cliques(BinaryTable.from_matrix(X), 0.5, 1000)
    sets = [space[k] for k in range(len(space))]
    assert 6 < len(sets) < len(subsets(range(6)))
    drawn = draw_antecedents(X, Y[:, 0], "cliques", PairLaw(SIZE, 1, TIGHT, 6), seed=5)
    assert p_value(drawn, discriminativity_law(X, Y[:, 0], sets=sets)) > ALARM_RATE


def n_telling(least):
    """Return the weight of a pair by counting the item sets that tell it apart."""
    return lambda plus, minus: sum(not set(H) <= minus for H in subsets(plus, least))


@pytest.mark.parametrize("proposal", [TIGHT, BOLEY])
@pytest.mark.parametrize("draw", [draw_pair_by_rejection, draw_pair_by_coupling])
@pytest.mark.parametrize(
    ("weight", "min_items", "brute"),
    [
        (SUBSETS, 1, n_telling(1)),
        (SUBSETS, 2, n_telling(2)),
        (SIZE, 1, lambda plus, minus: len(plus - minus)),
    ],
)
def test_pairs_follow_their_weight(draw, weight, min_items, brute, proposal):
    X, Y = small_data()
    drawn, _ = draw_pairs(X, Y[:, 1], draw, PairLaw(weight, min_items, proposal, 6), seed=7)
    assert p_value(drawn, pair_law(X, Y[:, 1], brute)) > ALARM_RATE


def test_tight_proposal_takes_fewer_coupling_steps_than_that_of_boley():
    X, Y = small_data()
    steps = {
        proposal: draw_pairs(X, Y[:, 1], draw_pair_by_coupling, PairLaw(SUBSETS, 1, proposal, 6), 8, 5000)[1].mean()
        for proposal in (TIGHT, BOLEY)
    }
    assert steps[TIGHT] < 2 < steps[BOLEY]


def test_a_biased_sampler_is_caught():
    """Single items left out, pairs by size in place of subsets, one item favoured by 15 %: each is seen."""
    X, Y = small_data()
    law = discriminativity_law(X, Y[:, 0])
    leaves_out_singles = draw_antecedents(X, Y[:, 0], "coupling", PairLaw(SUBSETS, 2, TIGHT, 6), seed=3)
    by_size = draw_pairs(X, Y[:, 0], draw_pair_by_rejection, PairLaw(SIZE, 1, TIGHT, 6), seed=3)[0]
    rng = np.random.default_rng(3)
    keys = sorted(law)
    bent = np.array([law[key] * (1.15 if 0 in key else 1.0) for key in keys])
    slightly_bent = [keys[k] for k in rng.choice(len(keys), size=N_DRAWS, p=bent / bent.sum())]
    assert p_value(leaves_out_singles, law) < ALARM_RATE
    assert p_value(by_size, pair_law(X, Y[:, 0], n_telling(1))) < ALARM_RATE
    assert p_value(slightly_bent, law) < ALARM_RATE
    exact = [keys[k] for k in rng.choice(len(keys), size=N_DRAWS, p=[law[key] for key in keys])]
    assert p_value(exact, law) > ALARM_RATE


@pytest.mark.parametrize("method", ["coupling", "rejection"])
def test_a_draw_never_comes_back_empty_where_nearly_all_rows_are_alike(method):
    """Seen elsewhere: coupling returned nothing where 400 of 401 positives equal the negative."""
    X = np.zeros((402, 3), dtype=bool)
    X[:, :2] = True
    X[0, 2] = True
    positive = np.arange(402) < 401
    drawn = draw_antecedents(X, positive, method, PairLaw(SUBSETS, 1, TIGHT, 3), seed=1, n_draws=200)
    assert len(drawn) == 200
    assert all(2 in antecedent for antecedent in drawn)


@pytest.mark.parametrize("method", ["coupling", "rejection", "greedy", "cliques"])
@pytest.mark.parametrize("min_items", [1, 2])
def test_nothing_to_draw_ends(method, min_items):
    X = np.ones((6, 3), dtype=bool)
    X[3:] = False
    assert set(draw_antecedents(X, np.arange(6) >= 3, method, PairLaw(SUBSETS, min_items, TIGHT, 3), 1, n_draws=9)) == {
        ()
    }
    assert set(draw_antecedents(X, np.ones(6, bool), method, PairLaw(SUBSETS, min_items, TIGHT, 3), 1, n_draws=9)) == {
        ()
    }


def test_rows_with_thousands_of_items_do_not_overflow():
    """Weights are powers of two of row sizes: 2 ** 3000 is no float."""
    rng = np.random.default_rng(0)
    X = rng.random((12, 6000)) < 0.5
    Y = rng.random((12, 3000)) < 0.5
    drawn = draw_antecedents(X, Y[:, 0], "rejection", PairLaw(SUBSETS, 2, TIGHT, 6000), seed=1, n_draws=50)
    rows = rows_as_sets(X)
    assert all(any(set(H) <= rows[i] for i in np.flatnonzero(Y[:, 0])) for H in drawn)
    drawn = FullConsequents(BinaryTable.from_matrix(Y)).draw(rng, 50)
    assert drawn.times.sum() == 50
    assert all(len(drawn.sets[k]) > 300 for k in range(len(drawn.sets)))
