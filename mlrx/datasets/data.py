"""The one shape in which every data set arrives: features, labels, their names and kinds."""

from __future__ import annotations

import html
from collections import Counter
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
import pandas as pd
import scipy.sparse as sp

from mlrx.rules import FEATURE_KINDS


class GeneratingRule(NamedTuple):
    """A rule that a synthetic data set was made from: where the features are 1, the labels are 1.

    Attributes
    ----------
    antecedent : tuple of int
        Column indices of X.
    consequent : tuple of int
        Column indices of Y.
    """

    antecedent: tuple[int, ...]
    consequent: tuple[int, ...]


@dataclass(frozen=True, eq=False, repr=False)
class MultilabelData:
    """A multi-label data set, or one split of it.

    Attributes
    ----------
    X : DataFrame or CSR array of shape (n_samples, n_features)
        In a DataFrame, binary and numeric columns are float64, nominal ones categorical; missing values are NaN. A CSR
        array is float64 and holds binary and numeric features only. The columns of a DataFrame are called as
        ``feature_names`` says; one whose columns are merely counted is given these names.
    Y : ndarray of uint8 or CSR array of uint8, shape (n_samples, n_labels)
        1 where the row has the label.
    feature_names, label_names : tuple of str
        One a column; no name twice within X or within Y. Any sequence of names is kept as a tuple.
    kinds : tuple of str
        One a feature: "binary" (declared {0,1}), "numeric" or "nominal".
    name : str
        Name of the data set.
    split : str or None
        "train" or "test"; None for all rows.
    generating_rules : tuple of GeneratingRule
        The rules behind synthetic data; empty for data from elsewhere.

    Raises
    ------
    ValueError
        If lengths disagree, a name comes twice or differs from the DataFrame's, a kind is unknown, X is sparse with
        a nominal feature, or Y is not two-dimensional or holds anything but 0 and 1.
    TypeError
        If X is neither a DataFrame nor sparse, or one text is given for names.
    """

    X: pd.DataFrame | sp.csr_array
    Y: np.ndarray | sp.csr_array
    feature_names: tuple[str, ...]
    label_names: tuple[str, ...]
    kinds: tuple[str, ...]
    name: str
    split: str | None = None
    generating_rules: tuple[GeneratingRule, ...] = ()

    def __post_init__(self):
        self._check_containers()
        for names, matrix, column in (("feature_names", "X", "feature"), ("label_names", "Y", "label")):
            given = getattr(self, names)
            width = getattr(self, matrix).shape[1]
            if len(given) != width:
                raise ValueError(f"{names} has {len(given)} names; {matrix} has {width} columns")
            twice = [name for name, count in Counter(given).items() if count > 1]
            if twice:
                raise ValueError(f"{names}: {column} {twice[0]!r} comes more than once")
        if self.X.shape[0] != self.Y.shape[0]:
            raise ValueError(f"X has {self.X.shape[0]} rows, Y has {self.Y.shape[0]}")
        if len(self.kinds) != len(self.feature_names):
            raise ValueError(f"kinds has {len(self.kinds)} entries for {len(self.feature_names)} features")
        for feature, kind in zip(self.feature_names, self.kinds):
            if kind not in FEATURE_KINDS:
                allowed = ", ".join(FEATURE_KINDS)
                raise ValueError(f"kinds: feature {feature!r} has the kind {kind!r}; allowed are {allowed}")
            if kind == "nominal" and sp.issparse(self.X):
                raise ValueError(f"X: feature {feature!r} is nominal, which a sparse X cannot hold; give a DataFrame")
        if isinstance(self.X, pd.DataFrame):
            object.__setattr__(self, "X", _named(self.X, self.feature_names))
        object.__setattr__(self, "Y", _zero_one(self.Y, self.label_names))

    def _check_containers(self) -> None:
        """Refuse containers of another sort or shape; bring those that are kept to one type."""
        if sp.issparse(self.X):
            object.__setattr__(self, "X", sp.csr_array(self.X))
        elif not isinstance(self.X, pd.DataFrame):
            raise TypeError(f"X must be a DataFrame or a sparse array, got {type(self.X).__name__}")
        if not sp.issparse(self.Y):
            object.__setattr__(self, "Y", np.asarray(self.Y))
        if self.Y.ndim != 2:
            raise ValueError(f"Y must be two-dimensional (n_samples, n_labels), got {self.Y.ndim} dimension(s)")
        for field in ("feature_names", "label_names", "kinds"):
            given = getattr(self, field)
            if isinstance(given, str):
                raise TypeError(f"{field} must be several texts, got the one text {given!r}")
            object.__setattr__(self, field, tuple(given))

    @property
    def n_samples(self) -> int:
        """Number of rows."""
        return self.X.shape[0]

    @property
    def n_features(self) -> int:
        """Number of features."""
        return self.X.shape[1]

    @property
    def n_labels(self) -> int:
        """Number of labels."""
        return self.Y.shape[1]

    @property
    def label_counts(self) -> np.ndarray:
        """Number of rows that have each label, shape (n_labels,)."""
        return np.asarray(self.Y.sum(axis=0, dtype=np.int64)).ravel()

    def without_unused_labels(self) -> MultilabelData:
        """Drop the labels that no row has.

        Returns
        -------
        MultilabelData
            The same rows; the generating rules, which name labels by index, are kept only if no label went.
        """
        used = np.flatnonzero(self.label_counts)
        if len(used) == self.n_labels:
            return self
        names = tuple(self.label_names[label] for label in used)
        return replace(self, Y=self.Y[:, used], label_names=names, generating_rules=())

    def describe(self) -> pd.Series:
        """Sizes at a glance.

        Returns
        -------
        Series
            Rows, features by kind, labels, labels that no row has, labels a row and share of ones in Y.
        """
        counts = self.label_counts
        cells = self.n_samples * self.n_labels
        of_kind = Counter(self.kinds)
        return pd.Series(
            {
                "rows": self.n_samples,
                "features": self.n_features,
                **{f"{kind} features": of_kind[kind] for kind in FEATURE_KINDS},
                "labels": self.n_labels,
                "labels that no row has": int((counts == 0).sum()),
                "labels a row": counts.sum() / self.n_samples if self.n_samples else np.nan,
                "label density": counts.sum() / cells if cells else np.nan,
            },
            name=self.title,
            dtype=object,
        )

    @property
    def title(self) -> str:
        """Name and split."""
        return f"{self.name} ({self.split})" if self.split else self.name

    def __repr__(self) -> str:
        return (
            f"MultilabelData({self.title}: {self.n_samples} rows, {self.n_features} features, {self.n_labels} labels)"
        )

    def _repr_html_(self) -> str:
        cells = "".join(
            f"<tr><th>{html.escape(key)}</th><td>{value:.4g}</td></tr>" for key, value in self.describe().items()
        )
        return f"<table><caption>{html.escape(self.title)}</caption>{cells}</table>"


def _named(X: pd.DataFrame, names: tuple[str, ...]) -> pd.DataFrame:
    """X with its columns called by name, or an error that tells the first column called otherwise."""
    if isinstance(X.columns, pd.RangeIndex):
        return X.set_axis(list(names), axis=1)
    for at, (column, name) in enumerate(zip(X.columns, names)):
        if column != name:
            raise ValueError(f"feature_names: column {at} of X is called {column!r}, not {name!r}")
    return X


def _zero_one(Y: np.ndarray | sp.csr_array, label_names: tuple[str, ...]) -> np.ndarray | sp.csr_array:
    """Y as uint8, or an error that names a label with another value."""
    sparse = sp.issparse(Y)
    if sparse:
        Y = sp.csr_array(Y)
        values, columns = Y.data, Y.indices
    else:
        values, columns = Y.ravel(), None
    wrong = np.flatnonzero((values != 0) & (values != 1))
    if len(wrong):
        at = wrong[0]
        label = label_names[columns[at] if sparse else at % Y.shape[1]]
        raise ValueError(f"Y: label {label!r} has the value {values[at]}; allowed are 0 and 1")
    Y = Y.astype(np.uint8)
    if sparse:
        Y.eliminate_zeros()
    return Y
