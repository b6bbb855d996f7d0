"""The reduced spaces: cliques of the confidence graph."""

import numpy as np
import pytest

from mlrx.corset.cliques import ColumnSets, edge_probabilities, likely_cliques
from mlrx.table import BinaryTable
from tests.corset.laws import subsets


def as_list(sets):
    return [sets[k] for k in range(len(sets))]


def test_edge_probabilities_by_hand():
    Y = np.array([[1, 1, 0], [1, 0, 0], [1, 1, 0], [0, 0, 1]])
    edges = edge_probabilities(BinaryTable.from_matrix(Y)).toarray()
    # p(0, 1) = 2/3 and p(1, 0) = 1, so that 1 - (1/3)(0) = 1; column 2 stands alone.
    np.testing.assert_array_equal(edges, [[0, 1, 0], [1, 0, 0], [0, 0, 0]])
    Y[1] = [0, 1, 0]
    edges = edge_probabilities(BinaryTable.from_matrix(Y)).toarray()
    assert edges[0, 1] == 1.0
    Y = np.array([[1, 1], [1, 0], [0, 1]])
    assert edge_probabilities(BinaryTable.from_matrix(Y))[0, 1] == pytest.approx(0.75)


@pytest.mark.parametrize("threshold", [0.2, 0.5, 0.8, 1.0])
def test_cliques_equal_brute_force(threshold):
    rng = np.random.default_rng(int(threshold * 10))
    Y = rng.random((40, 7)) < np.linspace(0.1, 0.8, 7)
    Y[:, 6] = False
    table = BinaryTable.from_matrix(Y)
    edges = edge_probabilities(table).toarray()
    expected = []
    for columns in subsets(range(7)):
        product = np.prod([edges[u, v] for u in columns for v in columns if u < v])
        if product >= threshold * (1 - 1e-12) and Y[:, columns].all(axis=1).any():
            expected.append(columns)
    assert sorted(as_list(likely_cliques(table, threshold, 10_000))) == sorted(expected)


def test_sets_that_no_row_contains_are_left_out():
    Y = np.array([[1, 1, 0], [0, 1, 1], [1, 0, 1]])  # every pair occurs, all three together never
    assert as_list(likely_cliques(BinaryTable.from_matrix(Y), 0.01, 100)) == [(0,), (1,), (2,), (0, 1), (0, 2), (1, 2)]


def test_larger_sets_are_left_out_whole_when_there_are_too_many():
    """Seen elsewhere: sixteen co-occurring columns made 65,535 cliques."""
    table = BinaryTable.from_matrix(np.ones((2, 16), dtype=bool))
    sets = likely_cliques(table, 0.8, 200)
    assert sets.is_capped
    assert np.bincount(np.diff(sets.indptr)).tolist() == [0, 16, 120]
    everything = likely_cliques(table, 0.8, 65_535)
    assert not everything.is_capped
    assert len(everything) == 65_535


def test_column_sets_keep_empty_lists():
    assert len(ColumnSets.from_tuples([])) == 0
    assert as_list(ColumnSets.from_tuples([(3,), (1, 2)])) == [(3,), (1, 2)]
    sets = ColumnSets.from_tuples([(3,), (1, 2), (0, 4, 5)])
    assert as_list(sets.take(np.array([2, 0, 2]))) == [(0, 4, 5), (3,), (0, 4, 5)]
    assert as_list(sets.take(np.array([], dtype=np.int64))) == []
