"""One threshold on the scores of all cells, chosen on rows that the scores have not been fitted on."""

from __future__ import annotations

from typing import Any

import numpy as np


def best_threshold(scores: np.ndarray, Y: Any) -> tuple[float, float]:
    """Return the threshold with the highest micro-F1 when a label is present from it on, and that F1.

    Parameters
    ----------
    scores : ndarray of shape (n_samples, n_labels)
        The higher, the likelier the label; infinities and ties are allowed.
    Y : array-like of 0 and 1 of shape (n_samples, n_labels)

    Returns
    -------
    threshold, micro_f1 : float
        The threshold is one of the scores, the highest of those that are equally good.

    Raises
    ------
    ValueError
        When the shapes differ or there is no cell.

    Notes
    -----
    Exact: F1 changes only where a cell is added. O(n log n) in the number of cells.

    Examples
    --------
    >>> best_threshold(np.array([[0.9, 0.4], [0.3, 0.1]]), [[1, 0], [1, 0]])
    (0.3, 0.8)
    """
    scores, present = np.asarray(scores, dtype=np.float64), np.asarray(Y, dtype=bool)
    if scores.shape != present.shape or not scores.size:
        raise ValueError(f"scores and Y must be of one shape, not empty, got {scores.shape}, {present.shape}")
    order = np.argsort(-scores, axis=None, kind="stable")
    ordered, correct = scores.ravel()[order], np.cumsum(present.ravel()[order])
    n_predicted = np.arange(1, ordered.size + 1)
    f1 = 2 * correct / (n_predicted + present.sum())
    # Cells of one score are predicted together or not at all.
    is_last = np.append(ordered[1:] != ordered[:-1], True)
    best = np.flatnonzero(is_last)[f1[is_last].argmax()]
    return float(ordered[best]), float(f1[best])
