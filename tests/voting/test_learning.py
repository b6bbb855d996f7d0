"""Trees, candidates, selection, points and scores against brute force on tiny problems."""

from itertools import product

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from mlrx.bits import pack, unpack
from mlrx.metrics import hamming_accuracy, macro_f1, micro_f1, subset_accuracy
from mlrx.rules import Condition
from mlrx.voting.candidates import Candidates, antecedent, common_rows, label_weights, make_candidates
from mlrx.voting.points import MOST_POINTS, gram_matrix, integer_points
from mlrx.voting.scoring import best_threshold, probability_table, scores_by_threshold
from mlrx.voting.selection import select
from mlrx.voting.trees import grow_tree
from mlrx.voting.voters import Settings, label_bars, vote


def binary(rng, n_rows, n_columns, share=0.5):
    return sp.csr_array((rng.random((n_rows, n_columns)) < share).astype(np.uint8))


def random_candidates(seed, n_rows=30, n_candidates=8, n_labels=3):
    rng = np.random.default_rng(seed)
    covers, positives = binary(rng, n_rows, n_candidates), binary(rng, n_rows, n_labels)
    centred = positives.toarray() - positives.toarray().mean(axis=0)
    literals = np.arange(1, n_candidates + 1, dtype=np.int32)[:, None]
    products = covers.toarray().T @ centred
    return covers.toarray().astype(float), centred, Candidates(literals, pack(covers), covers.sum(axis=0), products)


# Trees.


def squared_error(targets):
    return ((targets - targets.mean(axis=0)) ** 2).sum() if len(targets) else 0.0


def test_tree_splits_on_the_item_that_lowers_the_squared_error_most():
    for seed in range(20):
        rng = np.random.default_rng(seed)
        items, targets = binary(rng, 25, 6), rng.standard_normal((25, 2)).astype(np.float32)
        rows = rng.integers(25, size=25)
        dense = items.toarray().astype(bool)
        errors = {}
        for item in range(6):
            inside = rows[dense[rows, item]], rows[~dense[rows, item]]
            if min(map(len, inside)) >= 4:
                errors[item] = sum(squared_error(targets[part]) for part in inside)
        allowed = np.ones((1, 6), dtype=bool)
        paths = grow_tree(items.indptr.astype(np.int64), items.indices, allowed, rows.copy(), targets, 4)
        best = min(errors, key=errors.get) + 1
        assert paths.tolist() == [[best], [-best]]


def test_tree_keeps_to_allowed_items_and_to_the_fewest_rows():
    rng = np.random.default_rng(0)
    items, targets = binary(rng, 60, 8), rng.standard_normal((60, 3)).astype(np.float32)
    allowed = np.zeros((7, 8), dtype=bool)
    allowed[:, :3] = True
    paths = grow_tree(items.indptr.astype(np.int64), items.indices, allowed, np.arange(60), targets, 5)
    assert set(np.abs(paths).ravel()) <= {0, 1, 2, 3}
    assert (paths != 0).sum(axis=1).max() == 3
    dense = items.toarray().astype(bool)
    for path in paths:
        covered = np.all([dense[:, abs(x) - 1] == (x > 0) for x in path if x], axis=0)
        assert covered.sum() >= 5


# Candidates.


def test_candidates_are_what_their_literals_say_and_each_cover_comes_once():
    rng = np.random.default_rng(3)
    items, positives = binary(rng, 80, 12, 0.4), binary(rng, 80, 20, 0.2)
    candidates = make_candidates(items, positives, np.arange(12), 20, np.random.default_rng(0))
    dense = items.toarray().astype(bool)
    covers = np.array(
        [np.all([dense[:, abs(x) - 1] == (x > 0) for x in row if x], axis=0) for row in candidates.literals]
    )
    assert np.array_equal(unpack(candidates.bits, 80), covers)
    assert np.array_equal(candidates.n_covered, covers.sum(axis=1))
    assert len(np.unique(covers, axis=0)) == len(covers) > 12
    centred = positives.toarray() - positives.toarray().mean(axis=0)
    assert np.allclose(candidates.products, covers @ centred)


def test_of_candidates_for_the_same_rows_the_shortest_is_kept():
    copies = np.repeat([[1, 1, 1, 1, 0, 0, 0, 0]], 3, axis=0).T
    candidates = make_candidates(
        sp.csr_array(copies.astype(np.uint8)), sp.csr_array(copies[:, :1]), np.arange(3), 30, np.random.default_rng(0)
    )
    assert (candidates.literals != 0).sum(axis=1).max() == 1


def test_no_items_give_no_candidates():
    candidates = make_candidates(
        sp.csr_array((9, 0), dtype=np.uint8),
        sp.csr_array(np.eye(9, dtype=np.uint8)),
        np.arange(0),
        5,
        np.random.default_rng(0),
    )
    assert len(candidates) == 0
    settled = Settings(1.0, 0.0, 0.1, 0.5, 0.0)
    assert len(vote(candidates, sp.csr_array(np.eye(9, dtype=np.uint8)), 5, settled).rules) == 0


