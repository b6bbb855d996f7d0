import matplotlib.pyplot as plt
import pandas as pd
import pytest

from mlrx.plotting import plot_heat_maps

SCORES = pd.DataFrame(
    {
        "set": ["a", "a", "a", "a", "b"],
        "weight": ["0.1", "0.1", "10.0", "2.0", "2.0"],
        "size": ["50", "50", "50", "150", "50"],
        "f1": [0.2, 0.4, 0.5, 0.75, 0.125],
        "time": [1.0, 1.0, 2.0, 3.0, float("nan")],
    }
)
ORDER = {"set": ["a", "b"], "weight": ["0.1", "2.0", "10.0"], "size": ["50", "150"]}


@pytest.fixture
def axes():
    figure = plot_heat_maps(SCORES, "weight", "size", "set", ["f1", "time"], order=ORDER)
    yield figure.axes
    plt.close(figure)


def texts(ax):
    """The numbers in the cells, by column and row."""
    return {(text.get_position()): text.get_text() for text in ax.texts}


def test_cells_are_means_in_the_given_order(axes):
    assert texts(axes[0]) == {(0, 0): "0.3", (2, 0): "0.5", (1, 1): "0.75"}
    assert texts(axes[1]) == {(1, 0): "0.125"}
    assert texts(axes[2]) == {(0, 0): "1", (2, 0): "2", (1, 1): "3"}


def test_cells_without_a_run_are_empty(axes):
    assert texts(axes[3]) == {}
    assert axes[1].images[0].get_array().mask.sum() == 5


def test_names_stand_at_the_edges(axes):
    assert [ax.get_title() for ax in axes] == ["a", "b", "", ""]
    assert [ax.get_xlabel() for ax in axes] == ["", "", "weight", "weight"]
    assert [ax.get_ylabel() for ax in axes] == ["f1\n\nsize", "", "time\n\nsize", ""]
    assert [tick.get_text() for tick in axes[0].get_xticklabels()] == ["0.1", "2.0", "10.0"]


def test_values_that_no_run_has_are_refused():
    """Numbers in the scores beside text in the order gave an empty picture without a word."""
    numbers = SCORES.astype({"weight": float})
    with pytest.raises(ValueError, match="for 'weight', of which scores has none"):
        plot_heat_maps(numbers, "weight", "size", "set", ["f1"], order=ORDER)
