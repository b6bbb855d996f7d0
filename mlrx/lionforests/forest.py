"""A forest as flat arrays: the same predictions as scikit-learn's, many times as fast."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd
import scipy.sparse as sp
from numba import njit
from sklearn.ensemble import ExtraTreesClassifier, RandomForestClassifier
from sklearn.pipeline import Pipeline
from sklearn.utils import check_array, get_tags
from sklearn.utils.validation import check_is_fitted

from ..rules import TableColumns
from .scaling import Scaling, refuse_overridden
from .trees import check_probabilities, flatten

FORESTS = (RandomForestClassifier, ExtraTreesClassifier)
# Rows that go through all trees together: their votes stay in the processor's cache.
BLOCK_ROWS = 256


@dataclass(frozen=True, eq=False)
class FlatForest:
    """A random forest of one or many labels, read into flat arrays; made by `FlatForest.read`.

    Inner nodes of all trees are numbered through, and so are leaves. A child or root that is negative, ``~k``, is
    leaf k. Leaves of one tree are adjacent.

    Parameters
    ----------
    model : RandomForestClassifier, ExtraTreesClassifier, Pipeline or None
        What was read; None where the forest was read from a file.
    scaling : Scaling
        The steps of the pipeline before the forest; none for a bare forest.
    classes : tuple of ndarray
        The classes of each label, one or two of them, in the order of `model`.
    is_present : ndarray of bool of shape (n_labels,)
        For a label with one class, whether that class means "present"; true for labels with two.
    roots : ndarray of int32 of shape (n_trees,)
    feature, left, right : ndarray of int32 of shape (n_nodes,)
    threshold : ndarray of float32 of shape (n_nodes,)
        The greatest float32 value that goes left: on float32 values, the same split as scikit-learn's.
    stated_threshold : ndarray of float64 of shape (n_nodes,)
        The threshold as scikit-learn states it.
    missing_left : ndarray of bool of shape (n_nodes,)
        Where a missing value goes.
    leaf_start : ndarray of int64 of shape (n_trees + 1,)
        Leaves of tree t are ``leaf_start[t]`` to ``leaf_start[t + 1] - 1``.
    votes : ndarray of float64 of shape (n_leaves, n_labels, 2)
        Class probabilities in each leaf, by class index; the second is 0 for a label with one class.
    n_features : int
    feature_names : tuple of str or None
        Column names seen in training.
    allows_missing : bool
        Whether the model's own `predict` accepts NaN.

    Examples
    --------
    >>> model = RandomForestClassifier(5, random_state=0).fit([[0.0], [1.0], [2.0]], [[0, 1], [1, 1], [1, 0]])
    >>> forest = FlatForest.read(model)
    >>> forest.predict([[2.0]])
    array([[1, 1]])
    """

    model: Any
    scaling: Scaling
    classes: tuple[np.ndarray, ...]
    is_present: np.ndarray
    roots: np.ndarray
    feature: np.ndarray
    left: np.ndarray
    right: np.ndarray
    threshold: np.ndarray
    stated_threshold: np.ndarray
    missing_left: np.ndarray
    leaf_start: np.ndarray
    votes: np.ndarray
    n_features: int
    feature_names: tuple[str, ...] | None
    allows_missing: bool

    @classmethod
    def read(cls, model: Any) -> FlatForest:
        """Read a fitted forest, or a fitted Pipeline of scalers and a forest.

        Parameters
        ----------
        model : RandomForestClassifier, ExtraTreesClassifier or Pipeline

        Raises
        ------
        TypeError
            When the model or a step of the pipeline is of another class, or of a subclass that predicts or transforms
            in a way of its own.
        ValueError
            When a label has more than two classes, or the meaning of its only class cannot be told; when a leaf holds
            values that are no probabilities, as negative sample weights make them.
        sklearn.exceptions.NotFittedError
            When the model is not fitted.

        Notes
        -----
        O(n_nodes * n_labels). Reads public tree arrays only.
        """
        forest = forest_of(model)
        refuse_overridden(forest, FORESTS, ("predict", "predict_proba"))
        check_is_fitted(forest)
        scaling = Scaling.read(model)
        classes = tuple(forest.classes_) if forest.n_outputs_ > 1 else (forest.classes_,)
        # A pipeline whose first step is passed through does not tell its names.
        names = getattr([*scaling.steps, forest][0], "feature_names_in_", None)
        accepts_missing = get_tags(forest).input_tags.allow_nan and getattr(forest, "monotonic_cst", None) is None
        trees = [estimator.tree_ for estimator in forest.estimators_]
        names = None if names is None else tuple(names)
        return cls.of_trees(trees, classes, forest.n_features_in_, names, accepts_missing, model, scaling)

    @classmethod
    def of_trees(
        cls,
        trees: Sequence[Any],
        classes: tuple[np.ndarray, ...],
        n_features: int,
        feature_names: tuple[str, ...] | None,
        allows_missing: bool,
        model: Any = None,
        scaling: Scaling = Scaling(),  # noqa: B008, it is frozen
    ) -> FlatForest:
        """Make a flat forest of trees; see `flatten` for what they are, and the class for the rest.

        Raises
        ------
        ValueError
            As `read` does, for classes and for what the leaves hold.
        """
        arrays = flatten(trees)
        check_probabilities(arrays["votes"])
        return cls(
            model,
            scaling,
            classes,
            _last_class_means_present(classes),
            **arrays,
            n_features=n_features,
            feature_names=feature_names,
            allows_missing=allows_missing,
        )

    @property
    def n_trees(self) -> int:
        """Number of trees."""
        return self.roots.size

    @property
    def n_labels(self) -> int:
        """Number of labels."""
        return len(self.classes)

    @property
    def dtype(self) -> str:
        """Precision in which rows are told apart: float32, as trees compare; float64 before scalers."""
        return "float64" if self.scaling.steps else "float32"

    @cached_property
    def limits(self) -> np.ndarray:
        """The least and the greatest known value that the model accepts in each column, of shape (2, n_features)."""
        return self.scaling.limits(self.n_features).astype(self.dtype)

    def rows(self, X: Any) -> np.ndarray:
        """Return rows as the model takes them, checked.

        Parameters
        ----------
        X : array-like, sparse matrix, DataFrame or Series of shape (n_samples, n_features) or (n_features,)
            The columns of a DataFrame, or the entries of a Series, are found by name when the model was fitted
            with names.

        Returns
        -------
        ndarray of shape (n_samples, n_features)
            In the precision `dtype`, NaN for missing.

        Warns
        -----
        UserWarning
            When X is of float32 and the model has scalers, which then compute in float32, so that it predicts other
            labels for a row than for the same row in float64, which is returned.

        Raises
        ------
        ValueError
            When X has too few, too many or misnamed columns, has NaN that the model does not accept, or has values
            that are infinite or that scaling makes infinite in float32.
        """
        given = self._checked(X)
        X = given.astype(self.dtype, copy=False)
        least, greatest = self.limits
        is_beyond = (least > X) | (greatest < X)
        if is_beyond.any():
            i, f = np.argwhere(is_beyond)[0]
            raise ValueError(
                f"X has the value {X[i, f]} in column {f} of row {i}; scaled, it is too large for float32: values from "
                f"{least[f]} to {greatest[f]} are allowed"
            )
        if given.dtype != X.dtype:
            differs = (self.predict_labels(given) != self.predict_labels(X)).any(axis=1)
            if differs.any():
                message = (
                    "the model predicts other labels for the float32 rows %s of X than for the same rows in float64, "
                    "which are taken here; cast X to float64 to have the model predict the same"
                )
                warnings.warn(message % np.flatnonzero(differs)[:20].tolist(), stacklevel=2)
        return X

    def _checked(self, X: Any) -> np.ndarray:
        """Return rows in the precision in which the model computes: scalers keep to float32 when they are given it."""
        dtype = ["float64", "float32"] if self.scaling.steps else "float32"
        if isinstance(X, pd.Series):
            X = X.to_frame().T
        if isinstance(X, pd.DataFrame):
            columns = TableColumns(X, self.feature_names)
            is_float32 = (X.dtypes == np.float32).all()
            X = [columns[f] for f in range(min(X.shape[1], self.n_features))]
            if is_float32 or dtype == "float32":
                with np.errstate(over="ignore"):  # refused below
                    X = [column.astype(np.float32) for column in X]  # integers beside floats are rounded once
            X = np.column_stack(X)
            if X.dtype.kind == "f" and (is_infinite := np.isinf(X).any(axis=0)).any():
                f = int(is_infinite.argmax())
                name = self.feature_names[f] if self.feature_names else f
                raise ValueError(f"the column {name!r} of X has infinity or what is too large for {X.dtype}")
        is_sparse = sp.issparse(X)
        finite = "allow-nan" if self.allows_missing and not is_sparse else True
        X = check_array(X, accept_sparse="csr", dtype=dtype, order="C", ensure_all_finite=finite, input_name="X")
        if X.shape[1] != self.n_features:
            raise ValueError(f"X has {X.shape[1]} features, but the forest was fitted with {self.n_features}")
        return X.toarray() if is_sparse else X

    def row(self, x: Any) -> np.ndarray:
        """Return one row, given as a row or as a table of one row, as an ndarray of shape (n_features,)."""
        if not isinstance(x, pd.Series | pd.DataFrame) and not sp.issparse(x):
            x = np.atleast_2d(np.asarray(x))
        rows = self.rows(x)
        if len(rows) != 1:
            raise ValueError(f"x must be one row, got {len(rows)} rows")
        return rows[0]

    def _mean_votes(self, X: Any) -> np.ndarray:
        """Return class probabilities of shape (n_samples, n_labels, 2), in the forest's order of summation."""
        X = self.scaling.transform(self._checked(X))
        sums = np.zeros((len(X), 2 * self.n_labels))
        votes = self.votes.reshape(len(self.votes), -1)
        _add_votes(X, self.roots, self.feature, self.threshold, self.left, self.right, self.missing_left, votes, sums)
        return (sums / self.n_trees).reshape(len(X), self.n_labels, 2)

    def predict(self, X: Any) -> np.ndarray:
        """Predict what the model's own `predict` does, ties included.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples, n_labels), or (n_samples,) for a forest fitted on one-dimensional y

        Notes
        -----
        O(n_samples * n_trees * (depth + n_labels)). A forest that adds up its trees in several threads (`n_jobs`) adds
        in no fixed order; where two classes are equal but for rounding, it may then differ from itself.
        """
        votes = self._mean_votes(X)
        second = votes[..., 1] > votes[..., 0]
        if self.n_labels == 1:
            return self.classes[0].take(second[:, 0].astype(np.intp))
        predicted = np.empty(second.shape, dtype=self.classes[0].dtype)
        for k, classes in enumerate(self.classes):
            predicted[:, k] = classes.take(second[:, k].astype(np.intp))
        return predicted

    def predict_labels(self, X: Any) -> np.ndarray:
        """Tell which labels are predicted, as Booleans of shape (n_samples, n_labels), however they are coded."""
        votes = self._mean_votes(X)
        return np.where(self.is_constant, self.is_present, votes[..., 1] > votes[..., 0])

    def read_labels(self, Y: Any) -> np.ndarray:
        """Tell which labels are present in label values that are coded as in training.

        Parameters
        ----------
        Y : array-like of shape (n_samples, n_labels), or (n_samples,) for one label

        Returns
        -------
        ndarray of bool of shape (n_samples, n_labels)

        Raises
        ------
        ValueError
            When Y has another number of labels, or a value that a label with two classes did not have in training.
        """
        values = np.asarray(Y.toarray() if sp.issparse(Y) else Y)
        values = values[:, None] if values.ndim == 1 else values
        if values.ndim != 2 or values.shape[1] != self.n_labels:
            raise ValueError(f"Y must have {self.n_labels} label(s), got an array of shape {values.shape}")
        present = np.empty(values.shape, dtype=bool)
        for k, classes in enumerate(self.classes):
            unknown = ~np.isin(values[:, k], classes)
            if classes.size == 2 and unknown.any():
                found = values[unknown, k].tolist()[0]
                raise ValueError(f"label {k} has the value {found!r} in Y; in training it had {classes.tolist()}")
            present[:, k] = (values[:, k] == classes[-1]) == self.is_present[k]
        return present

    def predict_by_model(self, row: np.ndarray) -> np.ndarray:
        """Tell which labels the model's own `predict` gives to one row, as Booleans of shape (n_labels,).

        Slow; for whoever must not take this class's word for it. A forest without a model has to do so.
        """
        if self.model is None:
            return self.predict_labels(row[None])[0]
        X = row[None] if self.feature_names is None else pd.DataFrame(row[None], columns=self.feature_names)
        predicted = np.asarray(self.model.predict(X)).reshape(-1)
        second = [value == classes[-1] for value, classes in zip(predicted, self.classes)]
        return np.where(self.is_constant, self.is_present, second)

    def predict_proba(self, X: Any) -> np.ndarray | list[np.ndarray]:
        """Return what the model's own `predict_proba` does: an array of shape (n_samples, n_classes) for each label."""
        votes = self._mean_votes(X)
        probabilities = [votes[:, k, : classes.size] for k, classes in enumerate(self.classes)]
        return probabilities[0] if self.n_labels == 1 else probabilities

    def margins(self, X: Any) -> np.ndarray:
        """Return P(present) - P(absent) of each label, of shape (n_samples, n_labels)."""
        votes = self._mean_votes(X)
        return np.where(self.is_constant, np.where(self.is_present, 1.0, -1.0), votes[..., 1] - votes[..., 0])

    @cached_property
    def is_constant(self) -> np.ndarray:
        """Which labels have one class only, of shape (n_labels,)."""
        return np.array([classes.size == 1 for classes in self.classes])


