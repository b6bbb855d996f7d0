import re

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

from mlrx.datasets import DataUnavailableError, list_datasets, load_dataset
from mlrx.datasets.catalogue import catalogue, find
from mlrx.datasets.load import _concatenate

CASES = [(name, split) for name, entry in catalogue().items() for split in entry.splits]


@pytest.mark.parametrize(("name", "split"), CASES)
def test_every_set_at_hand_has_the_catalogued_shape(data_folder, name, split):
    entry = find(name)
    missing = [file.path for file in entry.files.values() if not (data_folder / file.path).is_file()]
    if missing:
        pytest.skip(f"MLRX_DATA does not hold {missing[0]}")
    data = load_dataset(name, split)
    assert data.X.shape == (entry.rows[split or "all"], entry.n_features)
    assert data.Y.shape == (entry.rows[split or "all"], entry.n_labels)
    assert (data.name, data.split) == (name, split)
    assert all((data_folder / file.path).stat().st_size == file.size for file in entry.files.values())
    if isinstance(data.X, pd.DataFrame):
        assert tuple(data.X.columns) == data.feature_names


def test_entries_are_complete():
    for name, entry in catalogue().items():
        assert entry.citation, name
        assert entry.files or entry.note, name
        for file in entry.files.values():
            assert re.fullmatch(r"[0-9a-f]{64}", file.sha256), name
            assert file.size > 0, name
            if file.address is None:
                assert entry.origin, name
            else:
                assert re.fullmatch(r"https://raw\.githubusercontent\.com/[^/]+/[^/]+/[0-9a-f]{40}/.*", file.address)
                assert file.address.endswith("/" + file.path.rpartition("/")[2])
        assert set(entry.files) <= {"all", "train", "test", "labels", "arrays", "rules"}, name


def test_addresses():
    assert find("emotions").files["train"].address == (
        "https://raw.githubusercontent.com/tsoumakas/mulan/43f6389095ad71984264db4387a8074b22bc7d4a"
        "/data/multi-label/emotions/emotions-train.arff"
    )
    assert find("ai4i").files["all"].address == (
        "https://raw.githubusercontent.com/intelligence-csd-auth-gr/LionLearn/2b50670737d018be1da88675352fab52681fc1fc"
        "/LionForests_Multi/datasets/ai4i2020.csv"
    )


def test_list():
    listed = list_datasets()
    assert len(listed) == len(catalogue())
    bibtex = listed.loc["bibtex"]
    assert (bibtex["n_samples"], bibtex["n_features"], bibtex["n_labels"]) == (7395, 1836, 159)
    assert bibtex["splits"] == "all, train, test"
    sources = listed["source"].to_dict()
    assert {sources[name] for name in ("mediamill", "yelp", "bookmarks")} == {"own copy"}
    assert sources["synthetic-3000"] == "MLRX_DATA"
    assert sources["scene"] == "address"


def test_unknown_names_and_splits_are_refused():
    with pytest.raises(
        ValueError, match=r"name='emotion': no such data set; did you mean 'emotions'\? known are flags,"
    ):
        load_dataset("emotion")
    with pytest.raises(ValueError, match=r"split='train': data set 'cal500' has the splits None$"):
        load_dataset("cal500", "train")
    with pytest.raises(
        ValueError, match="split='validation': data set 'emotions' has the splits None, 'train', 'test'"
    ):
        load_dataset("emotions", "validation")


@pytest.mark.parametrize("name", ["mediamill", "yelp", "bookmarks"])
def test_sets_without_files_point_to_the_reader(name):
    with pytest.raises(DataUnavailableError, match=f"data set '{name}' needs an own copy: .*read_arff"):
        load_dataset(name)


def test_all_rows_are_training_rows_then_test_rows(data_folder):
    train, test = load_dataset("birds", "train"), load_dataset("birds", "test")
    data = load_dataset("birds")
    assert data.X.iloc[322:].reset_index(drop=True).equals(test.X)
    assert np.array_equal(data.Y[:322], train.Y)
    assert data.X["location"].cat.categories.tolist()[:3] == ["2", "10", "1"]
    sparse = load_dataset("bibtex", sparse_labels=True)
    assert sp.issparse(sparse.X)
    assert sp.issparse(sparse.Y)
    assert (sparse.X[4880:] != load_dataset("bibtex", "test").X).nnz == 0
    with pytest.raises(ValueError, match="the columns of its training and its test file differ"):
        _concatenate(train, load_dataset("emotions", "test"))


@pytest.mark.parametrize("name", ["flags", "emotions", "medical", "enron", "corel5k", "yeast"])
def test_splits_share_their_columns(data_folder, name):
    data, train, test = load_dataset(name), load_dataset(name, "train"), load_dataset(name, "test")
    for split in (train, test):
        assert (split.feature_names, split.label_names, split.kinds) == (
            data.feature_names,
            data.label_names,
            data.kinds,
        )
    assert np.array_equal(train.label_counts + test.label_counts, data.label_counts)


def test_ai4i_keeps_measurements_and_causes(data_folder):
    data = load_dataset("ai4i")
    assert data.feature_names[:2] == ("Type", "Air temperature [K]")
    assert data.kinds == ("nominal", *["numeric"] * 5)
    assert dict(zip(data.label_names, data.label_counts)) == {"TWF": 46, "HDF": 115, "PWF": 95, "OSF": 98, "RNF": 19}


def test_water_quality_labels_are_the_last_fourteen_columns(data_folder):
    data = load_dataset("water-quality")
    assert data.feature_names[-1] == "bod"
    assert data.label_names[0] == "25400"
    assert set(data.kinds) == {"numeric"}


def test_synthetic_sets_come_with_their_rules(data_folder):
    data = load_dataset("synthetic-250", "train")
    assert data.generating_rules[0] == ((0, 2), (2, 3))
    assert data.generating_rules[4].antecedent == (0, 1, 3, 4)
    assert data.generating_rules[4].consequent == (3, 4)
    assert len(load_dataset("synthetic-3000").generating_rules) == 30
    assert set(data.kinds) == {"binary"}
    assert data.X.dtypes.unique().tolist() == [np.dtype(float)]


def test_synthetic_sets_are_told_apart_from_fetched_ones(tmp_path, monkeypatch):
    monkeypatch.setenv("MLRX_DATA", str(tmp_path))
    with pytest.raises(
        DataUnavailableError, match=r"'synthetic-3000': no address serves .*CORSET, commit .* MLRX_DATA"
    ):
        load_dataset("synthetic-3000", "train")
