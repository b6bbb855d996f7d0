"""Small problems, and the gains of their rules counted cell by cell."""

from itertools import combinations

import numpy as np
import scipy.sparse as sp

from mlrx.bits import pack
from mlrx.guided.growing import Rows


def plain_gain(n_true, n_false, price):
    F, kappa = price
    return (2 - F) * n_true - F * n_false - kappa * (n_true + n_false) ** 0.5


def covers(X, literals):
    """Tell which rows hold all literals: k for an item, ~k for its absence."""
    covered = np.ones(len(X), dtype=bool)
    for literal in literals:
        covered &= X[:, literal] if literal >= 0 else ~X[:, ~literal]
    return covered


def rule_gain(X, Y, predicted, literals, consequent, price):
    """Return the gain over the cells that are not predicted yet."""
    new = np.zeros_like(Y)
    new[np.ix_(covers(X, literals), list(consequent))] = True
    new &= ~predicted
    return plain_gain((new & Y).sum(), (new & ~Y).sum(), price)


def antecedents(n_items, most):
    """Yield all sets of up to so many literals, on distinct items, the empty one among them."""
    literals = [*range(n_items), *(~k for k in range(n_items))]
    for size in range(most + 1):
        for chosen in combinations(literals, size):
            if len({max(k, ~k) for k in chosen}) == size:
                yield chosen


def random_problem(rng, n_rows, n_items, n_labels, density=0.5):
    """Return items, labels and cells predicted already, as Booleans."""
    X = rng.random((n_rows, n_items)) < density
    Y = (rng.random((n_rows, n_labels)) < 0.3) | (X[:, [0]] & X[:, [1]] & (rng.random(n_labels) < 0.5))
    return X, Y, rng.random((n_rows, n_labels)) < 0.15


def as_rows(X, Y):
    return Rows.from_matrices(sp.csr_array(X.astype(np.uint8)), sp.csr_array(Y.astype(np.uint8)))


def as_bits(table):
    return pack(table.astype(np.uint8))
