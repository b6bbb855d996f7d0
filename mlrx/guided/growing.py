"""Growing a rule set: the best rule again and again, and each rule again after the others."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from .antecedents import Items
from .gain import Labels, Price
from .optimise import Search, covered_by, optimise_rule, predict_too


@dataclass(frozen=True)
class FoundRule:
    """A rule in terms of items.

    Attributes
    ----------
    literals, consequent : ndarray of int
    rows : ndarray of uint64 of shape (n_words,)
        Training rows that it covers, packed.
    gain : float
    """

    literals: np.ndarray
    consequent: np.ndarray
    rows: np.ndarray
    gain: float


def grow_rules(items: Items, labels: Labels, price: Price, search: Search) -> Iterator[FoundRule]:
    n_rows, n_labels = labels.indptr.size - 1, labels.bits.shape[0]
    predicted = np.zeros_like(labels.bits)
    best = [optimise_rule(items, labels, predicted, np.array([k]), price, search) for k in range(n_labels)]
    gains = np.array([found[2] for found in best])
    stale = np.zeros(n_labels, dtype=bool)
    uses = np.eye(n_labels, dtype=bool)
    for k, found in enumerate(best):
        uses[k, found[1]] = True
    while n_labels:
        k = int(np.argmax(gains))
        if gains[k] <= 0:
            return
        if stale[k]:
            best[k] = optimise_rule(items, labels, predicted, np.array([k]), price, search)
            gains[k], stale[k] = best[k][2], False
            uses[k] = False
            uses[k, k] = uses[k, best[k][1]] = True
            continue
        literals, consequent, value = best[k]
        rows = covered_by(literals, items.bits, n_rows)
        predict_too(rows, consequent, predicted)
        stale |= uses[:, consequent].any(axis=1)
        yield FoundRule(literals, consequent, rows, value)
