"""RuleSet: rules with the names of their columns and labels; text, JSON, tables and HTML derive from it."""

from __future__ import annotations

import html
import json
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
import scipy.sparse as sp

from .condition import Condition, Rule, whole_number
from .covering import CoveringRules
from .document import restore
from .text import format_antecedent, format_consequent, format_rule, join_conditions

FORMAT = "mlrx.ruleset"
FORMAT_VERSION = 1
FEATURE_KINDS = ("numeric", "binary", "nominal")
MOST_SHOWN = 100  # rules that show in a notebook


@dataclass(frozen=True)
class RuleSet(CoveringRules):
    """An ordered set of rules and the names they speak in.

    A row is predicted the union of the consequents of all rules that cover it; where none does, no label.

    Parameters
    ----------
    rules : iterable of Rule
    feature_names, label_names : iterable of str
        Names of the original columns and of the labels, by position.
    kinds : iterable of {"numeric", "binary", "nominal"} or None, default=None
        Kind of each column; None takes all for numeric.
    n_samples : int or None, default=None
        Number of training rows, the denominator of coverage.

    Raises
    ------
    ValueError
        When a rule refers to a column or label that has no name, a kind is unknown, or `n_samples` is negative.
    TypeError
        When one text is given for several names, or `n_samples` is no whole number.

    Examples
    --------
    >>> rules = RuleSet([Rule([Condition(0, lower=0.5)], [1], 4, 3)], ["rain"], ["dry", "wet"], ["binary"], 10)
    >>> print(rules.to_text())
    IF rain present THEN wet  [confidence 0.75, 3 of 4]
    >>> rules.predict(np.array([[1], [0]]))
    array([[0, 1],
           [0, 0]], dtype=uint8)
    """

    rules: tuple[Rule, ...]
    feature_names: tuple[str, ...]
    label_names: tuple[str, ...]
    kinds: tuple[str, ...] | None = None
    n_samples: int | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "rules", tuple(self.rules))
        for field in ("feature_names", "label_names"):
            if isinstance(getattr(self, field), str):
                raise TypeError(f"{field} must be several texts, got the one text {getattr(self, field)!r}")
            object.__setattr__(self, field, tuple(str(name) for name in getattr(self, field)))
        kinds = ("numeric",) * len(self.feature_names) if self.kinds is None else tuple(self.kinds)
        object.__setattr__(self, "kinds", kinds)
        if len(kinds) != len(self.feature_names):
            raise ValueError(f"kinds has {len(kinds)} entries for {len(self.feature_names)} feature names")
        unknown = sorted(set(kinds) - set(FEATURE_KINDS))
        if unknown:
            raise ValueError(f"kinds must be among {FEATURE_KINDS}, got {unknown}")
        if self.n_samples is not None:
            object.__setattr__(self, "n_samples", whole_number("n_samples", self.n_samples))
        for k, rule in enumerate(self.rules):
            if any(c.feature >= len(self.feature_names) for c in rule.antecedent):
                raise ValueError(f"rule {k} has a condition on a column beyond the {len(self.feature_names)} named")
            if any(label >= len(self.label_names) for label in rule.consequent):
                raise ValueError(f"rule {k} has a label beyond the {len(self.label_names)} named")

    def __iter__(self) -> Iterator[Rule]:
        return iter(self.rules)

    def __getitem__(self, index: int | slice) -> Rule | RuleSet:
        """Return one rule, or with a slice the rule set of those rules."""
        if isinstance(index, slice):
            return RuleSet(self.rules[index], self.feature_names, self.label_names, self.kinds, self.n_samples)
        return self.rules[index]

    def predict(self, X: Any, sparse: bool = False) -> np.ndarray | sp.csr_array:
        """Predict the union of the consequents of the rules that cover each row.

        Parameters
        ----------
        X : ndarray, sparse matrix or DataFrame of shape (n_samples, n_features)
        sparse : bool, default=False
            Return a CSR array instead of a dense one.

        Returns
        -------
        ndarray or csr_array of uint8 of shape (n_samples, n_labels)
        """
        covered = self.covers(X)
        if not sparse:
            predicted = np.zeros((covered.shape[0], len(self.label_names)), dtype=np.uint8)
            for k, rule in enumerate(self.rules):
                for label in rule.consequent:
                    predicted[covered[:, k], label] = 1
            return predicted
        rows = [k for k, rule in enumerate(self.rules) for _ in rule.consequent]
        labels = [label for rule in self.rules for label in rule.consequent]
        shape = (len(self.rules), len(self.label_names))
        consequents = sp.csr_array((np.ones(len(rows), dtype=np.int32), (rows, labels)), shape=shape)
        votes = sp.csr_array(covered.astype(np.int32)) @ consequents
        votes.data = np.ones(votes.nnz, dtype=np.uint8)
        return votes.astype(np.uint8)

    def to_frame(self) -> pd.DataFrame:
        """Return one row a rule: its text, length, counts, confidence and coverage."""
        rows = [
            {
                "antecedent": join_conditions(format_antecedent(rule, self.feature_names, self.kinds)),
                "consequent": format_consequent(rule, self.label_names),
                "n_conditions": len(rule),
                "n_labels": len(rule.consequent),
                "n_covered": rule.n_covered,
                "n_correct": rule.n_correct,
                "confidence": rule.confidence,
                "coverage": self._coverage(rule),
            }
            for rule in self.rules
        ]
        columns = ["antecedent", "consequent", "n_conditions", "n_labels"]
        return pd.DataFrame(rows, columns=[*columns, "n_covered", "n_correct", "confidence", "coverage"])

    def _coverage(self, rule: Rule) -> float:
        return rule.n_covered / self.n_samples if self.n_samples and rule.n_covered is not None else math.nan

    def to_text(self, counts: bool = True) -> str:
        """Return one line a rule; with `counts`, confidence and counts follow in square brackets."""
        lines = []
        for rule in self.rules:
            line = format_rule(rule, self.feature_names, self.label_names, self.kinds)
            if counts and rule.n_covered is not None and rule.n_correct is not None:
                line += f"  [confidence {rule.confidence:.2f}, {rule.n_correct} of {rule.n_covered}]"
            lines.append(line)
        return "\n".join(lines)

    def to_json(self, indent: int | None = None) -> str:
        """Return the rule set as JSON text that `from_json` restores exactly."""
        document = {
            "format": FORMAT,
            "version": FORMAT_VERSION,
            "feature_names": self.feature_names,
            "label_names": self.label_names,
            "kinds": self.kinds,
            "n_samples": self.n_samples,
            "rules": [rule_to_dict(rule) for rule in self.rules],
        }
        return json.dumps(document, indent=indent, ensure_ascii=False, allow_nan=False)

    @classmethod
    def from_json(cls, text: str) -> RuleSet:
        """Restore a rule set from the text of `to_json`.

        Raises
        ------
        ValueError
            When the text is no rule set, is damaged (the field or rule is named), or was written by a later version of
            the format.
        """
        return restore(text, "rule set", FORMAT, FORMAT_VERSION, cls._of_document)

    @classmethod
    def _of_document(cls, document: dict[str, Any]) -> RuleSet:
        rules = [rule_from_dict(k, rule) for k, rule in enumerate(document["rules"])]
        names = document["feature_names"], document["label_names"]
        return cls(rules, *names, document["kinds"], document["n_samples"])

    def to_html(self) -> str:
        """Return all rules as an HTML table."""
        return _html_table(self, len(self))

    def _repr_html_(self) -> str:
        return _html_table(self, MOST_SHOWN)


