import numpy as np
import pytest
from sklearn.preprocessing import MinMaxScaler

from experiments.explainers import marlena
from experiments.explainers.columns import Columns
from experiments.explainers.marlena import Neighbours, make_up, published_rule, variance_distances
from experiments.explainers.surrogate import Step, path_rule
from mlrx.rules import Rule

from .small_folds import make_fold, make_mixed_fold

UNIT_SCALER = MinMaxScaler().fit([[0.0, 0.0], [1.0, 1.0]])


def explain(fitted, x, labels=(0,)):
    (one,) = fitted.explain(x, labels, ("all",))["all"]
    return one


@pytest.mark.parametrize(
    ("a", "b", "distance"),
    [
        ((0.2, 0.8, 0.5), (0.4, 0.6, 0.5), 0.2),
        ((0.2, 0.8, 0.5), (0.3, 0.9, 0.6), 0),
        ((1, 0, 1), (1, 1, 0), 0.75),
        ((1, 0, 1), (0, 1, 0), 1),
        ((1, 0, 1), (0, 0, 0), 0.5),
        ((1, 0, 1), (1, 1, 1), 0.5),
        ((1, 1, 1), (1, 1, 1), np.nan),
        ((2,), (5,), 0.6),
    ],
)
def test_distances_of_the_worked_examples(a, b, distance):
    found = variance_distances(np.array([a], dtype=float), np.array(b, dtype=float))
    assert found == pytest.approx([distance], abs=1e-12, nan_ok=True)


def test_undefined_distances_come_last_in_the_published_way_and_first_in_the_sound_one():
    X, Y = np.array([[0.5, 0.5], [0, 1], [1, 0]]), np.array([[1, 1], [1, 0], [0, 1]], dtype=bool)
    present = np.array([True, True])
    for is_paper, first in ((True, 1), (False, 0)):
        neighbours = Neighbours(X, Y, Columns((0, 1)), is_paper, n_neighbors=1, feature_share=0)
        assert neighbours.core(np.array([0.2, 0.2]), present, np.random.RandomState(0)).tolist() == [first]
        neighbours = Neighbours(X, Y, Columns((0, 1)), is_paper, n_neighbors=1, feature_share=1)
        assert neighbours.core(np.array([0.2, 0.2]), present, np.random.RandomState(0)).tolist() == [first]


@pytest.mark.parametrize(
    ("n_neighbors", "share", "n_features"), [(10, 0.7, 7), (5, 0.5, 3), (7, 0.5, 3), (5, 0.3, 2), (4, 1, 4), (4, 0, 0)]
)
def test_core_takes_its_shares(n_neighbors, share, n_features):
    """Five halves: 2 and 2 when rounded, the third one is near by features. Seven halves: 4 and 4."""
    # Rows 0 to 19 are near by features, rows 20 to 39 have the labels.
    X = np.column_stack([np.repeat([0.0, 1], 20), np.repeat([1.0, 0], 20)])
    Y = np.repeat([[False], [True]], 20, axis=0)
    neighbours = Neighbours(X, Y, Columns((0, 1)), False, "mixed", n_neighbors, share)
    core = neighbours.core(np.array([0.0, 1]), np.array([True]), np.random.RandomState(0))
    assert len(core) == n_neighbors
    assert (core < 20).sum() == n_features
    assert all(len(set(part.tolist())) == len(part) for part in (core[core < 20], core[core >= 20]))


def test_equal_label_sets_are_taken_nearest_first():
    X = np.array([[0.0, 1], [1, 0], [0.1, 0.9], [0.5, 0.7]])
    neighbours = Neighbours(X, np.ones((4, 1), dtype=bool), Columns((0, 1)), False, "mixed", 2, 0)
    core = neighbours.core(np.array([0.5, 0.7]), np.array([True]), np.random.RandomState(0))
    assert 1 not in core


def test_unified_neighbours_weigh_labels_as_nominal_columns():
    X = np.array([[0, 1, 0.0], [0, 0.5, 1], [0, 1, 1]])
    Y = np.array([[0, 0], [1, 1], [0, 1]], dtype=bool)
    neighbours = Neighbours(X, Y, Columns((0, 1), ((2,),)), False, "unified", 3)
    # Of five parts: two numbers at 0, 0.1, 0; the nominal column 0, 1, 1; two labels 2, 0, 1.
    found = neighbours.feature_distances(np.array([0, 1.0, 0]), np.array([True, True]) != Y)
    assert found == pytest.approx([2 / 5, 1.2 / 5, 2 / 5])
    assert neighbours.core(np.array([0, 1.0, 0]), np.array([True, True]), None).tolist() == [1, 0, 2]


