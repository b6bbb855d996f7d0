import warnings

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from sklearn.base import clone
from sklearn.utils.estimator_checks import estimator_checks_generator

from mlrx.binarize import FeatureBinarizer
from mlrx.rules import Condition, Rule

CHECKS = [
    (check.func.__name__, check, estimator) for estimator, check in estimator_checks_generator(FeatureBinarizer())
]


@pytest.mark.parametrize(("name", "check", "estimator"), CHECKS, ids=[name for name, *_ in CHECKS])
def test_scikit_learn_checks(name, check, estimator):
    check(estimator)


def items_of(X, **parameters):
    return FeatureBinarizer(**parameters).fit(X).items_


# Numeric columns.


def test_cut_lies_below_smallest_value_at_or_above_the_percentile():
    X = np.arange(1.0, 11.0).reshape(-1, 1)  # 90th percentile: 9.1; smallest value at or above it: 10
    binarizer = FeatureBinarizer().fit(X)
    assert binarizer.items_ == (Condition(0, lower=9.5),)
    assert binarizer.kinds_ == ("numeric",)
    assert binarizer.transform(X).toarray().ravel().tolist() == [0] * 9 + [1]


def test_value_equal_to_the_percentile_counts():
    X = np.array([[1.0], [2.0], [4.0]])  # median: 2
    assert items_of(X, percentiles=(50,)) == (Condition(0, lower=1.5),)


def test_both_sides_and_merged_cuts():
    X = np.array([[1.0], [2.0], [3.0], [4.0]])
    binarizer = FeatureBinarizer(percentiles=(75, 25, 80), sides="both").fit(X)
    # 25: 1.75, so 2 and up; 75: 3.25 and 80: 3.4, so 4 and up, once.
    assert binarizer.items_ == (
        Condition(0, lower=1.5),
        Condition(0, lower=3.5),
        Condition(0, upper=1.5),
        Condition(0, upper=3.5),
    )
    assert binarizer.transform(X).toarray().tolist() == [[0, 0, 1, 1], [1, 0, 0, 1], [1, 0, 0, 1], [1, 1, 0, 0]]


def test_columns_without_a_cut_give_no_item():
    constant = [5.0, 5.0, 5.0, 5.0]
    all_missing = [np.nan] * 4
    smallest_is_percentile = [2.0, 2.0, 2.0, 3.0]
    X = np.column_stack([constant, all_missing, smallest_is_percentile])
    binarizer = FeatureBinarizer(percentiles=(0, 50)).fit(X)
    assert binarizer.kinds_ == ("numeric",) * 3
    assert binarizer.items_ == ()
    assert binarizer.transform(X).shape == (4, 0)


def test_missing_sets_no_item_on_either_side():
    X = np.array([[1.0], [3.0], [np.nan]])
    binarizer = FeatureBinarizer(percentiles=(50,), sides="both").fit(X)
    assert binarizer.items_ == (Condition(0, lower=2.0), Condition(0, upper=2.0))
    assert binarizer.transform(X).toarray().tolist() == [[0, 1], [1, 0], [0, 0]]


@pytest.mark.parametrize(
    ("below", "above", "cut"),
    [
        (1.0, np.nextafter(1.0, 2.0), 1.0),  # the midpoint rounds to the lower one
        (np.nextafter(1.0, 2.0), np.nextafter(np.nextafter(1.0, 2.0), 2.0), np.nextafter(1.0, 2.0)),
        (0.0, 5e-324, 0.0),
        (-1.7e308, 1.7e308, 0.0),  # the difference overflows
        (1.6e308, 1.7e308, 0.8e308 + 0.85e308),  # the sum overflows
    ],
)
def test_cut_between_neighbouring_or_huge_floats(below, above, cut):
    assert items_of(np.array([[below], [above]]), kinds=["numeric"]) == (Condition(0, lower=cut),)


def test_infinity_is_refused():
    with pytest.raises(ValueError, match="infinity"):
        FeatureBinarizer().fit(np.array([[1.0], [np.inf]]))
    with pytest.raises(ValueError, match="column 'rain' of X contains infinity"):
        FeatureBinarizer().fit(pd.DataFrame({"rain": [1.0, np.inf]}))


tables = hnp.arrays(
    np.float64,
    st.tuples(st.integers(1, 12), st.integers(1, 4)),
    elements=st.sampled_from([0.0, 1.0, 2.0, -1.5, 1e-300, 1e300, 0.1, np.nextafter(0.1, 1), np.nan])
    | st.floats(allow_nan=True, allow_infinity=False),
)


