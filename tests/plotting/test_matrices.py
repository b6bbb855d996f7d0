import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from matplotlib.collections import PathCollection
from sklearn.ensemble import RandomForestClassifier

from mlrx import Condition, Rule, RuleSet
from mlrx.lionforests import ForestCells
from mlrx.plotting import (
    RowPaths,
    plot_closest_paths,
    plot_forest_matrix,
    plot_rule_matrix,
    plot_used_paths,
)
from mlrx.plotting.boxes import find_spans, interval_ends
from mlrx.plotting.matrix import INSIDE
from mlrx.plotting.style import WIDEST, format_value, pick_ink, wrap


@pytest.fixture(scope="module")
def data():
    rng = np.random.default_rng(4)
    X = rng.normal(size=(60, 3))
    return X, np.column_stack([X[:, 0] > 0, X[:, 0] + X[:, 1] > 0.5]).astype(int)


@pytest.fixture(scope="module")
def model(data):
    return RandomForestClassifier(12, max_depth=4, random_state=0).fit(*data)


@pytest.fixture(scope="module")
def row(model, data):
    return RowPaths.of(model, data[0][7], data[0], layout="mds", n_groups=1)


def rectangles(ax):
    """Return what is filled, as (row, column, start, end) with the ends as shares of the column's span."""
    found = []
    for collection in ax.collections:
        for path in collection.get_paths():
            corners = path.vertices
            if len(corners) != 5:
                continue
            (left, top), (right, bottom) = corners[:4].min(axis=0), corners[:4].max(axis=0)
            column = int((left + right) / 2)
            ends = [(spot - column - (1 - INSIDE) / 2) / INSIDE for spot in (left, right)]
            found.append((int((top + bottom) / 2), column, *ends))
    return sorted(found)


def row_names(figure):
    return [text.get_text() for text in figure.axes[2].get_yticklabels()]


def test_spans_and_ends_by_hand():
    spans = find_spans(np.array([[1.0, 5.0, np.nan], [3.0, 5.0, np.nan]]), np.array([4.0, 5.0, np.nan]))
    assert spans.tolist() == [[1.0, 4.5, -0.5], [4.0, 5.5, 0.5]]
    starts, ends = interval_ends(np.array([2.0, 3.0]), np.array([0, 1, 2, 3]), np.array([0, 2, 2, -1]), [1.0, 4.0])
    np.testing.assert_array_equal(starts, [1.0, 2.0, 3.0, np.nan])
    np.testing.assert_array_equal(ends, [2.0, 4.0, 4.0, np.nan])


def test_names_wrap_and_numbers_are_short():
    assert wrap("Process temperature [K]", 12) == "Process\ntemperature\n[K]"
    assert wrap("Mean_Acc1298_MFCC", 9) == "Mean_\nAcc1298_\nMFCC"
    assert wrap("average.income=high", 9) == "average.\nincome=\nhigh"
    assert wrap("no. 5", 9) == "no. 5"
    assert wrap("-0.123456 < x", 9) == "-0.123456\n< x"  # not within a number
    assert wrap("ZeroCrossings_HopSize", 14) == "ZeroCrossings_\nHopSize"
    assert wrap("unbreakable", 6) == "unbrea\nkable"
    assert wrap("", 9) == " "
    assert wrap("a$b$", 9) == r"a\$b\$"
    assert [format_value(v) for v in (22402.4, 0.123456, -3.0, 1e9)] == ["22402", "0.1235", "-3", "1e+09"]
    assert [format_value(v, 3) for v in (2240.4, 0.123456)] == ["2240", "0.123"]
    assert (pick_ink("#000000"), pick_ink("#ffffff")) == ("white", "black")


def test_forest_matrix_shows_the_paths_of_most_rows(model, data):
    figure = plot_forest_matrix(model, data[0], n_rules=5)
    cells = ForestCells.of(model)
    covered = np.array([(cells.locate(data[0])[:, None] >= cells.lower).all(axis=2)
                        & (cells.locate(data[0])[:, None] <= cells.upper).all(axis=2)])[0].mean(axis=0)  # fmt: skip
    top = np.argsort(-covered, kind="stable")[:5]
    assert [bar.get_width() for bar in figure.axes[3].patches] == pytest.approx(covered[top].tolist())
    trees = np.searchsorted(cells.forest.leaf_start, top, side="right") - 1
    assert row_names(figure) == [f"tree {tree}" for tree in trees]
    used = (cells.lower[top] > 0) | (cells.upper[top] < cells.n_cells - 1)
    assert len(rectangles(figure.axes[0])) == used.sum()


