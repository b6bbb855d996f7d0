"""Condition and Rule: what a rule says, as frozen data."""

from __future__ import annotations

import math
import operator
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from numbers import Real
from typing import Any

import numpy as np

from .columns import TableColumns, category_text, category_texts

DTYPES = ("float64", "float32")


def whole_number(name: str, value: Any) -> int:
    """Return an index or a count as int, or raise an error that names it."""
    try:
        number = operator.index(value)
    except TypeError:
        raise TypeError(f"{name} must be a whole number, got {value!r}") from None
    if number < 0:
        raise ValueError(f"{name} must be a whole number from 0, got {value!r}")
    return number


@dataclass(frozen=True)
class Condition:
    """One condition on one original column.

    A numeric condition holds where ``lower < x <= upper``; either side may be open (infinite). A nominal one holds
    where the value is in `categories`, or, with ``negated=True``, where it is known and not in them. A missing value
    satisfies the condition exactly when `missing` is true.

    Parameters
    ----------
    feature : int
        Index of the column, from 0.
    lower, upper : float, default=-inf, inf
        Bounds of the interval, lower excluded and upper included. Not used when `categories` is given.
    categories : iterable of str or None, default=None
        The categories of a nominal condition; kept sorted and unique.
    negated : bool, default=False
        Turns `categories` into the excluded ones.
    missing : bool, default=False
        Whether a missing value satisfies the condition.

    Raises
    ------
    ValueError
        When `feature` is negative, a bound is NaN, or `categories` comes together with bounds.
    TypeError
        When a field has another type than the above.

    Examples
    --------
    >>> Condition(2, lower=0.5)
    Condition(feature=2, lower=0.5, upper=inf, categories=None, negated=False, missing=False)
    """

    feature: int
    lower: float = -math.inf
    upper: float = math.inf
    categories: tuple[str, ...] | None = None
    negated: bool = False
    missing: bool = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "feature", whole_number("feature", self.feature))
        for side in ("lower", "upper"):
            if not isinstance(getattr(self, side), Real):
                raise TypeError(f"{side} must be a number, got {getattr(self, side)!r}")
        for flag in ("negated", "missing"):
            if not isinstance(getattr(self, flag), bool | np.bool_):
                raise TypeError(f"{flag} must be True or False, got {getattr(self, flag)!r}")
            object.__setattr__(self, flag, bool(getattr(self, flag)))
        if math.isnan(self.lower) or math.isnan(self.upper):
            raise ValueError(f"lower and upper must not be NaN, got {self.lower!r} and {self.upper!r}")
        if self.categories is None and self.negated:
            raise ValueError("negated=True needs categories; turn an interval round by its bounds instead")
        if self.categories is not None:
            if (self.lower, self.upper) != (-math.inf, math.inf):
                raise ValueError("a condition has either bounds or categories, got both")
            if isinstance(self.categories, str):
                raise TypeError(f"categories must be several texts, got the one text {self.categories!r}")
            object.__setattr__(self, "categories", tuple(sorted({category_text(c) for c in self.categories})))
        object.__setattr__(self, "lower", float(self.lower))
        object.__setattr__(self, "upper", float(self.upper))

    @property
    def is_nominal(self) -> bool:
        """Whether the condition is about categories."""
        return self.categories is not None

    def holds(self, values: np.ndarray, dtype: str = "float64") -> np.ndarray:
        """Tell for each value of the column whether the condition holds.

        Parameters
        ----------
        values : ndarray of shape (n_samples,)
            Numbers, with NaN for missing; for a nominal condition objects, with None or NaN for missing.
        dtype : {"float64", "float32"}, default="float64"
            Precision to which values are cast before they are compared with the bounds.

        Returns
        -------
        ndarray of bool of shape (n_samples,)
        """
        if self.is_nominal:
            texts = category_texts(values)
            listed = np.array([text in self.categories for text in texts], dtype=bool)
            return np.where(texts == None, self.missing, listed != self.negated)  # noqa: E711, elementwise
        # Back to float64 after the cast: numpy would otherwise round the bounds to float32 as well.
        with np.errstate(over="ignore"):  # beyond float32 lies infinity
            numbers = np.asarray(values, dtype=dtype).astype(np.float64, copy=False)
        inside = (numbers > self.lower) & (numbers <= self.upper)
        return inside | np.isnan(numbers) if self.missing else inside

    def intersect(self, other: Condition) -> Condition:
        """Return the condition on the same column that holds where both do."""
        if other.feature != self.feature:
            raise ValueError(f"cannot intersect conditions on columns {self.feature} and {other.feature}")
        if self.is_nominal != other.is_nominal:
            raise ValueError(f"column {self.feature} has both a numeric and a nominal condition")
        missing = self.missing and other.missing
        if not self.is_nominal:
            lower, upper = max(self.lower, other.lower), min(self.upper, other.upper)
            return Condition(self.feature, lower, upper, missing=missing)
        mine, theirs = set(self.categories), set(other.categories)
        if self.negated and other.negated:
            return Condition(self.feature, categories=mine | theirs, negated=True, missing=missing)
        if other.negated:
            return Condition(self.feature, categories=mine - theirs, missing=missing)
        if self.negated:
            return Condition(self.feature, categories=theirs - mine, missing=missing)
        return Condition(self.feature, categories=mine & theirs, missing=missing)


