"""Exact distributions by enumeration, and the chi-square test against them."""

from __future__ import annotations

from collections import Counter
from itertools import chain, combinations

import numpy as np
from scipy.stats import chisquare

# A correct sampler fails a test once in a thousand seeds; seeds are fixed, so that it fails always or never.
ALARM_RATE = 0.001


def subsets(columns, least=1):
    """Return all subsets of at least so many columns, as ascending tuples."""
    columns = sorted(columns)
    sizes = range(least, len(columns) + 1)
    return list(chain.from_iterable(combinations(columns, size) for size in sizes))


def rows_as_sets(matrix):
    """Return each row as the set of its ones."""
    return [set(np.flatnonzero(row).tolist()) for row in matrix]


def uncovered_area_law(Y, covered, sets=None):
    """Return the law of consequents: weight |T - covered| summed over the rows that contain T."""
    rows, done = rows_as_sets(Y), rows_as_sets(covered)
    sets = subsets(range(Y.shape[1])) if sets is None else sets
    weights = {T: sum(len(set(T) - c) for row, c in zip(rows, done, strict=True) if set(T) <= row) for T in sets}
    return _normalised(weights)


def discriminativity_law(X, positive, least=1, sets=None):
    """Return the law of antecedents: |D+[H]| * (|D-| - |D-[H]|)."""
    rows = rows_as_sets(X)
    plus = [row for row, is_positive in zip(rows, positive, strict=True) if is_positive]
    minus = [row for row, is_positive in zip(rows, positive, strict=True) if not is_positive]
    sets = subsets(range(X.shape[1]), least) if sets is None else sets
    weights = {H: sum(set(H) <= row for row in plus) * sum(not set(H) <= row for row in minus) for H in sets}
    return _normalised(weights)


def pair_law(X, positive, weight):
    """Return the law of pairs: weight(D+, D-) for each positive and negative row."""
    rows = rows_as_sets(X)
    pairs = [(i, j) for i in np.flatnonzero(positive) for j in np.flatnonzero(~positive)]
    return _normalised({(int(i), int(j)): weight(rows[i], rows[j]) for i, j in pairs})


def _normalised(weights):
    total = sum(weights.values())
    return {key: weight / total for key, weight in weights.items() if weight > 0}


def p_value(draws, law):
    """Return the p-value of draws under a law; 0 when a draw is impossible under it.

    Rare outcomes are thrown together until each is expected at least five times.
    """
    counts = Counter(draws)
    if set(counts) - set(law):
        return 0.0
    keys = sorted(law, key=law.get)
    expected = np.array([law[key] for key in keys]) * len(draws)
    observed = np.array([counts[key] for key in keys])
    n_rare = int(np.searchsorted(np.cumsum(expected), 5)) + 1 if expected[0] < 5 else 1
    while n_rare < len(keys) - 1 and expected[n_rare] < 5:
        n_rare += 1
    groups = [
        (observed[:n_rare].sum(), expected[:n_rare].sum()),
        *zip(observed[n_rare:], expected[n_rare:], strict=True),
    ]
    seen, wanted = np.array(groups, dtype=float).T
    return float(chisquare(seen, wanted * seen.sum() / wanted.sum()).pvalue)
