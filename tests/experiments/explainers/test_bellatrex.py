import sys

import numpy as np
import pytest

from experiments.explainers.bellatrex import EXPLAINER, rule_of_trees
from experiments.explainers.explainer import AGREES
from experiments.extras import MissingExtraError
from experiments.forests import load_fold
from mlrx.rules import Rule


@pytest.fixture(scope="module")
def fold():
    return load_fold("ai4i-simulated", 0)


def test_rule_of_trees_is_where_all_of_them_stay_in_their_leaf(fold):
    forest, x = fold.model[-1], fold.X_test[0]
    trees, weights = np.array([3, 8, 21]), np.array([0.5, 0.25, 0.25])
    rule = rule_of_trees(fold.cells, x, trees, weights)
    scaled = fold.scaler.transform(np.concatenate([fold.X_train, fold.X_test]))
    leaves = forest.apply(scaled)[:, trees]
    stays = (leaves == forest.apply(fold.scaler.transform(x[None]))[0, trees]).all(axis=1)
    assert 1 <= stays.sum() < len(stays)
    assert np.array_equal(rule.covers(np.concatenate([fold.X_train, fold.X_test])), stays)
    of_trees = [np.array(forest[t].predict_proba(fold.scaler.transform(x[None])))[:, 0, 1] for t in trees]
    assert rule.consequent == tuple(np.flatnonzero(weights @ np.array(of_trees) > 0.5))


def test_missing_package_is_named_with_its_group(fold, monkeypatch):
    monkeypatch.setitem(sys.modules, "bellatrex", None)
    with pytest.raises(MissingExtraError, match="outside the lock: pip install --group bellatrex"):
        EXPLAINER.fit(fold, 0, {})
    with pytest.raises(ValueError, match="unknown parameter 'n_trees'"):
        EXPLAINER.check({"n_trees": 3})


def test_package_explains_rows(fold):
    pytest.importorskip("bellatrex", reason="bellatrex is an extra outside the lock")
    fitted = EXPLAINER.fit(fold, 0, {})
    for x, present in zip(fold.X_test[:2], fold.predicted[:2]):
        labels = tuple(np.flatnonzero(present).tolist())
        (one,) = fitted.explain(x, labels, ("all",))["all"]
        assert isinstance(one.rule, Rule)
        assert one.rule.covers(x[None]).all()
        assert (one.labels, one.status) == (labels, AGREES)
        assert 0.5 < one.reported["fidelity"] <= 1
        assert 1 <= one.reported["n_paths"] <= 3