@given(tables, st.lists(st.floats(0, 100), min_size=1, max_size=3), st.sampled_from(["above", "both"]))
def test_item_holds_exactly_where_its_condition_covers(X, percentiles, sides):
    binarizer = FeatureBinarizer(percentiles, sides).fit(X)
    binary = binarizer.transform(X).toarray()
    assert binary.shape == (len(X), len(binarizer.items_))
    for k, item in enumerate(binarizer.items_):
        assert binary[:, k].tolist() == Rule([item], [0]).covers(X).astype(int).tolist()


@given(st.lists(st.integers(-20, 20), min_size=2, max_size=30), st.floats(0, 100))
def test_cut_agrees_with_percentile_on_training_rows(numbers, percentile):
    position = (len(numbers) - 1) * percentile / 100
    assume(position == round(position) or abs(position - round(position)) > 1e-9)
    values = np.array(numbers) / 8
    at_or_above = values >= np.percentile(values, percentile)
    items = items_of(values.reshape(-1, 1), percentiles=[percentile], kinds=["numeric"])
    if at_or_above.all():
        assert items == ()
    else:
        assert items[0].holds(values).tolist() == at_or_above.tolist()


# Supervised cuts.


def test_supervised_cuts_lie_where_labels_change():
    X = np.array([[1.0], [2.0], [3.0], [4.0], [5.0], [6.0]])
    Y = np.array([[0, 1], [0, 1], [1, 1], [1, 1], [1, 0], [1, 0]])
    binarizer = FeatureBinarizer(cuts="supervised")
    assert binarizer.fit(X, Y).items_ == (Condition(0, lower=2.5), Condition(0, lower=4.5))
    assert binarizer.fit(X, sp.csr_array(Y)).items_ == (Condition(0, lower=2.5), Condition(0, lower=4.5))
    assert binarizer.fit(X, Y[:, 0]).items_ == (Condition(0, lower=2.5),)
    X_missing = np.vstack([X, [[np.nan]]])
    assert binarizer.fit(X_missing, np.vstack([Y, [[1, 1]]])).items_ == (
        Condition(0, lower=2.5),
        Condition(0, lower=4.5),
    )


def test_supervised_cuts_are_at_most_n_cuts_and_none_without_need():
    X = np.arange(8.0).reshape(-1, 1)
    alternating = np.array([[0], [1]] * 4)
    assert len(FeatureBinarizer(cuts="supervised", n_cuts=2).fit(X, alternating).items_) == 2
    assert FeatureBinarizer(cuts="supervised").fit(X, np.ones((8, 1))).items_ == ()
    assert FeatureBinarizer(cuts="supervised").fit(np.full((8, 1), np.nan), alternating).items_ == ()


def test_supervised_cut_separates_values_equal_in_float32():
    """A tree on a float32 copy of the values could not tell these two apart."""
    X = np.array([[1.0], [1.0 + 1e-12]])
    (item,) = FeatureBinarizer(cuts="supervised").fit(X, np.array([[0], [1]])).items_
    assert item.holds(X[:, 0]).tolist() == [False, True]


def test_supervised_cuts_need_labels_of_0_and_1():
    X = np.arange(3.0).reshape(-1, 1)
    binarizer = FeatureBinarizer(cuts="supervised")
    with pytest.raises(ValueError, match='cuts="supervised" requires y'):
        binarizer.fit(X)
    with pytest.raises(ValueError, match=r"y must hold 0 and 1 only .* got .*2.0"):
        binarizer.fit(X, [0, 1, 2])
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        binarizer.fit(X, [0, 1])
    assert binarizer.__sklearn_tags__().target_tags.required
    assert not FeatureBinarizer().__sklearn_tags__().target_tags.required


# Binary and nominal columns.


@pytest.mark.parametrize("dtype", [bool, np.uint8, np.int64, np.float32, np.float64])
def test_column_of_0_and_1_is_one_item(dtype):
    X = np.array([[0, 0], [1, 0], [1, 0]], dtype=dtype)
    for table in (X, sp.csr_array(X), pd.DataFrame(X, columns=["x0", "x1"])):
        binarizer = FeatureBinarizer(sides="both").fit(table)
        assert binarizer.kinds_ == ("binary", "binary")
        assert binarizer.items_ == (Condition(0, lower=0.5), Condition(1, lower=0.5))
        assert binarizer.transform(table).toarray().tolist() == [[0, 0], [1, 0], [1, 0]]
        assert list(binarizer.get_feature_names_out()) == ["x0 present", "x1 present"]


