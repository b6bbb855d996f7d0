"""Targets: what an estimator was given as Y, as a binary table, and predictions in the same form."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
import scipy.sparse as sp
from sklearn.utils import column_or_1d
from sklearn.utils.multiclass import type_of_target


@dataclass(frozen=True)
class Targets:
    """Labels of a training set.

    Attributes
    ----------
    positives : csr_array of uint8 of shape (n_samples, n_labels)
        Without explicit zeros.
    label_names : tuple of str
    classes : ndarray or list of ndarray
        For one-dimensional y its two values, absent before present; else ``[0, 1]`` for each label.
    form : {"vector", "dense", "sparse"}
        Container of y, which predictions take too.
    dtype : dtype
        Type of the values of y, likewise.
    """

    positives: sp.csr_array
    label_names: tuple[str, ...]
    classes: np.ndarray | list[np.ndarray]
    form: str
    dtype: np.dtype

    def like_input(self, predicted: Any) -> Any:
        """Return predictions of shape (n_samples, n_labels), dense or sparse, in the form of the training y."""
        if self.form == "vector":
            return self.classes[predicted[:, 0]]
        return predicted.astype(self.dtype, copy=False)


def read_targets(y: Any, label_names: Sequence[str] | None = None) -> Targets:
    """Read y as a binary table.

    Parameters
    ----------
    y : array-like, sparse matrix or DataFrame of shape (n_samples, n_labels), or array-like of shape (n_samples,)
        Two-dimensional: zeros and ones, or Booleans. One-dimensional: two values, the higher of which means present.
    label_names : sequence of str or None, default=None
        Names of the labels; by default the columns of a DataFrame, else y0, y1, ...

    Raises
    ------
    ValueError
        When y holds anything else; the message names the column.
    """
    columns = [str(column) for column in y.columns] if isinstance(y, pd.DataFrame) else None
    classes = None
    if sp.issparse(y):
        positives, form, dtype = _read_sparse(y), "sparse", y.dtype
    else:
        table = np.asarray(y)
        if table.ndim == 2:
            positives, dtype = _read_table(table)
            form = "dense"
        else:
            positives, classes = _read_vector(y)
            form, dtype = "vector", classes.dtype
    if label_names is None:
        label_names = columns or [f"y{k}" for k in range(positives.shape[1])]
    if isinstance(label_names, str) or len(set(label_names)) < len(label_names):
        raise ValueError(f"label_names must be distinct names, got {label_names!r}")
    if len(label_names) != positives.shape[1]:
        raise ValueError(f"label_names has {len(label_names)} names, but y has {positives.shape[1]} labels")
    classes = [np.array([0, 1])] * positives.shape[1] if classes is None else classes
    return Targets(positives, tuple(str(name) for name in label_names), classes, form, dtype)


def _read_sparse(y: Any) -> sp.csr_array:
    positives = sp.csr_array(y, copy=True)
    positives.sum_duplicates()
    _refuse_other_values(positives.data, sp.coo_array(positives).coords[1])
    positives.eliminate_zeros()
    return positives.astype(np.uint8)


def _read_table(values: np.ndarray) -> tuple[sp.csr_array, np.dtype]:
    if values.dtype == object:
        try:
            numbers = values.astype(np.float64)
        except (TypeError, ValueError):
            raise ValueError("y must hold zeros and ones only, but holds values that are no numbers") from None
        return _read_table(numbers)[0], np.dtype(np.int64)
    if values.dtype.kind not in "biuf":
        raise ValueError(f"y must hold zeros and ones only, got values of type {values.dtype}")
    other = ~np.isin(values, (0, 1))
    if other.any():
        _refuse_other_values(values[other], np.nonzero(other)[1])
    return sp.csr_array(values.astype(np.uint8)), values.dtype


def _refuse_other_values(values: np.ndarray, columns: np.ndarray) -> None:
    other = ~np.isin(values, (0, 1))
    if other.any():
        first = int(np.argmax(other))
        raise ValueError(
            f"y must hold zeros and ones only, but column {int(columns[first])} holds {values[first].item()!r}. "
            f"Input contains NaN, or a target that is not binary."
        )


def _read_vector(y: Any) -> tuple[sp.csr_array, np.ndarray]:
    if y is None:
        raise ValueError("requires y to be passed, but the target y is None")
    y = column_or_1d(y, warn=True)
    if y.dtype.kind == "f" and not np.isfinite(y).all():
        raise ValueError("Input y contains NaN or infinity.")
    kind = type_of_target(y, input_name="y")
    classes = np.unique(y)
    if kind.startswith("continuous"):
        raise ValueError(f"Unknown label type: {kind}. y must hold two classes, or zeros and ones for each label")
    if classes.size > 2:
        raise ValueError(f"Only binary classification is supported. The type of the target is {kind}.")
    if classes.size < 2:
        raise ValueError(f"y must hold two classes, but holds {classes.size} class: {classes.tolist()}")
    return sp.csr_array((y == classes[1]).astype(np.uint8)[:, None]), classes