def opposite(condition: Condition, missing: bool) -> Condition:
    """Return the condition that holds where a one-sided or nominal one does not.

    Parameters
    ----------
    condition : Condition
        Of a missing value it does not hold.
    missing : bool
        Whether the result holds of a missing value. Where the column has none, a rule need not speak of them.

    Raises
    ------
    ValueError
        When the condition is an interval with both ends: its opposite is none.

    Examples
    --------
    >>> opposite(Condition(0, lower=2.0), missing=False)
    Condition(feature=0, lower=-inf, upper=2.0, categories=None, negated=False, missing=False)
    """
    if condition.is_nominal:
        return Condition(
            condition.feature, categories=condition.categories, negated=not condition.negated, missing=missing
        )
    if math.isfinite(condition.lower) and math.isfinite(condition.upper):
        raise ValueError(f"an interval with both ends has no opposite condition, got {condition!r}")
    if math.isfinite(condition.lower):
        return Condition(condition.feature, upper=condition.lower, missing=missing)
    return Condition(condition.feature, lower=condition.upper, missing=missing)


@dataclass(frozen=True)
class Rule:
    """A rule: where every condition of the antecedent holds, the labels of the consequent are predicted.

    Parameters
    ----------
    antecedent : iterable of Condition
        Conditions on distinct columns; several on one column are merged, and they are kept in column order.
        Empty means that the rule covers every row.
    consequent : iterable of int
        Label indices, kept sorted and unique. Empty means "no label".
    n_covered, n_correct : int or None, default=None
        Training rows that satisfy the antecedent, and those that also carry the whole consequent.
    dtype : {"float64", "float32"}, default="float64"
        Precision in which values are compared with bounds.

    Raises
    ------
    ValueError
        Unless 0 <= n_correct <= n_covered, when a label is negative, or when `dtype` is unknown.
    TypeError
        When a count or a label is no whole number.
    """

    antecedent: tuple[Condition, ...]
    consequent: tuple[int, ...]
    n_covered: int | None = None
    n_correct: int | None = None
    dtype: str = "float64"

    def __post_init__(self) -> None:
        if self.dtype not in DTYPES:
            raise ValueError(f"dtype must be one of {DTYPES}, got {self.dtype!r}")
        object.__setattr__(self, "antecedent", merge_conditions(self.antecedent))
        object.__setattr__(self, "consequent", tuple(sorted({whole_number("label", k) for k in self.consequent})))
        for count in ("n_covered", "n_correct"):
            if getattr(self, count) is not None:
                object.__setattr__(self, count, whole_number(count, getattr(self, count)))
        if None not in (self.n_covered, self.n_correct) and self.n_correct > self.n_covered:
            raise ValueError(f"n_correct must be at most n_covered={self.n_covered}, got {self.n_correct}")

    def __len__(self) -> int:
        """Return the rule's length: the number of distinct columns in the antecedent."""
        return len(self.antecedent)

    @property
    def confidence(self) -> float:
        """n_correct / n_covered; NaN where the counts are unknown or no row is covered."""
        if not self.n_covered or self.n_correct is None:
            return math.nan
        return self.n_correct / self.n_covered

    def covers(self, X: Any) -> np.ndarray:
        """Tell for each row whether the antecedent holds.

        Parameters
        ----------
        X : ndarray, sparse matrix or DataFrame of shape (n_samples, n_features)
            Original columns, taken by position.

        Returns
        -------
        ndarray of bool of shape (n_samples,)
        """
        return covered_rows([self], TableColumns(X))[:, 0]


def covered_rows(rules: Sequence[Rule], columns: TableColumns) -> np.ndarray:
    """Tell which rule covers which row.

    Parameters
    ----------
    rules : sequence of Rule
    columns : TableColumns
        The table, its columns in the order that the rules refer to.

    Returns
    -------
    ndarray of bool of shape (n_samples, n_rules)

    Notes
    -----
    O(n_samples * n_conditions); a column is read once, and a condition that several rules share evaluated once.
    """
    covered = np.ones((len(rules), columns.n_samples), dtype=bool)
    users: dict[int, dict[tuple[Condition, str], list[int]]] = {}
    for k, rule in enumerate(rules):
        for condition in rule.antecedent:
            users.setdefault(condition.feature, {}).setdefault((condition, rule.dtype), []).append(k)
    for feature, conditions in users.items():
        values = columns[feature]
        for (condition, dtype), using in conditions.items():
            covered[using] &= condition.holds(values, dtype)
    return covered.T


def merge_conditions(conditions: Iterable[Condition]) -> tuple[Condition, ...]:
    """Intersect conditions on the same column and sort by column."""
    merged: dict[int, Condition] = {}
    for condition in conditions:
        earlier = merged.get(condition.feature)
        merged[condition.feature] = condition if earlier is None else earlier.intersect(condition)
    return tuple(merged[feature] for feature in sorted(merged))
