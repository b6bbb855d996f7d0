"""PointRules: rules that give labels points, and the bar of each label; text, JSON, tables and HTML derive."""

from __future__ import annotations

import html
import json
import math
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from numbers import Real
from typing import Any

import numpy as np
import pandas as pd
import scipy.sparse as sp

from ..rules import Condition, CoveringRules, Rule, RuleSet, rule_from_dict, rule_to_dict
from ..rules.condition import whole_number
from ..rules.document import restore
from ..rules.text import format_antecedent, format_name, join_conditions
from .sheet import Fired, ScoreSheet

FORMAT = "mlrx.pointrules"
FORMAT_VERSION = 1


@dataclass(frozen=True)
class PointRule:
    """A rule with points: where every condition of the antecedent holds, labels gain or lose points.

    Parameters
    ----------
    antecedent : iterable of Condition
        As of a `Rule`: merged by column, in column order.
    points : iterable of (int, int)
        Label index and points, not 0; kept sorted by label.
    n_covered : int or None, default=None
        Training rows that satisfy the antecedent.
    dtype : {"float64", "float32"}, default="float64"
        Precision in which values are compared with bounds.

    Raises
    ------
    ValueError
        When a label has no points, or points twice; and as `Rule` does.
    TypeError
        When a label or its points are no whole numbers.

    Examples
    --------
    >>> PointRule([Condition(0, lower=0.5)], [(1, 2), (0, -1)]).points
    ((0, -1), (1, 2))
    """

    antecedent: tuple[Condition, ...]
    points: tuple[tuple[int, int], ...]
    n_covered: int | None = None
    dtype: str = "float64"

    def __post_init__(self) -> None:
        points = {}
        for label, given in self.points:
            if whole_number("points", abs(given)) == 0 or label in points:
                raise ValueError(f"points must name a label once and not be 0, got {given!r} for label {label!r}")
            points[whole_number("label", label)] = int(given)
        rule = Rule(self.antecedent, points, self.n_covered, dtype=self.dtype)
        object.__setattr__(self, "antecedent", rule.antecedent)
        object.__setattr__(self, "points", tuple(sorted(points.items())))
        object.__setattr__(self, "n_covered", rule.n_covered)

    def __len__(self) -> int:
        """Return the number of distinct columns in the antecedent."""
        return len(self.antecedent)

    def as_rule(self) -> Rule:
        """Return the rule whose consequent is the labels that get points, of whichever sign."""
        return Rule(self.antecedent, [label for label, _ in self.points], self.n_covered, dtype=self.dtype)


