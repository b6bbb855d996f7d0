"""Training and test rows: loaded, split where the source has no split, or generated."""

from __future__ import annotations

import dataclasses
import hashlib
import inspect
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd
import scipy.sparse as sp

from mlrx.datasets import MultilabelData, load_dataset, make_ai4i, make_ground_truth
from mlrx.datasets.catalogue import find
from mlrx.datasets.fetch import locate
from mlrx.rules import BINARY_CUT, Condition, Rule, RuleSet

from .config import Dataset
from .schema import suggest
from .seeds import derive_seed

TRAIN_SHARE = 2 / 3


@dataclass(frozen=True, eq=False)
class Split:
    """Training and test rows of a data set.

    Parameters
    ----------
    name : str
    train, test : MultilabelData
    note : str
        How the split came about, for tables and notebooks.
    """

    name: str
    train: MultilabelData
    test: MultilabelData
    note: str

    @cached_property
    def rules(self) -> RuleSet | None:
        """The rules that generated the data, None for data from elsewhere."""
        data = self.train
        if not data.generating_rules:
            return None
        rules = [
            Rule([Condition(k, lower=BINARY_CUT) for k in rule.antecedent], rule.consequent)
            for rule in data.generating_rules
        ]
        return RuleSet(rules, data.feature_names, data.label_names, data.kinds, data.n_samples)

    @cached_property
    def checksum(self) -> str:
        """SHA-256 over the columns, labels and names of all rows."""
        digest = hashlib.sha256()
        for data in (self.train, self.test):
            digest.update(repr((data.feature_names, data.label_names, data.kinds, data.generating_rules)).encode())
            digest.update(_content(data.X))
            digest.update(_content(data.Y))
        return digest.hexdigest()


def load_split(name: str, dataset: Dataset, seed: int, repetition: int) -> Split:
    """Return the training and test rows of a data set of a config.

    A set with published train and test files keeps them. Another is split two thirds to one third, by a draw that
    depends on the config's seed and the set's name: all methods and repetitions see the same rows. A generated set
    is generated afresh in each repetition, from (seed, name, repetition). With `folds`, the rows of the split are put
    together and cut at random into that many folds, of which each repetition tests another.

    Parameters
    ----------
    name : str
    dataset : Dataset
    seed : int
        The config's.
    repetition : int

    Raises
    ------
    ValueError
        Also when a generated or loaded set has another number of generating rules than the config says.
    OSError
        When the files are neither at hand nor to be fetched.
    """
    if dataset.folds is not None:
        whole = load_split(name, dataclasses.replace(dataset, folds=None), seed, 0)
        return _fold(whole, dataset.folds, derive_seed(seed, name), repetition)
    if dataset.generate is not None:
        arguments = {key: value for key, value in dataset.generate.items() if key != "generator"}
        _, make_split = GENERATORS[dataset.generate["generator"]]
        split = make_split(name, derive_seed(seed, name, repetition), arguments)
    elif "train" in find(name).splits:
        train, test = load_dataset(name, split="train"), load_dataset(name, split="test")
        split = Split(name, train, test, "published split")
    else:
        split = _cut(name, load_dataset(name), derive_seed(seed, name))
    if split.rules is not None and dataset.n_rules not in (None, len(split.rules)):
        raise ValueError(f"{name} has {len(split.rules)} generating rules, the config says {dataset.n_rules}")
    return split


def check_dataset(name: str, dataset: Dataset) -> None:
    """Check that the catalogue has the set, or that a generator takes its arguments, without making either.

    Raises
    ------
    ValueError
        Naming what is unknown and what there is.
    """
    if dataset.folds is not None and dataset.folds < 2:
        raise ValueError(f"datasets.{name}: folds must be at least 2, got {dataset.folds}")
    if dataset.generate is None:
        find(name)
        return
    generator = dataset.generate.get("generator")
    if generator not in GENERATORS:
        raise ValueError(f"datasets.{name}: generator must be one of {', '.join(GENERATORS)}, got {generator!r}")
    accepted = set(inspect.signature(GENERATORS[generator][0]).parameters) - {"random_state"}
    for key in set(dataset.generate) - {"generator"} - accepted:
        raise ValueError(f"datasets.{name}: the generator takes no {key!r}{suggest(key, accepted)}")


