"""Rules on given rows: how often each covers and is right, which fit a search, and the rows of one."""

from __future__ import annotations

import html
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
import scipy.sparse as sp

from ..rules import RuleSet, TableColumns
from ..rules.ruleset import check_rule_set

# By name, the column that rules are sorted by and whether its least value comes first.
ORDERS = {
    "order of choice": None,
    "confidence": ("confidence", False),
    "rows covered": ("n_covered", False),
    "number of conditions": ("n_conditions", True),
}
MOST_RULES = 100
MOST_ROWS = 20
BAR = "#56b4e9aa"
WRAP = 'style="text-align:left;max-width:34em;overflow-wrap:anywhere"'


@dataclass(frozen=True, eq=False)
class RulesOnRows:
    """A rule set and what it does on some rows.

    Parameters
    ----------
    rules : RuleSet
    X : ndarray, sparse matrix or DataFrame of shape (n_samples, n_features)
    labels : csc_array of shape (n_samples, n_labels)
        1 where the row has the label.
    covered, correct : ndarray of bool of shape (n_samples, n_rules)
        Where the rule covers the row; and where the row also has all its labels.
    """

    rules: RuleSet
    X: Any
    labels: sp.csc_array
    covered: np.ndarray
    correct: np.ndarray

    @classmethod
    def of(cls, rules: RuleSet, X: Any, Y: Any) -> RulesOnRows:
        """Count rules on rows.

        Parameters
        ----------
        rules : RuleSet
        X : ndarray, sparse matrix or DataFrame of shape (n_samples, n_features)
        Y : array-like, sparse matrix or DataFrame of shape (n_samples, n_labels)
            Zeros and ones; columns in the order of the rules' labels.

        Raises
        ------
        TypeError
            When rules is something else, such as the PointRules of a VotingRulesClassifier.
        ValueError
            When Y has another shape than X and the rules ask for.

        Notes
        -----
        O(n_samples * (n_conditions + n_labels of the consequents)).
        """
        check_rule_set(rules)
        covered = rules.covers(X)
        labels = sp.csc_array(Y if sp.issparse(Y) else np.asarray(Y))
        expected = (len(covered), len(rules.label_names))
        if labels.shape != expected:
            raise ValueError(f"Y has the shape {labels.shape}, expected is {expected}: rows of X, labels of the rules")
        correct = covered.copy()
        for k, rule in enumerate(rules):
            for label in rule.consequent:
                correct[:, k] &= labels[:, [label]].toarray().ravel() != 0
        return cls(rules, X, labels, covered, correct)

    def table(self) -> pd.DataFrame:
        """Return `RuleSet.to_frame` with the counts of these rows, numbered from 1."""
        table = self.rules.to_frame()
        table.index = pd.RangeIndex(1, len(table) + 1, name="rule")
        table["n_covered"], table["n_correct"] = self.covered.sum(axis=0), self.correct.sum(axis=0)
        table["confidence"] = table["n_correct"] / table["n_covered"].where(table["n_covered"] > 0)
        table["coverage"] = table["n_covered"] / max(1, len(self.covered))
        return table

    def search(self, label: int | None = None, feature: str = "", order: str = "order of choice") -> pd.DataFrame:
        """Return the part of the table that a search finds.

        Parameters
        ----------
        label : int or None, default=None
            Only rules with this label.
        feature : str, default=""
            Only rules whose antecedent has this text somewhere, whatever its case.
        order : one of ORDERS, default="order of choice"
            Ties keep the order of choice.
        """
        table = self.table()
        text = feature.strip().casefold()
        fits = [
            (label is None or label in rule.consequent) and text in antecedent.casefold()
            for rule, antecedent in zip(self.rules, table["antecedent"])
        ]
        found = table[np.array(fits, dtype=bool)]
        if ORDERS[order] is None:
            return found
        column, is_least_first = ORDERS[order]
        return found.sort_values(column, ascending=is_least_first, kind="stable")

    def rows_of(self, number: int) -> pd.DataFrame:
        """Return the first rows that a rule covers: the columns it speaks of, its labels, and the row's other labels.

        Parameters
        ----------
        number : int
            From 1, as in the table.
        """
        rule, names = self.rules[number - 1], self.rules.label_names
        rows = np.flatnonzero(self.covered[:, number - 1])[:MOST_ROWS]
        columns = TableColumns(self.X, self.rules.feature_names)
        shown = {self.rules.feature_names[c.feature]: columns[c.feature][rows] for c in rule.antecedent}
        present = self.labels[rows].toarray() != 0
        named = [[names[label] for label in np.flatnonzero(row)] for row in present]
        own = {names[label] for label in rule.consequent}
        shown["all its labels"] = np.where(self.correct[rows, number - 1], "yes", "no")
        shown["labels of the row"] = [", ".join(labels) or "none" for labels in named]
        shown["not of the rule"] = [", ".join(label for label in labels if label not in own) for labels in named]
        return pd.DataFrame(shown, index=pd.Index(rows, name="row"))


def describe_search(view: RulesOnRows, found: pd.DataFrame) -> str:
    """Return in a line how many rules a search found and what they cover together."""
    n_rows = len(view.covered)
    n_covered = int(view.covered[:, found.index - 1].any(axis=1).sum())
    return f"{len(found)} of {len(view.rules)} rules; together they cover {n_covered} of {n_rows} rows"


def search_html(view: RulesOnRows, found: pd.DataFrame) -> str:
    """Return what a search found as an HTML table with bars for confidence and coverage; every name is escaped."""
    rows = []
    for number, row in found.head(MOST_RULES).iterrows():
        texts = [
            f"<td {WRAP}>{html.escape(row[side]) or '<i>always</i>'}</td>" for side in ("antecedent", "consequent")
        ]
        bars = _bar(row["confidence"], f"{row['n_correct']} of {row['n_covered']}"), _bar(row["coverage"])
        rows.append(f"<tr><td>{number}</td>{''.join(texts)}{''.join(bars)}</tr>")
    titles = "".join(
        f'<th style="text-align:left">{title}</th>' for title in ("", "if", "then", "confidence", "coverage")
    )
    more = f"<p>… and {len(found) - MOST_RULES} more</p>" if len(found) > MOST_RULES else ""
    table = f"<table><thead><tr>{titles}</tr></thead><tbody>{''.join(rows)}</tbody></table>{more}" if rows else ""
    return f"<p>{describe_search(view, found)}</p>{table}"


def rule_html(view: RulesOnRows, number: int) -> str:
    """Return the rows of a rule as HTML; every name and value is escaped."""
    rows = view.rows_of(number)
    n_covered, n_correct = int(view.covered[:, number - 1].sum()), int(view.correct[:, number - 1].sum())
    told = f"<p>rule {number} covers {n_covered} of {len(view.covered)} rows, {n_correct} of them with all its labels"
    if len(rows) < n_covered:
        told += f"; shown are the first {len(rows)}"
    return f"{told}</p>{rows.to_html(float_format='{:.6g}'.format) if len(rows) else ''}"


def _bar(share: float, note: str = "") -> str:
    """Return a table cell with a bar for a share, nothing where it is unknown."""
    if np.isnan(share):
        return "<td></td>"
    style = f"min-width:7em;background:linear-gradient(90deg,{BAR} {share:.1%},transparent {share:.1%})"
    return f'<td style="{style}">{share:.3g}{f" <small>{note}</small>" if note else ""}</td>'
