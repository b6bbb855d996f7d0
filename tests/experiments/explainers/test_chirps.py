import itertools
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from mlxtend.frequent_patterns import hmine

from experiments.explainers import chirps
from experiments.explainers.chirps_patterns import (
    frequent_sets,
    merge_bounds,
    mine_patterns,
    node_bounds,
    splits_on_paths,
    tighten,
)
from experiments.explainers.chirps_rule import (
    Evidence,
    Stability,
    association,
    divergence,
    merge_patterns,
    prune_terms,
    rank_patterns,
    scale_weights,
    score_patterns,
    simplify_groups,
    swapped_association,
)
from experiments.explainers.deadline import Deadline, OutOfTimeError
from experiments.forests import load_fold
from experiments.tasks.explanation_scores import score_row
from mlrx.rules import Condition

from .small_folds import make_fold

A, B, C = range(3)
# Three paths that agree: A > 2, B <= 6; A > 3, B <= 7, C > 1; A > 2.4, B <= 6.2.
PATHS = [
    [((A, True), 2.0), ((B, False), 6.0)],
    [((A, True), 3.0), ((B, False), 7.0), ((C, True), 1.0)],
    [((A, True), 2.4), ((B, False), 6.2)],
]
PAIR = (((A, True), 2.2), ((B, False), 6.1))
# A, B and whether the forest gives the label.
ROWS = [
    (3, 4, 1),
    (4, 5, 1),
    (5, 6, 1),
    (2.5, 3, 1),
    (3, 8, 0),
    (1, 4, 0),
    (1, 5, 0),
    (0.5, 9, 0),
    (2.3, 5, 0),
    (4, 7, 0),
]


def test_a_forest_of_leaves_alone_gives_an_empty_rule():
    """It was an error of NumPy's: the largest of no places."""
    rows = np.arange(4.0)[:, None]
    fold = make_fold(rows, np.ones((4, 1)))
    ((one,),) = chirps.EXPLAINER.fit(fold, 0, {}).explain(rows[0], (0,), ("each",)).values()
    assert len(one.rule) == 0
    assert one.rule.consequent == (0,)


@pytest.fixture
def evidence():
    table = np.array(ROWS)
    return Evidence(table[:, :2], table[:, 2] == 1)


@pytest.fixture
def stability(evidence):
    return Stability(evidence, np.empty((0, len(ROWS))))


@pytest.fixture(scope="module")
def fold():
    return load_fold("ai4i-simulated", 0)


def explained(fold, row, seed=0, **parameters):
    labels = fold.labels_of(row)
    return chirps.fit(fold, seed, parameters).explain(fold.X_test[row], labels, ("each",))["each"]


def explained_rows(fold, n=5):
    return np.flatnonzero(fold.predicted.any(axis=1))[:n].tolist()


# The example of the specification, by hand.


def test_example_has_the_known_patterns():
    merged = merge_bounds(PATHS, 2)
    lower, upper = ({item for path in merged for item in path if item[0] == side} for side in ((A, True), (B, False)))
    assert sorted(bound for _, bound in lower) == pytest.approx([2.2, 3])
    assert sorted(bound for _, bound in upper) == pytest.approx([6.1, 7])
    patterns = mine_patterns(merged, 0.5, Deadline())
    assert {tuple(side for side, _ in pattern): round(share, 3) for pattern, share in patterns.items()} == {
        ((A, True),): 0.667,
        ((B, False),): 0.667,
        ((A, True), (B, False)): 0.667,
    }


def test_example_has_the_known_weights_and_scores(evidence):
    patterns = [PAIR[:1], PAIR[1:], PAIR]
    weights = np.array([divergence(evidence.covers(pattern), evidence.y) for pattern in patterns])
    assert weights.round(4).tolist() == [0.0596, 0.0596, 0.3348]
    assert scale_weights(weights).round(9).tolist() == [0, 0, 1]
    supports = dict.fromkeys(patterns, 2 / 3)
    assert score_patterns(supports, evidence, "kldiv", False).round(3).tolist() == [0.333, 0.333, 0.833]
    assert rank_patterns(supports, evidence, "kldiv", False) == [PAIR, PAIR[:1], PAIR[1:]]


