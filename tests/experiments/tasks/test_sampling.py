"""What is measured of sampled sets and rules, by hand where one draw alone is possible and by its law elsewhere."""

import math

import numpy as np
import pytest

from experiments.splits import Split
from experiments.tasks.observing import Kind
from experiments.tasks.sampling import ConsequentDraws, CouplingDraws, RuleDraws, discriminativity, read_tables
from mlrx.datasets.load import binary_data


def make_split(X, Y):
    data = binary_data(np.array(X, dtype=np.uint8), np.array(Y, dtype=np.uint8), (), "toy", "train")
    return Split("toy", data, data, "")


# Six rows; the first item says whether a row has the one label.
CLEAR = make_split([[1, 0], [1, 0], [1, 0], [0, 1], [0, 1], [0, 0]], [[1, 0]] * 3 + [[0, 0]] * 3)


def observe(observer, split, seed=0):
    return observer.observe(split, np.random.default_rng(seed))


def test_consequents_by_hand():
    # {a} on three rows is all that there is.
    assert observe(ConsequentDraws(20), CLEAR) == {
        "n_labels_of_rule": 1.0,
        "n_distinct": 1.0,
        "log_rows": pytest.approx(math.log(3)),
        "log_area": pytest.approx(math.log(3)),
        "single_row": 0.0,
    }


def test_means_are_those_of_the_law():
    # Areas: {a} 3 rows, {b} 2, {a, b} 2 rows of 2 labels. Edge a-b: 1 - (1 - 2/3) (1 - 1) = 1.
    split = make_split([[1, 0]] * 4, [[1, 1], [1, 1], [1, 0], [0, 0]])
    n, areas, rows, labels = 20_000, np.array([3, 2, 4]), np.array([3, 2, 2]), np.array([1, 1, 2])
    law = areas / areas.sum()
    for probability in (None, 1.0):
        scores = observe(ConsequentDraws(n, probability), split)
        assert scores["n_distinct"] == 3
        assert scores["edge_probability"] == 1.0
        for name, values in (
            ("log_rows", np.log(rows)), ("log_area", np.log(areas)), ("n_labels_of_rule", labels)
        ):  # fmt: skip
            mean = law @ values
            error = math.sqrt(law @ (values - mean) ** 2 / n)
            assert abs(scores[name] - mean) < 4 * error, name


@pytest.mark.parametrize("target", ["discriminativity", "greedy"])
def test_rules_by_hand(target):
    # The only antecedent that tells a row with the label from the others is the first item.
    assert observe(RuleDraws(4, 5, target, 0.8), CLEAR) == {
        "n_items": 1.0,
        "n_labels_of_rule": 1.0,
        "log_covered": pytest.approx(math.log(3)),
        "log_item_area": pytest.approx(math.log(3)),
        "log_rows": pytest.approx(math.log(3)),
        "log_area": pytest.approx(math.log(3)),
        "confidence": 1.0,
        "discriminativity": 1.0,
        "single_row": 0.0,
    }


@pytest.mark.parametrize("target", ["support", "area"])
def test_antecedents_by_support_do_not_look_at_labels(target):
    # The first item on 3 rows, all with the label; the second on 2 rows, none with it.
    scores = observe(RuleDraws(20, 500, target), CLEAR)
    n, p = 10_000, 3 / 5
    assert abs(scores["confidence"] - p) < 4 * math.sqrt(p * (1 - p) / n)
    share = scores["confidence"]
    assert scores["log_covered"] == pytest.approx(share * math.log(3) + (1 - share) * math.log(2))
    # The second item tells each row with the label from one of the others, and has none of them: 0 of 9 pairs.
    assert scores["discriminativity"] == pytest.approx(share)
    assert scores["single_row"] == pytest.approx(1 - share)
    assert "log_rows" not in scores


def test_nothing_is_said_where_nothing_can_be_drawn():
    alike = make_split([[1, 0]] * 4, [[1, 0], [1, 0], [0, 0], [0, 0]])
    assert observe(RuleDraws(3, 2, "discriminativity"), alike) == {}
    assert observe(CouplingDraws(3, 2, "tight", 0.8), alike) == {}


def test_data_without_labels_is_refused():
    bare = make_split([[1, 0], [0, 1]], [[0, 0], [0, 0]])
    for observer in (RuleDraws(3, 2, "greedy"), CouplingDraws(3, 2, "tight", 0.8)):
        with pytest.raises(ValueError, match="no training row has a label"):
            observe(observer, bare)


