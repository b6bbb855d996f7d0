"""Sizes of data sets, counted by hand on a few rows."""

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

from experiments.splits import Split
from experiments.tasks.describing import BinaryItems, Original, Prepared
from mlrx.datasets import MultilabelData

RNG = np.random.default_rng(0)


def make_split(sparse=False):
    """Return four training rows and one test row; a number and a colour; three labels, one of them never there."""
    X = pd.DataFrame({"size": [1.0, 2.0, 3.0, 4.0, 9.0], "colour": pd.Categorical(["red", "red", "blue", None, "red"])})
    Y = np.array([[1, 1, 0], [1, 0, 0], [0, 0, 0], [1, 1, 0], [0, 1, 0]], dtype=np.uint8)
    parts = []
    for rows, name in ((slice(0, 4), "train"), (slice(4, 5), "test")):
        labels = sp.csr_array(Y[rows]) if sparse else Y[rows]
        frame = X.iloc[rows].reset_index(drop=True)
        parts.append(
            MultilabelData(frame, labels, ("size", "colour"), ("a", "b", "c"), ("numeric", "nominal"), "toy", name)
        )
    return Split("toy", *parts, "")


@pytest.mark.parametrize("sparse", [False, True])
def test_original_columns_are_counted(sparse):
    assert Original().observe(make_split(sparse), RNG) == {
        "n_rows": 5,
        "n_train": 4,
        "n_features": 2,
        "n_labels": 3,
        "n_occurrences": 6,
        "cardinality": pytest.approx(6 / 5),
        "density": pytest.approx(6 / 15),
        "n_label_sets": 4,  # two rows have both a and b
    }


def test_ones_are_counted_and_not_what_is_stored():
    split = make_split(sparse=True)
    Y = split.train.Y
    Y.data[0] = 0
    assert Original().observe(split, RNG)["n_occurrences"] == 5


def test_binary_items_are_counted():
    counts = BinaryItems().observe(make_split(), RNG)
    # Sizes from 4, the largest of the training rows, on rows 4 and 5; two colours, on four rows.
    assert counts["n_features"] == 3
    assert counts["items_a_row"] == pytest.approx(6 / 5)
    assert counts["n_rows"] == 5


def test_prepared_rows_are_those_of_the_forests():
    split = make_split()
    counts = Prepared().observe(Split("ai4i-simulated", split.train, split.test, ""), RNG)
    assert (counts["n_features"], counts["n_labels"]) == (6, 4)
    assert 1 <= counts["cardinality"] < 2
    assert "n_train" not in counts