def test_example_has_the_known_rule(evidence, stability):
    assert stability.of({})[0] == pytest.approx(5 / 13)
    assert stability.of(dict(PAIR))[0] == pytest.approx(5 / 8)
    terms = merge_patterns([PAIR, PAIR[:1], PAIR[1:]], stability, 0.9)
    assert terms == dict(PAIR)
    assert (evidence.covers(terms).sum(), evidence.precision(terms)) == (5, 0.8)
    for complement in ({(A, False): 2.2, (B, False): 6.1}, {(A, True): 2.2, (B, True): 6.1}):
        assert stability.of(complement)[0] == pytest.approx(1 / 5)
    assert prune_terms(terms, stability, 0.7) == terms
    assert prune_terms(terms, stability, 0.15) == dict(PAIR[1:])  # and one term stays


# Paths and patterns.


def test_splits_are_those_of_scikit_learn(fold):
    """Each split on the model's own decision path, with the bound told in original units."""
    forest, bounds = fold.forest, node_bounds(fold.forest)
    scaler, model = fold.model[0], fold.model[-1]
    for row in explained_rows(fold, 2):
        x = fold.X_test[row]
        splits, votes = splits_on_paths(forest, bounds, x)
        scaled = scaler.transform(x[None]).astype(np.float32)
        for path, vote, tree in zip(splits, votes, model.estimators_, strict=True):
            nodes = tree.decision_path(scaled).indices[:-1]
            thresholds, features = tree.tree_.threshold[nodes], tree.tree_.feature[nodes]
            assert [f for (f, _), _ in path] == features.tolist()
            assert [is_lower for (_, is_lower), _ in path] == (scaled[0, features] > thresholds).tolist()
            assert all((x[f] > bound) == is_lower for (f, is_lower), bound in path)
            told = scaler.transform(np.tile([[bound] for _, bound in path], x.size))[range(len(path)), features]
            assert np.allclose(told, thresholds, rtol=1e-6)
            assert vote.tolist() == [p[0, 1] > 0.5 for p in tree.predict_proba(scaled)]


def test_frequent_sets_are_those_of_mlxtend():
    """The miner of the published code misses some."""
    rng = np.random.default_rng(0)
    for n_items, min_count in itertools.product((4, 9), (1, 3, 8)):
        table = rng.random((25, n_items)) < 0.5
        transactions = [[((int(f), True), 0.0) for f in np.flatnonzero(row)] for row in table]
        ours = {
            frozenset(f for (f, _), _ in items): count
            for items, count in frequent_sets(transactions, min_count, Deadline()).items()
        }
        theirs = hmine(pd.DataFrame(table), min_support=min_count / 25 - 1e-9)
        assert ours == {items: round(s * 25) for items, s in zip(theirs["itemsets"], theirs["support"], strict=True)}
        assert len(ours) >= n_items


def test_support_is_lowered_until_there_is_a_pattern():
    transactions = [[((f, True), 0.0)] for f in (0, 1, 2, 3, 4, 4)]
    assert mine_patterns(transactions, 1.0, Deadline()) == {(((4, True), 0.0),): pytest.approx(1 / 3)}
    assert mine_patterns([[], []], 0.5, Deadline()) == {}


def test_patterns_keep_the_tightest_bounds():
    """Supports of sets that become the same pattern are added up."""
    loose, tight = ((A, True), 1.0), ((A, True), 2.0)
    assert mine_patterns([[loose, tight], [tight]], 1.0, Deadline()) == {(tight,): 1.0}
    assert mine_patterns([[loose, tight], [loose, tight]], 1.0, Deadline()) == {(loose,): 1.0, (tight,): 2.0}
    assert tighten({(B, False): 5.0}, [((B, False), 4.0), tight, loose]) == {(B, False): 4.0, (A, True): 2.0}


