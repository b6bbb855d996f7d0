"""The forests that LionForests is studied on: four data sets, prepared, cut into folds and fitted as published."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd
from sklearn.ensemble import RandomForestClassifier
from sklearn.model_selection import train_test_split
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import FunctionTransformer, MinMaxScaler

from mlrx.datasets import MultilabelData, load_dataset, make_ai4i, read_csv
from mlrx.datasets.catalogue import find
from mlrx.datasets.fetch import locate
from mlrx.lionforests import FlatForest, ForestCells

from .splits import Split, take

N_FOLDS = 10
EXAMPLE_ROW = 84
TYPE_NUMBERS = {"L": 1.0, "M": 2.0, "H": 3.0}
FAILURES = ["TWF", "HDF", "PWF", "OSF"]
# The order in which the columns of a category and of an order come in the authors' table.
ONE_HOT = ("motivation", "time")
ORDINAL = ("gender", "marital.status")


@dataclass(frozen=True, eq=False)
class Fold(Split):
    """Training and test rows, all columns numbers, and the forest that is fitted on the training rows.

    Parameters
    ----------
    name : str
    train, test : MultilabelData
    note : str
    parameters : dict
        Of the forest; its random state is always 0.
    groups : dict of str to tuple of int
        Columns that were made of one nominal column, by its name.
    is_scaled : bool, default=True
        Whether the columns are brought to (0, 1) before the forest.

    Examples
    --------
    >>> fold = load_fold("ai4i-simulated", 0)
    >>> fold.forest.n_trees, fold.predicted.shape == fold.test.Y.shape
    (100, True)
    """

    parameters: dict[str, Any] = field(default_factory=dict)
    groups: dict[str, tuple[int, ...]] = field(default_factory=dict)
    is_scaled: bool = True

    @cached_property
    def X_train(self) -> np.ndarray:
        """Training rows, float64 of shape (n_samples, n_features)."""
        return self.train.X.to_numpy(dtype=np.float64)

    @cached_property
    def X_test(self) -> np.ndarray:
        """Test rows, float64 of shape (n_samples, n_features)."""
        return self.test.X.to_numpy(dtype=np.float64)

    @cached_property
    def model(self) -> Pipeline | RandomForestClassifier:
        """The forest, after a scaler that knows the range of the training rows; fitted when first asked for."""
        forest = RandomForestClassifier(random_state=0, **self.parameters)
        model = make_pipeline(MinMaxScaler(), forest) if self.is_scaled else forest
        return model.fit(self.X_train, self.train.Y)

    @cached_property
    def scaler(self) -> Any:
        """What brings rows to the units in which they are compared: the model's scaler, or one that changes nothing."""
        return self.model[:-1] if self.is_scaled else FunctionTransformer().fit(self.X_train)

    @cached_property
    def forest(self) -> FlatForest:
        """The model as flat arrays; takes rows in the original units."""
        return FlatForest.read(self.model)

    @cached_property
    def cells(self) -> ForestCells:
        """The forest as boxes of cells, for proofs and counterexamples."""
        return ForestCells.of(self.forest)

    @cached_property
    def predicted(self) -> np.ndarray:
        """The forest's labels of the test rows, bool of shape (n_samples, n_labels)."""
        return self.forest.predict_labels(self.X_test)

    def labels_of(self, row: int) -> tuple[int, ...]:
        """Return the forest's labels of a test row, given by its position."""
        return tuple(np.flatnonzero(self.predicted[row]).tolist())

    @property
    def feature_names(self) -> tuple[str, ...]:
        """One a column."""
        return self.train.feature_names

    @property
    def label_names(self) -> tuple[str, ...]:
        """One a label."""
        return self.train.label_names


@dataclass(frozen=True, eq=False)
class Copied(Split):
    """Training and test rows with the labels that a forest gives them, to be copied by another model.

    Parameters
    ----------
    name : str
    train, test : MultilabelData
    note : str
    fold : Fold
        The rows with their own labels, and the forest.
    """

    fold: Fold

    @classmethod
    def of(cls, fold: Fold) -> Copied:
        """Put the labels of the fold's forest in the place of the rows' own."""
        train = replace(fold.train, Y=fold.forest.predict_labels(fold.X_train).astype(np.uint8))
        test = replace(fold.test, Y=fold.predicted.astype(np.uint8))
        return cls(fold.name, train, test, f"{fold.note}; labels are the forest's", fold)