def rule_to_dict(rule: Rule) -> dict[str, Any]:
    """Return a rule as what JSON can hold; `rule_from_dict` restores it."""
    return {
        "antecedent": [_condition_to_dict(condition) for condition in rule.antecedent],
        "consequent": list(rule.consequent),
        "n_covered": rule.n_covered,
        "n_correct": rule.n_correct,
        "dtype": rule.dtype,
    }


def _condition_to_dict(condition: Condition) -> dict[str, Any]:
    """Return the fields that differ from the default; an open side is left out, since JSON has no infinity."""
    fields: dict[str, Any] = {"feature": condition.feature}
    if condition.is_nominal:
        fields["categories"] = list(condition.categories)
    for side in ("lower", "upper"):
        value = getattr(condition, side)
        if value != getattr(Condition, side):
            fields[side] = value if math.isfinite(value) else repr(value)
    fields.update({flag: True for flag in ("negated", "missing") if getattr(condition, flag)})
    return fields


def rule_from_dict(k: int, fields: dict[str, Any]) -> Rule:
    """Restore a rule from `rule_to_dict`; errors name it by its number k."""
    try:
        conditions = [_condition_from_dict(condition) for condition in fields["antecedent"]]
        return Rule(conditions, fields["consequent"], fields["n_covered"], fields["n_correct"], fields["dtype"])
    except KeyError as error:
        raise ValueError(f"rule {k}: it lacks the field {error}") from error
    except (TypeError, ValueError) as error:
        raise ValueError(f"rule {k}: {error}") from error


def _condition_from_dict(fields: dict[str, Any]) -> Condition:
    if not isinstance(fields, dict):
        raise TypeError(f"a condition must have named fields, got {fields!r}")
    infinite = {side: float(fields[side]) for side in ("lower", "upper") if fields.get(side) in ("inf", "-inf")}
    return Condition(**(fields | infinite))


def _html_table(rules: RuleSet, most: int) -> str:
    """Return the first rules as an HTML table; every name is escaped, and long ones wrap."""
    rows = []
    for k, rule in enumerate(rules.rules[:most]):
        conditions = [html.escape(text) for text in format_antecedent(rule, rules.feature_names, rules.kinds)]
        antecedent = " <b>and</b><br>".join(conditions) or "<i>always</i>"
        consequent = html.escape(format_consequent(rule, rules.label_names))
        share = 0.0 if math.isnan(rule.confidence) else rule.confidence
        bar = f"background:linear-gradient(90deg,#56b4e955 {share:.0%},transparent {share:.0%})"
        numbers = ["" if math.isnan(rule.confidence) else f"{rule.confidence:.2f}", _count(rule.n_covered)]
        cells = "".join(f'<td style="text-align:right;{style}">{n}</td>' for n, style in zip(numbers, (bar, "")))
        wrap = 'style="text-align:left;max-width:40em;overflow-wrap:anywhere"'
        rows.append(f"<tr><td>{k + 1}</td><td {wrap}>{antecedent}</td><td {wrap}>{consequent}</td>{cells}</tr>")
    titles: Sequence[str] = ("", "if", "then", "confidence", "rows covered")
    header = "".join(f'<th style="text-align:left">{title}</th>' for title in titles)
    more = f"<p>… and {len(rules) - most} more rules</p>" if len(rules) > most else ""
    caption = f"<p>{len(rules)} rules, {rules.n_conditions} conditions</p>"
    return f"{caption}<table><thead><tr>{header}</tr></thead><tbody>{''.join(rows)}</tbody></table>{more}"


def _count(n: int | None) -> str:
    return "" if n is None else str(n)


def check_rule_set(rules: Any) -> None:
    """Raise TypeError when the argument `rules` is something else, such as PointRules."""
    if not isinstance(rules, RuleSet):
        raise TypeError(
            f"rules must be a RuleSet, such as the rules_ of a CorsetClassifier, got {type(rules).__name__}"
        )
