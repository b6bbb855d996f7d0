import matplotlib.pyplot as plt
import numpy as np
import pytest
from sklearn.ensemble import RandomForestClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler

from mlrx.lionforests import FlatForest, ForestCells
from mlrx.lionforests.paths import Paths
from mlrx.plotting import RowPaths, plot_feature_summary, plot_path_flow, plot_paths
from mlrx.plotting.places import find_places, group_places
from mlrx.plotting.votes import Votes
from mlrx.plotting.walks import leaf_shares, split_features

FEATURES, LABELS = (
    ("wind speed [m/s]", "humidity", "a_very_long_name_of_a_column", "cost in $"),
    ("calm", "storm", "rain"),
)


@pytest.fixture(scope="module")
def data():
    rng = np.random.default_rng(2)
    X = rng.normal(size=(80, 4))
    return X, np.column_stack([X[:, 0] > 0, X[:, 0] + X[:, 1] > 0.5, X[:, 2] * X[:, 1] > 0]).astype(int)


@pytest.fixture(scope="module")
def model(data):
    return make_pipeline(MinMaxScaler(), RandomForestClassifier(30, max_depth=4, random_state=0)).fit(*data)


@pytest.fixture(scope="module")
def row(model, data):
    return RowPaths.of(model, data[0][5], data[0], FEATURES, LABELS, layout="mds", n_groups=3)


def texts(ax):
    return [text.get_text() for text in ax.texts]


def test_splits_and_leaves_are_those_of_scikit_learn(model, data):
    X = data[0]
    forest = FlatForest.read(model)
    splits = split_features(forest, X[5])
    scaled = model[0].transform(X).astype(np.float32)
    for tree, estimator in enumerate(model[1].estimators_):
        nodes = estimator.decision_path(scaled[5:6]).indices
        assert splits[tree][splits[tree] >= 0].tolist() == estimator.tree_.feature[nodes[:-1]].tolist()
    leaves = np.concatenate(
        [np.bincount(e.apply(scaled), minlength=e.tree_.node_count)[e.tree_.children_left < 0]
         for e in model[1].estimators_]
    )  # fmt: skip
    np.testing.assert_allclose(leaf_shares(forest, X), leaves / len(X))


def test_missing_values_go_where_the_trees_send_them():
    X = np.array([[1.0], [2.0], [3.0], [4.0], [12.0], [np.nan]])
    model = RandomForestClassifier(5, random_state=0).fit(X, [[0, 1]] * 4 + [[1, 0]] * 2)
    cells = ForestCells.of(model)
    for x in X:
        expected = np.zeros(cells.forest.leaf_start[-1])
        expected[cells.leaves_at(cells.locate(x[None])[0])] = 1
        assert leaf_shares(cells.forest, x[None]).tolist() == expected.tolist()


def test_trees_of_one_leaf_have_no_splits():
    model = RandomForestClassifier(3, random_state=0).fit(np.ones((4, 2)), [[0, 1], [1, 0], [0, 1], [1, 1]])
    assert split_features(FlatForest.read(model), [1.0, 1.0]).shape == (3, 0)
    row = RowPaths.of(model, [1.0, 1.0], np.ones((4, 2)))
    assert row.n_groups == 1
    for draw in (plot_paths, plot_feature_summary, plot_path_flow):
        draw(row).figure.canvas.draw()


def test_places_keep_equal_paths_together_and_distances_apart():
    spots = np.array([[0.0, 0.0], [3.0, 0.0], [0.0, 4.0], [3.0, 4.0], [3.0, 4.0]])
    distances = np.linalg.norm(spots[:, None] - spots, axis=2)
    places = find_places(distances, "mds", 0)
    np.testing.assert_allclose(np.linalg.norm(places[:, None] - places, axis=2), distances, atol=1e-3)
    assert places[3].tolist() == places[4].tolist()
    with pytest.raises(ValueError, match=r"layout must be one of .*'umap'"):
        find_places(distances, "umap", 0)


@pytest.mark.parametrize("n", [1, 2, 3])
@pytest.mark.parametrize("layout", ["mds", "tsne"])
def test_few_paths_have_places(n, layout):
    distances = 1.0 - np.eye(n)
    places = find_places(distances, layout, 0)
    assert len(np.unique(places, axis=0)) == n
    assert np.isfinite(places).all()


def test_groups_are_numbered_by_size():
    places = np.array([[0.0, 0.0]] * 2 + [[9.0, 9.0]] * 5 + [[0.0, 9.0]] * 3) + 0.01 * np.arange(10)[:, None]
    assert group_places(places, 3, 0).tolist() == [2] * 2 + [0] * 5 + [1] * 3
    assert group_places(np.zeros((4, 2)), 3, 0).tolist() == [0] * 4


def test_same_seed_same_picture(model, data):
    first, second = (RowPaths.of(model, data[0][5], data[0], n_groups=3) for _ in range(2))
    np.testing.assert_array_equal(first.places, second.places)
    np.testing.assert_array_equal(first.groups, second.groups)


