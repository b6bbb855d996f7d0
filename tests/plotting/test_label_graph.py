import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

from mlrx.datasets import load_dataset
from mlrx.plotting import plot_label_graph
from mlrx.plotting.label_graph import LabelGraph
from mlrx.plotting.style import WIDEST

from .texts import faults, texts_of, unseen

# a, b and c are together in two of four rows; d is with a once; e never occurs.
Y = np.array([[1, 1, 1, 0, 0], [1, 1, 1, 0, 0], [1, 0, 0, 1, 0], [0, 1, 0, 0, 0]])
NAMES = ["a", "b", "c", "d", "e"]


def test_graph_by_hand():
    """p{u, v} = 1 - (1 - p(u, v))(1 - p(v, u)); c always has a and b, d always has a."""
    graph = LabelGraph.of(sp.csc_array(Y), 0.8, 5)
    shown = [NAMES[label] for label in graph.labels]
    assert sorted(shown) == ["a", "b", "c", "d"]
    place = {name: k for k, name in enumerate(shown)}
    assert graph.counts.tolist() == [{"a": 3, "b": 3, "c": 2, "d": 1}[name] for name in shown]
    assert graph.probabilities[place["a"], place["b"]] == pytest.approx(1 - 1 / 9)
    assert graph.probabilities[place["a"], place["c"]] == 1.0
    assert graph.probabilities[place["b"], place["d"]] == 0.0
    assert [sorted(shown[k] for k in clique) for clique in graph.cliques] == [["a", "b", "c"], ["a", "d"]]
    assert graph.clique_counts.tolist() == [2, 1]
    assert not graph.is_capped


def test_labels_with_partners_come_before_more_frequent_ones():
    graph = LabelGraph.of(sp.csc_array([[1, 0, 0], [1, 0, 0], [1, 0, 0], [0, 1, 1]]), 0.8, 2)
    assert sorted(graph.labels.tolist()) == [1, 2]


@pytest.mark.parametrize("form", [np.ndarray.tolist, sp.csr_array, pd.DataFrame])
def test_picture_says_what_it_shows(form):
    figure = plot_label_graph(form(Y), NAMES)
    arcs, cliques = figure.axes
    assert [len(lines.get_segments()) for lines in arcs.collections[:2]] == [0, 4]
    assert [tick.get_text() for tick in cliques.get_xticklabels()] == ["2", "1"]
    assert "2 likely cliques" in cliques.get_title()
    assert figure.get_suptitle() == "Labels that occur together: 4 of 5 labels"
    assert sorted(text.get_text() for text in cliques.get_yticklabels()) == ["a", "b", "c", "d"]


def test_labels_that_never_meet_have_no_clique():
    figure = plot_label_graph(np.eye(3, dtype=int), ["a", "b", "c"])
    assert "no two labels make a likely clique" in figure.axes[1].get_title()
    assert faults(figure) == ([], [])
    assert faults(plot_label_graph(np.ones((2, 1), dtype=int), ["a$b$"])) == ([], [])


def test_what_cannot_be_drawn_is_refused():
    with pytest.raises(ValueError, match="label_names has 2 names, but Y has 5 columns"):
        plot_label_graph(Y, ["a", "b"])
    with pytest.raises(ValueError, match="Y must have a row with a label"):
        plot_label_graph(np.zeros((2, 2), dtype=int), ["a", "b"])


@pytest.mark.parametrize("n_labels", [40, 15])
def test_many_labels_with_long_names_stay_apart(n_labels):
    rng = np.random.default_rng(0)
    together = np.repeat(rng.random((200, 58)) < 0.1, 3, axis=1)
    names = [f"a rather long name_of_the label number {k}" for k in range(174)]
    figure = plot_label_graph(together & (rng.random(together.shape) < 0.95), names, n_labels=n_labels)
    assert faults(figure) == ([], [])
    assert f"{n_labels} of 174 labels" in figure.get_suptitle()


@pytest.mark.parametrize("name", ["flags", "cal500", "bibtex"])
def test_benchmark_sets_are_legible(name, data_folder):
    data = load_dataset(name)
    with plt.style.context("dark_background"):
        figure = plot_label_graph(data.Y, data.label_names)
    assert faults(figure) == ([], [])
    assert unseen(figure) == []
    assert figure.get_size_inches()[0] <= WIDEST
    assert len(texts_of(figure)) > 10
