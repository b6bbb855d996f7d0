"""Explanation: a rule for one prediction, and what is proven about it; text, JSON and HTML derive from it."""

from __future__ import annotations

import html
import json
import math
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from numbers import Real
from typing import Any

import numpy as np
import pandas as pd

from ..rules import Rule, TableColumns, covered_rows, format_condition, format_rule, rule_from_dict, rule_to_dict
from ..rules.condition import whole_number
from ..rules.document import restore
from ..rules.text import format_antecedent, format_name, join_conditions
from .onehot import OneHot, count_features, with_categories
from .violation import GUARANTEES

FORMAT = "mlrx.explanation"
LIST_FORMAT = "mlrx.explanations"
FORMAT_VERSION = 1
# Columns of `Explanations.to_frame` and their types.
TABLE = {
    "labels": "str",
    "antecedent": "str",
    "status": "str",
    "guarantee": "str",
    "n_features": "int64",
    "is_smallest": "bool",
    "n_covered": "Int64",
    "margin": "float64",
    "n_voting": "int64",
    "n_trees": "int64",
}
NONE_TAKEN = "none was taken of those there are"
NO_RULE = "no rule: the forest is so close to a tie for this row that rounding may decide"
KEPT = "every row of the rule keeps the prediction, for all known values of the columns without a condition"

IN_WORDS = {
    "certified": f"proven: {KEPT}",
    "certified-irreducible": f"proven: {KEPT}, and no feature can be left out",
    "uncertified": "not proven",
    "tie": "the forest is close to a tie for this row; nothing is certified",
}