def test_published_bins_move_a_bound_beyond_the_row():
    """A lower bound on an inner edge goes to the bin below, or to the middle of a bin that holds nothing."""
    paths = [[((A, True), v)] for v in (0.0, 2.0, 2.0, 4.0)]
    sound, paper = merge_bounds(paths, 2), merge_bounds(paths, 2, True)
    assert [bound for path in sound for _, bound in path] == pytest.approx([0, 8 / 3, 8 / 3, 8 / 3])
    assert [bound for path in paper for _, bound in path] == pytest.approx([0, 0, 0, 8 / 3])


def test_mining_ends_when_time_is_out():
    transactions = [[((f, True), 0.0) for f in range(20)]] * 2
    with pytest.raises(OutOfTimeError):
        frequent_sets(transactions, 1, Deadline(0.02))


# Weights, merging, pruning.


def test_association_is_the_chi_square_of_counts():
    from scipy.stats import chi2_contingency

    rng = np.random.default_rng(1)
    for _ in range(5):
        covered, y = rng.random((2, 30)) < 0.4
        expected = chi2_contingency(pd.crosstab(covered, y), correction=False).statistic
        assert association(covered, y) ** 2 == pytest.approx(expected)
    assert np.isnan(association(np.zeros(30, dtype=bool), y))


def test_published_chi_square_prefers_what_tells_nothing(evidence):
    useful, useless = evidence.covers(PAIR), evidence.covers(PAIR[:1])
    assert association(useful, evidence.y) > association(useless, evidence.y)
    assert swapped_association(useful, evidence.y) < swapped_association(useless, evidence.y)


def test_undefined_weights_are_the_least():
    assert scale_weights(np.array([np.nan, 3.0, 1.0])).tolist() == [0, 1, 0]
    assert scale_weights(np.array([np.nan])).tolist() == [0]


def test_rule_stays_empty_where_the_label_is_frequent(stability):
    assert merge_patterns([PAIR], stability, 0.4) == {}


def test_rejected_pattern_ends_the_published_search(evidence):
    """It is as stable as the rule asks for, though no better than none; the better one is never tried."""
    sample = np.array([10.0, 10, 10, 10, 0, 5, 0, 0, 0, 0])
    stability = Stability(evidence, np.stack([sample, sample]))
    all_rows = (((A, True), -1.0),)
    assert stability.of(dict(all_rows)).tolist() == [40 / 48, 40 / 48]
    assert stability.of(dict(PAIR)).tolist() == [40 / 43, 40 / 43]
    assert merge_patterns([all_rows, PAIR], stability, 0.8, is_paper=True) == {}
    assert merge_patterns([all_rows, PAIR], stability, 0.8) == dict(PAIR)


def test_bootstrap_samples_must_agree(evidence):
    """Ten of ten samples for a step; a term goes unless its complement is unstable in nearly all."""
    stability = Stability(evidence, np.ones((10, 10)))
    old, new = np.zeros(10), np.ones(10)
    assert stability.is_better(new, old)
    new[0] = 0
    assert not stability.is_better(new, old)
    assert not stability.can_lose(np.zeros(10), 0.5)
    assert stability.can_lose(np.array([1.0] + [0.0] * 9), 0.5)


def test_groups_say_what_is_needed():
    groups = {"colour": (1, 2, 3)}
    others = {(0, True): 0.3, (1, False): 0.5}
    assert simplify_groups(others | {(2, True): 0.5}, groups) == {(0, True): 0.3, (2, True): 0.5}
    assert simplify_groups(others | {(2, False): 0.5}, groups) == {(0, True): 0.3, (3, True): 0.5}
    assert simplify_groups(others, groups) == others


