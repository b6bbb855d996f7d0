from dataclasses import replace
from functools import partial

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

from experiments.config import Dataset
from experiments.splits import Split, ensure_files, load_split, make_folds, take, varies
from mlrx.datasets import MultilabelData

MADE = Dataset(
    n_rules=3,
    generate={"generator": "ground-truth", "n_samples": 30, "n_features": 8, "n_labels": 5, "n_rules": 3, "noise": 0.0},
)


def data(X, Y, **fields) -> MultilabelData:
    names = tuple(f"f{k}" for k in range(X.shape[1])), tuple(f"l{k}" for k in range(Y.shape[1]))
    return MultilabelData(X, Y, *names, ("numeric",) * X.shape[1], "toy", **fields)


def test_generated_rows_follow_from_seed_name_and_repetition():
    first = load_split("made", MADE, 1, 0)
    assert load_split("made", MADE, 1, 0).checksum == first.checksum
    others = [load_split("made", MADE, 1, 1), load_split("other", MADE, 1, 0), load_split("made", MADE, 2, 0)]
    assert len({split.checksum for split in [first, *others]}) == 4


def test_generating_rules_predict_noiseless_data():
    split = load_split("made", MADE, 1, 0)
    assert len(split.rules) == 3
    assert split.rules.feature_names == split.train.feature_names
    missed = (split.test.Y == 1) & (split.rules.predict(split.test.X) == 0)
    assert not missed.any()


def test_wrong_number_of_generating_rules_is_refused():
    with pytest.raises(ValueError, match="made has 3 generating rules, the config says 4"):
        load_split("made", Dataset(n_rules=4, generate=MADE.generate), 1, 0)


def test_checksum_sees_every_value_and_name():
    X, Y = np.arange(6.0).reshape(3, 2), np.eye(3, dtype=np.uint8)
    base = data(pd.DataFrame(X), Y)
    changed = [
        data(pd.DataFrame(X + [[0, 0], [0, 1e-9], [0, 0]]), Y),
        data(pd.DataFrame(X), Y[::-1]),
        data(sp.csr_array(X), Y),
        MultilabelData(pd.DataFrame(X), Y, ("f0", "g"), base.label_names, base.kinds, "toy"),
    ]
    checksums = {Split("toy", one, base, "").checksum for one in [base, *changed]}
    assert len(checksums) == 5
    assert Split("toy", data(pd.DataFrame(X.copy()), Y.copy()), base, "").checksum in checksums


def test_set_without_split_is_cut_two_to_one_whatever_the_repetition(monkeypatch):
    X = pd.DataFrame({"f0": np.arange(10.0)})
    monkeypatch.setattr("experiments.splits.load_dataset", lambda name: data(X, np.ones((10, 1), dtype=np.uint8)))
    split, again = load_split("cal500", Dataset(), 1, 0), load_split("cal500", Dataset(), 1, 5)
    assert (split.train.n_samples, split.test.n_samples) == (7, 3)
    rows = [*split.train.X["f0"], *split.test.X["f0"]]
    assert sorted(rows) == list(range(10))
    assert split.checksum == again.checksum
    assert "no published split" in split.note
    assert list(load_split("cal500", Dataset(), 2, 0).test.X["f0"]) != list(split.test.X["f0"])


@pytest.mark.parametrize("wrap", [pd.DataFrame, sp.csr_array])
def test_rows_are_taken_in_order(wrap):
    taken = take(data(wrap(np.arange(6.0).reshape(3, 2)), np.array([[1], [0], [1]])), np.array([2, 0]))
    X = taken.X.to_numpy() if isinstance(taken.X, pd.DataFrame) else taken.X.toarray()
    assert X.tolist() == [[4, 5], [0, 1]]
    assert taken.Y.tolist() == [[1], [1]]


def test_folds_part_the_rows():
    folds = make_folds(11, 3, 0)
    assert sorted(map(len, folds)) == [3, 4, 4]
    assert sorted(np.concatenate(folds).tolist()) == list(range(11))


@pytest.mark.parametrize(("n_folds", "message"), [(10, "10 folds > 7 rows"), (1, "folds must be at least 2, got 1")])
def test_folds_without_rows_are_refused(n_folds, message):
    with pytest.raises(ValueError, match=message):
        make_folds(7, n_folds, 0)


def test_absent_files_are_an_oserror_and_generated_sets_need_none(monkeypatch, tmp_path):
    monkeypatch.setenv("MLRX_DATA", str(tmp_path))
    with pytest.raises(OSError, match="MLRX_DATA"):
        ensure_files("synthetic-250", Dataset())
    ensure_files("made", MADE)


def test_published_split_is_kept(data_folder):
    split = load_split("emotions", Dataset(), 1, 0)
    assert (split.train.n_samples, split.test.n_samples, split.note) == (391, 202, "published split")
    ensure_files("emotions", Dataset())


@pytest.mark.parametrize("sparse", [True, False])
def test_folds_part_all_rows_and_follow_from_seed_and_name(monkeypatch, sparse):
    X = np.arange(1.0, 11.0)[:, None]
    make = sp.csr_array if sparse else partial(pd.DataFrame, columns=["f0"])
    found = {"train": data(make(X[:6]), X[:6] > 5), "test": data(make(X[6:]), X[6:] > 5)}
    monkeypatch.setattr("experiments.splits.load_dataset", lambda name, split: found[split])
    splits = [load_split("medical", Dataset(folds=3), 1, k) for k in range(3)]
    tested = [part_of(split.test) for split in splits]
    assert sorted(map(len, tested)) == [3, 3, 4]
    assert sorted(np.concatenate(tested)) == X.ravel().tolist()
    for split in splits:
        assert sorted(part_of(split.train) + part_of(split.test)) == X.ravel().tolist()
        assert (split.test.Y.ravel() == (np.array(part_of(split.test)) > 5)).all()
    assert part_of(load_split("medical", Dataset(folds=3), 1, 2).test) == tested[2]
    assert [part_of(load_split("medical", Dataset(folds=3), 2, k).test) for k in range(3)] != tested
    assert splits[0].note.startswith("fold 1 of 3 of all rows")


def part_of(rows: MultilabelData) -> list[float]:
    return (rows.X.toarray() if sp.issparse(rows.X) else rows.X.to_numpy()).ravel().tolist()


def test_generated_set_in_folds_is_generated_once():
    splits = [load_split("made", replace(MADE, folds=5), 1, k) for k in range(2)]
    assert [split.test.n_samples for split in splits] == [12, 12]
    assert splits[0].checksum != splits[1].checksum
    assert varies(Dataset(folds=2))