def test_cost_by_hand():
    # Tight proposal: each positive row has one set, and all negative rows lack it, so that every proposal is taken.
    tight = observe(CouplingDraws(5, 4, "tight", 0.8), CLEAR)
    assert tight == {"out_of_reach": 0.0, "exact_log_horizon": 0.0, "log_horizon": 0.0}
    # Boley et al.: w = w1 = 1, w2 = 2 for one item of two and 3 for none. E[w / w_bar] is sum(w) / sum(w_bar).
    p = 3 / (2 * math.sqrt(2) + math.sqrt(3))
    expected = math.log(2) * sum((1 - p) ** 2**k for k in range(12))
    loose = observe(CouplingDraws(50, 100, "boley", 0.8), CLEAR)
    assert loose["exact_log_horizon"] == pytest.approx(expected)
    assert loose["log_horizon"] == pytest.approx(expected, abs=0.1)


def test_reduced_space_has_a_cost_of_its_own():
    # Likely cliques of items: {x}, {y} and {x, y} on the rows with the label, {z} on the others.
    split = make_split([[1, 1, 0]] * 3 + [[0, 0, 1]] * 3, [[1]] * 3 + [[0]] * 3)
    assert observe(CouplingDraws(5, 4, "tight", 0.8, 0.8), split)["exact_log_horizon"] == 0.0
    # Each pair is told apart by w = 3 sets, and w1 = 3 of D+, w2 = 3 that D- lacks of four: w_bar is 3 as well.
    assert observe(CouplingDraws(5, 4, "boley", 0.8, 0.8), split)["exact_log_horizon"] == pytest.approx(0, abs=1e-6)


def test_what_is_out_of_reach_is_not_drawn():
    X = np.random.default_rng(0).random((20, 400)) < 0.02
    split = make_split(X, [[1]] * 10 + [[0]] * 10)
    scores = observe(CouplingDraws(3, 2, "boley", 0.8), split)
    assert scores["out_of_reach"] == 1.0
    assert scores["exact_log_horizon"] > 100
    assert "log_horizon" not in scores


def test_discriminativity_by_counting():
    X = np.random.default_rng(1).random((30, 4)) < 0.5
    positive = np.random.default_rng(2).random(30) < 0.4
    has = X[:, 0] & X[:, 2]
    told = sum(has[i] and not has[j] for i in np.flatnonzero(positive) for j in np.flatnonzero(~positive))
    counts = (np.array([n]) for n in (has.sum(), (has & positive).sum(), positive.sum()))
    assert discriminativity(*counts, 30)[0] == pytest.approx(told / (positive.sum() * (~positive).sum()))
    assert discriminativity(np.array([5]), np.array([5]), np.array([30]), 30).tolist() == [0.0]


def test_items_are_those_of_the_classifier():
    items, labels = read_tables(CLEAR)
    assert items.frequencies.tolist() == [3, 2]
    assert labels.frequencies.tolist() == [3, 0]


@pytest.mark.parametrize(
    ("kind", "parameters", "message"),
    [
        (ConsequentDraws, {}, "missing key 'n_draws'"),
        (ConsequentDraws, {"n_draws": 0}, "n_draws must be at least 1, got 0"),
        (ConsequentDraws, {"n_draws": 5.5}, "n_draws must be a whole number, got 5.5"),
        (ConsequentDraws, {"n_draws": 5, "alpha": 1}, "unknown key 'alpha'"),
        (ConsequentDraws, {"n_draws": 5, "min_clique_probability": 0}, "must be above 0 and at most 1, got 0"),
        (RuleDraws, {"n_consequents": 5, "n_draws": 1, "target": "size"}, "target must be one of support.*got 'size'"),
        (
            RuleDraws,
            {"n_consequents": 5, "n_draws": 1, "target": "greedy", "min_item_probability": 0.5},
            "greedy antecedents need none, got 0.5",
        ),
        (
            CouplingDraws,
            {"n_consequents": 5, "n_draws": 1, "proposal": "loose", "min_label_probability": 0.8},
            "proposal must be one of boley, tight, got 'loose'",
        ),
    ],
)
def test_wrong_parameters_are_named(kind, parameters, message):
    with pytest.raises(ValueError, match=message):
        Kind(kind).check(parameters)


def test_most_rules_of_all_sets_hold_for_one_row_and_those_of_cliques_do_not():
    rng = np.random.default_rng(6)
    X, Y = rng.random((60, 30)) < 0.3, rng.random((60, 8)) < 0.3
    X[0], Y[0] = True, True  # a row that swallows the draws
    split = make_split(X, Y)
    full = observe(RuleDraws(300, 1, "discriminativity"), split)
    reduced = observe(RuleDraws(300, 1, "discriminativity", 0.6, 0.6), split)
    assert full["single_row"] > 0.8
    assert full["n_items"] > 10
    assert reduced["single_row"] < 0.3
    assert reduced["n_items"] < 3
    assert reduced["log_covered"] > full["log_covered"] + math.log(5)
