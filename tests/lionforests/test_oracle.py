"""The oracle agrees with brute force over all cells."""

import numpy as np
import pytest
from sklearn.ensemble import RandomForestClassifier

from mlrx.lionforests.bounds import least_sum
from mlrx.lionforests.cells import MARGIN_UNIT, Box, ForestCells
from mlrx.lionforests.oracle import ABOVE, FOUND, UNDECIDED, find_low_point, meeting_leaves

from .small_forests import all_cells, random_box, rows_in, small_forest
from .test_cells import leaf_sums

BUDGET = 100_000


@pytest.mark.parametrize("seed", range(50))
def test_agrees_with_brute_force(seed):
    """50 forests, half of them with missing values, with 50 boxes each; every label, present and absent."""
    rng = np.random.default_rng(seed)
    cells = ForestCells.of(small_forest(seed, with_missing=seed % 2 == 0))
    grid = all_cells(cells)
    sums = leaf_sums(cells, grid)
    for _ in range(50):
        box = random_box(cells, rng)
        inside = box.holds(grid)
        leaves = meeting_leaves(cells, box)
        for sign in range(2):
            for label in range(cells.forest.n_labels):
                margins = cells.margins[sign, label]
                truth = sums[sign, label][inside].min()
                assert least_sum(cells.forest.leaf_start, leaves, margins) <= truth
                above = find_low_point(cells, box, leaves, margins, truth - 1, BUDGET)
                assert (above.status, above.cells) == (ABOVE, None)
                found = find_low_point(cells, box, leaves, margins, truth, BUDGET)
                assert found.status == FOUND
                assert box.holds(found.cells[None]).all()
                assert sums[sign, label][(grid == found.cells).all(axis=1)] <= truth


@pytest.mark.parametrize("seed", range(3))
def test_agrees_with_brute_force_on_wide_columns(seed):
    """Some hundred cells a column: these are taken in blocks, which must leave no cell out."""
    rng = np.random.default_rng(seed)
    X = rng.random((120, 2))
    Y = rng.integers(0, 2, X.shape)
    cells = ForestCells.of(RandomForestClassifier(30, max_features=2, random_state=seed).fit(X, Y))
    assert cells.n_cells.min() > 80
    grid = np.stack(np.meshgrid(*map(np.arange, cells.n_cells), indexing="ij"), axis=-1).reshape(-1, 2)
    sums = np.rint(cells.forest.margins(rows_in(cells, grid)).T * 30 * MARGIN_UNIT).astype(np.int64)
    n_boxes = 0
    for _ in range(60):
        box = random_box(cells, rng)
        box = Box(np.minimum(box.lower, cells.n_cells - 1), np.maximum(box.upper, box.lower), np.zeros(2, bool))
        box = Box(box.lower, np.minimum(box.upper, cells.n_cells - 1), box.missing)
        leaves = meeting_leaves(cells, box)
        for label in range(2):
            truth, margins = sums[label][box.holds(grid)].min(), cells.margins[0, label]
            above = find_low_point(cells, box, leaves, margins, truth - 30, BUDGET)
            found = find_low_point(cells, box, leaves, margins, truth + 30, BUDGET)
            assert (above.status, found.status) == (ABOVE, FOUND)
            assert sums[label][(grid == found.cells).all(axis=1)] <= truth + 60
            n_boxes += above.n_boxes
    assert n_boxes > 200


def test_verdict_is_that_of_predict():
    cells = ForestCells.of(small_forest(18, n_features=3))
    grid = all_cells(cells)
    predicted = cells.forest.predict_labels(rows_in(cells, grid))
    rng = np.random.default_rng(0)
    n_lost = 0
    for _ in range(200):
        box = random_box(cells, rng)
        for label in range(cells.forest.n_labels):
            margins = cells.margins[0, label]
            answer = find_low_point(cells, box, meeting_leaves(cells, box), margins, cells.tie_bound, BUDGET)
            is_lost = not predicted[box.holds(grid), label].all()
            assert (answer.status == FOUND) == is_lost
            n_lost += is_lost
    assert 50 < n_lost < 350


def test_hard_search_is_complete_and_keeps_its_budget():
    # On noise the additive bound is far from the least margin; the stack and the lists of leaves grow on the way.
    rng = np.random.default_rng(0)
    X, y = rng.random((300, 8)), rng.integers(0, 2, 300)
    cells = ForestCells.of(RandomForestClassifier(60, max_depth=6, random_state=0).fit(X, y))
    box, margins = cells.whole(), cells.margins[0, 0]
    leaves, bound = meeting_leaves(cells, box), cells.tie_bound
    answer = find_low_point(cells, box, leaves, margins, bound, 10**6)
    while answer.status == FOUND:
        mean = cells.forest.margins(rows_in(cells, answer.cells[None]))[0, 0]
        assert mean * 60 * MARGIN_UNIT <= bound + 60
        bound = int(mean * 60 * MARGIN_UNIT) - 60
        answer = find_low_point(cells, box, leaves, margins, bound, 10**6)
    assert answer.status == ABOVE
    assert answer.n_boxes > 50
    cut_short = find_low_point(cells, box, leaves, margins, bound, 7)
    assert (cut_short.status, cut_short.cells, cut_short.n_boxes) == (UNDECIDED, None, 7)
