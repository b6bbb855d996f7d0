"""Scores of a fitted method on the test rows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from mlrx.metrics import exact_recovery, label_coverage, rule_diversity, rule_recovery, score_table

from ..baselines.method import Fitted, Prediction
from ..splits import Split


def evaluate(
    fitted: Fitted,
    predicted: Prediction,
    split: Split,
    n_rules: Sequence[int],
    metrics: Sequence[str],
    zero_division: int,
) -> tuple[dict[str, Any], ...]:
    """Return one entry for each number of rules asked for, one in all where none was.

    Parameters
    ----------
    fitted : Fitted
    predicted : ndarray or csr_array of shape (n_samples, n_labels)
        What the whole model predicts on the test rows.
    split : Split
    n_rules : sequence of int
        The numbers of rules asked for.
    metrics : sequence of str
    zero_division : {0, 1}

    Returns
    -------
    tuple of dict
        ``asked`` (number of rules, None where none is set) and the metrics; None for a metric that the method
        or the data does not have, such as rule recovery without generating rules.

    Notes
    -----
    Coverage (label occurrences of the test rows that a rule explains, antecedent and consequent both matching) and
    rule recovery are measured on the test rows too; diversity on the training rows, where the objective has it.
    """
    entries = []
    for asked in n_rules or (None,):
        rules = fitted.rules if fitted.rules is None or asked is None else fitted.rules[:asked]
        if rules is None or len(rules) == len(fitted.rules):
            scores = {"n_rules": fitted.n_rules, "n_conditions": fitted.n_conditions}
            labels = predicted
        else:
            scores = {"n_rules": len(rules), "n_conditions": rules.n_conditions}
            labels = rules.predict(split.test.X)
        scores |= score_table(split.test.Y, labels, zero_division=zero_division)
        if rules is not None and "coverage" in metrics:
            scores["coverage"] = label_coverage(rules, split.test.X, split.test.Y)
        if rules is not None and split.rules is not None and "recovery" in metrics:
            scores["recovery"] = rule_recovery(rules, split.rules, split.test.X, split.test.Y)
        if rules is not None and split.rules is not None and "recovered" in metrics:
            scores["recovered"] = exact_recovery(rules, split.rules, split.test.X, split.test.Y)
        if rules is not None and "diversity" in metrics:
            scores["diversity"] = rule_diversity(rules, split.train.X, split.train.Y)
        entries.append({"asked": asked, **{name: scores.get(name) for name in metrics}})
    return tuple(entries)
