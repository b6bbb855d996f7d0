"""The flat forest predicts what scikit-learn's forest does."""

import re
import warnings

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.ensemble import ExtraTreesClassifier, GradientBoostingClassifier, RandomForestClassifier
from sklearn.exceptions import NotFittedError
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import MaxAbsScaler, MinMaxScaler, QuantileTransformer, RobustScaler, StandardScaler

from mlrx.lionforests.forest import FlatForest
from mlrx.lionforests.scaling import Scaling, greatest_at_most, round_down
from mlrx.rules import Condition, Rule

from .small_forests import LADDER, LADDER_LABELS


def assert_same(model, X):
    forest = FlatForest.read(model)
    expected = model.predict(X)
    found = forest.predict(X)
    assert found.dtype == expected.dtype
    np.testing.assert_array_equal(found, expected)
    np.testing.assert_array_equal(forest.predict_by_model(forest.rows(X)[0]), forest.predict_labels(X)[0])
    proba, expected_proba = forest.predict_proba(X), model.predict_proba(X)
    if not isinstance(expected_proba, list):
        proba, expected_proba = [proba], [expected_proba]
    for mine, theirs in zip(proba, expected_proba, strict=True):
        np.testing.assert_array_equal(mine, theirs)  # to the last bit, since ties turn on it


@st.composite
def forests(draw):
    """A small forest on coarse data, with rows that fall on its thresholds and beside them."""
    rng = np.random.default_rng(draw(st.integers(0, 10_000)))
    n, n_features, n_labels = draw(st.integers(2, 30)), draw(st.integers(1, 4)), draw(st.integers(1, 4))
    X = rng.integers(0, 6, (n, n_features)) / draw(st.sampled_from([1.0, 10.0, 7e5]))
    Y = rng.integers(0, 2, (n, n_labels))
    if draw(st.booleans()):
        X[rng.random(X.shape) < 0.2] = np.nan
    kind = draw(st.sampled_from([RandomForestClassifier, ExtraTreesClassifier]))
    model = kind(
        draw(st.integers(1, 9)),
        max_depth=draw(st.sampled_from([None, 1, 3])),
        min_samples_leaf=draw(st.integers(1, 3)),
        bootstrap=draw(st.booleans()),
        class_weight=draw(st.sampled_from([None, "balanced"])),
        random_state=0,
    ).fit(X, Y[:, 0] if n_labels == 1 else Y)
    test = np.concatenate([X, np.nextafter(X, np.inf), np.nextafter(X.astype(np.float32), -np.inf, dtype=np.float32)])
    return model, test


@settings(max_examples=40)
@given(forests())
def test_predicts_what_the_forest_does(case):
    assert_same(*case)


def test_ties_go_to_the_first_class():
    model = RandomForestClassifier(n_estimators=2, random_state=0).fit(LADDER, LADDER_LABELS)
    forest = FlatForest.read(model)
    assert forest.predict([[2.0]]).tolist() == [[0, 0]]
    assert forest.margins([[2.0]]).tolist() == [[0.0, 0.0]]


def test_compares_float32_values():
    # A comparison of float64 values takes the other branch.
    model = RandomForestClassifier(3, bootstrap=False, random_state=0).fit([[0.1], [0.5]], [[0, 1], [1, 0]])
    forest = FlatForest.read(model)
    assert forest.predict([[0.3]]).tolist() == [[1, 0]]
    assert forest.predict(np.array([[0.3]], dtype=np.float32)).tolist() == [[1, 0]]
    assert float(forest.threshold[0]) == 0.30000001192092896 - 2**-25


def test_greatest_float32_not_above():
    values = np.array([0.3, 1.0, -0.3, 1e-60, -1e-60, 1e300, -1e300, np.inf])
    found = round_down(values, np.float32)
    assert found.dtype == np.float32
    assert found[1] == 1
    assert (found[[3, 5, 7]] == np.array([0, np.finfo(np.float32).max, np.inf], dtype=np.float32)).all()
    assert found[6] == -np.inf
    assert (found <= values).all()
    assert (np.nextafter(found[:5], np.float32(np.inf)) > values[:5]).all()


