"""Packed Boolean matrices against their plain form."""

import numpy as np
import pytest
import scipy.sparse as sp

from mlrx.bits import all_rows, drop_idle_items, intersect, n_words, pack, popcount, unpack


@pytest.mark.parametrize("n_rows", [0, 1, 63, 64, 65, 200])
def test_pack_unpack_and_counts(n_rows):
    matrix = np.random.default_rng(n_rows).random((n_rows, 5)) < 0.4
    for form in (matrix, matrix.astype(float) * 2, sp.csr_array(matrix), sp.csc_matrix(matrix.astype(int))):
        bits = pack(form)
        assert bits.shape == (5, n_words(n_rows))
        np.testing.assert_array_equal(unpack(bits, n_rows), matrix.T)
        np.testing.assert_array_equal(popcount(bits), matrix.sum(axis=0))
    np.testing.assert_array_equal(unpack(intersect(bits, [0, 3], n_rows), n_rows), matrix[:, 0] & matrix[:, 3])
    np.testing.assert_array_equal(unpack(intersect(bits, [], n_rows), n_rows), np.ones(n_rows, bool))
    assert popcount(all_rows(n_rows)) == n_rows


def test_explicit_zeros_are_zeros():
    matrix = sp.csr_array((np.array([0, 1]), np.array([0, 1]), np.array([0, 1, 2])), shape=(2, 2))
    np.testing.assert_array_equal(pack(matrix), [[0], [2]])


def test_items_that_change_nothing_are_dropped():
    X = np.array([[1, 1, 1, 0], [1, 1, 1, 1], [1, 0, 0, 1], [1, 0, 0, 0]])  # 0 is constant, 2 is a copy of 1
    bits = pack(X)
    assert drop_idle_items(np.array([2, 0, 1]), bits).tolist() == [1]
    assert drop_idle_items(np.array([3, 2, 0]), bits).tolist() == [2, 3]
    assert drop_idle_items(np.array([0]), bits).tolist() == [0]