def test_used_paths_hold_the_row(row):
    figure = plot_used_paths(row)
    ax = figure.axes[0]
    marks = next(line for line in ax.collections if len(line.get_paths()[0].vertices) == 2).get_segments()
    spots = [(segment[0, 0] - k - (1 - INSIDE) / 2) / INSIDE for k, segment in enumerate(marks)]
    found = rectangles(ax)
    assert {k for k, *_ in found} == set(range(12))
    for _, column, start, end in found:
        assert start - 1e-6 <= spots[column] <= end + 1e-6
    names = row_names(figure)
    assert sorted(names, key=lambda name: int(name[5:])) == [f"tree {tree}" for tree in range(12)]
    assert row_names(plot_used_paths(row, n_rules=4)) == names[:4]


def test_closest_paths_are_found_by_brute_force(row, model, data):
    """For each leaf the nearest point of its box, feature by feature, on values between the thresholds."""
    figure = plot_closest_paths(row, n_rules=8)
    cells = row.paths.cells
    span = data[0].max(axis=0) - data[0].min(axis=0)
    totals = []
    for tree, estimator in enumerate(model.estimators_):
        for leaf in range(cells.forest.leaf_start[tree], cells.forest.leaf_start[tree + 1]):
            box = cells.box_of_rule(cells.rule_of_box(_box(cells, leaf), ()))
            change = 0.0
            for f, cut in enumerate(cells.cuts):
                low = cut[box.lower[f] - 1] if box.lower[f] > 0 else -np.inf
                high = cut[box.upper[f]] if box.upper[f] < cut.size else np.inf
                change += max(0.0, low - row.x[f], row.x[f] - high) / span[f]
            labels = cells.forest.votes[leaf][:, 1] > 0.5
            if change > 0 and (labels != row.predicted).any():
                totals.append(change)
        assert estimator.tree_.n_leaves == cells.forest.leaf_start[tree + 1] - cells.forest.leaf_start[tree]
    assert [bar.get_width() for bar in figure.axes[3].patches] == pytest.approx(sorted(totals)[:8])


def _box(cells, leaf):
    box = cells.whole()
    box.lower[:], box.upper[:] = cells.lower[leaf], cells.upper[leaf]
    return box


def test_arrows_end_where_the_rule_begins(row):
    ax = plot_closest_paths(row, n_rules=8).figure.axes[0]
    found = rectangles(ax)
    points = np.concatenate([c.get_offsets() for c in ax.collections if isinstance(c, PathCollection)])
    assert {int(place) for _, place in points} == set(range(8))  # every rule needs a change
    for spot, place in points:
        column = int(spot)
        end = (spot - column - (1 - INSIDE) / 2) / INSIDE
        borders = next(cell[2:] for cell in found if cell[:2] == (int(place), column))
        assert min(abs(end - border) for border in borders) < 1e-6


def test_closest_paths_of_a_label_vote_unlike_the_forest(row):
    figure = plot_closest_paths(row, label=1, n_rules=6)
    present = [bar.get_width() for bar in figure.axes[2].patches[:6]]
    assert all((share > 0.5) != row.predicted[1] for share in present)


def rule_set():
    rules = [
        Rule([Condition(0, lower=2.0), Condition(2, categories=["b", "10"])], [1], 4, 3),
        Rule([Condition(0, 1.0, 2.0), Condition(1, lower=0.5)], [0, 1], 2, 2),
        Rule([Condition(0, upper=3.0, missing=True), Condition(2, categories=["9"], negated=True)], [3], 8, 2),
    ]
    X = pd.DataFrame({"wind": [0.0, 4.0, 2.0], "sun": [1, 1, 0], "city": ["9", "10", "b"]})
    return RuleSet(rules, X.columns, ["a", "b", "c", "d"], ["numeric", "binary", "nominal"]), X


def test_rule_matrix_by_hand():
    rules, X = rule_set()
    figure = plot_rule_matrix(rules, X)
    # Columns by the number of rules: wind (3), city (2), sun (1). Categories in the order 9, 10, b.
    third = 1 / 3
    expected = [
        (0, 0, 0.5, 1.0), (0, 1, third, 2 * third), (0, 1, 2 * third, 1.0),
        (1, 0, 0.25, 0.5), (1, 2, 0.5, 1.0),
        (2, 0, 0.0, 0.75), (2, 1, third, 2 * third), (2, 1, 2 * third, 1.0),
    ]  # fmt: skip
    np.testing.assert_allclose(rectangles(figure.axes[0]), expected, atol=1e-9)
    assert [bar.get_height() for bar in figure.axes[1].patches] == [3, 2, 1]
    # The label c is in no rule.
    assert [text.get_text() for text in figure.axes[2].get_xticklabels()] == ["a", "b", "d"]
    assert figure.axes[2].collections[0].get_array().reshape(3, 3).tolist() == [[0, 1, 0], [1, 1, 0], [0, 0, 1]]
    assert [bar.get_width() for bar in figure.axes[3].patches] == pytest.approx([1 / 3, 0, 1 / 3])
    assert [bar.get_width() for bar in figure.axes[4].patches][3:] == [0.75, 1.0, 0.25]
    assert [text.get_text() for text in figure.axes[0].texts] == ["?"]
    assert [text.get_text() for text in figure.axes[0].get_xticklabels()] == [
        "wind\n0–4",
        "city\n9 | 10 | b",
        "sun\n0 | 1",
    ]


