"""Small forests, and the full grid of their cells, for tests that look at every cell."""

import itertools

import numpy as np
from sklearn.ensemble import ExtraTreesClassifier, RandomForestClassifier

from mlrx.lionforests.cells import Box, ForestCells

LADDER = [[0.0], [1.0], [2.0], [3.0], [4.0], [5.0]]
LADDER_LABELS = [[0, 0], [0, 1], [1, 0], [0, 1], [1, 1], [1, 1]]


def small_forest(seed, with_missing=False, n_features=None):
    """A forest of few trees, labels and thresholds; its kind, depth, leaves and sampling follow from the seed."""
    rng = np.random.default_rng(seed)
    n, n_features, n_labels = rng.integers(6, 25), n_features or rng.integers(1, 4), rng.integers(1, 4)
    X = rng.integers(0, 5, (n, n_features)).astype(float)
    Y = (X @ rng.normal(size=(n_features, n_labels)) + rng.normal(0, 2, (n, n_labels)) > 0).astype(int)
    if with_missing:
        X[rng.random(X.shape) < 0.3] = np.nan
    kind = (RandomForestClassifier, ExtraTreesClassifier)[rng.integers(2)]
    return kind(
        int(rng.integers(1, 8)),
        max_depth=(None, 1, 2, 3)[rng.integers(4)],
        min_samples_leaf=int(rng.integers(1, 4)),
        bootstrap=bool(rng.integers(2)),
        random_state=int(seed),
    ).fit(X, Y[:, 0] if n_labels == 1 else Y)


def all_cells(cells: ForestCells) -> np.ndarray:
    """Every cell of the grid, missing ones included, of shape (n_grid, n_features)."""
    first = -1 if cells.forest.allows_missing else 0
    return np.array(list(itertools.product(*(range(first, n) for n in cells.n_cells))))


def rows_in(cells: ForestCells, grid: np.ndarray) -> np.ndarray:
    """A row in each cell of the grid, as near to the cell's upper side as can be."""
    largest = np.finfo(cells.forest.dtype).max
    values = [np.append(cut, [largest, np.nan]).astype(cells.forest.dtype) for cut in cells.cuts]
    return np.column_stack([value[column] for value, column in zip(values, grid.T)])


def random_box(cells: ForestCells, rng: np.random.Generator) -> Box:
    """A box that is not empty; some columns may be missing, or must be."""
    n_cells = cells.n_cells
    ends = np.sort(rng.integers(0, n_cells, (2, n_cells.size)), axis=0)
    missing = (rng.random(n_cells.size) < 0.3) & cells.forest.allows_missing
    is_whole = rng.random(n_cells.size) < 0.3
    lower, upper = np.where(is_whole, 0, ends[0]), np.where(is_whole, n_cells - 1, ends[1])
    missing_only = missing & (rng.random(n_cells.size) < 0.3)
    return Box(np.where(missing_only, n_cells, lower), np.where(missing_only, -1, upper), missing)
