"""Choosing F, the price of size and the number of rules by cross-validation on the training rows."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor
from itertools import islice, product
from typing import Any

import numpy as np
import pandas as pd
import scipy.sparse as sp
from numba import njit
from sklearn.model_selection import KFold

from ..bits import lowest_row, popcount_word
from .gain import Price
from .growing import Rows, grow_rules
from .optimise import Search, covered_by

METRICS = ("micro_f1", "macro_f1", "subset_accuracy", "hamming_accuracy")


class Tally:
    """What rule sets of each size, from none on, predict on rows held out.

    Attributes
    ----------
    n_true, n_false : ndarray of int of shape (n_most + 1, n_labels)
        Cells predicted rightly and wrongly.
    n_exact : ndarray of int of shape (n_most + 1,)
        Rows whose whole label set is predicted right.
    """

    def __init__(self, n_most: int, n_labels: int) -> None:
        self.n_true = np.zeros((n_most + 1, n_labels), dtype=np.int64)
        self.n_false = np.zeros((n_most + 1, n_labels), dtype=np.int64)
        self.n_exact = np.zeros(n_most + 1, dtype=np.int64)

    def add(self, rules: Iterator, rows: Rows) -> None:
        """Add what the first k of the rules predict on some rows, for each k; sets that end early stay as they are."""
        predicted = np.zeros_like(rows.labels.bits)
        n_mistakes = np.diff(rows.labels.indptr)
        n_true, n_false = np.zeros_like(self.n_true[0]), np.zeros_like(self.n_false[0])
        n_exact = np.count_nonzero(n_mistakes == 0)
        for k in range(len(self.n_exact)):
            self.n_true[k] += n_true
            self.n_false[k] += n_false
            self.n_exact[k] += n_exact
            rule = next(rules, None)
            if rule is None:
                self.n_true[k + 1 :] += n_true
                self.n_false[k + 1 :] += n_false
                self.n_exact[k + 1 :] += n_exact
                return
            covered = covered_by(rule.literals, rows.items.bits, rows.n_rows)
            _tally_rule(covered, rule.consequent, rows.labels.bits, predicted, n_true, n_false, n_mistakes)
            n_exact = np.count_nonzero(n_mistakes == 0)

    def scores(self, metric: str, n_positive: np.ndarray, n_rows: int) -> np.ndarray:
        """Return the score of each size, shape (n_most + 1,).

        Parameters
        ----------
        metric : one of METRICS
        n_positive : ndarray of int of shape (n_labels,)
            Rows that carry each label, at least one.
        n_rows : int
        """
        if metric == "subset_accuracy":
            return self.n_exact / n_rows
        if metric == "hamming_accuracy":
            n_wrong = self.n_false.sum(axis=1) + (n_positive - self.n_true).sum(axis=1)
            return 1 - n_wrong / (n_rows * n_positive.size)
        n_marked = self.n_true + self.n_false + n_positive
        if metric == "micro_f1":
            return 2 * self.n_true.sum(axis=1) / n_marked.sum(axis=1)
        return (2 * self.n_true / n_marked).mean(axis=1)


@njit(cache=True, nogil=True)
def _tally_rule(covered, consequent, positive, predicted, n_true, n_false, n_mistakes):
    """Add the cells that a rule newly predicts to the counts of its labels and rows."""
    for label in consequent:
        for w in range(covered.size):
            new = covered[w] & ~predicted[label, w]
            right = new & positive[label, w]
            predicted[label, w] |= new
            n_true[label] += np.int64(popcount_word(right))
            n_false[label] += np.int64(popcount_word(new ^ right))
            while new:
                n_mistakes[lowest_row(new, w)] += -1 if right & new & (~new + np.uint64(1)) else 1
                new &= new - np.uint64(1)


def cross_validate(
    items: sp.csr_array,
    positives: sp.csr_array,
    targets: Sequence[float],
    size_prices: Sequence[float],
    n_most: int,
    *,
    search: Search,
    metric: str,
    n_folds: int,
    seed: int,
    executor: Executor | None = None,
    advance: Callable[..., Any] = lambda *_: None,
) -> pd.DataFrame:
    """Score rule sets of each size for all pairs of F and price.

    Parameters
    ----------
    items, positives : csr_array of shapes (n_samples, n_items) and (n_samples, n_labels)
        Every label occurs.
    targets, size_prices : sequence of float
    n_most : int
        Most rules in a set. Each predicts a cell rightly that none before it does, so that more than there are ones in
        `positives` are never looked for.
    search : Search
    metric : one of METRICS
        Computed once from what is predicted on the rows held out in all folds together: a rare label is then no label
        without rows.
    n_folds : int
    seed : int
        Of the assignment of rows to folds.
    executor : Executor or None
        Runs pairs side by side; the result does not depend on it.
    advance : callable
        Called after each pair.

    Returns
    -------
    DataFrame
        target_f1, size_price, n_rules and score: one row for each pair and number of rules, from none to the most.
    """
    n_rows = items.shape[0]
    if n_rows < 2:
        raise ValueError(
            f"n_samples={n_rows}: cross-validation needs 2 rows or more; give target_f1, size_price and n_rules"
        )
    folds = [
        [Rows.from_matrices(items[part], positives[part]) for part in split]
        for split in KFold(min(n_folds, n_rows), shuffle=True, random_state=seed).split(items)
    ]
    n_positive = np.asarray(positives.sum(axis=0), dtype=np.int64).ravel()
    n_most = min(n_most, int(n_positive.sum()))

    def score(price: Price) -> np.ndarray:
        tally = Tally(n_most, positives.shape[1])
        for learned, held_out in folds:
            tally.add(islice(grow_rules(learned, price, search), n_most), held_out)
        advance()
        return tally.scores(metric, n_positive, n_rows)

    prices = [Price(float(target), float(size)) for target, size in product(targets, size_prices)]
    scores = list((executor.map if executor else map)(score, prices))
    return pd.DataFrame(
        {
            "target_f1": np.repeat([price.target_f1 for price in prices], n_most + 1),
            "size_price": np.repeat([price.size_price for price in prices], n_most + 1),
            "n_rules": np.tile(np.arange(n_most + 1), len(prices)),
            "score": np.concatenate(scores),
        }
    )
