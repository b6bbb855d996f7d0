import numpy as np
import pytest

from experiments.audit import SETS, Audit, adversarial_points, audit
from experiments.explainers.lionforests import EXPLAINER
from experiments.forests import load_fold
from mlrx.lionforests import ForestCells
from mlrx.rules import Condition, Rule


@pytest.fixture(scope="module")
def fold():
    return load_fold("ai4i-simulated", 0)


@pytest.fixture(scope="module")
def cases(fold):
    """Proven rules for all labels of some rows, with their rows."""
    explain, found = EXPLAINER.fit(fold, 0, {}).explain, []
    for x, present in zip(fold.X_test[:6], fold.predicted[:6]):
        (explained,) = explain(x, tuple(np.flatnonzero(present).tolist()), ("all",))["all"]
        found.append((x, explained.rule, explained.labels))
    return found


def points_of(fold, x, rule, labels, n_points=400):
    return adversarial_points(ForestCells.of(fold.forest), rule, labels, x, n_points, np.random.default_rng(0))


def test_points_are_inside_their_rule(fold, cases):
    for x, rule, labels in cases:
        points = points_of(fold, x, rule, labels)
        assert points.shape == (400, 6)
        assert rule.covers(points).all()
        for condition in rule.antecedent:
            if np.isfinite(condition.upper):
                assert (points[:, condition.feature] == condition.upper).any()
            if np.isfinite(condition.lower):
                assert (points[:, condition.feature] == np.nextafter(condition.lower, np.inf)).any()


def test_points_find_what_is_lost_without_a_condition(fold, cases):
    """No condition of these rules can be left out, so an audit that finds nothing then is worth nothing."""
    found = []
    for x, rule, labels in cases:
        for k in range(len(rule)):
            wider = Rule(rule.antecedent[:k] + rule.antecedent[k + 1 :], rule.consequent, dtype=rule.dtype)
            predicted = fold.forest.predict_labels(points_of(fold, x, wider, labels))
            found.append(not predicted[:, list(labels)].all())
    assert np.mean(found) > 0.9


def test_points_find_the_bound_that_the_paper_rounds_outward(data_folder):
    fold = load_fold("ai4i-example", 0)
    bounds = [(2.5, 3), (300.6, 301.7), (310, 313.7), (1351, 1380), (65.2, 65.5), (207.5, 209)]
    printed = Rule([Condition(f, *ends) for f, ends in enumerate(bounds)], (0, 2, 3), dtype="float32")
    points = points_of(fold, fold.X_test[0], printed, printed.consequent)
    predicted = fold.forest.predict_labels(points)
    is_lost = ~predicted[:, [0, 2, 3]].all(axis=1)
    assert is_lost.any()
    assert (points[is_lost, 1] > 301.65).all()


def test_clean_only_with_rules_and_without_finds():
    assert not Audit("flags").is_clean
    assert Audit("flags", rules=1).is_clean
    assert not any(Audit("flags", rules=1, **{name: 1}).is_clean for name in ("not_own", "lost", "differing"))


def test_simulated_set_is_clean(fold):
    found = audit(fold, n_rows=5)
    assert found.is_clean
    assert (found.rows, found.unproven) == (5, 0)
    assert found.points == 1000 * found.rules


@pytest.mark.parametrize("name", SETS)
def test_five_rows_of_each_set_are_clean(data_folder, name):
    fold = load_fold(name, 0)
    found = audit(fold, n_rows=5, strategies=("all",))
    assert found.is_clean, found