def test_votes_by_hand():
    probabilities = np.array([[0.9, 0.1], [0.6, 0.8], [0.5, 0.9], [0.2, 0.3]])
    votes = Votes.of(probabilities, np.array([True, False]), ("a", "b"), None)
    assert votes.kinds.tolist() == [0, 1, 2, 2]
    assert Votes.of(probabilities, np.array([False, False]), ("a", "b"), None).kinds.tolist() == [2, 2, 2, 0]
    # A tie is no vote for a label.
    votes = Votes.of(probabilities, np.array([True, False]), ("a", "b"), 0)
    assert [votes.names[kind] for kind in votes.kinds] == ["for a", "for a", "against a", "against a"]
    with pytest.raises(ValueError, match="label must be from 0 to 1, or None, got 2"):
        Votes.of(probabilities, np.array([True, False]), ("a", "b"), 2)


@pytest.mark.parametrize("label", [None, 1])
def test_map_shows_every_path_once(row, label):
    ax = plot_paths(row, label=label)
    assert sum(len(points.get_offsets()) for points in ax.collections) <= 30
    legend = [text.get_text() for text in ax.get_legend().get_texts()]
    votes = row.votes(label)
    expected = [f"{votes.names[k]} ({(votes.kinds == k).sum()})" for k in votes.present_kinds()]
    assert legend == expected
    assert texts(ax) == ["0", "1", "2"]


def test_summary_frames_what_all_paths_permit(row):
    ax = plot_feature_summary(row, group=0)
    trees = row.trees(0)
    n_users = row.paths.used[trees].sum(axis=0)
    first = int(np.argmax(n_users))
    frame, mark = ax.lines[:2]
    cut = row.paths.cells.cuts[first]
    users = trees[row.paths.used[trees, first]]
    low = max([cut[k - 1] for k in row.paths.lower[users, first] if k > 0], default=row.X[:, first].min())
    high = min([cut[k] for k in row.paths.upper[users, first] if k < cut.size], default=row.X[:, first].max())
    least, greatest = row.X[:, first].min(), row.X[:, first].max()
    ends = (np.array([low, high]) - least) / (greatest - least)
    assert frame.get_xdata()[:2] == pytest.approx(ends)
    assert mark.get_xdata()[0] == pytest.approx((row.x[first] - least) / (greatest - least))
    # All of the paths permit the row's own value.
    shades = ax.collections[0]
    edges = shades.get_coordinates()[0, :, 0]
    at_row = min(np.searchsorted(edges, mark.get_xdata()[0], side="left"), edges.size - 1) - 1
    assert shades.get_array().ravel()[max(at_row, 0)] == 1.0


def test_flow_blocks_are_shares_of_paths(row):
    ax = plot_path_flow(row, n_features=2)
    splits = split_features(row.forest, row.x)
    blocks = [bar for bar in ax.patches if bar.get_height() > 0]
    for depth in range(splits.shape[1]):
        own = [bar.get_height() for bar in blocks if round(bar.get_x() + bar.get_width() / 2) == depth]
        assert sum(own) == pytest.approx(1.0)
    counts = np.bincount(splits[splits >= 0], minlength=4)
    top = np.argsort(-counts, kind="stable")[:2]
    heights = {bar.get_facecolor(): bar.get_height() for bar in blocks if abs(bar.get_x() + bar.get_width() / 2) < 0.1}
    names = [text.get_text().replace("\n", "") for text in ax.get_legend().get_texts()]
    assert names == [*(FEATURES[f].replace("$", r"\$") for f in top), "2 other features", "path has ended"]
    assert sorted(heights.values()) == pytest.approx(
        sorted(share for share in [*(np.mean(splits[:, 0] == f) for f in top), 1 - np.isin(splits[:, 0], top).mean()])
    )


def test_what_is_not_there_is_named(row, model, data):
    with pytest.raises(ValueError, match="group must be from 0 to 2, or None for all paths, got 3"):
        plot_path_flow(row, group=3)
    with pytest.raises(ValueError, match="n_features must be from 1 to 7, got 8"):
        plot_path_flow(row, n_features=8)
    with pytest.raises(ValueError, match="label_names must have 3 entries, got 2"):
        RowPaths.of(model, data[0][0], data[0], label_names=("a", "b"))
    with pytest.raises(ValueError, match="n_groups must be at least 1, got 0"):
        RowPaths.of(model, data[0][0], data[0], n_groups=0)


def test_distances_are_those_of_the_explainer(row):
    ranges = [row.X.min(axis=0), row.X.max(axis=0)]
    paths = Paths.of(row.paths.cells, row.paths.cells.locate(row.x[None])[0], ranges)
    distances = paths.distances(np.arange(30))
    np.testing.assert_array_equal(row.places, find_places(distances, "mds", 0))


@pytest.mark.parametrize("draw", [plot_paths, plot_feature_summary, plot_path_flow])
def test_given_axes_are_drawn_on(row, draw):
    _, ax = plt.subplots()
    assert draw(row, ax=ax) is ax
