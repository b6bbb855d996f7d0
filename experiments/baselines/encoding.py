"""One numeric form of the columns for all baselines that need one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.sparse as sp

from mlrx.datasets import MultilabelData


def make_encoder(train: MultilabelData) -> Callable[[Any], sp.csr_matrix]:
    """Return a function from the columns of a data set to a sparse float32 matrix.

    Numbers stay as they are; a nominal column becomes one column a category of the training rows, all 0 for a
    category that they lack and for a missing value.
    """
    if sp.issparse(train.X):
        return _to_csr
    from sklearn.compose import ColumnTransformer
    from sklearn.preprocessing import OneHotEncoder

    nominal = [k for k, kind in enumerate(train.kinds) if kind == "nominal"]
    one_hot = OneHotEncoder(handle_unknown="ignore", categories=[_categories(train.X, k) for k in nominal])
    encoder = ColumnTransformer([("nominal", one_hot, nominal)], remainder="passthrough", sparse_threshold=1.0)
    encoder.fit(train.X)
    return lambda X: _to_csr(encoder.transform(X))


def _to_csr(X: Any) -> sp.csr_matrix:
    """Return a matrix of float32 with the 32-bit indices that scikit-learn's trees ask for."""
    X = sp.csr_matrix(X, dtype=np.float32)
    indices, pointers = X.indices.astype(np.int32), X.indptr.astype(np.int32)
    return sp.csr_matrix((X.data, indices, pointers), shape=X.shape)


def _categories(X: Any, column: int) -> list:
    return sorted(X.iloc[:, column].dropna().unique())