@dataclass(frozen=True)
class Explanation:
    """Why a forest predicts some labels for a row, as a rule.

    Parameters
    ----------
    labels : tuple of int
        Labels that the rule explains, by index; empty for a row with no label predicted.
    rule : Rule or None
        None where the forest is at a tie. Of its counts `n_covered` is that of the rows given to `fit`.
    status : {"certified-irreducible", "certified", "uncertified", "tie"}
        "certified": for every row of the rule the forest predicts the labels, for all known values of the columns
        without a condition; proven. "certified-irreducible": and no single feature can be left out; proven too.
        "uncertified": the proof did not succeed. "tie": the row is so close to a tie that rounding may decide; nothing
        is certified.
    guarantee : {"labels", "labelset"}
        With "labelset" all other labels stay absent as well.
    margin : float
        The least of the row's margins P(present) - P(absent) over the labels, turned round for those that stay absent.
    x : tuple of float
        The row, in the units of the forest's input; NaN for missing.
    feature_names, label_names : tuple of str
    groups : tuple of OneHot, default=()
        One-hot columns that stand for one category.
    n_voting : int, default=0
        Trees that vote for the labels wherever the rule holds.
    n_paths : int or None, default=None
        Paths that the paper's rule is made of, one a tree; None for a rule that is not made of paths.
    n_trees : int, default=0
    undecided : tuple of int, default=()
        Columns of the rule that may be superfluous: the budget was used up before it could be told.
    is_smallest : bool, default=False
        Whether no rule that covers the row and keeps the prediction has fewer features; proven.
    n_samples : int, default=0
        Rows given to `fit`.
    seconds : float, default=0.0
        Wall-clock time that the explanation took; not compared.

    Raises
    ------
    ValueError, TypeError
        When a field is out of its domain or does not fit the others; the message names it.

    Examples
    --------
    >>> from mlrx import Condition
    >>> rule = Rule([Condition(0, lower=2.5)], [1], dtype="float32")
    >>> row = Explanation((1,), rule, "certified", "labels", 0.25, (3.0,), ("wind",), ("rain", "storm"))
    >>> print(row.to_text())
    IF wind > 2.5 THEN storm  [certified]
    >>> row.covers([[2.0], [4.0]])
    array([False,  True])
    """

    labels: tuple[int, ...]
    rule: Rule | None
    status: str
    guarantee: str
    margin: float
    x: tuple[float, ...]
    feature_names: tuple[str, ...]
    label_names: tuple[str, ...]
    groups: tuple[OneHot, ...] = ()
    n_voting: int = 0
    n_paths: int | None = None
    n_trees: int = 0
    undecided: tuple[int, ...] = ()
    is_smallest: bool = False
    n_samples: int = 0
    seconds: float = field(default=0.0, compare=False)

    def __post_init__(self) -> None:
        for argument, allowed in (("status", tuple(IN_WORDS)), ("guarantee", GUARANTEES)):
            if getattr(self, argument) not in allowed:
                raise ValueError(f"{argument} must be one of {allowed}, got {getattr(self, argument)!r}")
        for argument in ("feature_names", "label_names"):
            self._set(argument, _texts(argument, getattr(self, argument)))
        n_features, n_labels = len(self.feature_names), len(self.label_names)
        self._set("labels", _indices("labels", self.labels, n_labels))
        self._set("undecided", _indices("undecided", self.undecided, n_features))
        self._set("x", tuple(_number("x", value) for value in self.x))
        if len(self.x) != n_features:
            raise ValueError(f"x has {len(self.x)} values for {n_features} features")
        if self.rule is not None:
            _indices("features of the rule", [condition.feature for condition in self.rule.antecedent], n_features)
            _indices("labels of the rule", self.rule.consequent, n_labels)
        if (self.rule is None) != (self.status == "tie"):
            raise ValueError(f"a tie has no rule, all else has one; got status={self.status!r} and rule={self.rule!r}")
        for group in self.groups:
            _indices(f"columns of {group.name!r}", group.columns, n_features)
        if not isinstance(self.is_smallest, bool):
            raise TypeError(f"is_smallest must be True or False, got {self.is_smallest!r}")
        for argument in ("n_voting", "n_trees", "n_samples"):
            self._set(argument, whole_number(argument, getattr(self, argument)))
        if self.n_paths is not None:
            self._set("n_paths", whole_number("n_paths", self.n_paths))
        for argument in ("margin", "seconds"):
            self._set(argument, _number(argument, getattr(self, argument)))

    def _set(self, name: str, value: Any) -> None:
        object.__setattr__(self, name, value)

    def __reduce__(self) -> tuple[type, tuple]:
        # Copies are checked, too: all missing values become one object, without which NaN would make them unequal.
        return type(self), tuple(getattr(self, name) for name in self.__dataclass_fields__)

    @property
    def length(self) -> int:
        """Number of distinct features in the rule; 0 without a rule. See `count_features`."""
        return 0 if self.rule is None else count_features(self.rule, [group.columns for group in self.groups])

    @property
    def readable_rule(self) -> Rule | None:
        """The rule with categories in place of their one-hot columns; see `with_categories`."""
        return None if self.rule is None else with_categories(self.rule, self.groups, len(self.feature_names))

    @property
    def readable_names(self) -> tuple[str, ...]:
        """Names of the columns that `readable_rule` speaks of: those of the features, then those of the groups."""
        return self.feature_names + tuple(group.name for group in self.groups)

    def covers(self, X: Any) -> np.ndarray:
        """Tell which rows the rule covers, compared as the forest compares them.

        Parameters
        ----------
        X : array-like, sparse matrix or DataFrame of shape (n_samples, n_features)
            Columns of a DataFrame with text names are found by name.

        Returns
        -------
        ndarray of bool of shape (n_samples,)
            False throughout where there is no rule. A missing value is covered only where a condition says so.
        """
        columns = TableColumns(X, self.feature_names)
        if self.rule is None:
            return np.zeros(columns.n_samples, dtype=bool)
        covered = covered_rows([self.rule], columns)[:, 0]
        conditioned = {condition.feature for condition in self.rule.antecedent}
        for f in set(range(len(self.feature_names))) - conditioned:
            covered &= ~np.isnan(np.asarray(columns[f], dtype=np.float64))
        return covered

    def to_text(self) -> str:
        """Return the rule as one line, its status and notes in square brackets.

        Read back by `parse_rule` with `readable_names`, and with the precision of the rule, which text does not carry,
        the text gives the antecedent and the consequent of `readable_rule`.
        """
        if self.rule is None:
            return f"{NO_RULE}  [{self.status}]"
        rule, names = self.readable_rule, self.readable_names
        notes = [self.status]
        if self.is_smallest:
            notes.append("fewest features")
        if self.guarantee == "labelset":
            notes.append("all other labels stay absent")
        if self.undecided:
            notes.append(f"may be superfluous: {', '.join(format_name(self.feature_names[f]) for f in self.undecided)}")
        return f"{format_rule(rule, names, self.label_names, ['numeric'] * len(names))}  [{'; '.join(notes)}]"

    def __str__(self) -> str:
        return self.to_text()

    def to_json(self, indent: int | None = None) -> str:
        """Return the explanation as JSON text that `from_json` restores exactly; missing values are null."""
        fields = {name: getattr(self, name) for name in self.__dataclass_fields__}
        fields["rule"] = None if self.rule is None else rule_to_dict(self.rule)
        fields["x"] = [None if math.isnan(value) else value for value in self.x]
        fields["groups"] = [asdict(group) for group in self.groups]
        document = {"format": FORMAT, "version": FORMAT_VERSION} | fields
        return json.dumps(document, indent=indent, ensure_ascii=False, allow_nan=False)

    @classmethod
    def from_json(cls, text: str) -> Explanation:
        """Restore an explanation from the text of `to_json`.

        Raises
        ------
        ValueError
            When the text is no explanation, is damaged, or was written by a later version of the format.
        """
        return restore(text, "explanation", FORMAT, FORMAT_VERSION, cls._of_document)

    @classmethod
    def _of_document(cls, document: dict[str, Any]) -> Explanation:
        fields = {name: value for name, value in document.items() if name not in ("format", "version")}
        fields["rule"] = None if fields["rule"] is None else rule_from_dict(0, fields["rule"])
        fields["x"] = [math.nan if value is None else value for value in fields["x"]]
        fields["groups"] = [OneHot(g["name"], tuple(g["columns"]), tuple(g["categories"])) for g in fields["groups"]]
        return cls(**{name: tuple(value) if isinstance(value, list) else value for name, value in fields.items()})

    def _repr_html_(self) -> str:
        return _html_block(self)