def cut_fold(n_samples: int, fold: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the rows outside and inside a fold: contiguous, sizes differing by one at most, larger folds first."""
    tested = np.array_split(np.arange(n_samples), N_FOLDS)[fold]
    return np.setdiff1d(np.arange(n_samples), tested), tested


def cut_example(n_samples: int, fold: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the training rows of the published example, 67 %, and the one of them that it explains."""
    trained, _ = train_test_split(np.arange(n_samples), test_size=0.33, random_state=5)
    return trained, trained[EXAMPLE_ROW : EXAMPLE_ROW + 1]


@dataclass(frozen=True)
class Protocol:
    """How a set is prepared and which forest is fitted on it.

    Parameters
    ----------
    load : callable
        Returns all rows, the columns numbers, in the authors' order.
    forest : dict
        Parameters of `RandomForestClassifier`; the depth is 10 where none is given.
    files : str or None
        The set of the catalogue whose files are read; None for generated rows.
    groups : tuple of str
        Nominal columns that became several columns, called NAME=CATEGORY.
    is_scaled : bool
        Whether the columns are brought to (0, 1) before the forest.
    n_folds : int
        How many folds there are.
    cut : callable
        ``cut(n_samples, fold)`` returns the training rows and the rows to be explained.
    """

    load: Callable[[], MultilabelData]
    forest: dict[str, Any]
    files: str | None = None
    groups: tuple[str, ...] = ()
    is_scaled: bool = True
    n_folds: int = N_FOLDS
    cut: Callable[[int, int], tuple[np.ndarray, np.ndarray]] = cut_fold


def load_fold(name: str, fold: int) -> Fold:
    """Return a fold of a set; its forest is fitted when it is first asked for.

    Parameters
    ----------
    name : str
        A name of `PROTOCOLS`.
    fold : int
        From 0; all sets have ten, the example has one.

    Raises
    ------
    ValueError
        When there is no such set or fold.
    OSError
        When the set's file is neither at hand nor to be fetched.

    Notes
    -----
    The forest adds up its trees in one thread, in a fixed order.
    """
    if name not in PROTOCOLS:
        raise ValueError(f"name must be one of {', '.join(PROTOCOLS)}, got {name!r}")
    protocol = PROTOCOLS[name]
    if fold not in range(protocol.n_folds):
        raise ValueError(f"fold must be from 0 to {protocol.n_folds - 1}, got {fold!r}")
    data = protocol.load()
    trained, tested = protocol.cut(data.n_samples, fold)
    groups = {
        group: tuple(k for k, column in enumerate(data.feature_names) if column.startswith(f"{group}="))
        for group in protocol.groups
    }
    note = f"fold {fold + 1} of {protocol.n_folds}, {len(trained)} rows to train on, {len(tested)} to explain"
    rows = take(data, trained), take(data, tested)
    return Fold(name, *rows, note, {"max_depth": 10} | protocol.forest, groups, protocol.is_scaled)


def ensure_protocol_files(name: str) -> None:
    """Have the files of a set at hand, fetching them if need be; raises as `load_fold` does."""
    if PROTOCOLS[name].files is not None:
        for file in find(PROTOCOLS[name].files).files.values():
            locate(find(PROTOCOLS[name].files), file)


def _load_flags() -> MultilabelData:
    data = load_dataset("flags")
    # Codes of land, zone, language and religion are taken for numbers.
    return _numeric(data, data.X.astype(np.float64))


def _load_foodtruck() -> MultilabelData:
    data = load_dataset("foodtruck")
    nominal = [*ONE_HOT, *ORDINAL]
    columns = dict(data.X.drop(columns=nominal).items())
    for name in ONE_HOT:
        columns |= {f"{name}={value}": data.X[name] == value for value in sorted(data.X[name].cat.categories)}
    for name in ORDINAL:
        order = {value: k for k, value in enumerate(sorted(data.X[name].cat.categories), start=1)}
        columns[name] = data.X[name].astype(object).map(order)
    return _numeric(data, pd.DataFrame(columns).astype(np.float64))


def _load_ai4i() -> MultilabelData:
    # The column that says whether a machine failed is left out by the catalogue; the rows are chosen by it.
    entry = find("ai4i")
    path = locate(entry, entry.files["all"])
    data = read_csv(path, FAILURES, drop=["UDI", "Product ID", "RNF"], name="ai4i")
    failed = np.flatnonzero(data.X["Machine failure"] == 1)
    return _with_type_numbers(take(_numeric(data, data.X.drop(columns="Machine failure")), failed))


def _simulate_ai4i() -> MultilabelData:
    data = make_ai4i(5000, random_state=0)
    data = replace(data, Y=data.Y[:, : len(FAILURES)], label_names=FAILURES)
    return _with_type_numbers(take(data, np.flatnonzero(data.Y.any(axis=1))))


def _with_type_numbers(data: MultilabelData) -> MultilabelData:
    return _numeric(data, data.X.assign(Type=data.X["Type"].astype(object).map(TYPE_NUMBERS).astype(np.float64)))


def _numeric(data: MultilabelData, X: pd.DataFrame) -> MultilabelData:
    """Return the data set with other columns; those that were not there before, or nominal, are numeric now."""
    known = dict(zip(data.feature_names, data.kinds))
    kinds = ["binary" if known.get(name) == "binary" else "numeric" for name in X.columns]
    return replace(data, X=X, feature_names=tuple(X.columns), kinds=tuple(kinds))


PROTOCOLS = {
    "foodtruck": Protocol(
        _load_foodtruck,
        {"n_estimators": 1000, "max_features": 0.75, "min_samples_leaf": 1, "bootstrap": True},
        "foodtruck",
        ONE_HOT,
    ),
    "water-quality": Protocol(
        lambda: load_dataset("water-quality"),
        {"n_estimators": 100, "max_features": None, "min_samples_leaf": 1, "bootstrap": True},
        "water-quality",
    ),
    "flags": Protocol(
        _load_flags,
        {"n_estimators": 500, "max_features": "sqrt", "min_samples_leaf": 5, "bootstrap": False},
        "flags",
    ),
    "ai4i": Protocol(
        _load_ai4i,
        {"n_estimators": 500, "max_features": "sqrt", "min_samples_leaf": 1, "bootstrap": False},
        "ai4i",
    ),
    "ai4i-simulated": Protocol(
        _simulate_ai4i,
        {"n_estimators": 100, "max_features": "sqrt", "min_samples_leaf": 1, "bootstrap": False},
    ),
    # The qualitative example, whose columns the authors' notebook does not scale.
    "ai4i-example": Protocol(
        _load_ai4i,
        {"n_estimators": 500, "max_depth": 5, "max_features": 0.75, "bootstrap": False},
        "ai4i",
        is_scaled=False,
        n_folds=1,
        cut=cut_example,
    ),
    "ai4i-simulated-example": Protocol(
        _simulate_ai4i,
        {"n_estimators": 100, "max_depth": 5, "max_features": 0.75, "bootstrap": False},
        is_scaled=False,
        n_folds=1,
        cut=cut_example,
    ),
}
