import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mlrx.plotting import plot_trade_off
from mlrx.plotting.trade_off import spread

SCORES = pd.DataFrame(
    [
        {"method": method, "asked": asked, "n_rules": n_rules, "score": score, "set": name}
        for name in ("one", "two", "three")
        for method, asked, n_rules, score in [
            ("few", 10, 8, 0.5),
            ("few", 10, 12, 0.7),
            ("few", 100, 90, 0.8),
            ("many", 1000, 1000, 0.8),
            ("level", None, None, 0.9),
            ("own number", None, 40, 0.8),
            ("late", 10, 10, np.nan),
        ]
    ]
).astype({"asked": "Int64"})


def test_points_are_means_of_size_and_score():
    figure = plot_trade_off(SCORES, "n_rules", "score", "set", label="F1", size_label="rules")
    assert [ax.get_title() for ax in figure.axes] == ["one", "two", "three"]
    for ax in figure.axes:
        lines = [container.lines[0].get_xydata().tolist() for container in ax.containers]
        assert lines == [[[10, pytest.approx(0.6)], [90, 0.8]], [[1000, 0.8]], [[40, 0.8]]]
        assert any(line.get_ydata()[0] == 0.9 and line.get_linestyle() == "--" for line in ax.get_lines())
        assert (ax.get_xscale(), ax.get_xlabel(), ax.get_ylabel()) == ("log", "rules", "F1")
        # What has no score has no name either.
        assert {text.get_text() for text in ax.texts if text.get_text()} == {"few", "many", "level", "own number"}


@pytest.mark.parametrize("style", ["default", "dark_background"])
def test_names_stand_apart_within_the_figure_in_the_colours_of_their_lines(style):
    methods = [f"method {k} with a name that is broken in two" for k in range(16)]
    scores = pd.DataFrame({"method": methods, "asked": 30, "n_rules": 30, "score": 0.5, "set": "one"})
    with plt.style.context(style):
        figure = plot_trade_off(scores, "n_rules", "score", "set")
        figure.canvas.draw()
        background = plt.rcParams["axes.facecolor"]
    (ax,) = figure.axes
    texts = [text for text in ax.texts if text.get_text()]
    boxes = [text.get_window_extent() for text in texts]
    assert len(boxes) == 16
    assert not any(one.overlaps(other) for k, one in enumerate(boxes) for other in boxes[:k])
    assert all(box.y0 >= 0 and box.x1 <= figure.bbox.x1 for box in boxes)
    drawn = [container.lines[0] for container in ax.containers]
    looks = {(line.get_color(), line.get_marker()) for line in drawn}
    assert len(looks) == 16
    assert {text.get_color() for text in texts} == {line.get_color() for line in drawn}
    assert background not in {colour for colour, _ in looks}


@given(st.lists(st.tuples(st.floats(0, 1), st.floats(0.01, 0.2)), max_size=12))
def test_spread_intervals_keep_order_and_do_not_overlap(intervals):
    intervals = sorted(intervals)
    centres, heights = [c for c, _ in intervals], [h for _, h in intervals]
    moved = spread(centres, heights)
    lower = [c - h / 2 for c, h in zip(moved, heights)]
    upper = [c + h / 2 for c, h in zip(moved, heights)]
    assert all(below <= above + 1e-9 for below, above in zip(upper, lower[1:]))
    if sum(heights) <= 1:
        assert all(low >= -1e-9 and high <= 1 + 1e-9 for low, high in zip(lower, upper))


def test_intervals_that_fit_stay_where_they_are():
    assert spread([0.2, 0.5], [0.1, 0.1]) == pytest.approx([0.2, 0.5])
    assert spread([], []) == []


def test_a_missing_size_is_no_point():
    """It was drawn as a size of 0."""
    rows = [("a", 1, np.nan, 0.1), ("a", 2, 10.0, 0.2), ("a", 3, 20.0, 0.3)]
    scores = pd.DataFrame(rows, columns=["method", "asked", "size", "f1"]).assign(set="x")
    line = plot_trade_off(scores, "size", "f1", "set").axes[0].lines[0]
    assert line.get_xdata().tolist() == [10.0, 20.0]


@pytest.mark.parametrize(
    ("change", "more", "message"),
    [
        ({"size": [0.0, 5.0]}, {}, "scores has a 'size' of 0.0, allowed are numbers above 0"),
        ({}, {"n_columns": 0}, "n_columns must be at least 1, got 0"),
        ({"f2": [1, 2], "f1": None}, {}, r"scores lacks the columns \['f1'\]; it has "),
    ],
)
def test_what_cannot_be_drawn_is_refused(change, more, message):
    scores = pd.DataFrame({"method": ["a", "b"], "asked": [1, 2], "size": [1.0, 5.0], "f1": [0.5, 0.6], "set": "x"})
    scores = scores.assign(**change).dropna(axis="columns", how="all")
    with pytest.raises(ValueError, match=message):
        plot_trade_off(scores, "size", "f1", "set", **more)


def test_no_row_is_refused():
    with pytest.raises(ValueError, match="scores has no row"):
        plot_trade_off(pd.DataFrame(columns=["method", "asked", "n", "f1", "set"]), "n", "f1", "set")
