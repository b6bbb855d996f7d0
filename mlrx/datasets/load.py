"""Loading catalogued data sets."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pandas as pd
import scipy.sparse as sp

from .arff import read_arff
from .catalogue import CataloguedSet, catalogue, find
from .csv import read_csv
from .data import GeneratingRule, MultilabelData
from .fetch import DataUnavailableError, locate


def load_dataset(name: str, split: str | None = None, *, sparse_labels: bool = False) -> MultilabelData:
    """Load a data set of the catalogue.

    Parameters
    ----------
    name : str
        Its name; `list_datasets` has them.
    split : "train", "test" or None
        The source's own split; None for all rows, which are the training rows followed by the test rows where the
        source has no file of its own for them.
    sparse_labels : bool
        Y as CSR array instead of a dense one.

    Returns
    -------
    MultilabelData

    Raises
    ------
    ValueError
        If there is no such data set or split, or a file has a wrong checksum.
    DataUnavailableError
        If a file is neither at hand nor to be fetched.

    Examples
    --------
    >>> train = load_dataset("emotions", "train")  # doctest: +SKIP
    >>> train  # doctest: +SKIP
    MultilabelData(emotions (train): 391 rows, 72 features, 6 labels)
    """
    entry = find(name)
    if not entry.files:
        raise DataUnavailableError(
            f"data set {name!r} needs an own copy: {entry.note} Read yours with mlrx.datasets.read_arff(path, labels)."
        )
    if split not in entry.splits:
        allowed = ", ".join(repr(allowed) for allowed in entry.splits)
        raise ValueError(f"split={split!r}: data set {name!r} has the splits {allowed}")
    data = _read_arrays(entry, split) if entry.format == "npz" else _read_split(entry, split, sparse_labels)
    if sparse_labels and not sp.issparse(data.Y):
        data = replace(data, Y=sp.csr_array(data.Y))
    return data


def _read_split(entry: CataloguedSet, split: str | None, sparse_labels: bool) -> MultilabelData:
    if split is None and "all" not in entry.files:
        return _concatenate(_read_split(entry, "train", sparse_labels), _read_split(entry, "test", sparse_labels))
    path = locate(entry, entry.files[split or "all"])
    if entry.format == "csv":
        data = read_csv(path, **entry.read, sparse_labels=sparse_labels, name=entry.name)
    else:
        labels = locate(entry, entry.files["labels"])
        data = read_arff(path, labels, sparse_labels=sparse_labels, name=entry.name)
    return replace(data, split=split)


def _concatenate(train: MultilabelData, test: MultilabelData) -> MultilabelData:
    """Put the training rows before the test rows."""
    if (train.feature_names, train.label_names, train.kinds) != (test.feature_names, test.label_names, test.kinds):
        raise ValueError(f"data set {train.name!r}: the columns of its training and its test file differ")
    if sp.issparse(train.X):
        X = sp.csr_array(sp.vstack([train.X, test.X], format="csr"))
    else:
        X = pd.concat([train.X, test.X], ignore_index=True)
    Y = sp.vstack([train.Y, test.Y], format="csr") if sp.issparse(train.Y) else np.vstack([train.Y, test.Y])
    return replace(train, X=X, Y=Y, split=None)


def _read_arrays(entry: CataloguedSet, split: str | None) -> MultilabelData:
    """Arrays of a synthetic set together with its generating rules."""
    if split is None:
        return _concatenate(_read_arrays(entry, "train"), _read_arrays(entry, "test"))
    with np.load(locate(entry, entry.files["arrays"]), allow_pickle=False) as arrays:
        X, Y = arrays[f"X_{split}"], arrays[f"Y_{split}"]
    listed = json.loads(locate(entry, entry.files["rules"]).read_text("utf-8"))
    rules = tuple(GeneratingRule(tuple(rule["features"]), tuple(rule["labels"])) for rule in listed)
    return binary_data(X, Y, rules, entry.name, split)


def binary_data(
    X: np.ndarray, Y: np.ndarray, rules: tuple[GeneratingRule, ...], name: str, split: str | None
) -> MultilabelData:
    """Wrap 0/1 arrays, with features f0, f1, ... and labels l0, l1, ...

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
        Zeros and ones.
    Y : ndarray of shape (n_samples, n_labels)
        Zeros and ones.
    rules : tuple of GeneratingRule
        The rules behind them.
    name, split : str
        As in MultilabelData.

    Returns
    -------
    MultilabelData
    """
    feature_names = tuple(f"f{feature}" for feature in range(X.shape[1]))
    return MultilabelData(
        X=pd.DataFrame(X.astype(float), columns=list(feature_names)),
        Y=Y,
        feature_names=feature_names,
        label_names=tuple(f"l{label}" for label in range(Y.shape[1])),
        kinds=("binary",) * X.shape[1],
        name=name,
        split=split,
        generating_rules=rules,
    )


def list_datasets() -> pd.DataFrame:
    """List the catalogue.

    Returns
    -------
    DataFrame
        A row each data set, by name: n_samples, n_features, n_labels (missing if unknown), splits, megabytes, source
        and citation. The source is "address", "MLRX_DATA" for sets that no address serves, or "own copy".
    """
    rows = {}
    for name, entry in catalogue().items():
        rows[name] = {
            "n_samples": entry.rows.get("all", entry.rows.get("test")),
            "n_features": entry.n_features,
            "n_labels": entry.n_labels,
            "splits": ", ".join(split or "all" for split in entry.splits),
            "megabytes": round(sum(file.size for file in entry.files.values()) / 1e6, 2),
            "source": "address" if entry.has_address else "MLRX_DATA" if entry.files else "own copy",
            "citation": entry.citation,
        }
    sizes = ["n_samples", "n_features", "n_labels"]
    return pd.DataFrame.from_dict(rows, orient="index").astype(dict.fromkeys(sizes, "Int64")).rename_axis("name")