# The adapter.


def test_rules_hold_for_their_row_and_are_counted(fold):
    for row in explained_rows(fold):
        for found in explained(fold, row, support=0.1):
            assert found.rule.covers(fold.X_test[row : row + 1]).all()
            assert found.rule.consequent == found.labels
            covered = fold.forest.predict_labels(fold.X_train)[found.rule.covers(fold.X_train), found.labels[0]]
            assert found.reported["own_precision"] == pytest.approx(covered.mean())
            assert found.status == ("found" if len(found.rule) else "empty")


def test_rules_do_not_depend_on_the_order_of_calls(fold):
    rows, fitted = explained_rows(fold, 3), chirps.fit(fold, 5, {})
    there, back = (
        [fitted.explain(fold.X_test[row], (0, 1), ("each",))["each"][0].rule for row in order]
        for order in (rows, rows[::-1])
    )
    assert there == back[::-1]


def test_label_that_no_tree_votes_for_has_an_empty_rule(fold):
    """The forest may predict by the mean of leaves what no tree has a majority for; the published code fails there."""
    forest = replace(fold.forest, votes=np.full_like(fold.forest.votes, 0.5))
    changed = replace(fold)
    changed.__dict__["forest"] = forest
    found = chirps.fit(changed, 0, {}).explain(fold.X_test[0], (0,), ("each",))["each"][0]
    assert (found.status, len(found.rule), found.reported["n_paths"]) == ("no tree agrees", 0, 0)


def test_of_two_bounds_the_published_rule_keeps_the_last():
    terms = {(A, True): 1.0, (B, True): 2.0, (A, False): 3.0}
    assert chirps._conditions(terms, True) == [Condition(A, upper=3), Condition(B, lower=2)]
    assert len(chirps._conditions(terms, False)) == 3


def test_empty_rules_are_reported_or_replaced(fold):
    row = explained_rows(fold, 1)[0]
    rate = fold.forest.predict_labels(fold.X_train).mean(axis=0)[fold.predicted[row]].min()
    empty = explained(fold, row, precision=float(rate) / 2)
    assert {(one.status, len(one.rule)) for one in empty} == {("empty", 0)}
    assert score_row(empty, row, fold, False)["is_empty"] == 1
    other = explained(fold, row, precision=float(rate) / 2, on_no_solution="default")
    assert all(one.status == "found" for one in other)


def test_end_of_time_is_recorded(fold):
    row = explained_rows(fold, 1)[0]
    found = explained(fold, row, time_limit=1e-9)
    assert {(one.status, one.rule) for one in found} == {("out of time", None)}


def test_published_example_has_an_empty_rule(data_folder):
    """Table 8 of the LionForests paper: {} for tool wear failure, which then is said of every row."""
    fold = load_fold("ai4i-example", 0)
    settings = {"precision": 0.9, "support": 0.1, "delta": 0.2, "weighting": "kldiv", "mode": "paper"}
    found = chirps.fit(fold, 0, settings).explain(fold.X_test[0], (0, 2, 3), ("each",))["each"]
    assert [one.status for one in found] == ["empty", "found", "found"]
    assert found[0].reported["own_precision"] < 0.2


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"precision": 0}, "precision must be above 0 and at most 1, got 0"),
        ({"n_bins": 0}, "n_bins must be a whole number from 1, got 0"),
        ({"n_boots": 2.5}, "n_boots must be a whole number from 0, got 2.5"),
        ({"weighting": "entropy"}, "weighting must be one of chisq, kldiv, got 'entropy'"),
        ({"time_limit": -1}, "time_limit must be None or above 0, got -1"),
        ({"alpha": 0.5}, "unknown parameter 'alpha'"),
    ],
)
def test_wrong_parameters_are_named(parameters, message):
    with pytest.raises(ValueError, match=message):
        chirps.check(parameters)
