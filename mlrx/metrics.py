"""Scores of multi-label predictions, and of rules: length, coverage, precision, recovery.

Every score that divides by a count says what it is where the count is zero: the F1 scores ask for `zero_division`,
the scores of rules are NaN.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
import scipy.sparse as sp

from .rules import Rule, RuleSet, TableColumns, covered_rows


def micro_f1(Y_true: Any, Y_pred: Any, *, zero_division: float) -> float:
    """F1 of all (row, label) pairs taken together: 2 TP / (2 TP + FP + FN).

    Parameters
    ----------
    Y_true, Y_pred : ndarray or sparse matrix of 0 and 1, of shape (n_samples, n_labels)
    zero_division : {0, 1, nan}
        The F1 of nothing true and nothing predicted.

    Raises
    ------
    ValueError
        When the tables are not of one shape, hold other values than 0 and 1, or `zero_division` is another number.

    Examples
    --------
    >>> micro_f1([[1, 0], [0, 1]], [[1, 0], [0, 0]], zero_division=0)
    0.6666666666666666
    """
    return _mean_f1(Y_true, Y_pred, None, zero_division)


def macro_f1(Y_true: Any, Y_pred: Any, *, zero_division: float) -> float:
    """F1 of each label, averaged; parameters as for `micro_f1`, with NaN leaving a label out of the mean."""
    return _mean_f1(Y_true, Y_pred, 0, zero_division)


def samples_f1(Y_true: Any, Y_pred: Any, *, zero_division: float) -> float:
    """F1 of each row, averaged; parameters as for `micro_f1`, with NaN leaving a row out of the mean."""
    return _mean_f1(Y_true, Y_pred, 1, zero_division)


def hamming_accuracy(Y_true: Any, Y_pred: Any) -> float:
    """Share of (row, label) pairs predicted right: 1 - Hamming loss. Tables as for `micro_f1`."""
    true, predicted = _indicators(Y_true, Y_pred)
    return float(1 - (true != predicted).sum() / np.prod(true.shape))


def subset_accuracy(Y_true: Any, Y_pred: Any) -> float:
    """Share of rows whose whole label set is predicted right. Tables as for `micro_f1`."""
    true, predicted = _indicators(Y_true, Y_pred)
    return float(((true != predicted).sum(axis=1) == 0).mean())


def score_table(Y_true: Any, Y_pred: Any, *, zero_division: float) -> dict[str, float]:
    """Return all five scores by name; parameters as for `micro_f1`."""
    return {
        "micro_f1": micro_f1(Y_true, Y_pred, zero_division=zero_division),
        "macro_f1": macro_f1(Y_true, Y_pred, zero_division=zero_division),
        "samples_f1": samples_f1(Y_true, Y_pred, zero_division=zero_division),
        "hamming_accuracy": hamming_accuracy(Y_true, Y_pred),
        "subset_accuracy": subset_accuracy(Y_true, Y_pred),
    }


def _mean_f1(Y_true: Any, Y_pred: Any, axis: int | None, zero_division: float) -> float:
    if zero_division not in (0, 1) and zero_division == zero_division:
        raise ValueError(f"zero_division must be 0, 1 or nan, got {zero_division!r}")
    true, predicted = _indicators(Y_true, Y_pred)
    n_common = np.atleast_1d(true.multiply(predicted).sum(axis=axis))
    n_marked = np.atleast_1d(true.sum(axis=axis) + predicted.sum(axis=axis))
    scores = np.where(n_marked > 0, 2 * n_common / np.maximum(n_marked, 1), zero_division)
    defined = scores[~np.isnan(scores)]
    return float(defined.mean()) if defined.size else np.nan


def _indicators(Y_true: Any, Y_pred: Any) -> tuple[sp.csr_array, sp.csr_array]:
    true, predicted = _indicator(Y_true, "Y_true"), _indicator(Y_pred, "Y_pred")
    if true.shape != predicted.shape:
        raise ValueError(f"Y_true and Y_pred must have one shape, got {true.shape} and {predicted.shape}")
    if 0 in true.shape:
        raise ValueError(f"Y_true and Y_pred must have rows and labels, got the shape {true.shape}")
    return true, predicted


def _indicator(Y: Any, name: str) -> sp.csr_array:
    """Return a table of 0 and 1 as CSR of integers."""
    Y = Y if sp.issparse(Y) else np.asarray(Y)
    if Y.ndim != 2:
        raise ValueError(f"{name} must be two-dimensional (n_samples, n_labels), got {Y.ndim} dimension(s)")
    table = sp.csr_array(Y)
    wrong = table.data[(table.data != 0) & (table.data != 1)]
    if wrong.size:
        raise ValueError(f"{name} must hold 0 and 1 only, got {wrong[0]!r}")
    return table.astype(np.int64)


def rule_coverage(rule: Rule, X: Any) -> float:
    """Share of rows that satisfy the rule's antecedent.

    Parameters
    ----------
    rule : Rule
    X : ndarray, sparse matrix or DataFrame of shape (n_samples, n_features)
        Original columns, by position.
    """
    return float(rule.covers(X).mean())


def rule_precision(rule: Rule, X: Any, Y: Any) -> float:
    """Share of the covered rows for which the rule is correct; NaN when it covers no row.

    Parameters
    ----------
    rule : Rule
        Correct for a row that carries its whole consequent. One with an empty consequent says "no label", and is
        correct for a row that carries none.
    X : ndarray, sparse matrix or DataFrame of shape (n_samples, n_features)
        Original columns, by position.
    Y : ndarray or sparse matrix of 0 and 1, of shape (n_samples, n_labels)
        True labels, or a model's predicted ones to measure how well the rule speaks for the model.
    """
    return float(score_rules([rule], X, Y)["precision"].iloc[0])


def score_rules(rules: RuleSet | Sequence[Rule], X: Any, Y: Any) -> pd.DataFrame:
    """Score each rule on given rows, whatever method it is from.

    Parameters
    ----------
    rules : RuleSet or sequence of Rule
        Columns of a DataFrame are found by name for a RuleSet, else by position.
    X : ndarray, sparse matrix or DataFrame of shape (n_samples, n_features)
    Y : ndarray or sparse matrix of 0 and 1, of shape (n_samples, n_labels)

    Returns
    -------
    DataFrame of n_rules rows
        length (distinct columns in the antecedent), n_covered, n_correct, coverage, precision. The last is NaN for a
        rule that covers no row, which `DataFrame.mean` leaves out; ``precision.isna().sum()`` counts them.

    Notes
    -----
    O(n_samples * (conditions + labels of all rules)).
    """
    covered, correct = _covered_and_correct(rules, X, Y)
    n_covered, n_correct = covered.sum(axis=0), correct.sum(axis=0)
    precision = np.where(n_covered > 0, n_correct / np.maximum(n_covered, 1), np.nan)
    return pd.DataFrame(
        {
            "length": np.array([len(rule) for rule in rules], dtype=int),
            "n_covered": n_covered,
            "n_correct": n_correct,
            "coverage": n_covered / covered.shape[0],
            "precision": precision,
        }
    )


def label_coverage(rules: RuleSet | Sequence[Rule], X: Any, Y: Any) -> float:
    """Share of the label occurrences that the rules explain.

    An occurrence is a one of Y, a pair (row, label). A rule explains it when the row satisfies the antecedent and
    carries the whole consequent, and the label is in the consequent: it is in cov(R) of the CORSET paper. Parameters
    as for `score_rules`; NaN when Y has no ones.
    """
    _, correct = _covered_and_correct(rules, X, Y)
    explained: dict[int, np.ndarray] = {}
    for k, rule in enumerate(rules):
        for label in rule.consequent:
            explained[label] = explained.get(label, False) | correct[:, k]
    n_ones = _indicator(Y, "Y").sum()
    return float(sum(rows.sum() for rows in explained.values()) / n_ones) if n_ones else np.nan


def rule_recovery(learned: RuleSet | Sequence[Rule], generating: RuleSet | Sequence[Rule], X: Any, Y: Any) -> float:
    """Mean over the generating rules of the likeness of the learned rule that is most like them.

    Rules are compared by what they cover on the given rows, not by their text. cov(R) is the set of pairs (row, label)
    where the row satisfies the antecedent and carries the whole consequent, and the label is in the consequent. The
    likeness of two rules is the Jaccard index of these sets, 1 - d of the CORSET paper.

    Parameters
    ----------
    learned : RuleSet or sequence of Rule
    generating : RuleSet or sequence of Rule
        The rules that made the data. One that covers nothing on these rows cannot be found, and is left out.
    X : ndarray, sparse matrix or DataFrame of shape (n_samples, n_features)
    Y : ndarray or sparse matrix of 0 and 1, of shape (n_samples, n_labels)

    Returns
    -------
    float
        From 0 to 1; NaN when no generating rule covers anything.

    Notes
    -----
    O(n_samples * n_learned * n_generating) by matrix products; no pair is ever built.
    """
    best = _jaccard(generating, learned, X, Y).max(axis=1, initial=0.0)
    return float(best.mean()) if best.size else np.nan


def exact_recovery(learned: RuleSet | Sequence[Rule], generating: RuleSet | Sequence[Rule], X: Any, Y: Any) -> float:
    """Share of the generating rules that cover exactly the pairs some learned rule covers.

    Measured, and with parameters, as in `rule_recovery`: rules of likeness 1 count, whatever their text.
    """
    best = _jaccard(generating, learned, X, Y).max(axis=1, initial=0.0)
    return float((best == 1.0).mean()) if best.size else np.nan


def rule_diversity(rules: RuleSet | Sequence[Rule], X: Any, Y: Any) -> float:
    """Mean over all pairs of rules of the distance of what they cover, d of the CORSET paper.

    Measured, and with parameters, as in `rule_recovery`: the distance is 1 less the likeness. Rules that cover nothing
    on these rows are left out; NaN when fewer than two are left.

    Examples
    --------
    >>> from mlrx.rules import Condition
    >>> rules = [Rule([Condition(0, lower=0.5)], [0]), Rule([Condition(0, lower=1.5)], [0])]
    >>> rule_diversity(rules, [[0.0], [1.0], [2.0]], [[0], [1], [1]])  # they share one of two pairs
    0.5
    """
    likeness = _jaccard(rules, rules, X, Y)
    n = len(likeness)
    # The n rules are each alike to themselves, and not at all to those that cover nothing.
    return float(1 - (likeness.sum() - n) / (n * (n - 1))) if n > 1 else np.nan


def _jaccard(rules: Sequence[Rule], others: Sequence[Rule], X: Any, Y: Any) -> np.ndarray:
    """Return the Jaccard index of each rule that covers anything with each other rule."""
    rows, other_rows = (_covered_and_correct(some, X, Y)[1].astype(np.float64) for some in (rules, others))
    n_labels = np.shape(Y)[1]
    labels, other_labels = _consequents(rules, n_labels), _consequents(others, n_labels)
    # cov is a product of rows and labels, and so is the intersection of two of them.
    sizes, other_sizes = rows.sum(axis=0) * labels.sum(axis=1), other_rows.sum(axis=0) * other_labels.sum(axis=1)
    common = (rows.T @ other_rows) * (labels @ other_labels.T)
    measured = sizes > 0
    return common[measured] / (sizes[measured, None] + other_sizes - common[measured])


def _consequents(rules: Sequence[Rule], n_labels: int) -> np.ndarray:
    table = np.zeros((len(rules), n_labels))
    for k, rule in enumerate(rules):
        table[k, list(rule.consequent)] = 1.0
    return table


def _covered_and_correct(rules: RuleSet | Sequence[Rule], X: Any, Y: Any) -> tuple[np.ndarray, np.ndarray]:
    """Return two Boolean tables (n_samples, n_rules): antecedent holds; antecedent holds and the rule is correct."""
    covered = rules.covers(X) if isinstance(rules, RuleSet) else covered_rows(rules, TableColumns(X))
    labels = _indicator(Y, "Y")
    if labels.shape[0] != covered.shape[0]:
        raise ValueError(f"X has {covered.shape[0]} rows, but Y has {labels.shape[0]}")
    beyond = [label for rule in rules for label in rule.consequent if not 0 <= label < labels.shape[1]]
    if beyond:
        raise ValueError(f"a rule predicts label {beyond[0]}, but Y has {labels.shape[1]} labels")
    columns = TableColumns(labels)
    unlabelled = labels.sum(axis=1) == 0
    correct = covered.copy()
    for k, rule in enumerate(rules):
        if not rule.consequent:
            correct[:, k] &= unlabelled
        for label in rule.consequent:
            correct[:, k] &= columns[label] == 1
    return covered, correct
