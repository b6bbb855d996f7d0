"""Forests as JSON files: the same predictions and explanations; what is no tree is named."""

import json

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import RandomForestClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from mlrx import Condition, LionForestsExplainer, Rule
from mlrx.lionforests import ForestCells, find_violation, read_forest, write_forest

from .small_forests import LADDER, LADDER_LABELS, all_cells, rows_in, small_forest


@pytest.mark.parametrize("with_missing", [False, True])
@pytest.mark.parametrize("seed", range(12))
def test_forest_is_restored(tmp_path, seed, with_missing):
    model = small_forest(seed, with_missing)
    write_forest(model, tmp_path / "f.json")
    forest = read_forest(tmp_path / "f.json").forest
    cells = ForestCells.of(model)
    rows = rows_in(cells, all_cells(cells))
    assert np.array_equal(forest.predict(rows), cells.forest.predict(rows))
    assert np.array_equal(forest.margins(rows), cells.forest.margins(rows))
    for name in ("roots", "feature", "left", "right", "threshold", "stated_threshold", "leaf_start", "votes"):
        assert np.array_equal(getattr(forest, name), getattr(cells.forest, name)), name


def test_explanations_are_the_same(tmp_path):
    X = pd.DataFrame(LADDER, columns=["wind"])
    model = RandomForestClassifier(7, random_state=0).fit(X, LADDER_LABELS)
    write_forest(model, tmp_path / "f.json", label_names=["a", "b"])
    saved = read_forest(tmp_path / "f.json")
    assert (saved.forest.feature_names, saved.label_names) == (("wind",), ("a", "b"))
    expected = LionForestsExplainer(model, label_names=["a", "b"]).fit(X).explain_many(X, "each", progress=False)
    explainer = LionForestsExplainer(saved.forest, label_names=saved.label_names).fit(X)
    assert explainer.explain_many(X, "each", progress=False) == expected


def test_violation_is_found_without_the_model(tmp_path):
    model = RandomForestClassifier(7, random_state=0).fit(LADDER, LADDER_LABELS)
    write_forest(model, tmp_path / "f.json")
    rule = Rule([Condition(0, lower=0.5)], [0])
    assert find_violation(read_forest(tmp_path / "f.json").forest, rule, [0]) == find_violation(model, rule, [0])


def test_classes_that_are_texts(tmp_path):
    model = RandomForestClassifier(3, random_state=0).fit(LADDER, ["no", "no", "yes", "yes", "yes", "yes"])
    write_forest(model, tmp_path / "f.json")
    assert read_forest(tmp_path / "f.json").forest.predict(LADDER).tolist() == model.predict(LADDER).tolist()


def test_what_cannot_be_written_is_named(tmp_path):
    model = RandomForestClassifier(3, random_state=0).fit(LADDER, LADDER_LABELS)
    with pytest.raises(TypeError, match="without scalers"):
        write_forest(make_pipeline(StandardScaler(), model), tmp_path / "f.json")
    with pytest.raises(TypeError, match="forest must be a RandomForestClassifier"):
        write_forest(StandardScaler(), tmp_path / "f.json")
    with pytest.raises(ValueError, match="label_names has 1 names for 2"):
        write_forest(model, tmp_path / "f.json", label_names=["a"])
    assert list(tmp_path.iterdir()) == []


TREE = {
    "left": [1, -1, -1],
    "right": [2, -1, -1],
    "feature": [0, -1, -1],
    "threshold": [0.5, 0.0, 0.0],
    "missing_left": [False, False, False],
    "votes": [[[1.0, 0.0]], [[0.25, 0.75]]],
}
DOCUMENT = {
    "format": "mlrx.forest",
    "version": 1,
    "feature_names": ["a"],
    "label_names": ["L"],
    "classes": [[0, 1]],
    "allows_missing": False,
    "trees": [TREE],
}


def read(folder, document):
    path = folder / "f.json"
    path.write_text(json.dumps(document))
    return read_forest(path)


def test_smallest_file(tmp_path):
    assert read(tmp_path, DOCUMENT).forest.predict([[0.0], [1.0]]).tolist() == [0, 1]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"format": "x"}, "not a forest: the field 'format' must be 'mlrx.forest', got 'x'"),
        ({"version": 2}, "forest of format version 2; this mlrx reads 1"),
        ({"feature_names": []}, "feature_names must list texts"),
        ({"label_names": "L"}, "label_names must list texts"),
        ({"classes": [[0, 1], [0, 1]]}, "classes must list the one or two classes of each of the 1 labels"),
        ({"classes": [[0, 1, 2]]}, "tree 0: votes has the shape"),
        ({"allows_missing": 1}, "allows_missing must be true or false, got 1"),
        ({"trees": []}, "trees must hold one tree at least"),
        ({"trees": [3]}, "damaged: tree 0"),
    ],
)
def test_damage_is_named(tmp_path, change, message):
    with pytest.raises(ValueError, match=rf"f\.json: .*{message}"):
        read(tmp_path, DOCUMENT | change)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"left": [1, -1]}, "right has 3 entries for 2 nodes"),
        ({"left": [0, -1, -1]}, "must make one tree"),
        ({"left": [2, -1, -1]}, "must make one tree"),
        ({"left": [3, -1, -1]}, "must make one tree"),
        ({"left": [0.5, -1, -1]}, "left must list whole numbers"),
        ({"right": [2, -1, 1]}, "must make one tree"),
        ({"feature": [1, -1, -1]}, "feature must be from 0 to 0"),
        ({"feature": [-1, -1, -1]}, "feature must be from 0 to 0"),
        ({"threshold": [None, 0, 0]}, "threshold must hold numbers"),
        ({"threshold": ["much", 0, 0]}, "much"),
        ({"missing_left": [0, 0, 0]}, "missing_left must hold true and false"),
        ({"votes": [[[1.0, 0.0]]]}, "votes has the shape"),
        ({"votes": [[[1.0, 0.0]], [[2.0, -1.0]]]}, "class probabilities, from 0 to 1"),
    ],
)
def test_what_is_no_tree_is_named(tmp_path, change, message):
    with pytest.raises(ValueError, match=message):
        read(tmp_path, DOCUMENT | {"trees": [TREE | change]})


def test_field_that_lacks_is_named(tmp_path):
    with pytest.raises(ValueError, match="tree 0 lacks the field 'votes'"):
        read(tmp_path, DOCUMENT | {"trees": [{key: value for key, value in TREE.items() if key != "votes"}]})
    with pytest.raises(ValueError, match="it lacks the field 'classes'"):
        read(tmp_path, {key: value for key, value in DOCUMENT.items() if key != "classes"})