def test_constant_labels_are_read_through_classes():
    Y = [[0, 1, 0], [0, 1, 0], [0, 1, 1], [0, 1, 1]]
    model = RandomForestClassifier(n_estimators=3, random_state=0).fit([[0.0], [1.0], [2.0], [3.0]], Y)
    forest = FlatForest.read(model)
    assert_same(model, [[0.0], [3.0]])
    assert forest.predict_labels([[3.0]]).tolist() == [[False, True, True]]
    assert forest.margins([[3.0]])[0, :2].tolist() == [-1, 1]


def test_single_leaf_trees():
    Y = [[0, 1], [1, 0], [0, 1], [1, 1]]
    model = RandomForestClassifier(n_estimators=3, random_state=0).fit(np.ones((4, 2)), Y)
    assert FlatForest.read(model).feature.size == 0
    assert FlatForest.read(model).predict([[5.0, -5.0]]).tolist() == [[1, 1]]
    one_row = RandomForestClassifier(n_estimators=3, random_state=0).fit([[0.0, 1.0]], [[0, 1]])
    assert FlatForest.read(one_row).predict([[5.0, 5.0]]).tolist() == [[0, 1]]


@pytest.mark.parametrize(
    ("Y", "present"),
    [
        (np.array([["no", "no"], ["no", "yes"], ["no", "no"]]), [False, True]),
        (np.array([["yes", "no"], ["yes", "yes"], ["yes", "no"]]), [True, True]),
        (np.array([[True, False], [True, True], [True, False]]), [True, True]),
        (np.array([[-1, -1], [-1, 1], [-1, -1]]), [False, True]),
        (np.array([[1, 1], [1, 2], [1, 1]]), [False, True]),
        (np.array([[1, 1], [1, 1], [1, 1]]), [True, True]),
    ],
    ids=["strings", "strings, constant present", "Booleans", "signs", "ones and twos", "all constant"],
)
def test_codes_of_labels(Y, present):
    model = RandomForestClassifier(5, bootstrap=False, random_state=0).fit([[0.0], [1.0], [2.0]], Y)
    assert_same(model, [[0.0], [1.0], [2.0]])
    assert FlatForest.read(model).predict_labels([[1.0]]).tolist() == [present]


def test_warm_start_and_forests_of_differing_trees():
    model = RandomForestClassifier(2, max_depth=1, warm_start=True, random_state=0).fit(LADDER, LADDER_LABELS)
    model.set_params(n_estimators=5, max_depth=None).fit(LADDER, LADDER_LABELS)
    assert FlatForest.read(model).n_trees == 5
    assert_same(model, LADDER)


def test_missing_values_take_the_forests_branch():
    model = RandomForestClassifier(3, bootstrap=False, random_state=0)
    model.fit([[1.0], [2.0], [3.0], [4.0], [12.0]], [[0, 1]] * 4 + [[1, 0]])
    assert FlatForest.read(model).predict([[np.nan]]).tolist() == [[0, 1]]


def test_missing_value_in_sparse_rows_is_refused():
    model = RandomForestClassifier(3, random_state=0).fit(LADDER, LADDER_LABELS)
    assert_same(model, sp.csr_array(LADDER))
    with pytest.raises(ValueError, match="contains NaN"):
        FlatForest.read(model).predict(sp.csr_array([[np.nan]]))


@pytest.mark.parametrize("value", [np.inf, -1e300])
def test_the_column_of_a_value_too_large_is_named(value):
    frame = pd.DataFrame({"size": [1.0, 2.0, 3.0, 4.0], "speed": [1.0, 0.0, 1.0, 0.0]})
    forest = FlatForest.read(RandomForestClassifier(2, random_state=0).fit(frame, [0, 1, 0, 1]))
    frame.loc[2, "speed"] = value
    with pytest.raises(ValueError, match="the column 'speed' of X has infinity or what is too large for float32"):
        forest.rows(frame)


def test_missing_value_is_refused_where_the_forest_does():
    model = RandomForestClassifier(3, monotonic_cst=[1], random_state=0).fit(LADDER, [0, 0, 0, 1, 1, 1])
    assert_same(model, LADDER)
    with pytest.raises(ValueError, match="contains NaN"):
        FlatForest.read(model).predict([[np.nan]])