def ensure_files(name: str, dataset: Dataset) -> None:
    """Have the files of a catalogued set at hand, fetching them if need be.

    Raises
    ------
    OSError
        When they are neither at hand nor to be fetched.
    ValueError
        When a file has another checksum than the catalogue says.
    """
    if dataset.generate is None:
        entry = find(name)
        for role, file in entry.files.items():
            if role != "all" or "train" not in entry.files:
                locate(entry, file)


def varies(dataset: Dataset) -> bool:
    """Tell whether repetitions have rows of their own."""
    return dataset.generate is not None or dataset.folds is not None


def take(data: MultilabelData, rows: np.ndarray) -> MultilabelData:
    """Return the data set of the given rows, in their order."""
    X = data.X.iloc[rows].reset_index(drop=True) if isinstance(data.X, pd.DataFrame) else data.X[rows]
    return dataclasses.replace(data, X=X, Y=data.Y[rows])


def make_folds(n_samples: int, n_folds: int, seed: int) -> list[np.ndarray]:
    """Return the rows of each fold of a random partition, sizes differing by one at most.

    Raises
    ------
    ValueError
        When there are fewer rows than folds, or fewer than two folds.
    """
    if n_folds < 2:
        raise ValueError(f"folds must be at least 2, got {n_folds}")
    if n_folds > n_samples:
        raise ValueError(f"{n_folds} folds > {n_samples} rows: every fold needs a row")
    return [np.sort(rows) for rows in np.array_split(np.random.default_rng(seed).permutation(n_samples), n_folds)]


def _cut(name: str, data: MultilabelData, seed: int) -> Split:
    order = np.random.default_rng(seed).permutation(data.n_samples)
    n_train = round(TRAIN_SHARE * data.n_samples)
    train, test = (take(data, np.sort(rows)) for rows in (order[:n_train], order[n_train:]))
    note = f"no published split: 2/3 of the rows for training, drawn with seed {seed}"
    return Split(name, dataclasses.replace(train, split="train"), dataclasses.replace(test, split="test"), note)


def _fold(whole: Split, n_folds: int, seed: int, repetition: int) -> Split:
    """Return the rows outside a fold to train on, and those inside to test."""
    parts = whole.train, whole.test
    if isinstance(whole.train.X, pd.DataFrame):
        X = pd.concat([part.X for part in parts], ignore_index=True)
    else:
        X = sp.vstack([part.X for part in parts], format="csr")
    data = dataclasses.replace(whole.train, X=X, Y=np.concatenate([part.Y for part in parts]), split="all")
    tested = make_folds(data.n_samples, n_folds, seed)[repetition]
    trained = np.setdiff1d(np.arange(data.n_samples), tested)
    train, test = (dataclasses.replace(take(data, rows), split=s) for rows, s in ((trained, "train"), (tested, "test")))
    return Split(whole.name, train, test, f"fold {repetition + 1} of {n_folds} of all rows, drawn with seed {seed}")


def _content(matrix: Any) -> bytes:
    if isinstance(matrix, pd.DataFrame):
        return pd.util.hash_pandas_object(matrix, index=False, categorize=False).to_numpy().tobytes()
    if sp.issparse(matrix):
        matrix = sp.csr_array(matrix).sorted_indices()
        arrays = (matrix.indptr.astype(np.int64), matrix.indices.astype(np.int64), matrix.data)
    else:
        arrays = (np.ascontiguousarray(matrix),)
    return b"".join(str((a.shape, a.dtype.str)).encode() + a.tobytes() for a in arrays)


def _ground_truth(name: str, seed: int, arguments: dict[str, Any]) -> Split:
    train, test = make_ground_truth(random_state=seed, **arguments)
    return Split(name, train, test, f"generated with seed {seed}")


def _ai4i(name: str, seed: int, arguments: dict[str, Any]) -> Split:
    split = _cut(name, make_ai4i(random_state=seed, **arguments), seed)
    return dataclasses.replace(split, note=f"simulated with seed {seed}, split two thirds to one third")


# The function of `mlrx.datasets` whose arguments a config gives, and what makes a split of it.
GENERATORS: dict[str, tuple[Callable, Callable[[str, int, dict[str, Any]], Split]]] = {
    "ground-truth": (make_ground_truth, _ground_truth),
    "ai4i": (make_ai4i, _ai4i),
}
