"""Which label sets are explained."""

from itertools import combinations

import numpy as np
import pytest

from mlrx.lionforests.labelsets import frequent_label_sets, label_sets

ROWS = ["110", "110", "100", "011", "111", "001", "100", "000"]
Y = np.array([[label == "1" for label in row] for row in ROWS])


def test_hand_worked_order():
    # Supports: {0} .625, {1} .5, {2} .375, {0, 1} .375, {1, 2} .25; {0, 2} and {0, 1, 2} have .125.
    assert frequent_label_sets(Y, [0, 1, 2], 0.2) == [(0,), (1,), (2,), (0, 1), (1, 2)]
    assert label_sets("frequent", [0, 1, 2], Y, 0.01, max_sets=3) == [(0,), (1,), (2,)]


def test_equals_counting_every_subset():
    rng = np.random.default_rng(3)
    table = rng.random((60, 6)) < 0.45
    predicted = [0, 2, 3, 5]
    counted = {
        labels: table[:, labels].all(axis=1).mean() for size in range(1, 5) for labels in combinations(predicted, size)
    }
    wanted = [labels for labels, share in counted.items() if share >= 0.1 or len(labels) == 1]
    wanted.sort(key=lambda labels: (-counted[labels], len(labels), labels))
    assert frequent_label_sets(table, predicted, 0.1) == wanted


def test_no_pair_is_frequent():
    apart = np.array([[True, False], [False, True]])
    assert frequent_label_sets(apart, [0, 1], 0.01) == []
    assert frequent_label_sets(Y, [0, 2], 0.2) == [(0,), (2,)]  # another pair is frequent


@pytest.mark.parametrize("table", [np.zeros((3, 2), dtype=bool), np.zeros((0, 2), dtype=bool)])
def test_rows_without_labels_have_no_frequent_set(table):
    assert frequent_label_sets(table, [0, 1], 0.01) == []
    assert frequent_label_sets(table, [], 0.01) == []


def test_strategies():
    assert label_sets("all", (0, 2), Y, 0.01) == [(0, 2)]
    assert label_sets("each", (0, 2), Y, 0.01) == [(0,), (2,)]
    assert label_sets([[2, 0], (2,)], (0, 2), Y, 0.01) == [(0, 2), (2,)]
    assert label_sets("all", (), Y, 0.01) == [()]
    assert label_sets("each", (), Y, 0.01) == label_sets("frequent", (), Y, 0.01) == []


def test_errors_name_the_argument():
    with pytest.raises(ValueError, match=r"strategy must be one of .*, got 'pairs'"):
        label_sets("pairs", (0,), Y, 0.01)
    with pytest.raises(ValueError, match="max_sets must be at least 1, or None for all, got 0"):
        label_sets("each", (0,), Y, 0.01, max_sets=0)
