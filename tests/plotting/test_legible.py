"""Every picture at the size of a notebook's cell and in print, on light and dark pages, with names of real data."""

from functools import lru_cache

import matplotlib.pyplot as plt
import pytest

from mlrx import plotting
from mlrx.datasets import load_dataset
from mlrx.plotting.style import SMALL, WIDEST

from .pictures import Pictures
from .texts import faults, texts_of, unseen

COLUMN, PAGE = 3.3, 6.9  # inches, of print
LEAST = 5.0  # points, in print
REAL = ["flags", "cal500", "bibtex"]
# Names of up to 85 letters leave no room for anything beside them in a column.
NEED_SHORT_NAMES = {"plot_path_flow", "plot_feature_summary", "plot_intervals"}


@lru_cache
def pictures_of(name):
    if name == "long":
        features = tuple(f"Mean_Acc1000_{k}_Mem40_MFCC_powerFFT_WinHamming_HopSize512_AudioCh0" for k in range(70))
        return Pictures(features, tuple(f"NOT-Emotion-Carefree_and $lighthearted$ {k}" for k in range(174)))
    data = load_dataset(name)
    return Pictures(tuple(data.feature_names), tuple(data.label_names))


@pytest.fixture(params=REAL)
def pictures(request):
    if request.param != "long":
        request.getfixturevalue("data_folder")
    return pictures_of(request.param)


def check(figure, inches):
    """Assert that all texts are apart, whole, seen, and large enough when printed so many inches wide."""
    assert faults(figure) == ([], [])
    assert unseen(figure) == []
    least = min(text.get_fontsize() for text in texts_of(figure))
    assert least * min(1.0, inches / figure.get_size_inches()[0]) >= LEAST


def test_sizes_agree():
    assert SMALL * PAGE / WIDEST >= LEAST


def test_every_function_is_looked_at():
    pictures = pictures_of("long")
    drawn = {*pictures.on_axes(), *pictures.of_figures(), *pictures.of_scores(), *pictures.of_pages()}
    drawn = {name.split()[0] for name in drawn} | {"plot_label_graph"}  # which has a test of its own
    assert drawn == {name for name in plotting.__all__ if name.startswith("plot_")}


def test_figures_in_a_cell(pictures):
    for draw in pictures.of_figures().values():
        check(draw(), PAGE)


def test_axes_in_a_cell(pictures):
    for draw, _ in pictures.on_axes().values():
        check(draw().figure, PAGE)


def test_nothing_has_the_colour_of_a_dark_page():
    pictures = pictures_of("long")
    with plt.style.context("dark_background"):
        on_axes = {**pictures.on_axes(), **pictures.of_scores()}
        figures = {**pictures.of_figures(), **pictures.of_pages()}
        for draw in [*figures.values(), *(draw for draw, _ in on_axes.values())]:
            assert unseen(draw().figure) == []


@pytest.mark.parametrize("pictures", ["long"], indirect=True)
def test_figures_as_wide_as_a_page(pictures):
    for draw in pictures.of_figures().values():
        check(draw(figure=plt.figure(figsize=(PAGE, 7.0), layout="constrained")), PAGE)


@pytest.mark.parametrize("pictures", ["long", "flags"], indirect=True)
def test_axes_as_wide_as_a_column(pictures):
    is_long = max(map(len, pictures.features)) > 40
    for name, (draw, height) in pictures.on_axes().items():
        width = PAGE if is_long and name in NEED_SHORT_NAMES else COLUMN
        _, ax = plt.subplots(figsize=(width, height), layout="constrained")
        check(draw(ax=ax).figure, width)


def test_scores():
    for draw, height in pictures_of("long").of_scores().values():
        check(draw().figure, PAGE)
        _, ax = plt.subplots(figsize=(COLUMN, height), layout="constrained")
        check(draw(ax=ax).figure, COLUMN)


def test_pages():
    for draw in pictures_of("long").of_pages().values():
        check(draw(), PAGE)


def test_trees_without_end_of_depth_fit_a_page():
    pictures = pictures_of("long")
    deep = plotting.RowPaths.of(pictures.deep_forest, pictures.rows[0][3], pictures.rows[0], layout="mds", n_groups=1)
    check(plotting.plot_path_flow(deep).figure, PAGE)
