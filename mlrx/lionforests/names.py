"""Names of features and labels, and tables whose columns are found by them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from ..rules import TableColumns
from .forest import FlatForest


def names_of_features(given: Sequence[str] | None, forest: FlatForest, X: Any) -> tuple[str, ...]:
    """Return the names given, else those that the forest was fitted with, else the frame's, else x0, x1, ..."""
    fitted = forest.feature_names
    seen = tuple(map(str, X.columns)) if isinstance(X, pd.DataFrame) else None
    default = fitted or seen or tuple(f"x{f}" for f in range(forest.n_features))
    names = _names("feature_names", given, default)
    if fitted is not None and names != fitted:
        raise ValueError(f"feature_names are {names}, but the forest was fitted with {fitted}")
    return names


def names_of_labels(given: Sequence[str] | None, forest: FlatForest, Y: Any) -> tuple[str, ...]:
    """Return the names given, else those of the frame Y, else y0, y1, ..."""
    seen = tuple(map(str, Y.columns)) if isinstance(Y, pd.DataFrame) else None
    return _names("label_names", given, seen or tuple(f"y{k}" for k in range(forest.n_labels)))


def columns_by_name(X: Any, forest: FlatForest, names: Sequence[str]) -> Any:
    """Return the columns of a frame, or the entries of a Series, in the order of the names.

    A forest that was fitted with names finds them itself.
    """
    columns = X.columns if isinstance(X, pd.DataFrame) else X.index if isinstance(X, pd.Series) else ()
    if forest.feature_names is not None or not _are_texts(columns):
        return X
    table = TableColumns(X.to_frame().T if isinstance(X, pd.Series) else X, names)
    return np.column_stack([table[f] for f in range(forest.n_features)])


def labels_by_name(Y: Any, names: Sequence[str]) -> Any:
    """Return the columns of a frame of labels in the order of the names."""
    if not isinstance(Y, pd.DataFrame) or not _are_texts(Y.columns):
        return Y
    if set(Y.columns) != set(names):
        raise ValueError(f"label_names are {tuple(names)}, but Y has the columns {tuple(Y.columns)}")
    return Y[list(names)]


def _are_texts(columns: Sequence[Any]) -> bool:
    return len(columns) > 0 and all(isinstance(column, str) for column in columns)


def _names(argument: str, given: Sequence[str] | None, default: tuple[str, ...]) -> tuple[str, ...]:
    """Return the names given, as many as the default ones and all distinct, or these."""
    names = default if given is None else tuple(str(name) for name in given)
    if len(names) != len(default):
        raise ValueError(f"{argument} has {len(names)} names for {len(default)} columns")
    repeated = sorted({name for name in names if names.count(name) > 1})
    if repeated:
        raise ValueError(f"{argument} must be distinct, but more than one is called {repeated}")
    return names
