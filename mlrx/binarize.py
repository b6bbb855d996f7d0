"""FeatureBinarizer: original columns to binary items, each of which knows its condition on the original column."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
import pandas as pd
import scipy.sparse as sp
from sklearn.base import BaseEstimator, TransformerMixin, _fit_context
from sklearn.utils import check_array, check_consistent_length
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import _check_feature_names_in, check_is_fitted, validate_data

from .rules import BINARY_CUT, FEATURE_KINDS, Condition, category_texts, format_condition
from .rules.columns import series_values


class FeatureBinarizer(TransformerMixin, BaseEstimator):
    """Turn numeric, binary and nominal columns into binary items.

    A {0,1} column becomes one item, a numeric column one or two items a cut, a nominal column one item for each
    category seen in training (one in all where the categories are "0" and "1"). A missing value sets no item, and so
    does a category that was not seen in training, with a warning that names it.

    Parameters
    ----------
    percentiles : sequence of float in [0, 100], default=(90,)
        Where a numeric column is cut, in percentiles of its known training values. Used when ``cuts="percentile"``.
    sides : {"above", "both"}, default="above"
        Items of a cut: ``x > cut`` alone, or ``x > cut`` and ``x <= cut``.
    cuts : {"percentile", "supervised"}, default="percentile"
        "supervised" cuts each numeric column where a regression tree on that column alone, with ``n_cuts + 1``
        leaves, splits the 0/1 labels. The squared error it lowers is, up to a factor, the Gini impurity summed over
        the labels.
    n_cuts : int, default=3
        Most cuts a column when ``cuts="supervised"``.
    feature_names : sequence of str or None, default=None
        Names of the columns, where X carries none.
    kinds : sequence of {"numeric", "binary", "nominal"} or None, default=None
        Kind of each column. None finds them: text, categorical and object columns of a DataFrame are nominal (unless
        an object column holds numbers only), columns of nothing but 0 and 1 are binary, the others numeric.

    Attributes
    ----------
    items_ : tuple of Condition
        What each output column says of the original columns.
    kinds_ : tuple of str of length `n_features_in_`
        Kind of each original column.
    categories_ : dict of int to tuple of str
        For each nominal column, by index, the categories seen in training, sorted.
    feature_names_ : tuple of str of length `n_features_in_`
        Names of the original columns; x0, x1, ... where there are none.
    n_features_in_ : int
        Number of original columns.
    feature_names_in_ : ndarray of str of shape (n_features,)
        Column names of the DataFrame seen in `fit`; only when X had text names.

    Notes
    -----
    A cut lies midway between two neighbouring training values, the upper of which is the smallest training value at
    or above the percentile: on training rows, ``x > cut`` is "at or above the percentile", as in the CORSET paper.
    A cut with all training rows on one side is left out, and so is one that falls together with another: a constant
    numeric column gives no item, and neither does one whose percentile is its smallest value.

    A sparse {0,1} table passes through in O(ones) time; the output shares its index arrays with the input. A sparse
    numeric column is made dense, one at a time, and its implicit zeros count as zeros. Supervised cuts cost
    O(n_samples * (log n_samples + n_labels * n_cuts)) a column, and a dense copy of the labels.

    Examples
    --------
    >>> X = pd.DataFrame({"wind": [1.0, 2.0, 3.0, 4.0], "city": ["a", "b", "b", None]})
    >>> binarizer = FeatureBinarizer(percentiles=(50,)).fit(X)
    >>> list(binarizer.get_feature_names_out())
    ['wind > 2.5', 'city = a', 'city = b']
    >>> binarizer.transform(X).toarray()
    array([[0, 1, 0],
           [0, 0, 1],
           [1, 0, 1],
           [1, 0, 0]], dtype=uint8)
    """

    _parameter_constraints: ClassVar[dict] = {
        "percentiles": ["array-like"],
        "sides": [StrOptions({"above", "both"})],
        "cuts": [StrOptions({"percentile", "supervised"})],
        "n_cuts": [Interval(Integral, 1, None, closed="left")],
        "feature_names": ["array-like", None],
        "kinds": ["array-like", None],
    }

    def __init__(
        self,
        percentiles: Sequence[float] = (90,),
        sides: str = "above",
        cuts: str = "percentile",
        n_cuts: int = 3,
        feature_names: Sequence[str] | None = None,
        kinds: Sequence[str] | None = None,
    ) -> None:
        self.percentiles = percentiles
        self.sides = sides
        self.cuts = cuts
        self.n_cuts = n_cuts
        self.feature_names = feature_names
        self.kinds = kinds

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: Any, y: Any = None) -> FeatureBinarizer:
        """Find the items.

        Parameters
        ----------
        X : DataFrame, ndarray or sparse matrix of shape (n_samples, n_features)
            Numbers, with NaN for missing in dense tables; text in a DataFrame, or in an array where `kinds` says so.
        y : ndarray or sparse matrix of 0 and 1, of shape (n_samples, n_labels) or (n_samples,), default=None
            Labels; used, and needed, when ``cuts="supervised"``.

        Returns
        -------
        FeatureBinarizer
            Itself, fitted.

        Raises
        ------
        ValueError
            When X holds infinity; when labels are needed and absent or not 0/1; when column names
            repeat; when `percentiles`, `feature_names` or `kinds` do not fit.
        TypeError
            When a column is neither numeric nor nominal (a date, say).
        """
        percentiles = _checked_percentiles(self.percentiles)
        table = _validated(self, X, reset=True)
        Y = _checked_labels(y, table) if self.cuts == "supervised" else None
        self.feature_names_ = self._find_names(table)
        self.kinds_ = self._find_kinds(table)
        self.categories_ = {}
        items: dict[int, list[Condition]] = {}
        for feature, values in _columns(table, self._features_of("numeric"), self.feature_names_):
            known = ~np.isnan(values)
            if Y is None:
                cuts = _percentile_cuts(values[known], percentiles)
            else:
                cuts = _supervised_cuts(values[known], Y[known], self.n_cuts)
            items[feature] = _cut_items(feature, cuts, self.sides)
        for feature in self._features_of("nominal"):
            seen = sorted(set(_texts(table, feature)) - {None})
            self.categories_[feature] = tuple(seen)
            if len(seen) == table.shape[0] > 1:
                name = self.feature_names_[feature]
                told = f"column {name!r} holds another text in each row: a rule about it says nothing of other rows"
                warnings.warn(f"{told}; leave it out", stacklevel=2)
            kept = ["1"] if seen and set(seen) <= {"0", "1"} else seen
            items[feature] = [Condition(feature, categories=(category,)) for category in kept]
        for feature in self._features_of("binary"):
            items[feature] = [Condition(feature, lower=BINARY_CUT)]
        self.items_ = tuple(item for feature in range(len(self.kinds_)) for item in items[feature])
        return self

    def transform(self, X: Any) -> sp.csr_array:
        """Tell which items hold in which row.

        Parameters
        ----------
        X : DataFrame, ndarray or sparse matrix of shape (n_samples, n_features)

        Returns
        -------
        csr_array of uint8 of shape (n_samples, n_items)
            Sorted indices, ones only.
        """
        table = self.check(X)
        first_item = np.searchsorted([item.feature for item in self.items_], np.arange(len(self.kinds_) + 1))
        item_rows = [np.empty(0, dtype=np.int64)] * len(self.items_)
        by_column = self._features_of("numeric") + ([] if sp.issparse(table) else self._features_of("binary"))
        for feature, values in _columns(table, by_column, self.feature_names_):
            for k in range(first_item[feature], first_item[feature + 1]):
                item_rows[k] = np.flatnonzero(self.items_[k].holds(values))
        for feature in self.categories_:
            texts = _texts(table, feature)
            for k in range(first_item[feature], first_item[feature + 1]):
                item_rows[k] = np.flatnonzero(texts == self.items_[k].categories[0])
        if not sp.issparse(table):
            return _from_item_rows(item_rows, table.shape[0])
        binary = self._binary_items(table, first_item)
        return binary + _from_item_rows(item_rows, table.shape[0]) if by_column else binary

    def check(self, X: Any) -> Any:
        """Return X as `transform` reads it: names, width and values checked, categories not seen in training named.

        Parameters
        ----------
        X : DataFrame, ndarray or sparse matrix of shape (n_samples, n_features)

        Returns
        -------
        DataFrame, ndarray of float or csr_array
        """
        check_is_fitted(self)
        table = _validated(self, X, reset=False)
        for feature in self.categories_:
            self._warn_unseen(feature, _texts(table, feature))
        if isinstance(table, pd.DataFrame):
            for feature in self._features_of("numeric", "binary"):
                name, series = self.feature_names_[feature], table.iloc[:, feature]
                if series.notna().any() and _kind_of_series(series, name) == "nominal":
                    found = series.dropna().iloc[0]
                    raise ValueError(f"the column {name!r} of X must hold numbers, as in training, got {found!r}")
        return table

    def get_feature_names_out(self, input_features: Any = None) -> np.ndarray:
        """Return the items as text.

        Parameters
        ----------
        input_features : sequence of str or None, default=None
            Names to use for the original columns in place of `feature_names_`.

        Returns
        -------
        ndarray of object of shape (n_items,)
        """
        check_is_fitted(self)
        checked = _check_feature_names_in(self, input_features)
        names = self.feature_names_ if input_features is None else checked
        texts = [format_condition(c, str(names[c.feature]), self.kinds_[c.feature]) for c in self.items_]
        return np.array(texts, dtype=object)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.allow_nan = True
        tags.input_tags.categorical = True
        tags.target_tags.required = self.cuts == "supervised"
        tags.transformer_tags.preserves_dtype = []
        return tags

    def _find_names(self, table: Any) -> tuple[str, ...]:
        n_features = table.shape[1]
        if self.feature_names is not None:
            names = tuple(str(name) for name in self.feature_names)
            if len(names) != n_features:
                raise ValueError(f"feature_names has {len(names)} names, but X has {n_features} features")
            own = tuple(getattr(self, "feature_names_in_", names))
            if own != names:
                k = next(k for k in range(n_features) if own[k] != names[k])
                raise ValueError(f"feature_names calls column {k} {names[k]!r}, but X itself calls it {own[k]!r}")
        else:
            names = tuple(getattr(self, "feature_names_in_", (f"x{k}" for k in range(n_features))))
        if len(set(names)) < n_features:
            repeated = sorted({name for name in names if names.count(name) > 1})
            raise ValueError(f"names of features must be distinct; more than one is called {repeated}")
        return names

    def _find_kinds(self, table: Any) -> tuple[str, ...]:
        found = _detected_kinds(table, self.feature_names_)
        if self.kinds is None:
            return found
        kinds = tuple(str(kind) for kind in self.kinds)
        if len(kinds) != table.shape[1]:
            raise ValueError(f"kinds has {len(kinds)} entries, but X has {table.shape[1]} features")
        for name, kind, was in zip(self.feature_names_, kinds, found):
            if kind not in FEATURE_KINDS:
                raise ValueError(f"kinds must be among {FEATURE_KINDS}, got {kind!r} for the column {name!r}")
            if kind == "binary" and was != "binary":
                raise ValueError(f"kinds calls the column {name!r} binary, but its values are not the numbers 0 and 1")
            if kind == "numeric" and was == "nominal":
                raise ValueError(f"kinds calls the column {name!r} numeric, but it holds text")
        return kinds

    def _features_of(self, *kinds: str) -> list[int]:
        return [feature for feature, kind in enumerate(self.kinds_) if kind in kinds]

    def _warn_unseen(self, feature: int, texts: np.ndarray) -> None:
        unseen = sorted(set(texts) - {None} - set(self.categories_[feature]))
        if unseen:
            name = self.feature_names_[feature]
            listed = ", ".join(f"{name}={category}" for category in unseen[:10])
            more = f" and {len(unseen) - 10} more" if len(unseen) > 10 else ""
            warnings.warn(f"X has categories that were not seen in training: {listed}{more}", stacklevel=4)

    def _binary_items(self, X: sp.csr_array, first_item: np.ndarray) -> sp.csr_array:
        """Fill in the items of the binary columns of a sparse table, without a look at each column."""
        shape = (X.shape[0], len(self.items_))
        is_binary = np.array([kind == "binary" for kind in self.kinds_])
        ones = X.data > BINARY_CUT
        if is_binary.all() and ones.all():
            return sp.csr_array((ones.view(np.uint8), X.indices, X.indptr), shape=shape)
        kept = ones & is_binary[X.indices]
        indptr = np.concatenate([[0], np.cumsum(kept)])[X.indptr]
        indices = first_item[X.indices[kept]]
        return sp.csr_array((np.ones(indices.size, dtype=np.uint8), indices, indptr), shape=shape)


def _validated(binarizer: FeatureBinarizer, X: Any, reset: bool) -> Any:
    """Return X as a DataFrame, a float array or a CSR matrix without duplicates, its names and width checked."""
    kinds = binarizer.kinds if reset else binarizer.kinds_
    nominal = kinds is not None and "nominal" in kinds
    if nominal and isinstance(X, np.ndarray) and X.ndim == 2:
        X = pd.DataFrame(X)
    if isinstance(X, pd.DataFrame):
        validate_data(binarizer, X, reset=reset, skip_check_array=True)
        if 0 in X.shape:
            raise ValueError(f"X has {X.shape[0]} sample(s) and {X.shape[1]} feature(s); a minimum of 1 is required.")
        return X
    if nominal:
        raise ValueError(f"X must be a DataFrame or an array, since it has nominal columns; got {type(X).__name__}")
    X = validate_data(binarizer, X, reset=reset, accept_sparse="csr", ensure_all_finite="allow-nan")
    if sp.issparse(X) and not X.has_canonical_format:
        X = X.copy()
        X.sum_duplicates()
    return X


def _checked_percentiles(percentiles: Any) -> np.ndarray:
    if not len(percentiles) or not all(isinstance(p, Real) and 0 <= p <= 100 for p in percentiles):
        raise ValueError(f"percentiles must be one or more numbers from 0 to 100, got {percentiles!r}")
    return np.asarray(percentiles, dtype=np.float64)


def _checked_labels(y: Any, table: Any) -> np.ndarray:
    """Return the labels dense, of shape (n_samples, n_labels)."""
    if y is None:
        raise ValueError('cuts="supervised" requires y to be passed, but the target y is None')
    Y = check_array(y, accept_sparse=True, ensure_2d=False, dtype=np.float64, input_name="y")
    check_consistent_length(table, Y)
    Y = Y.toarray() if sp.issparse(Y) else Y
    if not np.isin(Y, (0, 1)).all():
        raise ValueError(f'y must hold 0 and 1 only for cuts="supervised", got {Y[~np.isin(Y, (0, 1))][0]!r}')
    return Y.reshape(len(Y), -1)


def _detected_kinds(table: Any, names: Sequence[str]) -> tuple[str, ...]:
    if isinstance(table, pd.DataFrame):
        return tuple(_kind_of_series(table.iloc[:, k], name) for k, name in enumerate(names))
    if sp.issparse(table):
        is_binary = np.ones(table.shape[1], dtype=bool)
        is_binary[table.indices[(table.data != 0) & (table.data != 1) & ~np.isnan(table.data)]] = False
    else:
        is_binary = _is_binary(table)
    return tuple("binary" if binary else "numeric" for binary in is_binary)


def _is_binary(values: np.ndarray) -> np.ndarray:
    """Tell for each column, or for the only one, whether all known values are 0 or 1, and one is known."""
    missing = np.isnan(values)
    return ((values == 0) | (values == 1) | missing).all(axis=0) & ~missing.all(axis=0)


def _kind_of_series(series: pd.Series, name: str) -> str:
    if isinstance(series.dtype, pd.CategoricalDtype | pd.StringDtype):
        return "nominal"
    if series.dtype == object:
        known = series.dropna()
        if pd.api.types.infer_dtype(known) not in ("boolean", "integer", "floating", "mixed-integer-float"):
            return "nominal"
    elif not pd.api.types.is_numeric_dtype(series.dtype) or pd.api.types.is_complex_dtype(series.dtype):
        raise TypeError(f"the column {name!r} has type {series.dtype}; allowed are numbers, bool, text and category")
    return "binary" if _is_binary(_numbers(series, name)) else "numeric"


def _numbers(series: pd.Series, name: str) -> np.ndarray:
    """Return a column of a DataFrame as finite float64 with NaN for missing."""
    try:
        values = np.asarray(series_values(series), dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ValueError(f"the column {name!r} of X must hold numbers: {error}") from None
    if np.isinf(values).any():
        raise ValueError(f"the column {name!r} of X contains infinity")
    return values


def _columns(table: Any, features: list[int], names: Sequence[str]) -> Iterator[tuple[int, np.ndarray]]:
    """Yield (feature, values) of numeric columns, float64 with NaN for missing, one column at a time."""
    if sp.issparse(table):
        if features:
            chosen = table[:, features].tocsc()
            yield from (
                (feature, chosen[:, [k]].toarray().ravel().astype(np.float64)) for k, feature in enumerate(features)
            )
    elif isinstance(table, pd.DataFrame):
        yield from ((feature, _numbers(table.iloc[:, feature], names[feature])) for feature in features)
    else:
        yield from ((feature, table[:, feature].astype(np.float64, copy=False)) for feature in features)


def _texts(table: pd.DataFrame, feature: int) -> np.ndarray:
    return category_texts(series_values(table.iloc[:, feature]))


def _percentile_cuts(values: np.ndarray, percentiles: np.ndarray) -> list[float]:
    """Cut so that ``x > cut`` is "at or above the percentile" on the column's own values."""
    if not values.size:
        return []
    # The smallest value at or above the interpolated percentile, without its rounding.
    smallest = np.percentile(values, percentiles, method="higher")
    distinct = np.unique(values)
    return _midpoints(distinct, np.searchsorted(distinct, smallest))


