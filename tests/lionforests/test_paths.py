"""Paths: those of scikit-learn's trees, and distances between them."""

import numpy as np
import pytest
from sklearn.ensemble import RandomForestClassifier

from mlrx.lionforests.cells import ForestCells
from mlrx.lionforests.paths import Paths

from .paper_example import example_paths
from .small_forests import LADDER, small_forest


def paths_at(model, row, ranges=None):
    cells = ForestCells.of(model)
    n_features = cells.forest.n_features
    return Paths.of(
        cells, cells.locate([row])[0], [[0.0] * n_features, [4.0] * n_features] if ranges is None else ranges
    )


@pytest.mark.parametrize("seed", range(12))
def test_paths_are_those_of_the_trees(seed):
    model = small_forest(seed)
    row = np.random.default_rng(seed).integers(0, 6, (1, model.n_features_in_)).astype(np.float32)
    paths = paths_at(model, row[0])
    assert paths.n_trees == len(model.estimators_)
    for t, estimator in enumerate(model.estimators_):
        tree = estimator.tree_
        on_path = estimator.decision_path(row).indices
        inner = on_path[tree.children_left[on_path] >= 0]
        np.testing.assert_array_equal(paths.used[t], np.isin(np.arange(row.size), tree.feature[inner]))
        for f in range(row.size):
            thresholds = tree.threshold[inner[tree.feature[inner] == f]]
            left = row[0, f] <= thresholds
            start, end = (ends[0] for ends in paths._ends(f, np.array([t]))) if thresholds.size else (0, 4)
            assert start == pytest.approx(max([0.0, *thresholds[~left]]), rel=1e-6)
            assert end == pytest.approx(min([4.0, *thresholds[left]]), rel=1e-6)


def test_probabilities_of_labels_that_are_always_or_never_present():
    Y = [[0, 1, 0], [0, 1, 0], [0, 1, 1], [0, 1, 1]]
    model = RandomForestClassifier(3, random_state=0).fit([[0.0], [1.0], [2.0], [3.0]], Y)
    last = [estimator.predict_proba([[3.0]])[2][0, 1] for estimator in model.estimators_]
    expected = np.column_stack([np.zeros(3), np.ones(3), last])
    np.testing.assert_array_equal(paths_at(model, [3.0]).probabilities, expected)


def test_distances_of_the_example():
    distances = example_paths().distances(np.arange(6))
    similarities = 1 - distances[[0, 0, 2], [1, 3, 5]]
    np.testing.assert_allclose(similarities, [(7 / 8 + 6 / 7 + 1) / 3, 8 / 9 / 3, (5 / 8 + 8 / 9 + 1) / 3], atol=1e-15)
    # Column D is used by none of the six; among all nine it counts as one that none of the two uses.
    np.testing.assert_allclose(example_paths().distances(np.arange(9))[:6, :6], distances * 3 / 4, atol=1e-15)


def naive_distance(paths, i, j, columns):
    total = 0.0
    for f in columns:
        cut = paths.cells.cuts[f].astype(float)
        (first_i, last_i), (first_j, last_j) = ((paths.lower[t, f], paths.upper[t, f]) for t in (i, j))
        if paths.used[i, f] != paths.used[j, f]:
            total += 1
        elif first_i > last_i or first_j > last_j:  # a path for missing values only
            total += (first_i > last_i) != (first_j > last_j)
        elif paths.used[i, f]:
            starts = [[-1.0, *cut][first] for first in (first_i, first_j)]
            ends = [[*cut, 5.0][last] for last in (last_i, last_j)]
            shared = max(0.0, min(ends) - max(starts))
            total += 1 - shared / (max(ends) - min(starts))
    return total / max(len(columns), 1)


@pytest.mark.parametrize("seed", range(12))
def test_distances_are_those_of_the_naive_loop(seed):
    rng = np.random.default_rng(seed)
    model = small_forest(seed, with_missing=seed % 2 == 0)
    n_features = model.n_features_in_
    row = rng.integers(0, 5, n_features).astype(float)
    if seed % 2 == 0:
        row[rng.random(n_features) < 0.6] = np.nan
    paths = paths_at(model, row, [[-1.0] * n_features, [5.0] * n_features])
    trees = np.flatnonzero(rng.random(paths.n_trees) < 0.7)
    columns = np.flatnonzero(paths.used[trees].any(axis=0))
    expected = [[naive_distance(paths, i, j, columns) for j in trees] for i in trees]
    np.testing.assert_allclose(paths.distances(trees), np.reshape(expected, (trees.size, trees.size)), atol=1e-12)


def test_equal_paths_are_at_distance_zero_exactly():
    model = RandomForestClassifier(4, bootstrap=False, max_features=None, random_state=0)
    X = np.random.default_rng(0).random((40, 3))
    paths = paths_at(model.fit(X, X[:, 0] * X[:, 1] + 0.3 * X[:, 2] > 0.4), X[0])
    assert paths.used[0].sum() > 1
    assert (paths.distances(np.arange(4)) == 0).all()


def test_cuts_outside_of_the_ranges_leave_no_negative_interval():
    model = RandomForestClassifier(5, random_state=0).fit(LADDER, [0, 0, 1, 1, 0, 1])
    for value in range(6):
        distances = paths_at(model, [float(value)], [[2.0], [2.0]]).distances(np.arange(5))
        assert ((distances >= 0) & (distances <= 1)).all()


def test_columns_without_values_need_no_range():
    model = RandomForestClassifier(5, random_state=0).fit([[v, np.nan] for [v] in LADDER], [0, 0, 1, 1, 0, 1])
    paths = paths_at(model, [2.0, np.nan], [[0.0, np.nan], [5.0, np.nan]])
    assert paths.used.any(axis=0).tolist() == [True, False]
    assert np.isfinite(paths.distances(np.arange(5))).all()


@pytest.mark.parametrize(
    ("ranges", "named"),
    [
        ([0.0, 1.0], r"shape \(2, 1\), got \(2,\)"),
        ([[0.0], [np.inf]], "column 0.*inf"),
        ([[2.0], [1.0]], "column 0.*2.0"),
    ],
)
def test_ranges_are_checked(ranges, named):
    with pytest.raises(ValueError, match=named):
        paths_at(RandomForestClassifier(2, random_state=0).fit(LADDER, [0, 0, 1, 1, 0, 1]), [1.0], ranges)