def test_common_rows_by_hand():
    left, right = pack([[1, 0], [1, 1], [1, 0]]), pack([[1], [0], [1]])
    assert common_rows(left, right).tolist() == [[2], [0]]


@pytest.mark.parametrize(
    ("item", "known", "values", "holds"),
    [
        (Condition(0, lower=2.0), True, [1.0, 3.0, np.nan], [True, False, False]),
        (Condition(0, lower=2.0), False, [1.0, 3.0, np.nan], [True, False, True]),
        (Condition(0, upper=2.0), True, [1.0, 3.0, 2.0], [False, True, False]),
        (Condition(0, categories=["a"]), False, ["a", "b", None], [False, True, True]),
    ],
)
def test_absent_item_holds_where_the_item_does_not(item, known, values, holds):
    (condition,) = antecedent(np.array([0, -1]), [item], np.array([known]))
    assert condition.holds(np.array(values)).tolist() == holds


# Selection.


def best_error(covers, centred, chosen, ridge):
    """Ridge objective of the best points, each label having a constant of its own."""
    columns = covers[:, chosen] - covers[:, chosen].mean(axis=0)
    weights = np.linalg.solve(columns.T @ columns + ridge * np.eye(len(chosen)), columns.T @ centred)
    return ((centred - columns @ weights) ** 2).sum() + ridge * (weights**2).sum()


@pytest.mark.parametrize("ridge", [0.1, 1.0, 10.0])
def test_each_choice_is_the_best_next_one(ridge):
    weights = np.array([1.0, 0.3, 2.0])
    for seed in range(10):
        covers, centred, candidates = random_candidates(seed)
        centred = centred * weights
        chosen = select(candidates, weights, 30, 5, ridge, 0.0).tolist()
        assert len(chosen) == 5
        for k in range(5):
            errors = {j: best_error(covers, centred, chosen[:k] + [j], ridge) for j in set(range(8)) - set(chosen[:k])}
            assert errors[chosen[k]] == pytest.approx(min(errors.values()), rel=1e-9)


def test_price_counts_only_labels_that_gain_more():
    # Candidate 0 helps three labels a little, candidate 1 one label much.
    products = np.array([[2.0, 2.0, 2.0], [0.0, 3.0, 0.0]])
    covers = sp.csr_array(np.repeat([[1, 0], [0, 1], [0, 0]], 10, axis=0))
    candidates = Candidates(np.array([[1], [2]]), pack(covers), np.array([10, 10]), products)
    # Gains are squares over 20 / 3 + 1 each: 0.52 thrice, or 1.17 once.
    chosen = {price: select(candidates, np.ones(3), 30, 1, 1.0, price).tolist() for price in (0.0, 0.4, 1.2)}
    assert chosen == {0.0: [0], 0.4: [1], 1.2: []}


def test_candidates_that_are_the_same_are_chosen_once():
    covers = sp.csr_array(np.repeat([[1, 1, 0], [0, 0, 1], [0, 0, 0]], 10, axis=0))
    products = np.array([[5.0], [5.0], [-1.0]])
    candidates = Candidates(np.array([[1], [2], [3]]), pack(covers), np.array([10, 10, 10]), products)
    assert sorted(select(candidates, np.ones(1), 30, 3, 1e-12, 0.0).tolist()) in ([0, 2], [1, 2])


def test_no_more_are_chosen_than_there_are_candidates():
    """Asking for a million millions took all memory."""
    *_, candidates = random_candidates(0)
    chosen = [select(candidates, np.ones(3), 30, n_rules, 1.0, 0.0).tolist() for n_rules in (8, 10**12)]
    assert chosen[0] == chosen[1]


def test_rare_labels_weigh_more_and_all_together_what_they_weighed():
    # Variances .25, .09 and .0099: squared weights are as 2, 10 / 3 and 10.05, each over the standard deviation.
    positives = sp.csr_array(np.repeat([[1, 0, 0], [1, 1, 0], [0, 0, 0], [0, 0, 1]], [40, 10, 49, 1], axis=0))
    weights = label_weights(positives)
    variances = np.array([0.25, 0.09, 0.0099])
    assert weights**2 / weights[0] ** 2 == pytest.approx([1, 5 / 3, 0.5 / np.sqrt(0.0099)])
    assert (weights**2 * variances).sum() == pytest.approx(variances.sum())


# Points.


def point_objective(gram, products, ridge, price, unit, points):
    curvature = gram + ridge * np.eye(len(gram))
    fit = (points * (curvature @ points)).sum() / 2 - (points * products).sum() / unit
    return fit + price / (2 * unit**2) * np.count_nonzero(points)


