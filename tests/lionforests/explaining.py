"""Forests and explanations of them, for tests of inputs that are hard; and what holds for every explanation."""

import numpy as np
import pytest
from sklearn.ensemble import RandomForestClassifier

from mlrx import LionForestsExplainer
from mlrx.lionforests import FlatForest, find_violation
from mlrx.rules import parse_rule

IN_BOTH_MODES = [
    pytest.mark.parametrize("mode", ["certified", "paper"]),
    # scikit-learn's check for NaN adds up all values, among them those far out on both sides.
    pytest.mark.filterwarnings("error::RuntimeWarning"),
    pytest.mark.filterwarnings("ignore:(invalid value|overflow) encountered in reduce:RuntimeWarning"),
]


def forest(X, Y, n_estimators=3, **parameters):
    return RandomForestClassifier(n_estimators, **{"random_state": 0} | parameters).fit(X, Y)


def explainer(model, X, Y=None, **parameters):
    return LionForestsExplainer(model, **parameters).fit(X, Y)


def read_back(explanation):
    """The rule that the printed text says."""
    names = explanation.feature_names, explanation.label_names
    return parse_rule(explanation.to_text(), *names, explanation.rule.dtype)


def assert_holds(model, explanation, rows=()):
    """Hold that a rule covers its own row, is proven, says the same as its text, and is kept on a grid of values."""
    assert explanation.status.startswith("certified")
    x = np.array([explanation.x])
    assert explanation.covers(x).all()
    assert find_violation(model, explanation.rule, explanation.labels, explanation.guarantee).status == "proven"
    assert read_back(explanation).antecedent == explanation.rule.antecedent
    rng = np.random.default_rng(0)
    values = np.concatenate([np.linspace(-6, 110, 1161), [-3e38, 3e38]])
    grid = np.concatenate([rng.choice(values, (2000, x.shape[1])), np.repeat(x, 2000, axis=0)])
    is_drawn = rng.random((2000, x.shape[1])) < 0.5
    grid[2000:][is_drawn] = rng.choice(values, is_drawn.sum())
    grid = np.concatenate([grid, x, np.reshape(rows, (-1, x.shape[1]))])
    covered = explanation.covers(grid)
    present = FlatForest.read(model).predict_labels(grid[covered])
    assert present[:, explanation.labels].all()
    if explanation.guarantee == "labelset":
        assert (present.sum(axis=1) == len(explanation.labels)).all()