def test_conditions_that_are_not_shown_are_counted():
    rules, X = rule_set()
    figure = plot_rule_matrix(rules, X, n_features=1, n_rules=2)
    assert [text.get_text() for text in figure.axes[0].texts] == ["+1", "+1"]
    assert figure.get_suptitle() == "The first 2 of 3 rules"


def test_rule_matrix_of_rules_without_conditions_or_counts():
    figure = plot_rule_matrix(RuleSet([Rule([], [])], ["x"], ["a"]), np.zeros((2, 1)))
    assert rectangles(figure.axes[0]) == []
    assert len(figure.axes) == 4  # no confidence
    figure.canvas.draw()
    with pytest.raises(ValueError, match="rules must have at least one rule"):
        plot_rule_matrix(RuleSet([], ["x"], ["a"]), np.zeros((2, 1)))


def visible_texts(ax):
    return [text for text in [*ax.get_xticklabels(), *ax.get_yticklabels(), *ax.texts] if text.get_text().strip()]


def test_no_text_overlaps():
    """Long names of columns and labels, and wide numbers, stay apart."""
    rng = np.random.default_rng(0)
    names = [f"Mean_Acc1298_Std_Mem40_Measurement_{k}" for k in range(12)]
    labels = [f"a long name of the label {k}" for k in range(9)]
    rules = [
        Rule([Condition(int(f), lower=float(rng.normal())) for f in rng.choice(12, 4, replace=False)], [k])
        for k in range(9)
    ]
    figure = plot_rule_matrix(RuleSet(rules, names, labels), 1e5 * rng.normal(size=(50, 12)))
    figure.canvas.draw()
    for ax in figure.axes:
        boxes = [text.get_window_extent() for text in visible_texts(ax)]
        clashes = [(a, b) for k, a in enumerate(boxes) for b in boxes[:k] if a.overlaps(b)]
        assert clashes == []


def test_as_many_columns_and_labels_as_have_room():
    """174 labels made a matrix 141 inches wide."""
    rng = np.random.default_rng(0)
    labels = [f"label {k}" for k in range(174)]
    rules = [Rule([Condition(f, lower=0.0) for f in range(12)], [k, k + 1, 173]) for k in range(9)]
    X = rng.normal(size=(50, 12))
    figure = plot_rule_matrix(RuleSet(rules, [f"feature {f}" for f in range(12)], labels), X)
    assert figure.get_size_inches()[0] <= WIDEST
    n_columns = len(figure.axes[0].get_xticklabels())
    narrow = plot_rule_matrix(
        RuleSet(rules, [f"feature {f}" for f in range(12)], labels), X, figure=plt.figure(figsize=(6.9, 5))
    )
    matrix, _, strip = narrow.axes[:3]
    assert 1 <= len(matrix.get_xticklabels()) < n_columns
    shown = [text.get_text() for text in strip.get_xticklabels()]
    assert strip.get_title() == f"{len(shown)} of 11 labels"
    assert "label 173" in shown  # which all rules have
    # What is not shown of each rule is counted behind it.
    hidden = [sum(labels[k] not in shown for k in rule.consequent) for rule in rules]
    assert [text.get_text() for text in strip.texts] == [f"+{n}" for n in hidden if n]
    assert [text.get_text() for text in matrix.texts] == [f"+{12 - len(matrix.get_xticklabels())}"] * 9


def test_drawn_into_a_given_figure(row, data, model):
    figure = plt.figure(layout="constrained")
    upper, lower = figure.subfigures(2, 1)
    assert plot_used_paths(row, figure=upper) is upper
    assert plot_forest_matrix(model, data[0], label=0, figure=lower) is lower


def test_question_marks_only_where_values_are_missing():
    X = np.array([[1.0, 0.0], [2.0, 1.0], [3.0, 0.0], [4.0, 1.0], [12.0, 0.0], [np.nan, 1.0]])
    Y = [[0, 1], [0, 0], [0, 1], [0, 0], [1, 1], [1, 0]]
    model = RandomForestClassifier(8, random_state=0).fit(X, Y)
    figure = plot_forest_matrix(model, X, ["f", "g"])
    columns = [text.get_text().split("\n")[0] for text in figure.axes[0].get_xticklabels()]
    marked = {int(text.get_position()[0]) for text in figure.axes[0].texts if text.get_text() == "?"}
    assert marked == {columns.index("f")}
    figure.canvas.draw()
