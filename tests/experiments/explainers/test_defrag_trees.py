import numpy as np

from experiments.explainers.defrag_trees import Mixture, Thresholds, _log_joint, boxes_of, drop_idle, fit_mixture
from mlrx.lionforests import Box, ForestCells


def test_thresholds_between_the_same_values_count_as_one_vector():
    rows = np.array([[0, 2], [3, 2], [3, 2], [5, 2]])
    found = Thresholds.of(rows)
    assert found.above.T.tolist() == [[0, 1, 1, 1], [0, 0, 0, 1]]
    assert (found.column.tolist(), found.first.tolist(), found.last.tolist()) == ([0, 0], [0, 3], [2, 4])
    assert found.n_thresholds.tolist() == [3, 2]


def test_likelihood_counts_every_threshold():
    rng = np.random.default_rng(0)
    rows = rng.integers(6, size=(12, 2))
    found, present = Thresholds.of(rows), rng.random(12) < 0.5
    mixture = fit_mixture(found.above, found.n_thresholds, present, 3, rng)
    joint = _log_joint(mixture, found.above, found.n_thresholds, present)
    for row in range(12):
        for k in range(3):
            expected = np.log(mixture.weight[k])
            label = mixture.label[k] if present[row] else 1 - mixture.label[k]
            expected += np.log(max(label, 1e-10))
            for j, (column, first, last) in enumerate(zip(found.column, found.first, found.last, strict=True)):
                for cell in range(first, last + 1):
                    share = mixture.above[k, j] if rows[row, column] > cell else 1 - mixture.above[k, j]
                    expected += np.log(max(share, 1e-10))
            assert np.isclose(joint[row, k], expected)


def test_two_clumps_become_two_components():
    rows = np.repeat([[0, 0], [9, 9]], 20, axis=0) + np.arange(40)[:, None] % 2
    found, present = Thresholds.of(rows), np.repeat([True, False], 20)
    mixture = fit_mixture(found.above, found.n_thresholds, present, 2, np.random.default_rng(0))
    assert np.allclose(mixture.weight, 0.5)
    assert np.allclose(np.sort(mixture.label), [0, 1])


def test_box_is_bounded_where_its_component_is_sure(surrogate_fold):
    cells = ForestCells.of(surrogate_fold.forest)
    rows = cells.locate(surrogate_fold.X_train)
    found = Thresholds.of(rows)
    chosen = rows[:, 0] > np.median(rows[:, 0])
    above = np.stack([found.above[chosen].mean(axis=0), found.above[~chosen].mean(axis=0)])
    sure = Mixture(np.full(2, 0.5), np.array([1.0, 0.0]), above)
    for box, held in zip(boxes_of(sure, found, cells), (chosen, ~chosen), strict=True):
        assert box.holds(rows)[held].all()
        # Tightest: the least and the greatest cell of a row are inside, no cell of another row beyond is.
        inside = rows[box.holds(rows)]
        assert np.array_equal(inside.min(axis=0), rows[held].min(axis=0))
        assert np.array_equal(inside.max(axis=0), rows[held].max(axis=0))


def test_sides_that_part_no_rows_are_opened():
    rows = np.array([[1, 1], [1, 5], [4, 1], [4, 5]])
    none = np.zeros(2, dtype=bool)
    box, whole = Box(np.array([1, 1]), np.array([3, 9]), none), Box(np.array([0, 0]), np.array([9, 9]), none)
    drop_idle(box, whole, rows)
    assert (box.lower.tolist(), box.upper.tolist()) == ([0, 0], [3, 9])
