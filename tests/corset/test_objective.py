"""The objective on numbers worked by hand, and against sets of (row, label) pairs."""

import math

import numpy as np
import pytest

from mlrx.bits import pack
from mlrx.corset.objective import adjusted_accuracy, distance, divergence, n_shared, uncovered_area


def test_divergence_by_hand():
    assert divergence(0.5, 0.5) == 0.0
    assert divergence(1.0, 0.25) == pytest.approx(math.log(4))
    assert divergence(0.0, 0.25) == pytest.approx(math.log(4 / 3))
    assert divergence(0.5, 0.25) == pytest.approx(0.5 * math.log(2) + 0.5 * math.log(2 / 3))
    assert divergence(0.0, 0.0) == divergence(1.0, 1.0) == 0.0
    assert divergence(0.5, 0.0) == divergence(0.5, 1.0) == math.inf


@pytest.mark.parametrize(
    ("n_correct", "n_covered", "n_positive", "n_rows", "expected"),
    [
        (2, 2, 2, 5, math.log(2.5)),  # confidence 1 against a base rate of 2/5
        (1, 2, 5, 10, 0.0),  # no better than the base rate
        (1, 3, 5, 10, 0.0),  # worse
        (0, 0, 5, 10, 0.0),  # covers nothing
        (4, 4, 10, 10, 0.0),  # a consequent in every row
        (1, 3, 1, 3, 0.0),  # equal to the base rate, where 1/3 rounds
        (3, 4, 1, 2, 0.75 * math.log(1.5) + 0.25 * math.log(0.5)),
    ],
)
def test_adjusted_accuracy_by_hand(n_correct, n_covered, n_positive, n_rows, expected):
    assert adjusted_accuracy(n_correct, n_covered, n_positive, n_rows) == pytest.approx(expected)


def test_area_and_distance_equal_those_of_pair_sets():
    rng = np.random.default_rng(2)
    for _ in range(50):
        n_rows = int(rng.integers(1, 150))
        rows = rng.random((n_rows, 2)) < 0.5
        labels = [np.flatnonzero(rng.random(6) < 0.5).astype(np.int32) for _ in range(2)]
        if not all(labels[k].size and rows[:, k].any() for k in range(2)):
            continue
        pairs = [{(i, label) for i in np.flatnonzero(rows[:, k]) for label in labels[k]} for k in range(2)]
        a, b = pack(rows)
        sizes = rows.sum(axis=0).tolist()
        n_common = n_shared(*labels)
        assert n_common == len(set(labels[0]) & set(labels[1]))
        found = distance(a, sizes[0], labels[0].size, b, sizes[1], labels[1].size, n_common)
        assert found == pytest.approx(1 - len(pairs[0] & pairs[1]) / len(pairs[0] | pairs[1]))
        uncovered = rng.random((n_rows, 6)) < 0.5
        area = uncovered_area(a, labels[0], pack(uncovered))
        assert area == sum(uncovered[pair] for pair in pairs[0])
