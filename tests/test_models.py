"""Models as files: restored exactly; anything else is named."""

import json

import numpy as np
import pytest

from mlrx import CorsetClassifier, VotingRulesClassifier
from mlrx.models import RuleModel, read_model, write_model

X = [[1, 0], [1, 1], [0, 1], [0, 0]] * 3
Y = [[1], [1], [0], [0]] * 3


@pytest.fixture
def path(tmp_path):
    estimator = CorsetClassifier(1, random_state=np.random.RandomState(0), pool_size=np.int64(9)).fit(X, Y)
    write_model(estimator, tmp_path / "m")
    return tmp_path / "m"


def test_model_is_restored(path):
    model = read_model(path)
    assert model.predict(X).tolist() == Y
    assert model.parameters["pool_size"] == 9
    assert model.parameters["random_state"].startswith("RandomState")
    write_model(model, path.with_name("again"))
    assert path.with_name("again").read_bytes() == path.read_bytes()


def test_what_was_chosen_is_kept(tmp_path):
    estimator = VotingRulesClassifier(n_trees=5, unit=0.1, random_state=0).fit(X, Y)
    write_model(estimator, tmp_path / "m")
    kept = read_model(tmp_path / "m").parameters
    assert {name: kept[name] for name in ("ridge", "unit", "lenience")} == {
        name: getattr(estimator, f"{name}_") for name in ("ridge", "unit", "lenience")
    }
    assert "binarizer" not in kept


def test_estimator_that_is_not_fitted_is_refused(tmp_path):
    with pytest.raises(ValueError, match="not fitted"):
        write_model(CorsetClassifier(), tmp_path / "m")
    with pytest.raises(ValueError, match="not fitted"):
        RuleModel.of(CorsetClassifier())


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"format": "other"}, "not a model: the field 'format' must be 'mlrx.model', got 'other'"),
        ({"version": 2}, "model of format version 2; this mlrx reads 1"),
        (
            {"rules": {"format": "mlrx.votes"}},
            r"rules must be of a format among \['mlrx.pointrules', 'mlrx.ruleset'\], got 'mlrx.votes'",
        ),
        ({"rules": None}, "the model is damaged"),
        ({"categories": {"x9": ["a"]}}, r"columns that the rules do not know: \['x9'\]"),
        ({"categories": 3}, "the model is damaged"),
        ({"learner": ...}, "it lacks the field 'learner'"),
    ],
)
def test_other_files_are_named(path, change, message):
    document = json.loads(path.read_text()) | change
    path.write_text(json.dumps({key: value for key, value in document.items() if value is not ...}))
    with pytest.raises(ValueError, match=f"m: .*{message}"):
        read_model(path)


@pytest.mark.parametrize("text", ["", "{", "[" * 100_000, "[1]", "null"])
def test_text_that_is_no_model_is_named(path, text):
    path.write_text(text)
    with pytest.raises(ValueError, match=r"m: (the model is damaged: it is no JSON|not a model)"):
        read_model(path)
