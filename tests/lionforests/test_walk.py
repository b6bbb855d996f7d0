"""Walks end at points that lose a target, and that lose it by the few columns that are left."""

import numpy as np
import pytest

from mlrx.lionforests.cells import ForestCells
from mlrx.lionforests.walk import Walker

from .small_forests import all_cells, small_forest
from .test_cells import leaf_sums


@pytest.mark.parametrize("seed", range(30))
def test_walks_and_setting_back(seed):
    rng = np.random.default_rng(seed)
    cells = ForestCells.of(small_forest(seed, with_missing=seed % 2 == 0))
    grid = all_cells(cells)
    sums = leaf_sums(cells, grid)[0]
    least = sums.min(axis=0)

    def is_lost(point):
        return least[(grid == point).all(axis=1)][0] <= cells.tie_bound

    safe = grid[least > cells.tie_bound]
    for place in safe[rng.permutation(len(safe))[:8]]:
        walker = Walker(cells, place, list(cells.margins[0]))
        is_free = rng.random(place.size) < 0.7
        point = walker.walk(is_free)
        reachable = (grid == place)[:, ~is_free].all(axis=1) & ((grid >= 0) | (grid == place)).all(axis=1)
        if point is None:
            assert is_free.sum() != 1 or (least[reachable] > cells.tie_bound).all()
        else:
            assert (point == place)[~is_free].all()
            assert is_lost(point)
        for lost in grid[least <= cells.tie_bound][:5]:
            units = [np.array([f]) for f in np.flatnonzero(lost != place)]
            near = walker.set_back(lost, units)
            assert is_lost(near)
            assert ((near == place) | (near == lost)).all()
            (last,) = units[-1]
            nearer = near.copy()
            nearer[last] = place[last]
            assert near[last] == place[last] or not is_lost(nearer)


def test_columns_of_a_unit_go_back_together():
    n_together = 0
    for seed in range(20):
        cells = ForestCells.of(small_forest(seed, n_features=3))
        grid = all_cells(cells)
        sums = leaf_sums(cells, grid)[0].min(axis=0)
        place = grid[sums.argmax()]
        walker = Walker(cells, place, list(cells.margins[0]))
        for lost in grid[sums <= cells.tie_bound]:
            near = walker.set_back(lost, [np.array([0, 1]), np.array([2])])
            assert (near[:2] == place[:2]).all() or (near[:2] == lost[:2]).all()
            n_together += (near[:2] != place[:2]).all()
    assert n_together > 0
