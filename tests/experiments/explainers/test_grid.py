import warnings

import numpy as np
import pytest
from sklearn.metrics import f1_score
from sklearn.model_selection import GridSearchCV
from sklearn.tree import DecisionTreeClassifier

from experiments.explainers import grid
from experiments.explainers.grid import PUBLISHED_FEATURES, best_surrogate, weighted_f1
from experiments.explainers.surrogate import Surrogate


@pytest.fixture
def count_fits(monkeypatch):
    counted = []
    fit = Surrogate.fit
    monkeypatch.setattr(Surrogate, "fit", lambda *args, **kwargs: counted.append(1) or fit(*args, **kwargs))
    return counted


@pytest.mark.filterwarnings("ignore:F-score is ill-defined")
@pytest.mark.parametrize("seed", range(2))
def test_search_finds_the_tree_of_scikit_learn(seed, count_fits, monkeypatch):
    monkeypatch.setattr(grid, "N_SPLITS", 4)
    monkeypatch.setattr(grid, "LEAF_SIZES", (1, 5))
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(40, 7)).round(1)
    Y = np.column_stack([X[:, 0] > 0.2, X[:, 1] + X[:, 2] > 0.3 * rng.normal(size=40), rng.random(40) < 0.1])
    values = {"max_depth": grid.DEPTHS, "max_features": PUBLISHED_FEATURES, "min_samples_leaf": grid.LEAF_SIZES}
    search = GridSearchCV(DecisionTreeClassifier(random_state=10), values, scoring="f1_weighted", cv=4).fit(X, Y)
    tree, theirs = best_surrogate(X, Y, PUBLISHED_FEATURES, 10).tree, search.best_estimator_
    assert (tree.max_depth, tree.min_samples_leaf) == (theirs.max_depth, theirs.min_samples_leaf)
    assert np.array_equal(tree.tree_.threshold, theirs.tree_.threshold)
    assert np.array_equal(tree.tree_.feature, theirs.tree_.feature)
    # Of 4 * 4 * 2 candidates, 4 times, and the last fit.
    assert len(count_fits) < 0.6 * 129


def test_rows_with_the_same_labels_need_no_search(count_fits):
    surrogate = best_surrogate(np.arange(5.0)[:, None], np.array([[True, False]] * 5), PUBLISHED_FEATURES, 0)
    assert (surrogate.depth, surrogate.labels(np.zeros(1)), len(count_fits)) == (0, (0,), 1)


@pytest.mark.parametrize("n_rows", [1, 2, 9])
def test_fewer_rows_than_parts(n_rows):
    """With fewer than ten rows the ten parts of the published search cannot be made."""
    X = np.arange(float(n_rows))[:, None]
    best_surrogate(X, X % 2 == 0, PUBLISHED_FEATURES, 0)


def test_weights_count_in_fits_and_scores():
    X, Y = np.arange(40.0)[:, None], np.arange(40)[:, None] % 20 < 10
    first = best_surrogate(X, Y, (None,), 0, np.where(X[:, 0] < 20, 1, 1e-9))
    second = best_surrogate(X, Y, (None,), 0, np.where(X[:, 0] < 20, 1e-9, 1))
    assert first.tree.tree_.threshold[0] == 9.5
    assert second.tree.tree_.threshold[0] == 29.5


@pytest.mark.parametrize("seed", range(5))
def test_weighted_f1_is_scikit_learns(seed):
    rng = np.random.default_rng(seed)
    truth, predicted = rng.random((2, 12, 4)) < [0.5, 0.2, 0.05, 0]
    weights = rng.random(12)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        unweighted = f1_score(truth, predicted, average="weighted")
        expected = f1_score(truth, predicted, average="weighted", sample_weight=weights)
        none = f1_score(truth & False, predicted, average="weighted")
    assert weighted_f1(truth, predicted) == unweighted
    assert weighted_f1(truth, predicted, weights) == pytest.approx(expected, abs=1e-15)
    assert weighted_f1(truth & False, predicted) == none == 0