class Explanations(list):
    """The explanations of one row: a list that shows itself as HTML, and says why it is empty where it is.

    Its slices are Explanations, too.

    Parameters
    ----------
    explanations : iterable of Explanation
    reason : str or None, default=None
        Why there are none.
    """

    def __init__(self, explanations: Iterable[Explanation] = (), reason: str | None = None) -> None:
        super().__init__(explanations)
        self.reason = reason

    def __getitem__(self, index: Any) -> Any:
        found = super().__getitem__(index)
        return Explanations(found, self.reason or NONE_TAKEN) if isinstance(index, slice) else found

    def to_frame(self) -> pd.DataFrame:
        """Return one row an explanation: the rule as text, what is proven of it, and its numbers.

        `n_features` is `Explanation.length`; `n_covered` counts rows given to `fit`, as integers that may be NA.
        """
        rows = [_table_row(explanation) for explanation in self]
        return pd.DataFrame(rows, columns=list(TABLE)).astype(TABLE)

    def to_json(self, indent: int | None = None) -> str:
        """Return the explanations as JSON text that `from_json` restores exactly."""
        listed = [json.loads(explanation.to_json()) for explanation in self]
        document = {"format": LIST_FORMAT, "version": FORMAT_VERSION, "reason": self.reason, "explanations": listed}
        return json.dumps(document, indent=indent, ensure_ascii=False, allow_nan=False)

    @classmethod
    def from_json(cls, text: str) -> Explanations:
        """Restore explanations from the text of `to_json`.

        Raises
        ------
        ValueError
            When the text is something else, is damaged, or was written in another version of the format.
        """
        return restore(text, "list of explanations", LIST_FORMAT, FORMAT_VERSION, cls._of_document)

    @classmethod
    def _of_document(cls, document: dict[str, Any]) -> Explanations:
        listed = [Explanation.from_json(json.dumps(fields)) for fields in document["explanations"]]
        return cls(listed, document["reason"])

    def to_text(self) -> str:
        """Return one line an explanation, or the reason why there are none."""
        return "\n".join(explanation.to_text() for explanation in self) or f"no explanation: {self.reason}"

    def _repr_html_(self) -> str:
        blocks = "".join(_html_block(explanation) for explanation in self)
        return blocks or f"<p>no explanation: {html.escape(str(self.reason))}</p>"


