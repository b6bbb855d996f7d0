"""How different the rules of a set are."""

from __future__ import annotations

from typing import Any

import numpy as np

from mlrx.rules import RuleSet


def mean_distance(rules: RuleSet, X: Any, Y: np.ndarray) -> float:
    """Return the mean distance of two rules of a set.

    The distance is d of the CORSET paper, 1 - the Jaccard index of what the two cover: the pairs (row, label) where
    the row satisfies the antecedent and carries the whole consequent, and the label is in the consequent.

    Parameters
    ----------
    rules : RuleSet
    X : ndarray, sparse matrix or DataFrame of shape (n_samples, n_features)
    Y : ndarray of 0 and 1, of shape (n_samples, n_labels)

    Returns
    -------
    float
        From 0 to 1; NaN with fewer than two rules that cover anything.

    Notes
    -----
    O(n_samples * n_rules ** 2) by matrix products: a coverage is a product of rows and labels, and so is the
    intersection of two. The sum that CORSET maximises is this mean times the number of pairs.
    """
    labels = np.zeros((len(rules), Y.shape[1]))
    for k, rule in enumerate(rules):
        labels[k, list(rule.consequent)] = 1
    rows = rules.covers(X) & (labels.sum(axis=1) == Y @ labels.T)
    sizes = rows.sum(axis=0) * labels.sum(axis=1)
    rows, labels, sizes = rows[:, sizes > 0].astype(float), labels[sizes > 0], sizes[sizes > 0]
    common = (rows.T @ rows) * (labels @ labels.T)
    likeness = common / (sizes[:, None] + sizes - common)
    pairs = np.triu_indices(len(sizes), k=1)
    return float(1 - likeness[pairs].mean()) if pairs[0].size else np.nan
