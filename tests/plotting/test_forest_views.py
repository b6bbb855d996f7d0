import numpy as np
import pytest
from sklearn.ensemble import RandomForestClassifier
from sklearn.inspection import partial_dependence

from mlrx.plotting import RowPaths, plot_instances, plot_partial_dependence


@pytest.fixture(scope="module")
def data():
    rng = np.random.default_rng(4)
    X = np.column_stack([rng.normal(size=40), rng.integers(0, 4, 40), rng.normal(size=40)])
    return X, np.column_stack([X[:, 0] + rng.normal(size=40) > 0, X[:, 1] > 1]).astype(int)


@pytest.fixture(scope="module")
def model(data):
    return RandomForestClassifier(9, max_depth=2, random_state=0).fit(*data)


def test_rows_are_counted_by_case(model, data):
    X, Y = data
    predicted = model.predict(X)
    ax = plot_instances(model, X, Y, ["a", "b"], label=0, layout="mds")
    legend = [text.get_text() for text in ax.get_legend().get_texts()]
    found = {
        "present, predicted": (Y[:, 0] & predicted[:, 0]).sum(),
        "present, not predicted": (Y[:, 0] & (1 - predicted[:, 0])).sum(),
        "absent, not predicted": ((1 - Y[:, 0]) & (1 - predicted[:, 0])).sum(),
        "absent, predicted": ((1 - Y[:, 0]) & predicted[:, 0]).sum(),
    }
    assert legend == [f"{case} ({n})" for case, n in found.items() if n]
    assert len(legend) > 2
    assert ax.get_title() == "40 rows: a"
    ax = plot_instances(model, X, Y, layout="mds")
    n_same = (predicted == Y).all(axis=1).sum()
    assert ax.get_legend().get_texts()[0].get_text() == f"all labels right ({n_same})"


def test_rows_with_missing_values_have_a_place():
    X = np.array([[1.0, np.nan], [2.0, 5.0], [3.0, np.nan], [4.0, np.nan], [12.0, 1.0], [np.nan, 1.0]])
    Y = [[0, 1]] * 4 + [[1, 0]] * 2
    ax = plot_instances(RandomForestClassifier(5, random_state=0).fit(X, Y), X, Y, layout="mds")
    spots = np.concatenate([points.get_offsets() for points in ax.collections])
    assert spots.shape == (6, 2)
    assert np.isfinite(np.ma.filled(spots, np.nan)).all()


def test_curves_are_those_of_scikit_learn(data):
    X, Y = data
    model = RandomForestClassifier(9, max_depth=3, random_state=0).fit(X, Y[:, 0])
    row = RowPaths.of(model, X[3], X, layout="mds", n_groups=1)
    figure = plot_partial_dependence(row, 0, n_features=1)
    ax = figure.axes[0]
    f = int(ax.get_xlabel()[1:])
    assert f == np.argmax(model.feature_importances_)
    curve, mark = ax.lines
    expected = partial_dependence(model, X, [f], method="brute", custom_values={f: curve.get_xdata()})["average"][0]
    np.testing.assert_allclose(curve.get_ydata(), expected)
    assert mark.get_xdata()[0] == pytest.approx(X[3, f])


def test_few_values_have_a_bar_each(model, data):
    row = RowPaths.of(model, data[0][0], data[0], ["x", "grade", "z"], layout="mds", n_groups=1)
    figure = plot_partial_dependence(row, 1)
    place = [ax.get_xlabel() for ax in figure.axes[:3]].index("grade")
    bars = figure.axes[3 + place].patches
    assert [bar.get_height() for bar in bars] == np.bincount(data[0][:, 1].astype(int)).tolist()


def test_what_is_not_there_is_named(model, data):
    with pytest.raises(ValueError, match="label must be from 0 to 1, or None, got 2"):
        plot_instances(model, *data, label=2)
    with pytest.raises(ValueError, match="same number of rows, got 40 and 39"):
        plot_instances(model, data[0], data[1][:39])
    row = RowPaths.of(model, data[0][0], data[0], layout="mds", n_groups=1)
    with pytest.raises(ValueError, match="label must be from 0 to 1, got -1"):
        plot_partial_dependence(row, -1)