def test_binary_column_with_missing_and_other_values_later():
    binarizer = FeatureBinarizer().fit(np.array([[0.0], [1.0], [np.nan]]))
    assert binarizer.kinds_ == ("binary",)
    assert binarizer.transform(np.array([[np.nan], [0.5], [7.0], [-1.0]])).toarray().ravel().tolist() == [0, 0, 1, 0]
    sparse = sp.csr_array(np.array([[0.5], [7.0], [-1.0]]))
    assert binarizer.transform(sparse).toarray().ravel().tolist() == [0, 1, 0]
    assert binarizer.transform(sparse).nnz == 1


def test_nominal_columns_of_all_types():
    X = pd.DataFrame(
        {
            "text": ["b", "a", None],
            "object": pd.Series(["x", 3.0, None], dtype=object),
            "category": pd.Categorical(["v", "u", "v"], categories=["v", "u", "never"]),
            "flag": pd.Series([True, None, False], dtype=object),
            "bool": [True, True, False],
            "nullable": pd.array([1, None, 7], dtype="Int64"),
        }
    )
    binarizer = FeatureBinarizer(percentiles=(50,)).fit(X)
    assert binarizer.kinds_ == ("nominal", "nominal", "nominal", "binary", "binary", "numeric")
    assert binarizer.categories_ == {0: ("a", "b"), 1: ("3", "x"), 2: ("u", "v")}
    names = ["text = a", "text = b", 'object = "3"', "object = x", "category = u", "category = v"]
    names += ["flag present", "bool present", "nullable > 4"]
    assert list(binarizer.get_feature_names_out()) == names
    expected = [[0, 1, 0, 1, 0, 1, 1, 1, 0], [1, 0, 1, 0, 1, 0, 0, 1, 0], [0, 0, 0, 0, 0, 1, 0, 0, 1]]
    assert binarizer.transform(X).toarray().tolist() == expected
    for k, item in enumerate(binarizer.items_):
        assert Rule([item], [0]).covers(X).astype(int).tolist() == [row[k] for row in expected]


def test_nominal_column_of_0_and_1_is_one_item():
    X = pd.DataFrame({"word": pd.Categorical(["0", "1", None])})
    binarizer = FeatureBinarizer().fit(X)
    assert binarizer.items_ == (Condition(0, categories=["1"]),)
    assert binarizer.transform(X).toarray().ravel().tolist() == [0, 1, 0]


def test_unseen_category_sets_no_item_and_is_named_once():
    binarizer = FeatureBinarizer().fit(pd.DataFrame({"city": ["a", "a", "b", "b"], "wind": [0, 1, 0, 1]}))
    with pytest.warns(UserWarning, match="not seen in training: city=c$") as caught:
        binary = binarizer.transform(pd.DataFrame({"city": ["c", "a", "c"], "wind": [1, 0, 0]}))
    assert len(caught) == 1
    assert binary.toarray().tolist() == [[0, 0, 1], [1, 0, 0], [0, 0, 0]]


def test_all_missing_nominal_column_in_transform_is_silent():
    binarizer = FeatureBinarizer().fit(pd.DataFrame({"city": ["a", "b"]}))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert binarizer.transform(pd.DataFrame({"city": [np.nan, np.nan]})).nnz == 0


def test_kinds_override_what_is_found():
    X = np.array([[1.0, 0.0], [2.0, 1.0], [3.0, 1.0]])
    binarizer = FeatureBinarizer(kinds=["nominal", "numeric"], percentiles=(50,), feature_names=["day", "on"]).fit(X)
    assert list(binarizer.get_feature_names_out()) == ['day = "1"', 'day = "2"', 'day = "3"', "on > 0.5"]
    assert binarizer.transform(X).toarray().tolist() == [[1, 0, 0, 0], [0, 1, 0, 1], [0, 0, 1, 1]]
    for k, item in enumerate(binarizer.items_):
        assert Rule([item], [0]).covers(X).tolist() == binarizer.transform(X).toarray()[:, k].astype(bool).tolist()


@pytest.mark.parametrize(
    ("kinds", "message"),
    [
        (["numeric"], "kinds has 1 entries, but X has 2 features"),
        (["numeric", "date"], "got 'date' for the column 'city'"),
        (["binary", "nominal"], "'wind' binary, but its values are not the numbers 0 and 1"),
        (["numeric", "numeric"], "'city' numeric, but it holds text"),
    ],
)
def test_unfit_kinds_are_refused(kinds, message):
    with pytest.raises(ValueError, match=message):
        FeatureBinarizer(kinds=kinds).fit(pd.DataFrame({"wind": [1.0, 2.0], "city": ["a", "b"]}))


