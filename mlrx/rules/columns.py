"""Reading single columns of a table, whatever its container."""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Real
from typing import Any

import numpy as np
import pandas as pd
import scipy.sparse as sp


class TableColumns:
    """Columns of an ndarray, sparse matrix or DataFrame, one at a time.

    Parameters
    ----------
    X : ndarray, sparse matrix or DataFrame of shape (n_samples, n_features)
        The table.
    feature_names : sequence of str or None, default=None
        Names of the columns by position. Given these, the columns of a DataFrame are found by name, so that a
        frame with its columns in another order reads the same.

    Raises
    ------
    ValueError
        When X is not two-dimensional, or has too few or misnamed columns.
    """

    def __init__(self, X: Any, feature_names: Sequence[str] | None = None) -> None:
        if getattr(X, "ndim", None) != 2:
            X = np.asarray(X)
            if X.ndim != 2:
                raise ValueError(f"X must be two-dimensional (n_samples, n_features), got {X.ndim} dimension(s)")
        self.n_samples, n_columns = X.shape
        self._table = X.tocsc() if sp.issparse(X) else X
        self._keeps_integers = isinstance(X, pd.DataFrame) and _keeps_integers(X.dtypes.tolist())
        self._positions: Sequence[int] = range(n_columns)
        if feature_names is not None:
            self._positions = self._locate(list(feature_names), n_columns)

    def _locate(self, names: list[str], n_columns: int) -> Sequence[int]:
        if isinstance(self._table, pd.DataFrame) and all(isinstance(c, str) for c in self._table.columns):
            columns = list(self._table.columns)
            position = {name: k for k, name in enumerate(columns)}
            absent = [name for name in names if name not in position]
            if absent:
                raise ValueError(f"X lacks the columns {absent}; its columns are {columns[:20]}")
            extra = [name for name in position if name not in set(names)]
            if extra:
                raise ValueError(f"X has columns that were not seen in training: {extra}")
            if n_columns != len(position) or len(set(names)) != len(names):
                repeated = sorted({name for name in names if names.count(name) > 1 or columns.count(name) > 1})
                raise ValueError(f"columns are found by name, but more than one is called {repeated}")
            return [position[name] for name in names]
        if n_columns != len(names):
            raise ValueError(f"X has {n_columns} features, but {len(names)} features are expected")
        return range(n_columns)

    def __getitem__(self, feature: int) -> np.ndarray:
        """Return column `feature` as a dense array of shape (n_samples,)."""
        if feature >= len(self._positions):
            raise ValueError(f"X has {len(self._positions)} columns, but column {feature} is asked for")
        k = self._positions[feature]
        if isinstance(self._table, pd.DataFrame):
            return series_values(self._table.iloc[:, k], self._keeps_integers)
        if not sp.issparse(self._table):
            return self._table[:, k]
        start, end = self._table.indptr[k], self._table.indptr[k + 1]
        # Of integers, float64 holds all but the longest.
        is_long = self._table.dtype in (np.int64, np.uint64)
        dtype = self._table.dtype if is_long else np.result_type(self._table.dtype, np.float32)
        values = np.zeros(self.n_samples, dtype=dtype)
        # Duplicate entries of a sparse matrix stand for their sum.
        np.add.at(values, self._table.indices[start:end], self._table.data[start:end])
        return values


def _keeps_integers(dtypes: Sequence[Any]) -> bool:
    """Tell whether integers of a frame of these dtypes are rounded once when they are cast to float32.

    As scikit-learn takes frames: beside floats it makes float64 of integers first, which beyond 2 ** 53 may round to
    another float32; but not where a column is Boolean or of a dtype that may hold NA.
    """
    if any(_is_cast_by_itself(dtype) for dtype in dtypes):
        return True
    is_integer = bool(dtypes) and all(isinstance(dtype, np.dtype) and dtype.kind in "iu" for dtype in dtypes)
    return is_integer and np.result_type(*dtypes).kind in "iu"


def _is_cast_by_itself(dtype: Any) -> bool:
    if not pd.api.types.is_extension_array_dtype(dtype) or isinstance(dtype, pd.SparseDtype):
        return pd.api.types.is_bool_dtype(dtype)
    return pd.api.types.is_bool_dtype(dtype) or pd.api.types.is_numeric_dtype(dtype)


def series_values(series: pd.Series, keeps_integers: bool = False) -> np.ndarray:
    """Return a column as floats with NaN for missing, or as objects with None for missing.

    With `keeps_integers`, integers of which none is missing stay integers.
    """
    dtype = getattr(series.dtype, "numpy_dtype", series.dtype)
    if keeps_integers and isinstance(dtype, np.dtype) and dtype.kind in "iu" and not series.hasnans:
        return series.to_numpy(dtype=dtype)
    if pd.api.types.is_numeric_dtype(series.dtype):
        return series.to_numpy(dtype=np.float64, na_value=np.nan)
    values = series.astype(object)
    return values.where(series.notna(), None).to_numpy()


def category_text(value: Any) -> str:
    """Return a category as text; a number reads the same whatever its type: 3, 3.0 and ``np.int8(3)`` are "3"."""
    return repr(float(value)).removesuffix(".0") if isinstance(value, Real | np.bool_) else str(value)


def category_texts(values: Any) -> np.ndarray:
    """Return the values of a nominal column as text, with None for missing.

    Parameters
    ----------
    values : array-like of shape (n_samples,)
        Any values, with None, NaN or NA for missing.

    Returns
    -------
    ndarray of object of shape (n_samples,)
    """
    values = np.asarray(values, dtype=object)
    texts = [None if missing else category_text(value) for value, missing in zip(values, pd.isna(values))]
    return np.array(texts, dtype=object)
