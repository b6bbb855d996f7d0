"""A rule set as a matrix of rules by features."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from ..rules import Condition, RuleSet, TableColumns, category_texts
from ..rules.ruleset import check_rule_set
from .boxes import find_spans
from .matrix import NAME_WIDTH, Matrix, draw_matrix, name_column
from .style import FAINT, QUIET, wrap

if TYPE_CHECKING:
    from matplotlib.figure import Figure, SubFigure


def plot_rule_matrix(
    rules: RuleSet,
    X: Any,
    *,
    n_rules: int = 40,
    n_features: int = 12,
    figure: Figure | SubFigure | None = None,
) -> Figure | SubFigure:
    """Draw rules as rows and features as columns; a cell is filled over the values for which the rule holds.

    Parameters
    ----------
    rules : RuleSet
    X : ndarray, sparse matrix or DataFrame of shape (n_samples, n_features)
        Rows that tell the ranges and categories of the columns, and whether a rule covers them.
    n_rules : int, default=40
        Rules that are shown, the first of the set.
    n_features : int, default=12
        Most features that are shown, those of the most rules. The others that a rule has conditions on are counted
        behind it.
    figure : Figure, SubFigure or None, default=None
        None makes a new one, at most 10.9 inches wide. As many features and labels are shown as there is room for in
        its width; labels, those of the most rules, and how many more a rule has is written after them.

    Returns
    -------
    Figure or SubFigure
        Its axes are the matrix, the number of rules by feature, the labels, the shares of rows, and where all rules
        know it, their confidence.

    Raises
    ------
    ValueError
        When there is no rule, `n_rules` or `n_features` is below 1, or X has no row, or too few or misnamed columns.
    TypeError
        When `rules` is something else, such as the PointRules of a VotingRulesClassifier.

    Notes
    -----
    A binary column is filled at the right for "present". A category has an equal part of the column of its own; which,
    the names below tell. A question mark is where a missing value satisfies the condition too.
    """
    check_rule_set(rules)
    if not len(rules):
        raise ValueError("rules must have at least one rule")
    for name, number in (("n_rules", n_rules), ("n_features", n_features)):
        if number < 1:
            raise ValueError(f"{name} must be at least 1, got {number!r}")
    chosen = rules[:n_rules]
    title = f"{len(rules)} rules" if len(chosen) == len(rules) else f"The first {len(chosen)} of {len(rules)} rules"
    return draw_matrix(_matrix(chosen, X, n_features), title, None, figure)


def _matrix(rules: RuleSet, X: Any, n_features: int) -> Matrix:
    columns = TableColumns(X, rules.feature_names)
    n_users = np.zeros(len(rules.feature_names))
    used_by = [{condition.feature for condition in rule.antecedent} for rule in rules]
    for own in used_by:
        n_users[list(own)] += 1
    shown = [f for f in np.argsort(-n_users, kind="stable")[:n_features].tolist() if n_users[f]]
    scales = {f: _scale(rules, f, columns[f]) for f in shown}
    labels = sorted({k for rule in rules for k in rule.consequent})
    conditions = [
        (k, shown.index(c.feature), c) for k, rule in enumerate(rules) for c in rule.antecedent if c.feature in scales
    ]
    parts = [(k, place, *ends) for k, place, c in conditions for ends in _parts(c, scales[c.feature])]
    open_cells = [(k, place) for k, place, c in conditions if c.missing]
    return Matrix(
        cells=np.array(parts, dtype=float).reshape(-1, 4),
        columns=tuple(_column_name(rules, f, scales[f]) for f in shown),
        importance=n_users[shown],
        importance_name="rules that use the feature",
        rows=tuple(f"rule {k + 1}" for k in range(len(rules))),
        shares=np.array([[k in rule.consequent for k in labels] for rule in rules], dtype=float),
        shares_name="labels",
        is_probability=False,
        labels=tuple(rules.label_names[k] for k in labels),
        bars=_bars(rules, X),
        votes=None,
        used=np.array([[f in own for f in shown] for own in used_by], dtype=bool).reshape(len(rules), -1),
        n_used=np.array([len(own) for own in used_by]),
        open_cells=np.array(open_cells, dtype=float).reshape(-1, 2),
    )


def _bars(rules: RuleSet, X: Any) -> dict[str, list[tuple[np.ndarray, str]]]:
    """Return the share of rows that each rule covers and, where all rules know it, their confidence, as bars."""
    bars = {"share of rows": [(rules.covers(X).mean(axis=0), QUIET)]}
    confidence = np.array([rule.confidence for rule in rules])
    if not np.isnan(confidence).any():
        bars["confidence"] = [(np.ones(len(rules)), FAINT), (confidence, QUIET)]
    return bars


def _scale(rules: RuleSet, f: int, values: np.ndarray) -> np.ndarray | tuple[str, ...]:
    """Return the categories of a column, or the ends of its span, which holds all bounds of the rules too."""
    conditions = [c for rule in rules for c in rule.antecedent if c.feature == f]
    if any(condition.is_nominal for condition in conditions):
        named = {category for condition in conditions for category in condition.categories or ()}
        return tuple(sorted((named | set(category_texts(values))) - {None}, key=_by_number))
    bounds = np.array([bound for c in conditions for bound in (c.lower, c.upper) if np.isfinite(bound)], dtype=float)
    return find_spans(np.concatenate([np.asarray(values, dtype=float), bounds])[:, None])[:, 0]


def _by_number(category: str) -> tuple[float, str]:
    """Sort "10" after "9", and what is no number behind those that are."""
    try:
        return float(category), category
    except ValueError:
        return math.inf, category


def _parts(condition: Condition, scale: np.ndarray | tuple[str, ...]) -> Iterator[tuple[float, float]]:
    """Yield the parts of the column, from 0 to 1, in which a condition holds."""
    if condition.is_nominal:
        for place, category in enumerate(scale):
            if (category in condition.categories) != condition.negated:
                yield place / len(scale), (place + 1) / len(scale)
        return
    low, high = (np.clip([condition.lower, condition.upper], *scale) - scale[0]) / (scale[1] - scale[0])
    if condition.lower < condition.upper:  # otherwise it holds for missing values, or for none
        yield low, high


def _column_name(rules: RuleSet, f: int, scale: np.ndarray | tuple[str, ...]) -> str:
    name = wrap(rules.feature_names[f], NAME_WIDTH)
    if isinstance(scale, tuple):
        listed = " | ".join(scale)
        return f"{name}\n{wrap(listed, NAME_WIDTH) if len(listed) < 2 * NAME_WIDTH else f'{len(scale)} categories'}"
    if rules.kinds[f] == "binary":
        return f"{name}\n0 | 1"
    return name_column(rules.feature_names[f], scale)
