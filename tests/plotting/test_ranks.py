import math

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest

from mlrx.plotting import compare_ranks, plot_critical_difference

# Ranks of four variants of C4.5 on 14 data sets: Demšar, Journal of Machine Learning Research 7, 2006, Table 6.
RANKS = pd.DataFrame(
    [
        [4, 3, 2, 1],
        [1, 2, 3, 4],
        [4, 1, 2, 3],
        [4, 1, 3, 2],
        [4, 2, 3, 1],
        [1, 2.5, 4, 2.5],
        [3, 2, 4, 1],
        [2.5, 2.5, 4, 1],
        [4, 3, 2, 1],
        [2.5, 2.5, 2.5, 2.5],
        [4, 2.5, 1, 2.5],
        [3, 2, 4, 1],
        [4, 1, 2, 3],
        [3, 1, 4, 2],
    ],
    columns=["C4.5", "C4.5+m", "C4.5+cf", "C4.5+m+cf"],
)
APART = pd.DataFrame(np.tile([4.0, 3.0, 2.0, 1.0], (20, 1)), columns=list("abcd"))


def test_numbers_of_the_textbook_example():
    found = compare_ranks(-RANKS)
    published = {"C4.5+m+cf": 1.964, "C4.5+m": 2.0, "C4.5+cf": 2.893, "C4.5": 3.143}
    assert found.ranks.round(3).to_dict() == published
    assert list(found.ranks.index) == list(published)
    assert round(found.critical_difference, 2) == 1.25
    assert round(compare_ranks(-RANKS, alpha=0.1).critical_difference, 2) == 1.12
    # The book does not correct for ties; t tied ranks take (t³ - t) / (4³ - 4) of a data set's variance away.
    ties = sum({2: 6, 4: 60}.get(4 - len(set(row)) + 1, 0) for row in RANKS.to_numpy().tolist())
    assert round(found.statistic * (1 - ties / (14 * 60)), 2) == 9.28


def test_groups_are_the_largest_that_are_not_told_apart():
    # CD = 3.633 / sqrt(2) * sqrt(4 * 5 / (6 * 20)) = 1.049: neighbours are not told apart, others are.
    found = compare_ranks(APART)
    assert found.critical_difference == pytest.approx(3.633 / math.sqrt(2) * math.sqrt(20 / 120), abs=1e-3)
    assert found.groups == [(0, 1), (1, 2), (2, 3)]
    assert compare_ranks(APART.iloc[:2]).groups == [(0, 3)]
    many = pd.concat([APART] * 20)
    assert compare_ranks(many).groups == []
    assert compare_ranks(many).p_value < 1e-9


def test_no_method_is_better_where_all_are_equal():
    found = compare_ranks(APART * 0)
    assert (found.statistic, found.p_value, found.groups) == (0.0, 1.0, [(0, 3)])


@pytest.mark.parametrize(
    ("scores", "message"),
    [
        (APART[["a", "b"]], "at least 3 methods and 2 data sets, got 2 and 20"),
        (APART.iloc[:1], "at least 3 methods and 2 data sets, got 4 and 1"),
        (APART.assign(b=np.nan), "no missing value, got some for b"),
        (APART.assign(b="0.5"), "scores must be numbers, got others for b"),
    ],
)
def test_what_cannot_be_compared_is_refused(scores, message):
    with pytest.raises(ValueError, match=message):
        compare_ranks(scores)


@pytest.mark.parametrize("style", ["default", "dark_background"])
@pytest.mark.parametrize("n_methods", [3, 4, 13])
def test_picture_names_every_method_with_its_rank_and_no_text_meets_another(style, n_methods):
    rng = np.random.default_rng(n_methods)
    names = [f"{k}, a method with a rather long name to be broken" for k in range(n_methods)]
    scores = pd.DataFrame(rng.normal(size=(6, n_methods)) + np.arange(n_methods) / 3, columns=names)
    with plt.style.context(style):
        ax = plot_critical_difference(scores)
        ax.figure.canvas.draw()
    found = compare_ranks(scores)
    written = {" ".join(text.get_text().split()) for text in ax.texts}
    assert {f"{name} ({rank:.2f})" for name, rank in found.ranks.items()} <= written
    boxes = [text.get_window_extent() for text in ax.texts]
    assert not any(one.overlaps(other) for k, one in enumerate(boxes) for other in boxes[:k])
    assert all(box.x0 >= 0 and box.x1 <= ax.figure.bbox.x1 and box.y0 >= 0 for box in boxes)
    ink = {text.get_color() for text in ax.texts}
    assert plt.rcParamsDefault["text.color"] in ink or style != "default"