def forest_of(model: Any) -> Any:
    """Return a forest, or the forest in which a Pipeline ends; raise TypeError for any other model."""
    forest = model.steps[-1][1] if isinstance(model, Pipeline) else model
    if not isinstance(forest, FORESTS):
        allowed = " or ".join(kind.__name__ for kind in FORESTS)
        raise TypeError(f"forest must be a {allowed}, or a Pipeline that ends in one, got {type(forest).__name__}")
    return forest


def _last_class_means_present(classes: Sequence[np.ndarray]) -> np.ndarray:
    """Tell for each label whether its last class means "present".

    The second of two does. The only class of a constant label means what it means for the labels with two classes;
    when they do not tell, a number above zero means "present".
    """
    for k, values in enumerate(classes):
        if values.size > 2:
            raise ValueError(f"label {k} has {values.size} classes {values[:5].tolist()}..., a label has at most two")
    firsts = {values.tolist()[0] for values in classes if values.size == 2}
    seconds = {values.tolist()[1] for values in classes if values.size == 2}
    is_present = np.ones(len(classes), dtype=bool)
    for k, values in enumerate(classes):
        only = values.tolist()[0]
        if values.size == 1 and (only in firsts) != (only in seconds):
            is_present[k] = only in seconds
        elif values.size == 1 and isinstance(only, str):
            raise ValueError(f"label {k} has the only class {only!r}, which may mean present or absent")
        elif values.size == 1:
            is_present[k] = only > 0
    return is_present


@njit(cache=True, nogil=True)
def _add_votes(X, roots, feature, threshold, left, right, missing_left, votes, sums):
    for first in range(0, X.shape[0], BLOCK_ROWS):
        for root in roots:
            for i in range(first, min(first + BLOCK_ROWS, X.shape[0])):
                node = root
                while node >= 0:
                    value = X[i, feature[node]]
                    goes_left = value <= threshold[node] or (np.isnan(value) and missing_left[node])
                    node = left[node] if goes_left else right[node]
                for k in range(sums.shape[1]):
                    sums[i, k] += votes[~node, k]