def _table_row(explanation: Explanation) -> dict[str, Any]:
    rule, names = explanation.readable_rule, explanation.readable_names
    conditions = () if rule is None else format_antecedent(rule, names, ["numeric"] * len(names))
    return {name: getattr(explanation, name) for name in TABLE if hasattr(explanation, name)} | {
        "labels": ", ".join(format_name(explanation.label_names[label]) for label in explanation.labels),
        "antecedent": join_conditions(conditions),
        "n_features": explanation.length,
        "n_covered": None if rule is None else rule.n_covered,
    }


def _texts(argument: str, names: Iterable[str]) -> tuple[str, ...]:
    texts = tuple(names)
    if isinstance(names, str) or not all(isinstance(name, str) for name in texts):
        raise TypeError(f"{argument} must be several texts, got {names!r}")
    return texts


def _indices(argument: str, values: Iterable[int], n: int) -> tuple[int, ...]:
    indices = tuple(whole_number(argument, value) for value in values)
    for index in indices:
        if index >= n:
            raise ValueError(f"{argument} must be from 0 to {n - 1}, got {index}")
    return indices


def _number(argument: str, value: Any) -> float:
    """Return a number as float; NaN, for a missing value of the row only, as `math.nan`, which equals itself there."""
    if not isinstance(value, Real) or isinstance(value, bool):
        raise TypeError(f"{argument} must be a number, got {value!r}")
    if math.isnan(value) and argument == "x":
        return math.nan
    if not math.isfinite(value):
        raise ValueError(f"{argument} must be finite, got {value!r}")
    return float(value)


def _html_block(explanation: Explanation) -> str:
    """Return one explanation as HTML: the labels, a table of the conditions with the row's values, what is proven."""
    consequent = ", ".join(explanation.label_names[label] for label in explanation.labels) or "no label"
    if explanation.guarantee == "labelset":
        consequent += " and no other label" if explanation.labels else ""
    if explanation.rule is None:
        return f"<p><b>{html.escape(consequent)}</b>: {html.escape(NO_RULE)}</p>"
    wrap = 'style="text-align:left;max-width:40em;overflow-wrap:anywhere"'
    rows = [
        f'<tr><td {wrap}>{html.escape(text)}</td><td style="text-align:right">{html.escape(value)}</td></tr>'
        for text, value in _conditions_and_values(explanation)
    ]
    table = f"<table><thead><tr><th {wrap}>if</th><th>this row</th></tr></thead><tbody>{''.join(rows)}</tbody></table>"
    always = "<p><i>always</i></p>"
    return f"<p>predicted: <b>{html.escape(consequent)}</b></p>{table if rows else always}{_html_notes(explanation)}"


def _conditions_and_values(explanation: Explanation) -> list[tuple[str, str]]:
    rule, names = explanation.readable_rule, explanation.readable_names
    told = []
    for condition in rule.antecedent:
        if condition.feature < len(explanation.x):
            value = explanation.x[condition.feature]
            text = "missing" if math.isnan(value) else f"{value:.6g}"
        else:
            group = explanation.groups[condition.feature - len(explanation.x)]
            active = [c for f, c in zip(group.columns, group.categories) if explanation.x[f] == 1]
            text = ", ".join(active) or "none"
        told.append((format_condition(condition, names[condition.feature]), text))
    return told


def _html_notes(explanation: Explanation) -> str:
    notes = [f"{explanation.status}: {IN_WORDS[explanation.status]}"]
    if explanation.is_smallest:
        notes.append("proven: no rule that keeps the prediction has fewer features")
    if explanation.undecided:
        names = ", ".join(explanation.feature_names[f] for f in explanation.undecided)
        notes.append(f"may be superfluous, undecided within the budget: {names}")
    votes = f"{explanation.n_voting} of {explanation.n_trees} trees vote so in the whole rule"
    notes.append(f"margin {explanation.margin:.3f}; {votes}")
    if explanation.n_paths is not None:
        notes.append(f"made of the paths of {explanation.n_paths} trees")
    if explanation.n_samples:
        notes.append(f"covers {explanation.rule.n_covered} of {explanation.n_samples} training rows")
    return "".join(f"<p><small>{html.escape(note)}</small></p>" for note in notes)
