import itertools

import numpy as np
import pytest

from experiments.explainers import anchors
from experiments.explainers.anchor_rows import AnchorRows, Predicate
from experiments.explainers.anchor_search import AnchorSearch, bernoulli_bound, exploration
from experiments.explainers.quartiles import Quartiles
from experiments.forests import load_fold
from experiments.tasks.explanation_scores import score_row
from mlrx.rules import Condition


@pytest.fixture(scope="module")
def fold():
    return load_fold("ai4i-simulated", 0)


def table() -> np.ndarray:
    """Rows with quartiles 2, 4 and 6 in the first column; the second has two values only."""
    return np.column_stack([np.arange(9.0), np.tile([0.0, 1.0, 1.0], 3)])


def rows_at(x: list[float], X: np.ndarray | None = None, seed: int = 0) -> AnchorRows:
    return AnchorRows(Quartiles(table() if X is None else X), np.array(x), np.random.RandomState(seed))


# Predicates and rows.


def test_predicates_are_all_edges_on_either_side():
    rows = rows_at([5.0, 1.0])
    assert [edges.tolist() for edges in rows.quartiles.edges] == [[2, 4, 6], [0, 1]]
    first = [Predicate(0, 0, True), Predicate(0, 1, True), Predicate(0, 2, False)]  # > 2, > 4, <= 6
    assert rows.predicates == (*first, Predicate(1, 0, True), Predicate(1, 1, False))


@pytest.mark.parametrize("numbers", [(), (0,), (0, 1), (1, 2), (0, 2, 3), (0, 1, 2, 3, 4)])
def test_drawn_rows_satisfy_their_predicates(numbers):
    rows = rows_at([5.0, 1.0])
    X, bins = rows.draw(numbers, 200)
    assert np.array_equal(bins, rows.quartiles.locate(X))
    assert all(rows.holds(number, bins).all() for number in numbers)
    for column, known in zip(X.T, rows.quartiles.X.T, strict=True):
        assert set(column) <= set(known)


def test_values_that_no_training_row_has_are_drawn_up_to_the_row():
    """The library draws between the number of an edge and the greatest value, none of which holds here."""
    rows = rows_at([0.0, 9.0], np.column_stack([np.zeros(8), np.repeat([1.0, 2.0, 3.0, 4.0], 2)]))
    X, bins = rows_at([9.0, 2.0], rows.quartiles.X).draw((0,), 50)
    assert ((X[:, 0] > 0) & (X[:, 0] <= 9)).all()
    assert len(set(X[:, 0])) == 50
    assert (bins[:, 0] == 1).all()


# Bounds.


def test_bounds_are_the_published_ones():
    """One step of bisection, as in the copy of the library that the studies ran, is far from sixteen."""
    level = np.log(10) / 100
    assert round(float(bernoulli_bound(0.95, level, -1, 1)), 4) == 0.8427
    assert round(float(bernoulli_bound(0.95, level, -1, 16)), 4) == 0.8892


def test_bounds_are_those_of_the_library():
    from anchor.anchor_base import AnchorBaseBeam

    for mean, level in itertools.product([0.0, 0.03, 0.5, 0.95, 1.0], [0.001, 0.02, 0.3, 4.0]):
        assert bernoulli_bound(mean, level, -1, 16) == AnchorBaseBeam.dlow_bernoulli(mean, level)
        assert bernoulli_bound(mean, level, 1, 16) == AnchorBaseBeam.dup_bernoulli(mean, level)
    assert exploration(7, 3) == AnchorBaseBeam.compute_beta(7, 3, 0.1)


# The search.


@pytest.mark.parametrize(("n_steps", "n_asked", "n_predicates", "bound"), [(1, 101, 1, 0.9466), (16, 101, 0, 0.9775)])
def test_forest_that_always_says_the_same(n_steps, n_asked, n_predicates, bound):
    """One step leaves the bound below the threshold, so that the published way adds a condition that nothing needs."""
    search = AnchorSearch(rows_at([5.0, 1.0]), lambda X: np.ones(len(X), dtype=bool), 0.95, n_steps=n_steps)
    found = search.find()
    assert len(found.numbers) == n_predicates
    assert found.precision == 1
    assert found.is_precise
    assert search.n_asked >= n_asked
    assert round(float(bernoulli_bound(1.0, np.log(10) / 101, -1, n_steps)), 4) == bound


@pytest.mark.parametrize("beam_size", [1, 3])
@pytest.mark.parametrize("seed", range(2))
def test_anchors_are_those_of_the_library(monkeypatch, seed, beam_size):
    from anchor.anchor_base import AnchorBaseBeam
    from anchor.anchor_tabular import AnchorTabularExplainer

    rng = np.random.default_rng(seed)
    X = rng.integers(0, 12, size=(60, 4)).astype(float)
    x = X[seed]

    def is_alike(rows: np.ndarray) -> np.ndarray:
        same_sides = (rows[:, :3] > 5) == (x[:3] > 5)
        return same_sides.sum(axis=1) + (rows[:, 3] > 9) > 2

    rows = rows_at(x, X, seed)
    found = AnchorSearch(rows, is_alike, 0.95, beam_size).find()
    library = AnchorTabularExplainer(["no", "yes"], list("abcd"), X)
    draw, _ = library.get_sample_fn(x, lambda rows: is_alike(rows).astype(int), desired_label=1)
    monkeypatch.setattr(np.random, "choice", np.random.RandomState(seed).choice)
    expected = AnchorBaseBeam.anchor_beam(
        draw, delta=0.1, epsilon=0.15, batch_size=100, desired_confidence=0.95, beam_size=beam_size
    )
    assert list(found.numbers) == expected["feature"]
    assert found.precision == expected["mean"][-1]
    assert found.coverage == expected["coverage"][-1]


