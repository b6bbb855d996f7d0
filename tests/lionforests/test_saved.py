"""Saved forests: loaded, or refused in one message that names both versions of scikit-learn."""

import gzip
import pickle
import warnings

import joblib
import pytest
import sklearn
from sklearn.ensemble import RandomForestClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from mlrx import LionForestsExplainer
from mlrx.lionforests import load_forest

from .small_forests import LADDER, LADDER_LABELS

BOTH = rf"saved by scikit-learn 1\.2\.2 and cannot be relied on with scikit-learn {sklearn.__version__}"


def fail(path):
    raise ValueError("node array from the pickle has an incompatible dtype")


@pytest.fixture
def model():
    return RandomForestClassifier(3, random_state=0).fit(LADDER, LADDER_LABELS)


def test_loads_what_this_version_saved(model, tmp_path):
    joblib.dump(model, tmp_path / "a.joblib", compress=3)
    (tmp_path / "a.pkl").write_bytes(pickle.dumps(model))
    expected = LionForestsExplainer(model).fit(LADDER).explain([5.0])[0].rule
    for name in ("a.joblib", "a.pkl"):
        assert LionForestsExplainer(load_forest(tmp_path / name)).fit(LADDER).explain([5.0])[0].rule == expected


@pytest.mark.parametrize("protocol", [2, 3, 4, 5])
@pytest.mark.parametrize("fails", [False, True])
def test_version_that_is_not_this_one(model, tmp_path, monkeypatch, protocol, fails):
    with monkeypatch.context() as old:
        old.setattr("sklearn.base.__version__", "1.2.2")
        (tmp_path / "old.pkl").write_bytes(pickle.dumps(model, protocol=protocol))
    if fails:  # as trees from before missing values do
        monkeypatch.setattr(joblib, "load", fail)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(ValueError, match=BOTH):
            load_forest(tmp_path / "old.pkl")


def test_bug_fix_version_is_loaded_with_a_warning(model, tmp_path, monkeypatch):
    minor = ".".join(sklearn.__version__.split(".")[:2])
    with monkeypatch.context() as old:
        old.setattr("sklearn.base.__version__", f"{minor}.99")
        joblib.dump(model, tmp_path / "near.joblib")
    with pytest.warns(UserWarning, match=rf"from version {minor}\.99"):
        assert load_forest(tmp_path / "near.joblib").n_estimators == 3


@pytest.mark.parametrize("suffix", ["", ".gz"])
@pytest.mark.parametrize(
    ("now", "then"),
    [
        (b"sklearn.ensemble._forest", b"sklearn.ensemble.forest_"),
        (b"RandomForestClassifier", b"RandomForestClassifyer"),
    ],
)
def test_modules_and_classes_that_are_gone(model, tmp_path, suffix, now, then):
    # Pickles of before 0.22 gave a ModuleNotFoundError.
    saved = pickle.dumps(model).replace(now, then).replace(sklearn.__version__.encode(), b"0.2.2")
    path = tmp_path / f"old.pkl{suffix}"
    path.write_bytes(gzip.compress(saved) if suffix else saved)
    with pytest.raises(ValueError, match=r"saved by scikit-learn (0\.2\.2|of another version) and cannot be relied on"):
        load_forest(path)


def test_what_is_no_forest_is_refused(model, tmp_path):
    # A dict that holds a forest was returned.
    joblib.dump({"model": model}, tmp_path / "dict.joblib")
    with pytest.raises(TypeError, match=r"dict\.joblib: forest must be a RandomForestClassifier .* got dict"):
        load_forest(tmp_path / "dict.joblib")
    pipeline = make_pipeline(StandardScaler(), model).fit(LADDER, LADDER_LABELS)
    joblib.dump(pipeline, tmp_path / "pipeline.joblib")
    assert load_forest(tmp_path / "pipeline.joblib").steps[-1][1].n_estimators == 3


def test_other_failures_are_passed_on(tmp_path, monkeypatch):
    (tmp_path / "other.pkl").write_bytes(b"cno_such_module\nThing\n.")
    with pytest.raises(ModuleNotFoundError, match="no_such_module"):
        load_forest(tmp_path / "other.pkl")
    with pytest.raises(OSError, match="absent"):
        load_forest(tmp_path / "absent.joblib")
    monkeypatch.setattr(joblib, "load", fail)
    (tmp_path / "text.joblib").write_text("no model", "utf-8")
    with pytest.raises(ValueError, match="incompatible dtype"):
        load_forest(tmp_path / "text.joblib")
