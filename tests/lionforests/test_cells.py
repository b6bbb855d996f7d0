"""Cells: every float32 value has one, leaves are boxes of them, and boxes and rules say the same."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.ensemble import ExtraTreesClassifier, RandomForestClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, StandardScaler

from mlrx.lionforests.cells import MARGIN_UNIT, ROUNDING_UNITS, Box, ForestCells
from mlrx.lionforests.violation import find_violation
from mlrx.rules import Condition, Rule

from .small_forests import LADDER, LADDER_LABELS, all_cells, random_box, rows_in, small_forest


def leaf_sums(cells, grid):
    """Margins of all labels in cells of the grid, from the leaf boxes alone."""
    sums = np.zeros((2, cells.forest.n_labels, len(grid)), dtype=np.int64)
    for t in range(cells.forest.n_trees):
        leaves = slice(*cells.forest.leaf_start[t : t + 2])
        known = (grid[:, None] >= cells.lower[leaves]) & (grid[:, None] <= cells.upper[leaves])
        inside = np.where(grid[:, None] < 0, cells.missing[leaves], known).all(axis=2)
        assert (inside.sum(axis=1) == 1).all()  # the leaves of a tree share no cell and leave none out
        sums += cells.margins[:, :, leaves][:, :, inside.argmax(axis=1)]
    return sums


@pytest.mark.parametrize("seed", range(30))
def test_leaf_boxes_are_the_trees(seed):
    cells = ForestCells.of(small_forest(seed, with_missing=seed % 2 == 0))
    grid = all_cells(cells)
    rows = rows_in(cells, grid)
    np.testing.assert_array_equal(cells.locate(rows), grid)
    sums = leaf_sums(cells, grid)
    exact = cells.forest.margins(rows).T * cells.forest.n_trees * MARGIN_UNIT
    assert (np.abs(sums[0] - exact) <= 2 * cells.forest.n_trees).all()
    assert (np.abs(sums[1] + exact) <= 2 * cells.forest.n_trees).all()


@pytest.mark.parametrize("scaler", [StandardScaler(), MinMaxScaler()])
def test_leaf_boxes_of_a_pipeline_speak_of_original_values(scaler):
    rng = np.random.default_rng(0)
    X = rng.normal(20, 5, (30, 2)).round(1)
    model = make_pipeline(scaler, RandomForestClassifier(5, max_depth=3, random_state=0)).fit(X, (X > 20).astype(int))
    cells = ForestCells.of(model)
    grid = all_cells(cells)
    grid = grid[(grid >= 0).all(axis=1) & (grid < cells.n_cells - 1).all(axis=1)]
    last = rows_in(cells, grid)
    for rows in (last, np.nextafter(last, np.inf)):
        sums = leaf_sums(cells, cells.locate(rows))
        exact = model.steps[-1][1].predict_proba(model.steps[0][1].transform(rows))
        exact = np.stack([p[:, 1] - p[:, 0] for p in exact]) * 5 * MARGIN_UNIT
        assert (np.abs(sums[0] - exact) <= 10).all()
        np.testing.assert_array_equal(model.predict(rows), sums[0].T > 10)


def test_thresholds_within_one_float32_step_are_one_cut():
    # Between two thresholds that no float32 value separates lies a cell without a point.
    model = RandomForestClassifier(2, bootstrap=False, random_state=0).fit([[0.0], [1.0]], [0, 1])
    close = [0.5, np.nextafter(0.5, 1)]
    for estimator, threshold in zip(model.estimators_, close):
        estimator.tree_.threshold[0] = threshold
    assert [cut.tolist() for cut in ForestCells.of(model).cuts] == [[0.5]]


def test_large_numbers_of_cells_and_missing_only_splits():
    model = RandomForestClassifier(1, bootstrap=False, random_state=0).fit([[np.nan], [1.0], [2.0]], [1, 0, 0])
    cells = ForestCells.of(model)  # the one split tells missing from known
    assert cells.cuts[0].size == 0
    assert sorted(zip(cells.lower[:, 0], cells.upper[:, 0], cells.missing[:, 0])) == [(0, 0, False), (1, -1, True)]
    assert cells.locate([[np.nan], [1e30]]).tolist() == [[-1], [0]]


@pytest.mark.parametrize("seed", range(12))
def test_every_cell_of_a_pipeline_has_a_row_that_the_model_takes(seed):
    # A split of missing from known became a cut at 9e307, above which everything is scaled to infinity.
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 4, (25, 2)) * rng.choice([1e-3, 1.0, 1e30])
    X[rng.random(X.shape) < 0.3] = np.nan
    Y = np.column_stack([np.isnan(X[:, 0]), np.nan_to_num(X[:, 1]) > np.median(np.nan_to_num(X[:, 1]))]).astype(int)
    scalers = [(StandardScaler(),), (MinMaxScaler((0, 9)), StandardScaler()), (MinMaxScaler(clip=True),)][seed % 3]
    model = make_pipeline(*scalers, RandomForestClassifier(4, max_depth=3, random_state=seed)).fit(X, Y)
    thresholds = np.concatenate([tree.tree_.threshold for tree in model.steps[-1][1].estimators_])
    assert np.isinf(thresholds).any()
    cells = ForestCells.of(model)
    grid = all_cells(cells)
    rows = np.array([cells.point(cell, Rule([], [0])) for cell in grid])
    np.testing.assert_array_equal(cells.locate(rows), grid)
    sums = leaf_sums(cells, grid)
    np.testing.assert_array_equal(model.predict(rows), sums[0].T > 4 * ROUNDING_UNITS)


def test_split_of_missing_from_known_in_a_pipeline():
    tree = RandomForestClassifier(1, bootstrap=False, random_state=0)
    cells = ForestCells.of(make_pipeline(StandardScaler(), tree).fit([[np.nan], [1.0], [2.0]], [0, 1, 1]))
    assert (cells.forest.stated_threshold.tolist(), cells.forest.votes[:, 0, 1].tolist()) == ([np.inf], [1, 0])
    assert cells.cuts[0].size == 0
    assert find_violation(cells, Rule([], [0]), [0]).status == "proven"
    with_missing = find_violation(cells, Rule([Condition(0, missing=True)], [0]), [0])
    assert np.isnan(with_missing.point[0])


@settings(max_examples=60)
@given(st.integers(0, 10_000))
def test_box_and_rule_say_the_same(seed):
    rng = np.random.default_rng(seed)
    cells = ForestCells.of(small_forest(seed % 40, with_missing=seed % 3 == 0))
    box = random_box(cells, rng)
    rule = cells.rule_of_box(box, [0])
    grid = all_cells(cells)
    inside = box.holds(grid)
    covered = rule.covers(rows_in(cells, grid))
    is_free = (box.lower == 0) & (box.upper == cells.n_cells - 1) & ~box.missing  # no condition: missing is covered
    known = ((grid >= 0) | ~is_free).all(axis=1)
    np.testing.assert_array_equal(covered[known], inside[known])
    back = cells.box_of_rule(rule)
    np.testing.assert_array_equal(back.lower, box.lower)
    np.testing.assert_array_equal(back.upper, box.upper)
    np.testing.assert_array_equal(back.missing, box.missing)
    for point in grid[inside & known][:20]:
        row = cells.point(point, rule)[None]
        assert cells.locate(row).tolist() == [point.tolist()]
        assert rule.covers(row).all()


def test_rule_between_thresholds_takes_every_cell_it_touches():
    model = RandomForestClassifier(3, random_state=0).fit(LADDER, LADDER_LABELS)
    cells = ForestCells.of(model)
    cut = cells.cuts[0].tolist()
    box = cells.box_of_rule(Rule([Condition(0, cut[0], np.nextafter(cut[1], math.inf))], [0]))
    assert (box.lower.tolist(), box.upper.tolist()) == ([1], [1])  # no float32 is above the cut and within the bound
    box = cells.box_of_rule(Rule([Condition(0, cut[0] - 0.01, cut[1] + 0.01)], [0]))
    assert (box.lower.tolist(), box.upper.tolist()) == ([0], [2])
    box = cells.box_of_rule(Rule([Condition(0, 0.3, 0.30000000001)], [0]))
    assert box.is_empty
    assert cells.box_of_rule(Rule([], [0])).upper.tolist() == [len(cut)]


def test_point_is_near_zero_in_cell_and_rule():
    model = RandomForestClassifier(1, bootstrap=False, random_state=0).fit([[0.0], [1.0]], [0, 1])
    cells = ForestCells.of(model)
    assert cells.point(np.array([0]), Rule([], [0])).tolist() == [0]
    assert cells.point(np.array([0]), Rule([Condition(0, upper=-2.0)], [0])).tolist() == [-2]
    assert cells.point(np.array([1]), Rule([], [0])).tolist() == [0.5 + 2**-24]
    assert cells.point(np.array([1]), Rule([Condition(0, lower=2.0, upper=9.0)], [0])).tolist() == [2 + 2**-22]
    assert np.isnan(cells.point(np.array([-1]), Rule([], [0]))).all()


def test_float32_rule_on_a_pipeline_is_taken_as_float64_values():
    model = make_pipeline(StandardScaler(), RandomForestClassifier(3, random_state=0)).fit(LADDER, LADDER_LABELS)
    cells = ForestCells.of(model)
    first, last = cells.interval(Condition(0, lower=0.1, upper=0.3), "float32")
    values = np.array([first, np.nextafter(first, 0), last, np.nextafter(last, 1)])
    assert Condition(0, 0.1, 0.3).holds(values, "float32").tolist() == [True, False, True, False]


def test_rules_about_other_columns_are_refused():
    cells = ForestCells.of(RandomForestClassifier(3, random_state=0).fit(LADDER, LADDER_LABELS))
    with pytest.raises(ValueError, match="column 1, but the forest has 1 features"):
        cells.box_of_rule(Rule([Condition(1, lower=0)], [0]))
    with pytest.raises(ValueError, match="column 0 is about categories"):
        cells.box_of_rule(Rule([Condition(0, categories=["a"])], [0]))


def test_empty_box():
    assert Box(np.array([1]), np.array([0]), np.array([False])).is_empty
    assert not Box(np.array([1]), np.array([0]), np.array([True])).is_empty


def test_more_cells_than_int16_counts():
    X = np.arange(40_000.0)[:, None]
    cells = ForestCells.of(ExtraTreesClassifier(1, random_state=0).fit(X, np.arange(40_000) % 2))
    assert cells.n_cells.tolist() == [40_000]
    assert cells.lower.dtype == np.int32
    assert (cells.lower[:, 0] == cells.upper[:, 0]).all()
    assert sorted(cells.lower[:, 0].tolist()) == list(range(40_000))
    assert cells.locate([[39_999.0]]).tolist() == [[39_999]]
