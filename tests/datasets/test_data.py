import tracemalloc
from dataclasses import FrozenInstanceError

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

from mlrx.datasets import GeneratingRule, MultilabelData, read_arff


def toy(**changes):
    fields = {
        "X": pd.DataFrame({"a": [1.0, 0.0], "b": [3.0, 4.0]}),
        "Y": np.array([[1, 0, 0], [1, 0, 1]]),
        "feature_names": ("a", "b"),
        "label_names": ("l", "m", "n"),
        "kinds": ("binary", "numeric"),
        "name": "toy",
    }
    return MultilabelData(**fields | changes)


def test_sizes_and_description():
    data = toy(split="train")
    assert (data.n_samples, data.n_features, data.n_labels) == (2, 2, 3)
    assert data.label_counts.tolist() == [2, 0, 1]
    assert data.Y.dtype == np.uint8
    assert repr(data) == "MultilabelData(toy (train): 2 rows, 2 features, 3 labels)"
    assert data.describe().to_dict() == {
        "rows": 2,
        "features": 2,
        "binary features": 1,
        "numeric features": 1,
        "nominal features": 0,
        "labels": 3,
        "labels that no row has": 1,
        "labels a row": 1.5,
        "label density": 0.5,
    }


def test_html_escapes_names():
    assert "<caption>&lt;b&gt;</caption>" in toy(name="<b>")._repr_html_()


def test_is_frozen():
    with pytest.raises(FrozenInstanceError):
        toy().name = "other"


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"feature_names": ("a",)}, "feature_names has 1 names; X has 2 columns"),
        ({"label_names": ("l", "m", "l")}, "label_names: label 'l' comes more than once"),
        ({"kinds": ("binary",)}, "kinds has 1 entries for 2 features"),
        ({"kinds": ("binary", "ordinal")}, "feature 'b' has the kind 'ordinal'; allowed are numeric, binary, nominal"),
        ({"feature_names": ("a", "c")}, "feature_names: column 1 of X is called 'b', not 'c'"),
        (
            {"X": sp.csr_array([[1.0, 3.0], [0.0, 4.0]]), "kinds": ("binary", "nominal")},
            "feature 'b' is nominal, which",
        ),
        ({"Y": np.array([1, 0])}, r"Y must be two-dimensional \(n_samples, n_labels\), got 1 dimension"),
        ({"Y": np.array([[1, 0, 0]])}, "X has 2 rows, Y has 1"),
        ({"Y": np.array([[1, 0, 0], [0, 2, 0]])}, "label 'm' has the value 2; allowed are 0 and 1"),
        ({"Y": sp.csr_array([[1, 0, 0], [0, 0, 0.5]])}, "label 'n' has the value 0.5; allowed are 0 and 1"),
    ],
)
def test_faults_are_named(changes, message):
    with pytest.raises(ValueError, match=message):
        toy(**changes)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"X": np.zeros((2, 2))}, "X must be a DataFrame or a sparse array, got ndarray"),
        ({"feature_names": "ab"}, "feature_names must be several texts, got the one text 'ab'"),
    ],
)
def test_other_types_are_named(changes, message):
    with pytest.raises(TypeError, match=message):
        toy(**changes)


def test_containers_are_brought_to_one_type():
    data = toy(feature_names=["a", "b"], label_names=list("lmn"), kinds=["binary", "numeric"], Y=[[1, 0, 0], [1, 0, 1]])
    assert (data.feature_names, data.label_names, data.kinds) == (("a", "b"), ("l", "m", "n"), ("binary", "numeric"))
    assert data.Y.dtype == np.uint8
    assert isinstance(toy(X=sp.coo_matrix([[1.0, 3.0], [0.0, 4.0]])).X, sp.csr_array)
    assert toy(X=pd.DataFrame([[1.0, 3.0], [0.0, 4.0]])).X.columns.tolist() == ["a", "b"]


def test_labels_that_no_row_has_can_be_dropped():
    rules = (GeneratingRule((0,), (2,)),)
    pruned = toy(generating_rules=rules).without_unused_labels()
    assert pruned.label_names == ("l", "n")
    assert pruned.Y.tolist() == [[1, 0], [1, 1]]
    assert pruned.generating_rules == ()
    assert pruned.without_unused_labels() is pruned


def test_explicit_zeros_of_sparse_labels_are_dropped():
    Y = sp.csr_array((np.array([1, 0]), np.array([0, 1]), np.array([0, 2, 2])), shape=(2, 3))
    assert toy(Y=Y).Y.nnz == 1


def test_twenty_thousand_labels_stay_sparse(tmp_path):
    # D5
    rows, columns = np.repeat(range(30), 3), (7919 * np.arange(90)) % 20000
    declared = "".join(f"@attribute l{label} {{0,1}}\n" for label in range(20000))
    cells = ["{" + ",".join(f"{c} 1" for c in sorted(columns[rows == row])) + "}" for row in range(30)]
    path = tmp_path / "wide.arff"
    path.write_text(f"@relation 'wide: -C 20000'\n{declared}@attribute f numeric\n@data\n" + "\n".join(cells))
    tracemalloc.start()
    data = read_arff(path, sparse_labels=True)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert sp.issparse(data.Y)
    assert data.Y.nnz == 90
    assert np.array_equal(data.Y.toarray()[rows, columns], np.ones(90))
    assert peak < 100e6
    assert data.describe()["labels that no row has"] == 19910
    pruned = data.without_unused_labels()
    assert pruned.Y.shape == (30, 90)
    assert sp.issparse(pruned.Y)
    assert pruned.label_names == tuple(f"l{label}" for label in sorted(columns))