@pytest.mark.parametrize(
    "make",
    [
        np.asarray,
        sp.csr_array,
        lambda X: pd.DataFrame(X, columns=["a"]),
        lambda X: pd.DataFrame(X, columns=["a"]).assign(b=0.5),
        lambda X: pd.DataFrame(X, columns=["a"]).assign(b=0.5, c=True),
        lambda X: pd.DataFrame(X, columns=["a"], dtype="Int64").assign(b=0.5),
    ],
)
def test_long_integers_go_where_the_model_lets_them_go(make):
    # Those of a frame of integers were rounded twice: to float64 and to float32.
    X, test = make(np.array([[2**60], [2**60 + 2**37]])), make(np.array([[2**60 + 2**36 + 1]]))
    model = RandomForestClassifier(3, bootstrap=False, max_features=None, random_state=0).fit(X, [0, 1])
    forest = FlatForest.read(model)
    assert forest.predict(test).tolist() == model.predict(test).tolist()
    side = Rule([Condition(0, lower=forest.stated_threshold[0])], [0], dtype="float32")
    assert side.covers(test).tolist() == (model.predict(test) == 1).tolist()


def test_containers_agree_without_warnings():
    frame = pd.DataFrame({"a": [0.0, 1, 2, 3], "b b": [3.0, 1, 0, 2]})
    model = RandomForestClassifier(5, random_state=0).fit(frame, [[0, 1], [1, 0], [1, 1], [0, 0]])
    forest = FlatForest.read(model)
    expected = model.predict(frame)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for X in (frame, frame.to_numpy(), frame[["b b", "a"]], frame.to_numpy().tolist()):
            np.testing.assert_array_equal(forest.predict(X), expected)
        for x in (frame.iloc[0], frame.iloc[[0]], frame.to_numpy()[0], [0.0, 3.0]):
            assert forest.row(x).tolist() == [0, 3]
    with pytest.raises(ValueError, match="'b b'"):
        forest.predict(frame[["a"]])
    with pytest.raises(ValueError, match="'c'"):
        forest.predict(frame.assign(c=1))
    with pytest.raises(ValueError, match="3 features, but the forest was fitted with 2"):
        forest.predict(np.ones((1, 3)))
    with pytest.raises(ValueError, match="one row, got 4"):
        forest.row(frame)


def test_other_models_are_refused_by_name():
    with pytest.raises(TypeError, match="GradientBoostingClassifier"):
        FlatForest.read(GradientBoostingClassifier())
    with pytest.raises(NotFittedError, match="not fitted"):
        FlatForest.read(RandomForestClassifier())
    with pytest.raises(ValueError, match=r"label 1 has 3 classes"):
        FlatForest.read(RandomForestClassifier(2).fit([[0.0], [1], [2]], [[0, 0], [0, 1], [1, 2]]))
    with pytest.raises(ValueError, match="'no', which may mean present or absent"):
        FlatForest.read(RandomForestClassifier(2).fit([[0.0], [1]], ["no", "no"]))
    quantiles = make_pipeline(QuantileTransformer(n_quantiles=2), RandomForestClassifier(2)).fit([[0.0], [1]], [0, 1])
    with pytest.raises(TypeError, match="QuantileTransformer; allowed are StandardScaler"):
        FlatForest.read(quantiles)


class OtherForest(RandomForestClassifier):
    def predict(self, X):
        return 1 - super().predict(X)


class OtherScaler(StandardScaler):
    def transform(self, X):
        return -super().transform(X)


class OtherPipeline(Pipeline):
    def predict_proba(self, X):
        return np.ones((len(X), 2))


class ForestOfAbsence(ExtraTreesClassifier):
    def fit(self, X, y, sample_weight=None):
        return super().fit(X, 1 - np.asarray(y), sample_weight)


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (OtherForest(2), "OtherForest has a predict of its own, .* that of RandomForestClassifier"),
        (make_pipeline(StandardScaler(), OtherForest(2)), "OtherForest has a predict"),
        (make_pipeline(OtherScaler(), RandomForestClassifier(2)), "OtherScaler has a transform"),
        (OtherPipeline([("f", RandomForestClassifier(2))]), "OtherPipeline has a predict_proba"),
    ],
)
def test_subclasses_that_predict_otherwise_are_refused(model, message):
    # They were taken for their parents, and certified rules lost their labels.
    with pytest.raises(TypeError, match=message):
        FlatForest.read(model.fit(LADDER, LADDER_LABELS))


