"""Rules as text, and back: the printed rule, read back, is the same rule."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Sequence
from typing import NoReturn

from .condition import Condition, Rule

# Words and signs of the grammar; a name made of anything else than plain word characters is quoted.
_KEYWORDS = {"if", "and", "then", "or", "in", "not", "is", "missing", "known", "present", "absent", "no", "label"}
_PLAIN = re.compile(r"[^\W\d][\w.\-]*", re.UNICODE)
_WORD = re.compile(r"[\w.+\-]+")
# The last alternative is the counts after the labels, whatever they say.
_TOKEN = re.compile(r'\s*("(?:[^"\\]|\\.)*"|<=|!=|[<>={},()]|' + _WORD.pattern + r"|\[.*|$)", re.DOTALL)
# The cut between the two values of a {0,1} column.
BINARY_CUT = 0.5


def format_name(name: str) -> str:
    """Return a name as it stands in a rule's text: plain where it can be, else in double quotes (JSON escapes)."""
    plain = _PLAIN.fullmatch(name) and name.lower() not in _KEYWORDS
    # What cannot be seen, line ends of all sorts among it, is written as an escape.
    return name if plain else json.dumps(name, ensure_ascii=not name.isprintable())


def format_number(value: float) -> str:
    """Return the shortest text that reads back as the same float64."""
    text = repr(float(value))
    return text[:-2] if text.endswith(".0") else text


def format_condition(condition: Condition, name: str, kind: str = "numeric") -> str:
    """Return a condition as text.

    Parameters
    ----------
    condition : Condition
    name : str
        Name of its column.
    kind : {"numeric", "binary", "nominal"}, default="numeric"
        A condition that tells the two values of a "binary" column apart is printed as present or absent.
    """
    name = format_name(name)
    if condition.is_nominal:
        text = _format_categories(condition, name)
    elif kind == "binary" and (condition.lower, condition.upper) == (BINARY_CUT, math.inf):
        text = f"{name} present"
    elif kind == "binary" and (condition.lower, condition.upper) == (-math.inf, BINARY_CUT):
        text = f"{name} absent"
    else:
        text = _format_interval(condition, name)
    if not condition.missing:
        return text
    return f"{name} is missing" if _holds_for_missing_only(condition) else f"{text} or missing"


def _holds_for_missing_only(condition: Condition) -> bool:
    return condition.missing and condition == Condition(condition.feature, math.inf, math.inf, missing=True)


def _format_interval(condition: Condition, name: str) -> str:
    lower, upper = format_number(condition.lower), format_number(condition.upper)
    if math.isinf(condition.lower) and condition.lower < 0:
        return f"{name} is known" if condition.upper == math.inf else f"{name} <= {upper}"
    return f"{name} > {lower}" if condition.upper == math.inf else f"{lower} < {name} <= {upper}"


def _format_categories(condition: Condition, name: str) -> str:
    if len(condition.categories) == 1:
        return f"{name} {'!=' if condition.negated else '='} {format_name(condition.categories[0])}"
    listed = ", ".join(format_name(c) for c in condition.categories)
    return f"{name} {'not in' if condition.negated else 'in'} {{{listed}}}"


def format_antecedent(rule: Rule, feature_names: Sequence[str], kinds: Sequence[str]) -> list[str]:
    """Return the conditions as text, one entry each."""
    return [format_condition(c, feature_names[c.feature], kinds[c.feature]) for c in rule.antecedent]


def join_conditions(conditions: Sequence[str]) -> str:
    """Return the text of an antecedent; one of several conditions that ends in "or missing" stands in brackets."""
    if len(conditions) > 1:
        conditions = [f"({text})" if text.endswith(" or missing") else text for text in conditions]
    return " AND ".join(conditions)


def format_consequent(rule: Rule, label_names: Sequence[str]) -> str:
    """Return the labels joined by commas; "no label" stands for none."""
    return ", ".join(format_name(label_names[k]) for k in rule.consequent) or "no label"


def format_rule(rule: Rule, feature_names: Sequence[str], label_names: Sequence[str], kinds: Sequence[str]) -> str:
    """Return a rule as one line, ``IF conditions THEN labels``; without conditions, ``THEN labels``."""
    antecedent = join_conditions(format_antecedent(rule, feature_names, kinds))
    start = f"IF {antecedent} " if antecedent else ""
    return f"{start}THEN {format_consequent(rule, label_names)}"


