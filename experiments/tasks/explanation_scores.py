"""Scores of explanations: the paper's, and those that say what a reader takes them for."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from mlrx.lionforests.onehot import count_features

from ..explainers.explainer import PROVEN, Explained
from ..forests import Fold

# Summed over the rules of a row; all others are averaged.
SUMS = ("length", "n_columns", "seconds", "n_rules", "n_covering_none")


def score_rule(explained: Explained, row: int, fold: Fold, is_whole: bool) -> dict[str, float | list[float]]:
    """Return the scores of one rule on the fold's test rows; truth is what the forest predicts.

    Parameters
    ----------
    explained : Explained
    row : int
        Position of the explained row among the test rows.
    fold : Fold
    is_whole : bool
        Whether the rule is meant for the whole label set of the row.

    Returns
    -------
    dict of str to float or list of float
        The names of `measures.OF_EXPLANATIONS` that a rule has, then what the method reports, one number a
        label in lists; NaN for what is not defined: precisions of a rule that covers no row, or is for no label (but
        for an exact set), the length where there is no rule.

    Notes
    -----
    ``coded_precision`` is what the authors' code computes: for a whole label set Z, with the arguments of a
    micro-averaged precision in the wrong order, the micro recall of Z, sum(|Z & B|) / sum(|B|) over the label sets B
    of the covered rows; for one label the share of the covered rows that have it. For a set of two labels or more
    that is not the whole it is 1 by construction, and left undefined here.
    """
    rule, labels, n_rows = explained.rule, list(explained.labels), len(fold.predicted)
    covered = np.zeros(n_rows, dtype=bool) if rule is None else rule.covers(fold.X_test)
    among = fold.predicted[covered]
    scores = {
        "length": np.nan if rule is None else count_features(rule, fold.groups.values()),
        "n_columns": np.nan if rule is None else count_features(rule, ()),
        "n_rules": 1,
        "rule_coverage": covered.mean(),
        "coverage_of_others": (covered.sum() - covered[row]) / (n_rows - 1) if n_rows > 1 else np.nan,
        "own_row": covered[row],
        "proven": explained.status == PROVEN,
        "seconds": explained.seconds,
        "n_covering_none": not covered.any(),
    }
    precisions = dict.fromkeys(("coded_precision", "precision", "exact_precision", "label_precision"), np.nan)
    if covered.any():
        precisions["precision"] = among[:, labels].all(axis=1).mean() if labels else np.nan
        precisions["label_precision"] = among[:, labels].mean() if labels else np.nan
        if is_whole:
            wanted = np.isin(np.arange(among.shape[1]), labels)
            precisions["exact_precision"] = (among == wanted).all(axis=1).mean()
            precisions["coded_precision"] = among[:, labels].sum() / among.sum() if among.any() else np.nan
        elif len(labels) == 1:
            precisions["coded_precision"] = precisions["precision"]
    everything = scores | precisions | explained.reported
    return {name: np.asarray(value, dtype=np.float64).tolist() for name, value in everything.items()}


def score_row(
    explained: Sequence[Explained],
    row: int,
    fold: Fold,
    is_whole: bool,
    audits: Sequence[dict[str, float]] = (),
) -> dict[str, Any]:
    """Return the scores of a row's rules, summed (length, seconds, counts) or averaged, and of the row.

    Parameters
    ----------
    explained, row, fold, is_whole
        As `score_rule` has them; all rules of the row.
    audits : sequence of dict of str to float, default=()
        Further scores of each rule, to be averaged; none, or one a rule.

    Returns
    -------
    dict of str to Any
        ``row``, ``own_labels`` (1 where the labels of the rules, together, are those that the forest predicts for the
        row; what has no rule is not explained), and the scores; lists are averaged label by label.
    """
    scored = [score_rule(one, row, fold, is_whole) for one in explained]
    scored = [scores | audit for scores, audit in zip(scored, audits, strict=True)] if audits else scored
    claimed = {label for one in explained if one.rule is not None for label in one.labels}
    own = {"own_labels": float(claimed == set(np.flatnonzero(fold.predicted[row]).tolist()))}
    names = scored[0] if scored else ()
    columns = {name: np.array([scores[name] for scores in scored]) for name in names}
    return {"row": row} | own | {name: _sum_or_mean(name, values) for name, values in columns.items()}


def average_rows(rows: Sequence[dict[str, Any]]) -> dict[str, float]:
    """Return the mean of every score over the rows in which it is defined, and the sum of ``n_covering_none``.

    Scores that are lists are left out.
    """
    names = [name for name, value in (rows[0] if rows else {}).items() if not isinstance(value, list)]
    means = {name: _mean(np.array([row[name] for row in rows])) for name in names}
    return means | {"n_covering_none": float(sum(row["n_covering_none"] for row in rows))}


def _sum_or_mean(name: str, values: np.ndarray) -> float | list[float]:
    if values.ndim > 1:
        return [_mean(of_label) for of_label in values.T]
    return float(values.sum()) if name in SUMS else _mean(values)


def _mean(values: np.ndarray) -> float:
    defined = values[~np.isnan(values)]
    return float(defined.mean()) if defined.size else np.nan
