import numpy as np
import pytest
from sklearn.model_selection import KFold

from experiments.forests import N_FOLDS, PROTOCOLS, load_fold


def test_folds_are_the_unshuffled_ones_of_scikit_learn():
    data = PROTOCOLS["ai4i-simulated"].load()
    X = data.X.to_numpy()
    for k, (trained, tested) in enumerate(KFold(N_FOLDS).split(X)):
        fold = load_fold("ai4i-simulated", k)
        assert np.array_equal(fold.X_train, X[trained])
        assert np.array_equal(fold.X_test, X[tested])
        assert np.array_equal(fold.test.Y, data.Y[tested])


def test_simulated_rows_have_a_failure_and_numbers_only():
    data = PROTOCOLS["ai4i-simulated"].load()
    assert data.Y.any(axis=1).all()
    assert set(data.X["Type"]) == {1.0, 2.0, 3.0}
    assert data.label_names == ("TWF", "HDF", "PWF", "OSF")


def test_flat_forest_predicts_what_the_model_does():
    fold = load_fold("ai4i-simulated", 0)
    assert np.array_equal(fold.predicted, fold.model.predict(fold.X_test))
    assert fold.predicted.any()


@pytest.mark.parametrize(
    ("name", "fold", "message"),
    [
        ("mill", 0, "name must be one of foodtruck, water-quality, flags, ai4i, .* got 'mill'"),
        ("flags", 10, "fold must be from 0 to 9, got 10"),
        ("ai4i-example", 1, "fold must be from 0 to 0, got 1"),
    ],
)
def test_unknown_names_are_refused(name, fold, message):
    with pytest.raises(ValueError, match=message):
        load_fold(name, fold)


@pytest.mark.parametrize(
    ("name", "n_rows", "n_features", "n_labels"),
    [("foodtruck", 407, 29, 12), ("water-quality", 1060, 16, 14), ("flags", 194, 19, 7), ("ai4i", 339, 6, 4)],
)
def test_sets_have_the_published_sizes(data_folder, name, n_rows, n_features, n_labels):
    data = PROTOCOLS[name].load()
    assert (data.n_samples, data.n_features, data.n_labels) == (n_rows, n_features, n_labels)
    assert set(data.kinds) <= {"numeric", "binary"}
    assert data.X.notna().all(axis=None)


def test_failed_machines_without_a_cause_are_kept(data_folder):
    """Choosing rows by the labels alone would lose the 9 failures that have no cause."""
    assert (PROTOCOLS["ai4i"].load().Y.sum(axis=1) == 0).sum() == 9


def test_columns_of_a_category_are_known(data_folder):
    fold = load_fold("foodtruck", 0)
    assert fold.groups == {"motivation": (17, 18, 19, 20, 21), "time": (22, 23, 24, 25, 26)}
    for columns in fold.groups.values():
        assert (fold.X_train[:, columns].sum(axis=1) == 1).all()
    assert fold.feature_names[22:27] == ("time=afternoon", "time=dawn", "time=dinner", "time=happy_hour", "time=lunch")
    assert set(fold.X_train[:, 27]) == {1.0, 2.0}


def test_example_has_the_published_row_and_labels(data_folder):
    fold = load_fold("ai4i-example", 0)
    assert fold.X_test.tolist() == [[3, 300.7, 310.2, 1364, 65.3, 208]]
    assert fold.train.n_samples == 227
    assert fold.predicted.tolist() == [[True, False, True, True]]
