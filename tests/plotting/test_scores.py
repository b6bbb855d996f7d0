import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest

from mlrx.plotting import plot_against_parameter, plot_against_rules, plot_methods

SCORES = pd.DataFrame(
    {
        "method": ["a", "a", "a", "b", "c"],
        "asked": pd.array([2, 2, 4, None, 8], dtype="Int64"),
        "micro_f1": [0.2, 0.4, 0.5, 0.9, np.nan],
    }
)


def test_lines_go_through_the_means():
    ax = plot_against_rules(SCORES, "micro_f1", label="micro-F1", true_number=3)
    lines = {line.get_label(): line.get_xydata().tolist() for line in ax.get_lines()}
    assert lines["a"] == [[2, pytest.approx(0.3)], [4, 0.5]]
    assert [y for _, y in lines["b"]] == [0.9, 0.9]
    assert [x for x, _ in lines["true number of rules"]] == [3, 3]
    # c has no value, and is not in the legend either.
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["a", "b", "true number of rules"]
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("number of rules", "micro-F1")


def test_line_against_a_parameter_goes_through_the_means():
    scores = pd.DataFrame({"weight": [0.1, 10, 0.1, np.nan, 1], "diversity": [0.2, 0.9, 0.4, 0.5, np.nan]})
    ax = plot_against_parameter(scores, "weight", "diversity", name="λ")
    (line,) = ax.get_lines()
    assert line.get_xydata().tolist() == [[0.1, pytest.approx(0.3)], [10, 0.9]]
    assert [tick.get_text() for tick in ax.get_xticklabels()] == ["0.1", "10"]
    assert (ax.get_xscale(), ax.get_xlabel(), ax.get_ylabel()) == ("log", "λ", "diversity")
    assert plot_against_parameter(scores, "weight", "diversity", ax=ax) is ax


def test_methods_have_a_bar_at_the_mean_and_a_dot_a_run():
    ax = plot_methods(SCORES, "micro_f1")
    assert [text.get_text() for text in ax.get_yticklabels()] == ["a", "b"]
    assert [bar.get_width() for bar in ax.patches] == pytest.approx([1.1 / 3, 0.9])
    assert [line.get_xdata().tolist() for line in ax.get_lines()] == [[0.2, 0.4, 0.5], [0.9]]
    assert ax.get_xlabel() == "micro_f1"


def test_given_axes_are_drawn_on():
    _, ax = plt.subplots()
    assert plot_methods(SCORES, "micro_f1", ax=ax) is ax
    assert plot_against_rules(SCORES, "micro_f1", ax=ax) is ax


def test_methods_differ_by_more_than_colour():
    scores = pd.DataFrame({"method": list("abcdefghij"), "asked": 1, "s": 0.5})
    lines = plot_against_rules(scores, "s").get_lines()
    assert len({(line.get_color(), line.get_marker()) for line in lines}) == 10  # the eighth was like the first
    assert len({line.get_marker() for line in lines[:7]}) == 7