def parse_rule(
    text: str,
    feature_names: Sequence[str],
    label_names: Sequence[str],
    dtype: str = "float64",
) -> Rule:
    """Read a rule back from the text of `format_rule`.

    Parameters
    ----------
    text : str
        One line; anything from `[` on after the labels (the counts) is not read.
    feature_names, label_names : sequence of str
        Names by position; must be distinct where the text uses them.
    dtype : {"float64", "float32"}, default="float64"
        The rule's comparison precision, which its text does not carry.

    Raises
    ------
    ValueError
        When the text does not follow the grammar or uses an unknown name; the place is named.

    Examples
    --------
    >>> parse_rule('IF 0.5 < "air [K]" <= 2 THEN wet', ["air [K]"], ["dry", "wet"])
    Rule(antecedent=(Condition(feature=0, lower=0.5, upper=2.0, categories=None, negated=False, missing=False),), \
consequent=(1,), n_covered=None, n_correct=None, dtype='float64')
    """
    return _Parser(text, feature_names, label_names).rule(dtype)


class _Parser:
    """Recursive descent over the tokens of one rule."""

    def __init__(self, text: str, feature_names: Sequence[str], label_names: Sequence[str]) -> None:
        self.text = text
        self.features, self.labels = list(feature_names), list(label_names)
        self.tokens: list[str] = []
        self.starts: list[int] = []
        self.at = 0
        end = 0
        while not self.tokens or self.tokens[-1]:  # the last token is the empty one at the end of the text
            match = _TOKEN.match(text, end)
            if not match:
                stray = len(text) - len(text[end:].lstrip())
                raise ValueError(f"stray {text[stray]!r} at character {stray + 1} of the rule {text!r}")
            self.tokens.append(match.group(1))
            self.starts.append(match.start(1))
            end = match.end()

    def rule(self, dtype: str) -> Rule:
        conditions = []
        if self.accept("IF"):
            conditions.append(self.condition())
            while self.accept("AND"):
                conditions.append(self.condition())
        self.expect("THEN")
        consequent = self.consequent()
        if not self.token.startswith("["):
            self.expect("")
        return Rule(tuple(conditions), tuple(consequent), dtype=dtype)

    def consequent(self) -> list[int]:
        if self.accept("no"):
            self.expect("label")
            return []
        labels = [self.index(self.labels, "label")]
        while self.accept(","):
            labels.append(self.index(self.labels, "label"))
        return labels

    def condition(self) -> Condition:
        if self.accept("("):
            condition = self.condition()
            self.expect(")")
            return condition
        if self.token and self.tokens[self.at + 1] == "<":
            lower = self.number()
            self.expect("<")
            feature = self.index(self.features, "feature")
            self.expect("<=")
            return Condition(feature, lower, self.number(), missing=self.or_missing())
        feature = self.index(self.features, "feature")
        if self.accept("is"):
            if self.accept("missing"):
                return Condition(feature, math.inf, math.inf, missing=True)
            self.expect("known")
            return Condition(feature, missing=self.or_missing())
        bounds, categories = {}, {}
        if self.accept("present"):
            bounds = {"lower": BINARY_CUT}
        elif self.accept("absent"):
            bounds = {"upper": BINARY_CUT}
        elif self.accept(">"):
            bounds = {"lower": self.number()}
        elif self.accept("<="):
            bounds = {"upper": self.number()}
        else:
            categories = self.categories()
        return Condition(feature, **bounds, **categories, missing=self.or_missing())

    def categories(self) -> dict:
        if self.accept("="):
            return {"categories": (self.name(),)}
        if self.accept("!="):
            return {"categories": (self.name(),), "negated": True}
        negated = self.accept("not")
        self.expect("in")
        self.expect("{")
        names = []
        while not self.accept("}"):
            if names:
                self.expect(",")
            names.append(self.name())
        return {"categories": tuple(names), "negated": negated}

    def or_missing(self) -> bool:
        if self.accept("or"):
            self.expect("missing")
            return True
        return False

    @property
    def token(self) -> str:
        return self.tokens[self.at]

    def fail(self, wanted: str) -> NoReturn:
        found = repr(self.token) if self.token else "the end"
        place = f"at character {self.starts[self.at] + 1} of the rule {self.text!r}"
        raise ValueError(f"expected {wanted}, found {found} {place}")

    def accept(self, word: str) -> bool:
        if self.token != word:
            return False
        self.at += 1
        return True

    def expect(self, word: str) -> None:
        if not self.accept(word):
            self.fail(repr(word) if word else "the end")

    def name(self) -> str:
        token = self.token
        if token.startswith('"'):
            try:
                name = json.loads(token)
            except ValueError:
                self.fail("a name with the escapes of JSON")
        elif _WORD.fullmatch(token):
            name = token
        else:
            self.fail("a name")
        self.at += 1
        return name

    def index(self, names: list[str], what: str) -> int:
        start = self.at
        name = self.name()
        if names.count(name) != 1:
            self.at = start
            self.fail(f"a {what} whose name is {'unique' if name in names else 'known'}")
        return names.index(name)

    def number(self) -> float:
        try:
            number = float(self.token.replace("_", "?"))  # float() would take 1_0 for 10
        except ValueError:
            self.fail("a number")
        self.at += 1
        return number
