"""BinaryTable: a Boolean matrix both ways, by rows (CSR) and by packed columns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from .bits import pack, popcount


@dataclass(frozen=True)
class BinaryTable:
    """A Boolean matrix, held by rows and by packed columns.

    Attributes
    ----------
    indptr, indices : ndarray of int
        The ones of row i are ``indices[indptr[i]:indptr[i + 1]]``, ascending.
    bits : ndarray of uint64 of shape (n_columns, n_words)
        The rows of each column, packed.
    frequencies : ndarray of int of shape (n_columns,)
        Number of ones of each column.
    """

    indptr: np.ndarray
    indices: np.ndarray
    bits: np.ndarray
    frequencies: np.ndarray

    @classmethod
    def from_matrix(cls, matrix: Any) -> BinaryTable:
        """Build from an array or sparse matrix of zeros and ones, shape (n_rows, n_columns)."""
        csr = sp.csr_array(matrix)
        if not csr.has_sorted_indices or (csr.nnz and not csr.data.all()):
            csr = csr.copy()
            csr.eliminate_zeros()
            csr.sort_indices()
        bits = pack(csr)
        return cls(csr.indptr.astype(np.int64), csr.indices.astype(np.int32), bits, popcount(bits))

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return self.indptr.size - 1

    @property
    def n_columns(self) -> int:
        """Number of columns."""
        return self.bits.shape[0]

    @property
    def n_ones(self) -> int:
        """Number of ones."""
        return self.indices.size