def test_no_anchor_is_precise():
    rng = np.random.default_rng(0)
    found = AnchorSearch(rows_at([5.0, 1.0]), lambda X: rng.random(len(X)) < 0.6, 0.95).find()
    assert not found.is_precise
    assert found.numbers
    assert found.precision < 0.95


# The adapter.


def explained(fold, row, strategies=("each",), seed=0, **parameters):
    labels = fold.labels_of(row)
    return anchors.fit(fold, seed, parameters).explain(fold.X_test[row], labels, strategies)


def test_rules_hold_for_their_row_and_are_precise(fold):
    for row in np.flatnonzero(fold.predicted.any(axis=1))[:1]:
        for found in itertools.chain.from_iterable(explained(fold, row, ("all", "each"), beam_size=1).values()):
            assert found.rule.consequent == found.labels
            assert found.rule.covers(fold.X_test[row : row + 1]).all()
            assert found.status == ("precise" if found.reported["own_precision"] >= 0.95 else "below the threshold")
            bounds = {b for c in found.rule.antecedent for b in (c.lower, c.upper) if np.isfinite(b)}
            assert bounds <= {edge for edges in Quartiles(fold.X_train).edges for edge in edges}


def test_rules_do_not_depend_on_the_order_of_calls(fold):
    first, second = np.flatnonzero(fold.predicted.any(axis=1))[:2]
    fitted = anchors.fit(fold, 5, {"beam_size": 1})
    labels = {row: fold.labels_of(row) for row in (first, second)}
    there = [fitted.explain(fold.X_test[row], labels[row], ("all",))["all"][0].rule for row in (first, second)]
    back = [fitted.explain(fold.X_test[row], labels[row], ("all",))["all"][0].rule for row in (second, first)]
    assert there == back[::-1]


def test_few_labels_of_a_forest_are_predicted_alike(fold):
    for labels in ((0,), (1, 3)):
        kept = anchors._keep_labels(fold.forest, labels)
        assert np.array_equal(kept.predict_labels(fold.X_train), fold.forest.predict_labels(fold.X_train)[:, labels])


def test_end_of_time_is_recorded(fold):
    row = int(np.flatnonzero(fold.predicted.any(axis=1))[0])
    found = explained(fold, row, time_limit=1e-9)["each"]
    assert {(one.status, one.rule) for one in found} == {("out of time", None)}
    scores = score_row(found, row, fold, False)
    assert scores["is_out_of_time"] == 1
    assert scores["rule_coverage"] == 0
    assert np.isnan(scores["length"])


def test_published_bounds_have_two_decimals_of_the_scaled_column(fold):
    quartiles = Quartiles(np.array([[0.0], [1.0], [2.0], [3.0], [8.0]]))  # scaled edges -0.75, -0.5, -0.25
    assert np.allclose(anchors._rounded(quartiles)[0], [1, 2, 3], atol=1e-12)
    quartiles = Quartiles(np.array([[0.0], [1.0], [2.0], [3.0], [300.0]]))  # -0.9933, -0.9867, -0.98
    assert np.allclose(anchors._rounded(quartiles)[0], [1.5, 1.5, 3])
    assert not Condition(0, lower=1.5).holds(np.array([1.4]))[0]  # 1.4 > 1 held
    row = int(np.flatnonzero(fold.predicted.any(axis=1))[0])
    (found,) = explained(fold, row, ("all",), mode="paper")["all"]
    assert found.rule is not None


def test_published_example_is_turned_within_its_rule(data_folder):
    """Table 8 of the LionForests paper: the rule for power failure allows a torque at which the forest sees none."""
    fold = load_fold("ai4i-example", 0)
    (found,) = anchors.fit(fold, 0, {"mode": "paper"}).explain(fold.X_test[0], (2,), ("each",))["each"]
    changed = fold.X_test.copy()
    changed[0, fold.feature_names.index("Torque [Nm]")] = 65.0
    assert found.rule.covers(np.vstack([fold.X_test, changed])).all()
    assert fold.forest.predict_labels(fold.X_test)[0].tolist() == [True, False, True, True]
    assert fold.forest.predict_labels(changed)[0].tolist() == [False, False, False, True]


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"precision": 1.0}, "precision must be above 0 and below 1, got 1.0"),
        ({"beam_size": 0}, "beam_size must be a whole number from 1, got 0"),
        ({"beam_size": 4, "mode": "paper"}, "beam_size must be 1 with mode 'paper', got 4"),
        ({"time_limit": 0}, "time_limit must be None or above 0, got 0"),
        ({"mode": "fast"}, "mode must be one of sound, paper, got 'fast'"),
        ({"threshold": 0.9}, "unknown parameter 'threshold'"),
    ],
)
def test_wrong_parameters_are_named(parameters, message):
    with pytest.raises(ValueError, match=message):
        anchors.check(parameters)
