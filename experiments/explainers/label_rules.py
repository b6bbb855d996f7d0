"""Rule models in the forest's place: which of their rules speak for a row, and the explanation that these make."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from mlrx.metrics import micro_f1
from mlrx.rules import Rule, TableColumns, covered_rows

from ..forests import Fold
from .deadline import Deadline
from .explainer import AGREES, DIFFERS, Explained, FittedExplainer

# CPU seconds after which learning ends in a record that says so.
FIT_LIMIT = 600
# The labels that a model says are present in a row, each with the rule that says so.
Claims = dict[int, Rule]


class RuleModel(Protocol):
    """What an adapter learns from the training rows and the forest's labels of them."""

    def claims(self, X: np.ndarray) -> list[Claims]:
        """Return for each row of X, of shape (n_samples, n_features), the labels present, ascending, with their rules.

        A rule without conditions stands for a label that no rule accounts for, such as by default.
        """


@dataclass(frozen=True, eq=False)
class RuleLists:
    """A decision list for each label: the first rule that covers a row says whether the label is present.

    Parameters
    ----------
    lists : sequence of sequence of Rule
        One a label. A rule's consequent is the label, or empty for "absent"; the last rule has no conditions.

    Examples
    --------
    >>> from mlrx.rules import Condition
    >>> low, otherwise = Rule([Condition(0, upper=1.0)], [0]), Rule((), ())
    >>> RuleLists([[low, otherwise]]).claims(np.array([[0.5], [2.0]])) == [{0: low}, {}]
    True
    """

    lists: Sequence[Sequence[Rule]]

    def claims(self, X: np.ndarray) -> list[Claims]:
        """See `RuleModel`."""
        columns, claims = TableColumns(X), [{} for _ in X]
        for label, rules in enumerate(self.lists):
            for claim, first in zip(claims, covered_rows(rules, columns).argmax(axis=1), strict=True):
                if rules[first].consequent:
                    claim[label] = rules[first]
        return claims


@dataclass(frozen=True, eq=False)
class ScoredRules:
    """Rules that add up scores; the rule that speaks for a label is the covering one with its highest score.

    Parameters
    ----------
    rules : sequence of Rule
    scores : ndarray of shape (n_rules, n_labels)
        Positive in favour of the label.
    predict : callable
        ``predict(X)`` returns the model's labels, bool of shape (n_samples, n_labels).
    """

    rules: Sequence[Rule]
    scores: np.ndarray
    predict: Callable[[np.ndarray], np.ndarray]

    def claims(self, X: np.ndarray) -> list[Claims]:
        """See `RuleModel`."""
        covered = covered_rows(self.rules, TableColumns(X))
        return [
            {label: self._strongest(label, covering) for label in np.flatnonzero(present).tolist()}
            for covering, present in zip(covered, self.predict(X), strict=True)
        ]

    def _strongest(self, label: int, covering: np.ndarray) -> Rule:
        scores = np.where(covering, self.scores[:, label], 0.0)
        if not (scores > 0).any():
            return Rule((), (label,))
        return Rule(self.rules[scores.argmax()].antecedent, (label,))


def constant(label: int, present: bool) -> Rule:
    """Return the rule without conditions that says that a label is present, or absent."""
    return Rule((), (label,) if present else ())


def fit_model(
    learn: Callable[[Fold, np.ndarray, int, dict[str, Any], Deadline], RuleModel],
    fold: Fold,
    seed: int,
    parameters: dict[str, Any],
) -> FittedExplainer:
    """Learn a model of the forest's labels of the training rows, and explain rows by its rules.

    Parameters
    ----------
    learn : callable
        ``learn(fold, truth, seed, parameters, deadline)`` with the forest's labels, bool of shape (n_samples,
        n_labels), and the limit of time.
    fold, seed, parameters
        As `Explainer.fit` has them.

    Raises
    ------
    OutOfTimeError
        When learning takes more than `FIT_LIMIT` CPU seconds.

    Notes
    -----
    The strategy "all" gives the labels that the model predicts for the row, and the conditions of their rules
    together; none where it predicts no label. "each" gives, for each label of the forest, the model's rule for that
    label; no rule where the model says it is absent. ``fidelity`` is the micro-averaged F1 of the model's labels of the
    training rows against the forest's. The seconds of a row are shared by its rules.
    """
    truth = fold.forest.predict_labels(fold.X_train)
    start = time.perf_counter()
    model = learn(fold, truth, seed, parameters, Deadline(FIT_LIMIT))
    seconds = time.perf_counter() - start
    predicted = np.zeros_like(truth)
    for row, claims in zip(predicted, model.claims(fold.X_train), strict=True):
        row[list(claims)] = True
    reported = {"fidelity": micro_f1(truth, predicted, zero_division=1.0)}

    def explain(x: np.ndarray, labels: tuple[int, ...], strategies: tuple[str, ...]) -> dict[str, list[Explained]]:
        begun = time.process_time()
        (claims,) = model.claims(x[None])
        spent = time.process_time() - begun
        found = {"all": lambda: [_together(claims, labels)], "each": lambda: [_single(claims, k) for k in labels]}
        return {
            strategy: [Explained(*one, spent / len(rules), reported) for one in rules]
            for strategy, rules in ((strategy, found[strategy]()) for strategy in strategies)
        }

    return FittedExplainer(explain, seconds)


def _together(claims: Claims, wanted: tuple[int, ...]) -> tuple[tuple[int, ...], Rule | None, str]:
    """Return the labels claimed, the rule for all of them, and the status."""
    labels = tuple(claims)
    conditions = [condition for rule in claims.values() for condition in rule.antecedent]
    return labels, Rule(conditions, labels) if labels else None, AGREES if labels == wanted else DIFFERS


def _single(claims: Claims, label: int) -> tuple[tuple[int, ...], Rule | None, str]:
    """Return what is claimed of one label of the forest, as `_together` does."""
    if label not in claims:
        return (), None, DIFFERS
    return (label,), claims[label], AGREES