def test_column_types_without_a_meaning_are_refused():
    with pytest.raises(TypeError, match="column 'when' has type datetime64"):
        FeatureBinarizer().fit(pd.DataFrame({"when": pd.to_datetime(["2031-05-06"])}))
    binarizer = FeatureBinarizer().fit(pd.DataFrame({"wind": [1.0, 2.0]}))
    with pytest.raises(ValueError, match=r"column 'wind' of X must hold numbers.*'calm'"):
        binarizer.transform(pd.DataFrame({"wind": ["calm"]}))


# Sparse tables.


def test_sparse_binary_table_passes_through():
    X = sp.csr_matrix(np.array([[0, 1, 0], [1, 0, 1], [0, 0, 0]]), dtype=np.float64)
    binary = FeatureBinarizer().fit_transform(X)
    assert isinstance(binary, sp.csr_array)
    assert binary.dtype == np.uint8
    assert binary.indices is X.indices or np.shares_memory(binary.indices, X.indices)
    assert binary.toarray().tolist() == [[0, 1, 0], [1, 0, 1], [0, 0, 0]]


def test_sparse_numeric_columns_count_implicit_zeros():
    X = sp.csr_array(np.array([[0.0, 1, 0], [0, 0, 3], [0, 1, 3], [8, 0, 9]]))
    binarizer = FeatureBinarizer(percentiles=(50,)).fit(X)
    assert binarizer.kinds_ == ("numeric", "binary", "numeric")
    # The first column's median is its smallest value, so it has no cut; the last one's is 3.
    assert binarizer.items_ == (Condition(1, lower=0.5), Condition(2, lower=1.5))
    assert binarizer.transform(X).toarray().tolist() == [[1, 0], [0, 1], [1, 1], [0, 1]]


@settings(max_examples=40)
@given(
    hnp.arrays(
        np.float64, st.tuples(st.integers(1, 8), st.integers(1, 5)), elements=st.sampled_from([0, 1, 2, -1, 0.25])
    ),
    st.sampled_from(["above", "both"]),
)
def test_sparse_dense_and_frame_agree(X, sides):
    names = [f"c{k}" for k in range(X.shape[1])]
    fitted = [
        FeatureBinarizer((30, 70), sides, feature_names=names).fit(table)
        for table in (X, sp.csr_array(X), sp.csc_matrix(X), pd.DataFrame(X, columns=names))
    ]
    assert len({(b.items_, b.kinds_, b.feature_names_) for b in fitted}) == 1
    expected = fitted[0].transform(X).toarray()
    frame = fitted[3].transform(pd.DataFrame(X, columns=names))
    for binary in (
        fitted[0].transform(sp.csr_array(X)),
        fitted[1].transform(X),
        fitted[2].transform(sp.coo_array(X)),
        frame,
    ):
        assert isinstance(binary, sp.csr_array)
        assert binary.has_canonical_format
        assert binary.nnz == expected.sum()
        assert binary.toarray().tolist() == expected.tolist()


def test_unsorted_duplicate_and_explicit_zero_entries_are_read_as_sums():
    """Duplicates stand for their sum: 1 + 1 is no binary column; an explicit zero is no one."""
    parts = (np.array([1.0, 1.0, 1.0, 0.0]), np.array([1, 1, 0, 0]), np.array([0, 3, 4]))
    X = sp.csr_array(parts, shape=(2, 2))
    binarizer = FeatureBinarizer().fit(X)
    assert binarizer.kinds_ == ("binary", "numeric")
    binary = binarizer.transform(X)
    assert binary.toarray().tolist() == [[1, 1], [0, 0]]
    assert binary.nnz == 2
    assert X.nnz == 4, "the input was changed"


def test_nan_in_sparse_is_missing():
    """Seen elsewhere: a sparse ARFF with `?` could be read, but not used."""
    X = sp.csr_array(np.array([[np.nan, 1.0, 0.5], [0.0, 0.0, 2.5], [3.0, 1.0, np.nan], [0.0, np.nan, 1.5]]))
    binarizer = FeatureBinarizer(percentiles=(50,), sides="both").fit(X)
    assert binarizer.kinds_ == ("numeric", "binary", "numeric")
    dense = FeatureBinarizer(percentiles=(50,), sides="both").fit(X.toarray())
    assert binarizer.items_ == dense.items_
    np.testing.assert_array_equal(binarizer.transform(X).toarray(), dense.transform(X.toarray()).toarray())


