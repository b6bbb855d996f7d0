import numpy as np
import pytest
from sklearn.ensemble import ExtraTreesClassifier, RandomForestClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler

from experiments.explainers.contributions import contributions
from experiments.forests import load_fold
from mlrx.lionforests import FlatForest


def make_rows(n_labels=3):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 4))
    return X, (X[:, :n_labels] + X[:, 1:2] > 0.3).astype(int)


def probabilities(forest, X):
    return (1 + forest.margins(X)) / 2


@pytest.mark.parametrize("kind", [RandomForestClassifier, ExtraTreesClassifier])
def test_bias_and_contributions_make_the_probability(kind):
    X, Y = make_rows()
    forest = FlatForest.read(make_pipeline(MinMaxScaler(), kind(20, max_depth=4, random_state=0)).fit(X, Y))
    bias, table = contributions(forest, X)
    assert table.shape == (60, 4, 3)
    assert np.abs(bias + table.sum(axis=1) - probabilities(forest, X)).max() < 1e-12
    assert np.abs(table).max() > 0.1


def test_bias_is_the_share_of_rows_without_bootstrap():
    X, Y = make_rows()
    model = RandomForestClassifier(3, bootstrap=False, random_state=0).fit(X, Y)
    bias, _ = contributions(FlatForest.read(model), X[:2])
    assert bias == pytest.approx(Y.mean(axis=0))


@pytest.mark.parametrize("constant", [0, 1])
def test_constant_labels_have_no_contributions(constant):
    X, Y = make_rows()
    Y[:, 1] = constant
    forest = FlatForest.read(RandomForestClassifier(5, random_state=0).fit(X, Y))
    bias, table = contributions(forest, X)
    assert bias[1] == constant
    assert not table[:, :, 1].any()
    assert np.abs(bias + table.sum(axis=1) - probabilities(forest, X)).max() < 1e-12


def test_one_label_and_missing_values():
    X, Y = make_rows(1)
    X[::5, 0] = np.nan
    forest = FlatForest.read(RandomForestClassifier(5, random_state=0).fit(X, Y[:, 0]))
    bias, table = contributions(forest, X)
    assert np.abs(bias + table.sum(axis=1) - probabilities(forest, X)).max() < 1e-12


def test_published_forest():
    fold = load_fold("ai4i-simulated", 0)
    bias, table = contributions(fold.forest, fold.X_test)
    expected = np.column_stack([label[:, 1] for label in fold.model.predict_proba(fold.X_test)])
    assert np.abs(bias + table.sum(axis=1) - expected).max() < 1e-12
