"""From rules on items to rules on the original columns."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from ..bits import all_rows, drop_idle_items, intersect, popcount
from ..learner import Training
from ..rules import Condition, Rule, RuleSet, TableColumns, opposite
from .growing import FoundRule, Rows


def rule_set(found: Sequence[FoundRule], rows: Rows, training: Training, X: Any) -> RuleSet:
    """Return the rules in terms of the columns of X and y, with their counts.

    Conditions without which a rule covers the same training rows are left out.
    """
    columns = TableColumns(X)
    items = training.binarizer.items_
    has_missing: dict[int, bool] = {}

    def condition(literal: int) -> Condition:
        if literal >= 0:
            return items[literal]
        feature = items[~literal].feature
        if feature not in has_missing:
            has_missing[feature] = bool(pd.isna(columns[feature]).any())
        return opposite(items[~literal], has_missing[feature])

    rules = []
    for rule in found:
        covered = rule.rows
        correct = covered & intersect(rows.labels.bits, rule.consequent, rows.n_rows)
        rules.append(
            Rule(
                [condition(literal) for literal in _needed(rule.literals, rows)],
                training.used[rule.consequent].tolist(),
                int(popcount(covered)),
                int(popcount(correct)),
            )
        )
    binarizer = training.binarizer
    return RuleSet(rules, binarizer.feature_names_, training.targets.label_names, binarizer.kinds_, rows.n_rows)


def _needed(literals: np.ndarray, rows: Rows) -> list[int]:
    """Return the literals, ascending, without idle ones."""
    if not literals.size:
        return []
    literals = np.sort(literals)
    holds = np.array([rows.items.bits[k] if k >= 0 else ~rows.items.bits[~k] & all_rows(rows.n_rows) for k in literals])
    return literals[drop_idle_items(np.arange(literals.size), holds)].tolist()
