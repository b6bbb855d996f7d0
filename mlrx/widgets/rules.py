"""An explorer of rules: search and sort them, and see the rows of one."""

from __future__ import annotations

import textwrap
from typing import Any

import ipywidgets as widgets
import pandas as pd

from ..rules import RuleSet
from .explorer import NAMED, WIDE, Explorer, new_dropdown, new_panel, offer
from .rules_on_rows import ORDERS, RulesOnRows, describe_search, rule_html, search_html

ANY = -1  # in place of the index of a label
MOST_CHARACTERS = 100  # of a rule in the list to choose from


def explore_rules(rules: RuleSet, X: Any, Y: Any) -> RuleExplorer:
    """Explore rules on rows: search by label and by feature, sort, and look at the rows that a rule covers.

    Parameters
    ----------
    rules : RuleSet
    X : ndarray, sparse matrix or DataFrame of shape (n_samples, n_features)
        The rows to count on, such as those of training or of a test.
    Y : array-like, sparse matrix or DataFrame of shape (n_samples, n_labels)
        Their labels, zeros and ones.

    Returns
    -------
    RuleExplorer
        Its controls are ``label`` (an index, -1 for any), ``feature``, ``order`` and ``rule`` (from 1).

    Raises
    ------
    TypeError
        When rules is something else, such as the PointRules of a VotingRulesClassifier.
    ValueError
        When X lacks columns of the rules, or Y has another shape than X and the rules ask for.

    Notes
    -----
    Confidence and coverage are those of the rows given, not those of training that the rules carry.

    Examples
    --------
    >>> from mlrx import Condition, Rule
    >>> rules = RuleSet([Rule([Condition(0, lower=0.5)], [1])], ["rain"], ["dry", "wet"], ["binary"])
    >>> print(explore_rules(rules, [[1], [0]], [[0, 1], [1, 0]]).to_text())
    1 of 1 rules; together they cover 1 of 2 rows
    1: IF rain present THEN wet  [1 of 1 rows]
    """
    return RuleExplorer(RulesOnRows.of(rules, X, Y))


class RuleExplorer(Explorer):
    """Searches a view of rules on rows; see `explore_rules`."""

    def __init__(self, view: RulesOnRows) -> None:
        self.view = view
        used = sorted({label for rule in view.rules for label in rule.consequent})
        hint = "part of a condition"
        self.controls = {
            "label": new_dropdown("label", [("any", ANY), *((view.rules.label_names[k], k) for k in used)]),
            "feature": widgets.Text(placeholder=hint, description="feature", style=NAMED, layout=WIDE),
            "order": new_dropdown("sorted by", list(ORDERS)),
            "rule": new_dropdown("rows of rule"),
        }
        self._found = new_panel("rules", max_height="26em", overflow="auto")
        self._rows = new_panel("rows", max_height="26em", overflow="auto")
        self._search()
        *search, rule = self.controls.values()
        for control in search:
            control.observe(self._search, "value")
        rule.observe(self._show_rows, "value")
        super().__init__([*search, self._found, rule, self._rows])

    def to_text(self) -> str:
        """Return the rules that the search finds, one a line, with their counts."""
        table = self._table()
        lines = [f"{_line(row)}  [{row['n_correct']} of {row['n_covered']} rows]" for _, row in table.iterrows()]
        return "\n".join([describe_search(self.view, table), *lines])

    def to_html(self) -> str:
        """Return the rules that the search finds, and the rows of the chosen one."""
        return self._found.value + self._rows.value

    def _table(self) -> pd.DataFrame:
        label, feature, order = (self.controls[name].value for name in ("label", "feature", "order"))
        return self.view.search(None if label == ANY else label, feature, order)

    def _search(self, _: Any = None) -> None:
        table, rule = self._table(), self.controls["rule"]
        self._found.value = search_html(self.view, table)
        lines = [textwrap.shorten(_line(row), MOST_CHARACTERS, placeholder=" …") for _, row in table.iterrows()]
        offer(rule, list(zip(lines, table.index.tolist())), rule.value)
        self._show_rows()

    def _show_rows(self, _: Any = None) -> None:
        number = self.controls["rule"].value
        self._rows.value = "" if number is None else rule_html(self.view, number)


def _line(row: pd.Series) -> str:
    start = f"IF {row['antecedent']} " if row["antecedent"] else ""
    return f"{row.name}: {start}THEN {row['consequent']}"
