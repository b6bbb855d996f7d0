"""What predictions score at each of many thresholds, and the table from margins to probabilities."""

from __future__ import annotations

import numpy as np

METRICS = ("micro_f1", "macro_f1", "subset_accuracy", "hamming_loss")


def scores_by_threshold(scores: np.ndarray, positives: np.ndarray, thresholds: np.ndarray, metric: str) -> np.ndarray:
    """Score predictions ``scores >= threshold`` at each threshold.

    Parameters
    ----------
    scores : ndarray of float of shape (n_rows, n_labels)
    positives : ndarray of bool of shape (n_rows, n_labels)
    thresholds : ndarray of float of shape (n_thresholds,)
        Ascending.
    metric : {"micro_f1", "macro_f1", "subset_accuracy", "hamming_loss"}

    Returns
    -------
    ndarray of float of shape (n_thresholds,)
        Higher is better: the Hamming loss comes with a minus. The F1 of nothing true and nothing predicted is 0; where
        there is no label at all, so is every score.

    Notes
    -----
    O(n_rows * n_labels * log n_thresholds), once for all thresholds.
    """
    if not scores.size:
        return np.zeros(thresholds.size)
    # A cell of level v is predicted at the first v thresholds.
    levels = np.searchsorted(thresholds, scores.ravel(), side="right").reshape(scores.shape)
    if metric == "subset_accuracy":
        return _subset_accuracies(levels, positives, thresholds.size)
    n_labels = scores.shape[1]
    shape = n_labels, thresholds.size + 1
    cells = levels + np.arange(n_labels) * shape[1]
    n_predicted, n_right = (
        _at_least(np.bincount(some.ravel(), minlength=np.prod(shape)).reshape(shape))
        for some in (cells, cells[positives])
    )
    n_true = positives.sum(axis=0)[:, None]
    if metric == "macro_f1":
        return (2 * n_right / np.maximum(n_predicted + n_true, 1)).mean(axis=0)
    n_predicted, n_right, n_true = n_predicted.sum(axis=0), n_right.sum(axis=0), n_true.sum()
    if metric == "hamming_loss":
        return -(n_predicted + n_true - 2 * n_right) / scores.size
    return 2 * n_right / np.maximum(n_predicted + n_true, 1)


def _at_least(counts: np.ndarray) -> np.ndarray:
    """Turn the cells of each level into those predicted at each threshold."""
    return counts[:, ::-1].cumsum(axis=1)[:, ::-1][:, 1:]


def _subset_accuracies(levels: np.ndarray, positives: np.ndarray, n_thresholds: int) -> np.ndarray:
    """Count the rows right: from the highest level of the labels that a row lacks to below the lowest of its own."""
    first = np.where(positives, 0, levels).max(axis=1)
    end = np.where(positives, levels, n_thresholds).min(axis=1)
    right = first < end
    starts, stops = (np.bincount(ends[right], minlength=n_thresholds + 1) for ends in (first, end))
    return (starts - stops).cumsum()[:-1] / len(levels)


def best_threshold(scores: np.ndarray) -> int:
    """Return the index of the highest score, the middle one of those as high."""
    highest = np.flatnonzero(scores >= scores.max() - 1e-12)
    return int(highest[(highest.size - 1) // 2])


def probability_table(margins: np.ndarray, positives: np.ndarray) -> tuple[tuple[int, float], ...]:
    """Return the share of positives by margin, made monotone, where it changes.

    One cell more, half of it positive and spread over all, keeps every probability above 0 and below 1.

    Parameters
    ----------
    margins : ndarray of int, any shape
        Points less bar.
    positives : ndarray of bool, the same shape

    Returns
    -------
    tuple of (int, float)
        Least margin and probability, both rising, as `PointRules` takes them; for no cells the probability is 0.
    """
    from sklearn.isotonic import isotonic_regression

    if not margins.size:
        return ((0, 0.0),)
    values, place, counts = np.unique(margins, return_inverse=True, return_counts=True)
    n_positive = np.bincount(place.ravel(), weights=positives.ravel(), minlength=values.size)
    shares = np.clip(isotonic_regression(n_positive / counts, sample_weight=counts), 0.0, 1.0)
    shares = (shares * margins.size + 0.5) / (margins.size + 1)
    changes = np.flatnonzero(np.diff(shares, prepend=-1.0) > 1e-12)
    return tuple((int(values[k]), float(shares[k])) for k in changes)
