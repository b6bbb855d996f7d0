"""Which label sets are explained: the whole prediction, each label, or the frequent sets among them."""

from __future__ import annotations

import operator
from collections.abc import Iterable, Sequence

import numpy as np
import pandas as pd
import scipy.sparse as sp

STRATEGIES = ("all", "each", "frequent")


def label_sets(
    strategy: str | Iterable[Iterable[int]],
    predicted: Sequence[int],
    Y: np.ndarray,
    min_support: float,
    max_sets: int | None = None,
) -> list[tuple[int, ...]]:
    """Return the label sets that a strategy explains, in the order in which they are explained.

    Parameters
    ----------
    strategy : {"all", "each", "frequent"} or iterable of label sets
        The paper's LF-a, LF-l and LF-p; or the sets themselves.
    predicted : sequence of int
        Labels that the forest predicts, ascending.
    Y : ndarray of bool of shape (n_samples, n_labels)
        Label sets that tell what is frequent.
    min_support : float
    max_sets : int or None, default=None
        How many sets at most; None takes all.

    Raises
    ------
    ValueError
        When the strategy is unknown or `max_sets` is below 1.
    TypeError
        When the label sets are no sets of whole numbers, or `max_sets` is none.
    """
    if max_sets is not None and operator.index(max_sets) < 1:
        raise ValueError(f"max_sets must be at least 1, or None for all, got {max_sets!r}")
    if not isinstance(strategy, str):
        found = _read_sets(strategy)
    elif strategy not in STRATEGIES:
        raise ValueError(f"strategy must be one of {STRATEGIES} or a list of label sets, got {strategy!r}")
    elif strategy == "all":
        found = [tuple(predicted)]
    elif strategy == "each":
        found = [(label,) for label in predicted]
    else:
        found = frequent_label_sets(Y, predicted, min_support)
    return found[:max_sets]


def _read_sets(strategy: Iterable[Iterable[int]]) -> list[tuple[int, ...]]:
    """Return label sets as sorted tuples; a Boolean mask is no label set."""
    try:
        sets = [list(labels) for labels in strategy]
        if any(isinstance(label, bool | np.bool_) for labels in sets for label in labels):
            raise TypeError
        return [tuple(sorted({operator.index(label) for label in labels})) for labels in sets]
    except TypeError:
        raise TypeError(
            f"strategy must be one of {STRATEGIES} or a list of label sets, each a list of label indices, "
            f"got {strategy!r}"
        ) from None


def frequent_label_sets(Y: np.ndarray, predicted: Sequence[int], min_support: float) -> list[tuple[int, ...]]:
    """Return the label sets within a prediction that are frequent, and its single labels, frequent or not.

    Parameters
    ----------
    Y : ndarray of bool of shape (n_samples, n_labels)
    predicted : sequence of int
    min_support : float
        Least share of rows that carry all labels of a set of two or more.

    Returns
    -------
    list of tuple of int
        By support, the highest first; then the smaller set; then by the labels' indices. Empty where no two labels at
        all are frequent together.

    Notes
    -----
    The paper takes the union of both sides of every association rule: these are the frequent sets of two labels or
    more. Its released code then takes the first few in no defined order; here the most frequent come first.

    Examples
    --------
    >>> rows = ["110", "110", "100", "011", "111", "001", "100", "000"]
    >>> Y = np.array([[label == "1" for label in row] for row in rows])
    >>> frequent_label_sets(Y, [0, 1, 2], min_support=0.2)
    [(0,), (1,), (2,), (0, 1), (1, 2)]
    """
    support = {(label,): float(Y[:, label].mean()) if len(Y) else 0.0 for label in predicted}
    if len(predicted) > 1 and Y[:, predicted].any():
        from mlxtend.frequent_patterns import hmine

        table = pd.DataFrame(Y[:, predicted], columns=list(predicted))
        found = hmine(table, min_support=min_support, use_colnames=True)
        support |= {
            tuple(sorted(map(int, labels))): share
            for share, labels in zip(found["support"], found["itemsets"])
            if len(labels) > 1
        }
    # The whole table is looked at only where these labels do not tell.
    if len(support) == len(predicted) and not _has_frequent_pair(Y, min_support):
        return []
    return sorted(support, key=lambda labels: (-support[labels], len(labels), labels))


def _has_frequent_pair(Y: np.ndarray, min_support: float) -> bool:
    """Tell whether two labels are carried together by the least share of rows."""
    labels = sp.csr_array(Y.astype(np.int64))
    together = (labels.T @ labels).tocoo()
    counts = together.data[together.row != together.col]
    return bool(counts.size and counts.max() >= min_support * len(Y))
