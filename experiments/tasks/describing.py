"""The task "describe": the sizes of data sets, counted on what is loaded."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from mlrx.binarize import FeatureBinarizer

from ..forests import load_fold
from ..splits import Split
from .measures import OF_DATA
from .observing import make_task


@dataclass(frozen=True)
class Original:
    """Columns and labels as the files have them."""

    def observe(self, split: Split, rng: np.random.Generator) -> dict[str, float]:
        """Return the counts over training and test rows."""
        return count_rows_and_labels(split) | {"n_features": float(split.train.n_features)}


@dataclass(frozen=True)
class BinaryItems:
    """Columns as CORSET sees them by default: binary items, numbers cut at the 90th percentile of the training rows."""

    def observe(self, split: Split, rng: np.random.Generator) -> dict[str, float]:
        """Return the counts over training and test rows, features being items."""
        binarizer = FeatureBinarizer().fit(split.train.X)
        items = [binarizer.transform(data.X) for data in (split.train, split.test)]
        n_rows = sum(table.shape[0] for table in items)
        items_a_row = sum(int(table.sum()) for table in items) / n_rows
        counts = {"n_features": float(items[0].shape[1]), "items_a_row": items_a_row}
        return count_rows_and_labels(split) | counts


@dataclass(frozen=True)
class Prepared:
    """Rows, columns and labels as the forests of LionForests see them."""

    def observe(self, split: Split, rng: np.random.Generator) -> dict[str, float]:
        """Return the counts over the rows inside and outside a fold."""
        fold = load_fold(split.name, 0)
        counts = count_rows_and_labels(fold) | {"n_features": float(fold.train.n_features)}
        del counts["n_train"]
        return counts


def count_rows_and_labels(split: Split) -> dict[str, float]:
    """Return what is counted of rows and labels, over training and test rows together.

    Returns
    -------
    dict of str to float
        n_rows, n_train, n_labels; n_occurrences, the ones of Y; cardinality, ones a row; density, that by the number
        of labels; n_label_sets, how many different rows Y has, the empty one included.
    """
    Y = sp.vstack([sp.csr_array(split.train.Y), sp.csr_array(split.test.Y)], format="csr")
    Y.eliminate_zeros()
    Y.sort_indices()
    n_rows, n_labels = Y.shape
    sets = {Y.indices[Y.indptr[i] : Y.indptr[i + 1]].tobytes() for i in range(n_rows)}
    counts: dict[str, Any] = {
        "n_rows": n_rows,
        "n_train": split.train.n_samples,
        "n_labels": n_labels,
        "n_occurrences": Y.nnz,
        "cardinality": Y.nnz / n_rows,
        "density": Y.nnz / (n_rows * n_labels),
        "n_label_sets": len(sets),
    }
    return {name: float(count) for name, count in counts.items()}


TASK = make_task({"original": Original, "items": BinaryItems, "prepared": Prepared}, OF_DATA)