def test_method_of_the_object_alone_is_refused():
    model = RandomForestClassifier(2).fit(LADDER, LADDER_LABELS)
    model.predict = len
    with pytest.raises(TypeError, match="RandomForestClassifier has a predict of its own"):
        FlatForest.read(model)


def test_subclass_that_learns_otherwise_is_read():
    assert_same(ForestOfAbsence(2, random_state=0).fit(LADDER, LADDER_LABELS), LADDER)


@pytest.mark.parametrize("weights", [[1, -0.5, 1, 1, 1, 1], [1, -1, 1e-9, 1, 1, 1]])
def test_leaves_without_probabilities_are_refused(weights):
    # Negative sample weights, which scikit-learn takes, led to certified rules that lose their label.
    model = RandomForestClassifier(3, max_depth=1, bootstrap=False, random_state=0)
    model.fit(LADDER, LADDER_LABELS, sample_weight=weights)
    values = np.concatenate([tree.tree_.value.ravel() for tree in model.estimators_])
    assert values.min() < -0.1
    with pytest.raises(ValueError, match=r"leaf \d+ .* values \[.*\] for label \d; class probabilities"):
        FlatForest.read(model)


@pytest.mark.parametrize("weights", [[0, 0, 0, 1, 1, 1], [1e-300, 1, 1e-300, 1, 1, 1e300], [0.1, 0.7, 1e-9, 3, 1, 1]])
def test_odd_weights_are_read(weights):
    model = RandomForestClassifier(3, bootstrap=False, random_state=0)
    assert_same(model.fit(LADDER, LADDER_LABELS, sample_weight=weights), LADDER)


# Pipelines.


@pytest.mark.parametrize("scaler", [StandardScaler(), MinMaxScaler((-1, 1)), MaxAbsScaler(), RobustScaler(copy=False)])
def test_pipeline_is_taken_whole(scaler):
    rng = np.random.default_rng(0)
    X = rng.normal(50, 20, (40, 3)).round(1)
    Y = (X[:, :2] + rng.normal(0, 5, (40, 2)) > 50).astype(int)
    model = make_pipeline(scaler, "passthrough", StandardScaler(), RandomForestClassifier(7, random_state=0)).fit(X, Y)
    test = rng.normal(50, 30, (200, 3))
    before = test.copy()
    found = FlatForest.read(model).predict(test)
    np.testing.assert_array_equal(test, before)
    np.testing.assert_array_equal(found, model.predict(test.copy()))
    test = test.astype(np.float32)  # scalers then compute in float32
    for X in (test, pd.DataFrame(test)):
        proba = np.stack(FlatForest.read(model).predict_proba(X))
        np.testing.assert_array_equal(proba, np.stack(model.predict_proba(test.copy())))


@pytest.mark.parametrize("first", ["passthrough", None])
def test_names_of_a_pipeline_whose_first_step_is_passed_through(first):
    # The pipeline has no names then, and a frame with its columns in another order was read by position.
    frame = pd.DataFrame(np.random.default_rng(0).normal(size=(40, 3)), columns=list("abc"))
    Y = (frame[["a", "b"]] > 0).to_numpy().astype(int)
    for steps in ([StandardScaler(), MinMaxScaler()], []):
        model = Pipeline([(str(k), step) for k, step in enumerate([first, *steps, RandomForestClassifier(5)])])
        model.fit(frame, Y)
        forest = FlatForest.read(model)
        assert forest.feature_names == ("a", "b", "c")
        np.testing.assert_array_equal(forest.predict(frame[list("cba")]), model.predict(frame))
        np.testing.assert_array_equal(forest.rows(frame[list("bca")]), forest.rows(frame.to_numpy()))
    # Names that a scaler makes up for what follows are not those of the columns.
    model = make_pipeline(StandardScaler().set_output(transform="pandas"), RandomForestClassifier(5))
    assert FlatForest.read(model.fit(frame.to_numpy(), Y)).feature_names is None