@pytest.mark.parametrize(
    ("column", "text"), [([np.inf, 1.0], "'a' of X contains infinity"), (["19", "u"], "'a' of X must hold numbers")]
)
def test_a_frame_is_checked_like_an_array(column, text):
    binarizer = FeatureBinarizer().fit(pd.DataFrame({"a": [1.0, 2.0, 3.0]}))
    with pytest.raises(ValueError, match=text):
        binarizer.check(pd.DataFrame({"a": column}))
    assert binarizer.transform(pd.DataFrame({"a": pd.Series([None, None], dtype=object)})).nnz == 0


def test_sparse_table_for_nominal_columns_is_refused():
    binarizer = FeatureBinarizer().fit(pd.DataFrame({"city": ["a", "b"]}))
    with pytest.raises(
        ValueError, match="X must be a DataFrame or an array, since it has nominal columns; got csr_array"
    ):
        binarizer.transform(sp.csr_array((1, 1)))


# Names and parameters.


def test_names_come_from_the_frame_or_the_parameter():
    X = pd.DataFrame({"a <= 1": [1.0, 2.0], "": [0, 1]})
    binarizer = FeatureBinarizer().fit(X)
    assert binarizer.feature_names_ == ("a <= 1", "")
    assert list(binarizer.get_feature_names_out()) == ['"a <= 1" > 1.5', '"" present']
    assert FeatureBinarizer().fit(X.to_numpy()).feature_names_ == ("x0", "x1")
    assert FeatureBinarizer(feature_names=["p", "q"]).fit(X.to_numpy()).feature_names_ == ("p", "q")
    with pytest.raises(ValueError, match="feature_names calls column 1 'q', but X itself calls it ''"):
        FeatureBinarizer(feature_names=["a <= 1", "q"]).fit(X)
    with pytest.raises(ValueError, match="feature_names has 1 names, but X has 2 features"):
        FeatureBinarizer(feature_names=["p"]).fit(X)


def test_repeated_column_names_are_refused():
    X = pd.DataFrame([[1, 2, 3]], columns=["a", "b", "a"])
    with pytest.raises(ValueError, match=r"more than one is called \['a'\]"):
        FeatureBinarizer().fit(X)


def test_columns_in_another_order_are_refused():
    binarizer = FeatureBinarizer().fit(pd.DataFrame({"a": [1.0, 2.0], "b": [5.0, 6.0]}))
    with pytest.raises(ValueError, match="same order"):
        binarizer.transform(pd.DataFrame({"b": [5.0], "a": [1.0]}))


@pytest.mark.parametrize("percentiles", [(), (101,), (-1,), (np.nan,), ("a",), [[10, 20]]])
def test_unlawful_percentiles_are_refused(percentiles):
    with pytest.raises(ValueError, match="percentiles must be one or more numbers from 0 to 100"):
        FeatureBinarizer(percentiles).fit(np.eye(2))


@pytest.mark.parametrize(
    ("name", "value"), [("sides", "below"), ("cuts", "entropy"), ("n_cuts", 0), ("percentiles", 90)]
)
def test_unlawful_parameters_are_named(name, value):
    with pytest.raises(ValueError, match=f"'{name}' parameter"):
        FeatureBinarizer(**{name: value}).fit(np.eye(2))


def test_one_row_and_empty_tables():
    binarizer = FeatureBinarizer().fit(np.array([[0.0, 3.0]]))
    assert binarizer.items_ == (Condition(0, lower=0.5),)
    for empty in (pd.DataFrame({"a": []}), pd.DataFrame(index=[0])):
        with pytest.raises(ValueError, match="minimum of 1 is required"):
            clone(binarizer).fit(empty)


def test_a_column_with_another_text_in_each_row_is_told_of():
    table = pd.DataFrame({"id": ["a", "b", "c"], "colour": ["red", "red", "blue"]})
    with pytest.warns(UserWarning, match="column 'id' holds another text in each row") as told:
        FeatureBinarizer().fit(table)
    assert len(told) == 1
    with warnings.catch_warnings(action="error"):
        FeatureBinarizer().fit(table[["colour"]])
        FeatureBinarizer().fit(table[["id"]].assign(id=["a", "b", None]))
        FeatureBinarizer().fit(table[:1])