@dataclass(frozen=True)
class PointRules(CoveringRules):
    """Rules that vote: a row is predicted the labels whose points, over the rules that cover it, reach their bar.

    Parameters
    ----------
    rules : iterable of PointRule
    feature_names, label_names : iterable of str
        Names of the original columns and of the labels, by position.
    bars : iterable of int
        For each label the points from which it is predicted. With a bar of 0 or less, a label is predicted unless
        rules take points away.
    kinds : iterable of {"numeric", "binary", "nominal"} or None, default=None
        Kind of each column; None takes all for numeric.
    n_samples : int or None, default=None
        Number of training rows.
    probabilities : iterable of (int, float), default=((-1, 0.0), (0, 1.0))
        For rising margins (points less bar) the probability of a label with that margin or more, up to the next; the
        first also holds below. Never falling.

    Raises
    ------
    ValueError
        When a rule refers to a column or label without a name, a label has no bar, or the probabilities fall.
    TypeError
        When a bar or a margin is no whole number.

    Examples
    --------
    >>> rules = [PointRule([Condition(0, lower=0.5)], [(1, 2)], 4), PointRule([Condition(1, upper=3)], [(1, -1)], 6)]
    >>> voting = PointRules(rules, ["rain", "wind"], ["dry", "wet"], [1, 2], ["binary", "numeric"])
    >>> print(voting)
    IF rain present THEN wet +2  [covers 4]
    IF wind <= 3 THEN wet -1  [covers 6]
    PREDICT dry FROM 1, wet FROM 2
    >>> voting.predict(np.array([[1, 9], [1, 2]]))
    array([[0, 1],
           [0, 0]], dtype=uint8)
    """

    rules: tuple[PointRule, ...]
    feature_names: tuple[str, ...]
    label_names: tuple[str, ...]
    bars: tuple[int, ...]
    kinds: tuple[str, ...] | None = None
    n_samples: int | None = None
    probabilities: tuple[tuple[int, float], ...] = ((-1, 0.0), (0, 1.0))

    def __post_init__(self) -> None:
        object.__setattr__(self, "rules", tuple(self.rules))
        # The set of the rules without their points checks all that the two have in common.
        plain = RuleSet(
            [rule.as_rule() for rule in self.rules], self.feature_names, self.label_names, self.kinds, self.n_samples
        )
        for name in ("feature_names", "label_names", "kinds", "n_samples"):
            object.__setattr__(self, name, getattr(plain, name))
        object.__setattr__(self, "bars", tuple(_integer("bars", bar) for bar in self.bars))
        if len(self.bars) != len(self.label_names):
            raise ValueError(f"bars has {len(self.bars)} entries for {len(self.label_names)} labels")
        steps = tuple((_integer("a margin", margin), float(share)) for margin, share in self.probabilities)
        object.__setattr__(self, "probabilities", steps)
        margins, shares = [step[0] for step in steps], [0.0, *(step[1] for step in steps), 1.0]
        if not steps or sorted(set(margins)) != margins or not all(a <= b for a, b in pairwise(shares)):
            raise ValueError(f"probabilities must be some, and rise with the margin, from 0 to 1, got {steps}")

    def __iter__(self) -> Iterator[PointRule]:
        return iter(self.rules)

    def __getitem__(self, index: int) -> PointRule:
        return self.rules[index]

    @property
    def n_weights(self) -> int:
        """Number of pairs of a rule and a label that it gives points to or takes points from."""
        return sum(len(rule.points) for rule in self.rules)

    def margins(self, X: Any) -> np.ndarray:
        """Return by how many points each label reaches its bar (0 or more) or misses it (negative).

        Parameters
        ----------
        X : ndarray, sparse matrix or DataFrame of shape (n_samples, n_features)

        Returns
        -------
        ndarray of int of shape (n_samples, n_labels)

        Notes
        -----
        O(n_samples * (n_conditions + n_labels) + points given).
        """
        covered = self.covers(X)
        margins = np.tile(-np.array(self.bars, dtype=np.int64), (covered.shape[0], 1))
        for k, rule in enumerate(self.rules):
            rows = np.flatnonzero(covered[:, k])
            for label, given in rule.points:
                margins[rows, label] += given
        return margins

    def predict(self, X: Any, sparse: bool = False) -> np.ndarray | sp.csr_array:
        """Predict the labels whose points reach their bar.

        Parameters
        ----------
        X : ndarray, sparse matrix or DataFrame of shape (n_samples, n_features)
        sparse : bool, default=False
            Return a CSR array instead of a dense one.

        Returns
        -------
        ndarray or csr_array of uint8 of shape (n_samples, n_labels)
        """
        predicted = (self.margins(X) >= 0).astype(np.uint8)
        return sp.csr_array(predicted) if sparse else predicted

    def predict_proba(self, X: Any) -> np.ndarray:
        """Look up the probability of each label in the table of `probabilities`.

        Parameters
        ----------
        X : ndarray, sparse matrix or DataFrame of shape (n_samples, n_features)

        Returns
        -------
        ndarray of float of shape (n_samples, n_labels)
        """
        return self._probability(self.margins(X))

    def _probability(self, margins: np.ndarray) -> np.ndarray:
        steps = np.array(self.probabilities)
        return steps[np.searchsorted(steps[1:, 0], margins, side="right"), 1]

    def score_sheet(self, X: Any) -> ScoreSheet:
        """Say for one row which rules cover it, what points they give, and which labels reach their bar.

        Parameters
        ----------
        X : ndarray, sparse matrix or DataFrame of shape (1, n_features)

        Raises
        ------
        ValueError
            When X has another number of rows.
        """
        covered, margins = self.covers(X), self.margins(X)
        if covered.shape[0] != 1:
            raise ValueError(f"X must be one row, as X.iloc[[0]] is, got {covered.shape[0]} rows")
        fired = [
            Fired(k, self._antecedent(self.rules[k]), dict(self.rules[k].points)) for k in np.flatnonzero(covered[0])
        ]
        points = (margins[0] + self.bars).tolist()
        return ScoreSheet(tuple(fired), self.label_names, tuple(points), self.bars, self._probability(margins[0]))

    def _antecedent(self, rule: PointRule) -> str:
        return join_conditions(format_antecedent(rule, self.feature_names, self.kinds))

    def _points(self, rule: PointRule) -> str:
        return ", ".join(f"{format_name(self.label_names[label])} {given:+d}" for label, given in rule.points)

    def to_frame(self) -> pd.DataFrame:
        """Return one row a rule: its text, points, length, number of labels and coverage."""
        rows = [
            {
                "antecedent": self._antecedent(rule),
                "points": self._points(rule),
                "n_conditions": len(rule),
                "n_labels": len(rule.points),
                "n_covered": rule.n_covered,
                "coverage": rule.n_covered / self.n_samples
                if self.n_samples and rule.n_covered is not None
                else math.nan,
            }
            for rule in self.rules
        ]
        return pd.DataFrame(rows, columns=["antecedent", "points", "n_conditions", "n_labels", "n_covered", "coverage"])

    def to_text(self, counts: bool = True) -> str:
        """Return one line a rule, and one with the bars; with `counts`, the rows covered follow in square brackets."""
        lines = []
        for rule in self.rules:
            start = f"IF {self._antecedent(rule)} " if rule.antecedent else ""
            end = f"  [covers {rule.n_covered}]" if counts and rule.n_covered is not None else ""
            lines.append(f"{start}THEN {self._points(rule) or 'no points'}{end}")
        bars = ", ".join(f"{format_name(name)} FROM {bar}" for name, bar in zip(self.label_names, self.bars))
        return "\n".join([*lines, f"PREDICT {bars}"])

    def to_json(self, indent: int | None = None) -> str:
        """Return the rules, points and bars as JSON text that `from_json` restores exactly."""
        document = {
            "format": FORMAT,
            "version": FORMAT_VERSION,
            "feature_names": self.feature_names,
            "label_names": self.label_names,
            "bars": self.bars,
            "kinds": self.kinds,
            "n_samples": self.n_samples,
            "probabilities": self.probabilities,
            "rules": [rule_to_dict(rule.as_rule()) | {"points": rule.points} for rule in self.rules],
        }
        return json.dumps(document, indent=indent, ensure_ascii=False, allow_nan=False)

    @classmethod
    def from_json(cls, text: str) -> PointRules:
        """Restore from the text of `to_json`.

        Raises
        ------
        ValueError
            When the text is something else, is damaged, or was written by a later version of the format.
        """
        return restore(text, "set of point rules", FORMAT, FORMAT_VERSION, cls._of_document)

    @classmethod
    def _of_document(cls, document: dict[str, Any]) -> PointRules:
        rules = [_point_rule(k, fields) for k, fields in enumerate(document["rules"])]
        names = ("feature_names", "label_names", "bars", "kinds", "n_samples", "probabilities")
        return cls(rules, **{name: document[name] for name in names})

    def _repr_html_(self) -> str:
        return self.to_html()

    def to_html(self) -> str:
        """Return the rules and the bars as an HTML table."""
        wrap = 'style="text-align:left;max-width:40em;overflow-wrap:anywhere"'
        frame = self.to_frame()
        rows = "".join(
            f"<tr><td>{k + 1}</td><td {wrap}>{html.escape(antecedent) or '<i>always</i>'}</td>"
            f"<td {wrap}>{html.escape(points)}</td><td>{'' if pd.isna(n) else int(n)}</td></tr>"
            for k, (antecedent, points, n) in enumerate(zip(frame["antecedent"], frame["points"], frame["n_covered"]))
        )
        header = "".join(f'<th style="text-align:left">{title}</th>' for title in ("", "if", "then", "rows covered"))
        bars = ", ".join(f"{format_name(name)} from {bar}" for name, bar in zip(self.label_names, self.bars))
        return (
            f"<p>{len(self)} rules, {self.n_conditions} conditions, {self.n_weights} points given or taken</p>"
            f"<table><thead><tr>{header}</tr></thead><tbody>{rows}</tbody></table><p>Predicted: {html.escape(bars)}</p>"
        )


def _integer(name: str, value: Any) -> int:
    if not isinstance(value, Real) or not float(value).is_integer():
        raise TypeError(f"{name} must be whole numbers, got {value!r}")
    return int(value)


def _point_rule(k: int, fields: dict[str, Any]) -> PointRule:
    plain = rule_from_dict(k, fields)
    try:
        rule = PointRule(plain.antecedent, fields["points"], plain.n_covered, plain.dtype)
    except KeyError as error:
        raise ValueError(f"rule {k}: it lacks the field {error}") from error
    except (TypeError, ValueError) as error:
        raise ValueError(f"rule {k}: {error}") from error
    if rule.as_rule() != plain:
        raise ValueError(f"rule {k}: the consequent must be the labels that get points")
    return rule
