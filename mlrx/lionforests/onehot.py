"""Categories behind one-hot columns: the forest compares 0/1 columns, people read categories."""

from __future__ import annotations

import math
import operator
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..rules import Condition, Rule


@dataclass(frozen=True)
class OneHot:
    """A category coded as 0/1 columns, of which a row has one at most.

    Parameters
    ----------
    name : str
    columns : tuple of int
        Indices of the 0/1 columns.
    categories : tuple of str
        What a 1 in each of them means.
    """

    name: str
    columns: tuple[int, ...]
    categories: tuple[str, ...]


def read_groups(categorical: Mapping[str, Any] | None, feature_names: Sequence[str]) -> tuple[OneHot, ...]:
    """Return the groups of one-hot columns, checked.

    Parameters
    ----------
    categorical : dict or None
        By name of the category, either its columns (names or indices), or a dict that gives the column by category.
        A category is otherwise called what its column is, without the name of the group and one of ``_ = :`` or a
        blank before it.
    feature_names : sequence of str

    Raises
    ------
    ValueError
        When a column is unknown or in two groups, a group is empty or called as a column or another group is, or two
        of its categories have one name.
    TypeError
        When the columns of a group are no list or dict, or one is neither a name nor an index.
    """
    groups, owner = [], {}
    for name, entry in ((str(name), entry) for name, entry in (categorical or {}).items()):
        if name in feature_names:
            raise ValueError(f"categorical: {name!r} is the name of a column; a group needs a name of its own")
        if name in {group.name for group in groups}:
            raise ValueError(f"categorical: two groups are called {name!r}")
        if isinstance(entry, str) or not isinstance(entry, Iterable):
            raise TypeError(f"categorical: {name!r} needs a list of columns or a dict by category, got {entry!r}")
        named = list(entry.items()) if isinstance(entry, Mapping) else [(None, column) for column in entry]
        columns = [_index(name, column, feature_names) for _, column in named]
        if not columns:
            raise ValueError(f"categorical: {name!r} has no columns")
        for f in columns:
            if f in owner:
                raise ValueError(f"categorical: column {feature_names[f]!r} is in {owner[f]!r} and in {name!r}")
            owner[f] = name
        given = [category for category, _ in named]
        texts = [_category(name, feature_names[f]) if c is None else str(c) for c, f in zip(given, columns)]
        if len(set(texts)) < len(texts):
            raise ValueError(f"categorical: {name!r} has two categories of one name: {sorted(texts)}")
        groups.append(OneHot(name, tuple(columns), tuple(texts)))
    return tuple(groups)


def check_one_hot(groups: Sequence[OneHot], rows: np.ndarray, feature_names: Sequence[str]) -> None:
    """Raise unless rows of shape (n_samples, n_features) have 0, 1 or NaN in the columns of each group, one 1 at most.

    For other rows a condition on a category says something else than the conditions on its columns.
    """
    for group in groups:
        values = rows[:, group.columns]
        wrong = np.argwhere(~(np.isin(values, (0, 1)) | np.isnan(values)))
        if wrong.size:
            i, k = wrong[0]
            raise ValueError(
                f"categorical: column {feature_names[group.columns[k]]!r} of {group.name!r} has the value "
                f"{values[i, k]:g}; one-hot columns hold 0 and 1"
            )
        several = np.flatnonzero((values == 1).sum(axis=1) > 1)
        if several.size:
            raise ValueError(f"categorical: row {several[0]} has more than one category of {group.name!r}")


def with_categories(rule: Rule, groups: Sequence[OneHot], n_features: int) -> Rule:
    """Return the rule for people: conditions on one-hot columns as conditions on categories.

    The category of ``groups[g]`` is column ``n_features + g``. On rows that have one 1 in the columns of each group, or
    none, both rules cover the same. Where the conditions of a group do not just tell 0 from 1, they stay as they are.
    """
    conditions = {condition.feature: condition for condition in rule.antecedent}
    for g, group in enumerate(groups):
        own = {f: conditions[f] for f in group.columns if f in conditions}
        wanted = {f: _wanted_value(condition) for f, condition in own.items()}
        present = [f for f in own if wanted[f] == 1]
        if not own or None in wanted.values() or len(present) > 1:
            continue
        for f in own:
            del conditions[f]
        categories = [group.categories[group.columns.index(f)] for f in present or own]
        conditions[n_features + g] = Condition(n_features + g, categories=categories, negated=not present)
    return Rule(tuple(conditions.values()), rule.consequent, rule.n_covered, rule.n_correct, rule.dtype)


def count_features(rule: Rule, groups: Iterable[Sequence[int]]) -> int:
    """Return the length of a rule: the number of distinct features, all columns of a category counting as one.

    A condition counts if it excludes some known value: that a value may be missing as well is no restriction.

    Parameters
    ----------
    rule : Rule
    groups : iterable of sequence of int
        The columns of each category.
    """
    owner = {f: g for g, columns in enumerate(groups) for f in columns}
    used = {c.feature for c in rule.antecedent if c.is_nominal or (c.lower, c.upper) != (-math.inf, math.inf)}
    return len({("category", owner[f]) if f in owner else f for f in used})


def _index(name: str, column: Any, feature_names: Sequence[str]) -> int:
    if isinstance(column, str):
        if list(feature_names).count(column) != 1:
            raise ValueError(f"categorical: {name!r} names the column {column!r}, which is not one of the features")
        return list(feature_names).index(column)
    try:
        index = operator.index(column)
    except TypeError:
        raise TypeError(f"categorical: {name!r} needs names or indices of columns, got {column!r}") from None
    if not 0 <= index < len(feature_names):
        raise ValueError(f"categorical: {name!r} names column {index}, allowed are 0 to {len(feature_names) - 1}")
    return index


def _category(group: str, column: str) -> str:
    rest = column.removeprefix(group)
    return rest[1:] if rest != column and len(rest) > 1 and rest[0] in "_=: " else column


def _wanted_value(condition: Condition) -> int | None:
    """Return the one of 0 and 1 for which a condition holds; None if it does not tell them apart."""
    holds = [condition.lower < value <= condition.upper for value in (0, 1)]
    return holds.index(True) if holds.count(True) == 1 and not condition.missing else None