def _supervised_cuts(values: np.ndarray, Y: np.ndarray, n_cuts: int) -> list[float]:
    """Cut where a tree on this one column splits the labels."""
    from sklearn.tree import DecisionTreeRegressor

    if not values.size:
        return []
    # Ranks in place of values: the tree's float32 copy of them, and its thresholds, are exact.
    distinct, ranks = np.unique(values, return_inverse=True)
    tree = DecisionTreeRegressor(max_leaf_nodes=n_cuts + 1, random_state=0).fit(ranks.reshape(-1, 1), Y).tree_
    splits = tree.children_left != tree.children_right
    return _midpoints(distinct, np.ceil(tree.threshold[splits]).astype(int))


def _midpoints(distinct: np.ndarray, positions: np.ndarray) -> list[float]:
    """Return the midpoint between the value at each position and the one below it, ascending and each once."""
    cuts = []
    for position in sorted(set(positions.tolist())):
        if 0 < position < distinct.size:
            below, above = float(distinct[position - 1]), float(distinct[position])
            middle = below / 2 + above / 2
            # Between neighbouring floats there is no midpoint; the lower one tells them apart just as well.
            cuts.append(middle if below <= middle < above else below)
    return cuts


def _cut_items(feature: int, cuts: Sequence[float], sides: str) -> list[Condition]:
    above = [Condition(feature, lower=cut) for cut in cuts]
    return above + [Condition(feature, upper=cut) for cut in cuts] if sides == "both" else above


def _from_item_rows(item_rows: list[np.ndarray], n_samples: int) -> sp.csr_array:
    """Return the table whose column k has ones in the rows ``item_rows[k]``."""
    indptr = np.concatenate([[0], np.cumsum([rows.size for rows in item_rows], dtype=np.int64)])
    indices = np.concatenate(item_rows) if item_rows else np.empty(0, dtype=np.int64)
    ones = np.ones(indices.size, dtype=np.uint8)
    return sp.csr_array(sp.csc_array((ones, indices, indptr), shape=(n_samples, len(item_rows))).tocsr())
