"""Packed Boolean matrices: one row of 64-bit words a column, for support sets, intersections and counts.

Row i of a column is bit ``i % 64`` of word ``i // 64``; bits beyond the last row are zero.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import scipy.sparse as sp
from numba import njit, types
from numba.extending import intrinsic

WORD = 64


@intrinsic
def popcount_word(typingctx, word):
    """Return the number of ones of a uint64 (compiled to the processor's own instruction)."""

    def codegen(context, builder, signature, args):
        return builder.ctpop(args[0])

    return types.uint64(types.uint64), codegen


def n_words(n_rows: int) -> int:
    """Return how many 64-bit words hold `n_rows` bits."""
    return (n_rows + WORD - 1) // WORD


def pack(matrix: np.ndarray | sp.spmatrix | sp.sparray) -> np.ndarray:
    """Pack the columns of a matrix into bits; any value but zero is a one.

    Parameters
    ----------
    matrix : ndarray or sparse matrix of shape (n_rows, n_columns)

    Returns
    -------
    ndarray of uint64 of shape (n_columns, ceil(n_rows / 64))

    Notes
    -----
    O(n_ones) time for CSR input, and n_rows * n_columns / 8 bytes.

    Examples
    --------
    >>> pack(np.array([[1, 0], [1, 1]]))
    array([[3],
           [2]], dtype=uint64)
    """
    csr = sp.csr_array(matrix)
    bits = np.zeros((csr.shape[1], n_words(csr.shape[0])), dtype=np.uint64)
    _set_bits(csr.indptr, csr.indices, csr.data != 0, bits)
    return bits


@njit(cache=True, nogil=True)
def _set_bits(indptr, indices, is_one, bits):
    for i in range(indptr.size - 1):
        word, bit = i >> 6, np.uint64(1) << np.uint64(i & 63)
        for k in range(indptr[i], indptr[i + 1]):
            if is_one[k]:
                bits[indices[k], word] |= bit


def unpack(bits: np.ndarray, n_rows: int) -> np.ndarray:
    """Return packed columns of shape (..., n_words) as Booleans of shape (..., n_rows)."""
    little = np.ascontiguousarray(bits).astype("<u8", copy=False).view(np.uint8)
    return np.unpackbits(little, axis=-1, count=n_rows, bitorder="little").astype(bool)


def popcount(bits: np.ndarray) -> np.ndarray:
    """Count the ones along the last axis."""
    return np.bitwise_count(bits).sum(axis=-1, dtype=np.int64)


def intersect(bits: np.ndarray, columns: Iterable[int], n_rows: int) -> np.ndarray:
    """Return the rows, packed, in which all `columns` are one; all rows for no column.

    Parameters
    ----------
    bits : ndarray of uint64 of shape (n_columns, n_words)
    columns : iterable of int
    n_rows : int
        Number of rows, which the words alone do not tell.

    Returns
    -------
    ndarray of uint64 of shape (n_words,)
    """
    result = all_rows(n_rows)
    for column in columns:
        result &= bits[column]
    return result


def all_rows(n_rows: int) -> np.ndarray:
    """Return the packed set of all rows, shape (n_words,)."""
    full = np.full(n_words(n_rows), ~np.uint64(0))
    if n_rows % WORD:
        full[-1] = (np.uint64(1) << np.uint64(n_rows % WORD)) - np.uint64(1)
    return full


@njit(cache=True, nogil=True)
def count(bits) -> int:
    """Return the number of rows in a packed set."""
    total = 0
    for w in range(bits.size):
        total += popcount_word(bits[w])
    return np.int64(total)


@njit(cache=True, nogil=True)
def count_common(a, b) -> int:
    """Return the number of rows in both packed sets."""
    total = 0
    for w in range(a.size):
        total += popcount_word(a[w] & b[w])
    return np.int64(total)


@njit(inline="always")
def lowest_row(word, w):
    """Return the first row of a set, given its word number w, which is not zero."""
    return np.int64((w << 6) + np.int64(popcount_word(~word & (word - np.uint64(1)))))


def drop_idle_items(items: np.ndarray, bits: np.ndarray) -> np.ndarray:
    """Leave out items that change nothing: those without which the antecedent has the same rows.

    Parameters
    ----------
    items : ndarray of int
        An antecedent, not empty.
    bits : ndarray of uint64 of shape (n_items, n_words)

    Returns
    -------
    ndarray of int
        Ascending; never empty. Of items that stand for one another, that with the lowest index stays.

    Notes
    -----
    Exact draws bring along constant items and copies of others; this is done to rules that were selected, after the
    draw, so that no sampling law is touched.
    """
    kept = np.sort(items)
    rows = np.bitwise_and.reduce(bits[kept], axis=0)
    for item in kept[::-1]:
        others = kept[kept != item]
        if others.size and np.array_equal(np.bitwise_and.reduce(bits[others], axis=0), rows):
            kept = others
    return kept