def test_cut_is_the_last_original_value_that_goes_left():
    X = np.array([[0.1, 5.0], [0.7, 6.0], [0.9, 9.0]])
    model = make_pipeline(MinMaxScaler(), StandardScaler(), RandomForestClassifier(2)).fit(X, [[0, 1], [1, 0], [1, 1]])
    scaling = Scaling.read(model)
    thresholds = np.array([[0.3, -0.2], [1e-3, 1.1], [0.0, 0.0]], dtype=np.float32)
    cuts = scaling.cuts(thresholds)
    assert (scaling.transform(cuts) <= thresholds).all()
    assert (scaling.transform(np.nextafter(cuts, np.inf)) > thresholds).all()


def test_float32_rows_that_a_pipeline_predicts_otherwise_are_named():
    # Scalers compute in float32 for them; a rule for other labels than the model predicts came without a word.
    rng = np.random.default_rng(0)
    X = rng.normal(50, 20, (60, 1))
    model = make_pipeline(StandardScaler(), RandomForestClassifier(3, random_state=0)).fit(X, (X[:, 0] // 9 % 2))
    forest = FlatForest.read(model)
    near = np.unique(forest.scaling.cuts(forest.threshold[:, None])).astype(np.float32)
    rows = np.concatenate([near, np.nextafter(near, np.float32(0)), np.nextafter(near, np.float32(1e9))])[:, None]
    differs = model.predict(rows) != model.predict(rows.astype(float))
    assert 0 < differs.sum() < 20
    with pytest.warns(UserWarning, match=re.escape(f"float32 rows {np.flatnonzero(differs).tolist()} of X")):
        found = forest.rows(rows)
    np.testing.assert_array_equal(found, rows.astype(float))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        forest.rows(rows[~differs])
        forest.rows(rows.astype(float))
        np.testing.assert_array_equal(forest.predict(rows), model.predict(rows))


def test_values_that_overflow_when_scaled_are_refused_as_the_model_does():
    # 1.7e308 was explained, and predict refuses it.
    X = np.array([[1.0, 50.0, np.nan], [2.0, 90.0, np.nan], [4.0, 70.0, np.nan]])
    forest_of_two = RandomForestClassifier(2, random_state=0)
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        for scalers in ([StandardScaler()], [MinMaxScaler((0, 1e-3)), StandardScaler()], [MinMaxScaler(clip=True)]):
            model = make_pipeline(*scalers, forest_of_two).fit(X, [[0, 1], [1, 0], [1, 1]])
            forest = FlatForest.read(model)
            largest = np.finfo(float).max
            assert (np.abs(forest.limits[:, 2]) == largest).all()  # of this column nothing is known, and nothing asked
            for end, outward in zip(forest.limits[:, :2], (-np.inf, np.inf)):
                rows = [np.append(end, 0)]
                np.testing.assert_array_equal(forest.predict(rows), model.predict(rows))
                assert forest.row(rows).tolist() == rows[0].tolist()
                for f in np.flatnonzero(np.abs(end) < largest):
                    rows = [[1.0, 60.0, 0.0]]
                    rows[0][f] = np.nextafter(end[f], outward)
                    for refuse in (model.predict, forest.predict, forest.rows):
                        with pytest.raises(ValueError, match=r"too large|infinity"):
                            refuse(rows)
    assert forest.limits[1, 0] == largest  # clipped, everything is accepted
    assert FlatForest.read(forest_of_two).limits[:, 1].tolist() == [-np.finfo("f4").max, np.finfo("f4").max]


def test_greatest_at_most():
    bounds = np.array([0.0, 2.5, -1e308, -np.inf, np.inf])
    found = greatest_at_most(lambda x: x, bounds)
    assert found.tolist() == [0.0, 2.5, -1e308, -np.inf, np.finfo(float).max]
    assert greatest_at_most(lambda x: np.floor(x), np.array([2.0])).tolist() == [np.nextafter(3.0, 0)]