def test_made_up_rows_have_the_distribution_of_the_core():
    columns = Columns((0,), ((1,), (2, 3)))
    core = np.array([[0, 1, 1, 0], [2, 1, 1, 0], [4, 1, 0, 1], [6, 0, 1, 0.0]])
    X = make_up(core, columns, 4000, np.random.RandomState(0))
    # Standard errors: 0.035, 0.025, 0.007.
    assert X[:, 0].mean() == pytest.approx(3, abs=0.15)
    assert X[:, 0].std() == pytest.approx(5**0.5, abs=0.11)
    assert X[:, [1, 2]].mean(axis=0) == pytest.approx([0.75, 0.75], abs=0.03)
    assert (X[:, 2] + X[:, 3] == 1).all()


def test_published_rule_covers_nothing_where_the_sound_one_does():
    steps = [Step(0, False, 0.3), Step(0, False, 0.5), Step(0, True, 0.9)]
    rows = np.linspace(0, 1, 101)[:, None] * [1, 1]
    sound, published = path_rule(steps, ()), published_rule(steps, (), UNIT_SCALER)
    assert np.flatnonzero(sound.covers(rows)).tolist() == list(range(51, 91))
    assert not published.covers(rows).any()


def test_published_rule_keeps_the_looser_bound_of_two_decimals():
    rows = np.linspace(0, 1, 1001)[:, None] * [1, 1]
    loose = published_rule([Step(0, True, 0.9), Step(0, True, 0.504), Step(0, False, 0.2)], (1,), UNIT_SCALER)
    assert np.flatnonzero(loose.covers(rows)).tolist() == list(range(201, 901))
    rounded = published_rule([Step(1, True, 0.504)], (1,), UNIT_SCALER)
    assert np.flatnonzero(rounded.covers(rows)).tolist() == list(range(501))
    assert rounded.consequent == (1,)
    assert published_rule([], (1,), UNIT_SCALER) == Rule((), (1,))


def test_published_bounds_are_in_original_units():
    scaler = MinMaxScaler().fit([[100.0, -1], [300, 1]])
    (condition,) = published_rule([Step(0, True, 180.5)], (), scaler).antecedent
    assert condition.upper == pytest.approx(180)


@pytest.mark.parametrize("neighbourhood", ["mixed", "unified"])
@pytest.mark.parametrize("mode", ["sound", "paper"])
def test_same_seed_same_rules_in_any_order(mode, neighbourhood):
    fold = make_mixed_fold()
    parameters = {"mode": mode, "neighbourhood": neighbourhood, "n_samples": 50}
    one, other = (marlena.fit(fold, 5, parameters) for _ in range(2))
    rules = [explain(one, x).rule for x in fold.X_test[:4]]
    assert rules == [explain(other, x).rule for x in fold.X_test[3::-1]][::-1]
    if mode == "sound":
        assert all(rule.covers(x[None]).all() for rule, x in zip(rules, fold.X_test))
        third = marlena.fit(fold, 6, parameters)
        assert rules != [explain(third, x).rule for x in fold.X_test[:4]]


def test_neighbours_that_all_have_the_same_labels_give_the_empty_rule():
    X = np.random.default_rng(0).normal(size=(12, 2))
    one = explain(marlena.fit(make_fold(X, np.tile([True, False], (12, 1))), 0, {"mode": "paper"}), X[0])
    assert one.rule == Rule((), (0,))
    assert one.reported == {"fidelity": 1, "label_fidelity": [1, 1], "hit": 1, "same_labels": 1}


@pytest.mark.parametrize(
    "parameters",
    [{"mode": "published"}, {"neighbourhood": "none"}, {"n_neighbors": 0}, {"n_samples": -1}, {"feature_share": 1.5}],
)
def test_values_out_of_their_domain_are_refused(parameters):
    with pytest.raises(ValueError, match=next(iter(parameters))):
        marlena.check(parameters)