@settings(max_examples=40, deadline=None)
@given(
    st.integers(0, 1000), st.sampled_from([0.5, 5.0]), st.sampled_from([0.0, 0.5, 3.0]), st.sampled_from([0.05, 0.2])
)
def test_descent_ends_no_worse_than_rounding_and_where_no_single_change_helps(seed, ridge, price, unit):
    _, _, candidates = random_candidates(seed, n_candidates=4, n_labels=1)
    gram = gram_matrix(candidates, 30)
    points = integer_points(gram, candidates.products, ridge, price, unit)
    value = point_objective(gram, candidates.products, ridge, price, unit, points)
    weights = np.linalg.solve(gram + ridge * np.eye(4), candidates.products)
    rounded = np.clip(np.rint(weights / unit), -MOST_POINTS, MOST_POINTS)
    assert value <= point_objective(gram, candidates.products, ridge, price, unit, rounded) + 1e-9
    for k, other in product(range(4), range(-MOST_POINTS, MOST_POINTS + 1)):
        changed = points.copy()
        changed[k] = other
        assert value <= point_objective(gram, candidates.products, ridge, price, unit, changed) + 1e-6


def test_points_are_the_best_of_all_where_rules_do_not_overlap():
    gram, products = np.diag([4.0, 9.0]), np.array([[1.0, -0.1], [0.4, 7.0]])
    points = integer_points(gram, products, 1.0, 0.02, 0.1)
    for label in range(2):
        values = {
            choice: point_objective(gram, products[:, [label]], 1.0, 0.02, 0.1, np.array(choice)[:, None])
            for choice in product(range(-3, 4), repeat=2)
        }
        assert tuple(points[:, label]) == min(values, key=values.get)
    assert points.tolist() == [[2, 0], [0, 3]]


def test_a_higher_price_leaves_fewer_points():
    _, _, candidates = random_candidates(5, n_rows=60, n_candidates=8)
    gram = gram_matrix(candidates, 60)
    counts = [np.count_nonzero(integer_points(gram, candidates.products, 1.0, price, 0.05)) for price in (0, 0.5, 50)]
    assert counts[0] > counts[1] > counts[2] == 0


# Bars and scores.


@settings(max_examples=50, deadline=None)
@given(
    st.lists(st.floats(-0.5, 1.5), min_size=1, max_size=5),
    st.sampled_from([0.03, 0.1, 0.15]),
    st.floats(0.02, 0.98),
    st.sampled_from([0.0, 0.2, 1.0]),
)
def test_bar_is_the_first_whole_number_that_reaches_the_threshold_or_1(constants, unit, threshold, lenience):
    frequencies = np.linspace(0.1, 0.3, len(constants))
    bars = label_bars(np.array(constants), frequencies, Settings(1.0, 0.0, unit, threshold, lenience))
    for constant, frequency, bar in zip(constants, frequencies, bars):
        least = min(1.0, threshold * (frequency / frequencies.mean()) ** lenience)
        reached = [points for points in range(-80, 81) if constant + unit * points >= least - 1e-9 * unit]
        assert bar == min(reached)


@pytest.mark.parametrize(
    ("metric", "score"),
    [
        ("micro_f1", lambda Y, P: micro_f1(Y, P, zero_division=0)),
        ("macro_f1", lambda Y, P: macro_f1(Y, P, zero_division=0)),
        ("subset_accuracy", subset_accuracy),
        ("hamming_loss", lambda Y, P: hamming_accuracy(Y, P) - 1),
    ],
)
def test_scores_at_all_thresholds_are_those_of_the_predictions(metric, score):
    rng = np.random.default_rng(0)
    scores, positives = rng.choice([0.0, 0.2, 0.3, 0.55, 0.9], (40, 5)), rng.random((40, 5)) < 0.3
    positives[:, 4] = False
    thresholds = np.array([0.1, 0.2, 0.3, 0.5, 0.95])
    found = scores_by_threshold(scores, positives, thresholds, metric)
    assert found == pytest.approx([score(positives, scores >= threshold) for threshold in thresholds])


def test_of_thresholds_as_good_the_middle_one_is_taken():
    assert best_threshold(np.array([0.1, 0.5, 0.5, 0.5, 0.2])) == 2
    assert best_threshold(np.array([0.5, 0.2])) == 0


def test_probability_table_by_hand():
    margins = np.array([[-2, -2, -1, -1], [0, 0, 1, 1]])
    positives = np.array([[0, 0, 1, 0], [0, 0, 1, 1]], dtype=bool)
    # Shares by margin: 0, 1/2, 0, 1; the two in the middle are pooled; then (8 share + 1/2) / 9.
    assert probability_table(margins, positives) == ((-2, 0.5 / 9), (-1, 2.5 / 9), (1, 8.5 / 9))
