import warnings

import arff as liac
import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from mlrx.datasets import MultilabelData, read_arff, write_arff

# The header.


def test_remarks_and_escapes_in_declarations(write):
    # A1: a remark after a declaration stopped the parse; an escaped quote stayed in the name.
    path = write(
        "@relation toy\n@attribute 'share, 5% (it\\'s)' numeric\n@attribute \"two words\" numeric\n"
        "@attribute L1 {0,1}  % {absent, present}\n@data\n2.5,3,1\n"
    )
    data = read_arff(path, labels=["L1"])
    assert data.feature_names == ("share, 5% (it's)", "two words")
    assert data.label_names == ("L1",)
    assert data.X.to_numpy().tolist() == [[2.5, 3.0]]
    assert data.Y.tolist() == [[1]]
    assert data.Y.dtype == np.uint8
    assert data.name == "toy"


A4 = """@relation toy
@attribute n INTEGER [1,5]
@attribute city {'San Remo',' x',x,'{b}','>50%'}
@attribute L1 {0,1}
@data
3,'San Remo',1
4,' x',0
5,"{b}",1
"""


def test_range_is_ignored_with_one_warning_and_quoted_blanks_stay(write):
    # A4: a range after a type was refused; blanks inside quoted values were trimmed.
    with pytest.warns(UserWarning, match="attribute 'n': the range") as caught:
        data = read_arff(write(A4), labels=1)
    assert [warning.filename for warning in caught] == [__file__]
    assert data.X["n"].tolist() == [3.0, 4.0, 5.0]
    assert data.X["city"].tolist() == ["San Remo", " x", "{b}"]
    assert data.X["city"].cat.categories.tolist() == ["San Remo", " x", "x", "{b}", ">50%"]
    assert data.kinds == ("numeric", "nominal")


def test_unquoted_value_with_a_blank_is_refused(write):
    # A4: {San Remo,x} became three categories.
    path = write("@relation t\n@attribute city {San Remo,x}\n@attribute L {0,1}\n@data\nx,1\n")
    with pytest.raises(ValueError, match=r"line 2: attribute 'city': the value 'San Remo' holds a blank"):
        read_arff(path, labels=1)


@pytest.mark.parametrize(
    ("header", "message"),
    [
        ("@attribute a numeric\n@attribute a numeric", "line 3: attribute 'a' was declared in line 2 already"),
        ("@attribute a number", "line 2: attribute 'a' has the type 'number'; allowed are numeric"),
        ("@attribute a", "line 2: attribute 'a' has the type ''"),
        ("@attribute a numeric 5", "line 2: attribute 'a': '5' after the type numeric"),
        ("@attribute a {x,y", "line 2: attribute 'a': cannot read its values"),
        ("@attribute a {x,,y}", "line 2: attribute 'a': a value is empty"),
        ("@attribute a {x,x}", "line 2: attribute 'a': the value 'x' is declared twice"),
        ("@attribute a {x} y", "line 2: attribute 'a': 'y' after the closing brace"),
        ("@attribute 'a numeric", "line 2: cannot read the attribute's name"),
        ("a numeric", "line 2: expected @relation, @attribute or @data"),
    ],
)
def test_faults_of_the_header_name_line_and_attribute(write, header, message):
    with pytest.raises(ValueError, match=message):
        read_arff(write(f"@relation t\n{header}\n@attribute L {{0,1}}\n@data\n1,1\n"), labels=1)


def test_file_without_data_is_refused(write):
    with pytest.raises(ValueError, match="line 2: the file ends without @data"):
        read_arff(write("@relation t\n@attribute a numeric\n"), labels=1)
    with pytest.raises(ValueError, match="line 3: no row after @data"):
        read_arff(write("@relation t\n@attribute L {0,1}\n@data\n"), labels=1)


def test_keywords_in_any_case_byte_order_mark_and_windows_line_ends(write):
    text = "\ufeff@RELATION t\r\n@ATTRIBUTE größe REAL\r\n@Attribute L {0, 1}\r\n@DATA\r\n1e3 , 1\r\n"
    data = read_arff(write(text), labels=1)
    assert data.feature_names == ("größe",)
    assert data.X.iloc[0, 0] == 1000.0


def test_other_encoding_is_named_and_can_be_given(write):
    path = write("@relation t\n@attribute größe numeric\n@attribute L {0,1}\n@data\n1,1\n", encoding="latin-1")
    with pytest.raises(ValueError, match="not utf-8 text; give encoding="):
        read_arff(path, labels=1)
    assert read_arff(path, labels=1, encoding="latin-1").feature_names == ("größe",)


# The data section.


def test_omitted_nominal_takes_the_first_value_and_is_never_missing(write):
    # B1
    path = write(
        "@relation toy\n@attribute f1 numeric\n@attribute col {red,'dark blue'}\n@attribute L1 {0,1}\n"
        "@attribute L2 {0,1}\n@data\n{0 2.5, 2 1}\n{1 'dark blue', 3 1}\n{0 ?, 1 \"dark blue\"}\n"
    )
    data = read_arff(path, labels=2)
    assert data.X["f1"].tolist()[:2] == [2.5, 0.0]
    assert np.isnan(data.X["f1"][2])
    assert data.X["col"].tolist() == ["red", "dark blue", "dark blue"]
    assert data.Y.tolist() == [[1, 0], [0, 1], [0, 0]]


def test_sparse_binary_and_numeric_features_give_csr(write):
    header = "@relation t\n@attribute a {0,1}\n@attribute b numeric\n@attribute L {0,1}\n@data\n"
    data = read_arff(write(header + "{1 ?,2 1}\n{}\n{0 1 , 1 -2}\n"), labels=1)
    assert sp.issparse(data.X)
    assert data.kinds == ("binary", "numeric")
    assert np.array_equal(data.X.toarray(), [[0, np.nan], [0, 0], [1, -2]], equal_nan=True)
    assert data.Y.tolist() == [[1], [0], [0]]


def test_omitted_cell_of_an_attribute_declared_one_zero_is_one(write):
    # {1,0} lists 1 first: an omitted feature or label is 1, in dense files the spelling decides.
    header = "@relation t\n@attribute a {1,0}\n@attribute b {0,1}\n@attribute L {1,0}\n@data\n"
    sparse = read_arff(write(header + "{}\n{0 0,1 1,2 0}\n"), labels=1)
    assert sparse.X.toarray().tolist() == [[1, 0], [0, 1]]
    assert sparse.X.nnz == 2
    assert sparse.Y.tolist() == [[1], [0]]
    dense = read_arff(write(header + "1,0,1\n0,1,0\n"), labels=1)
    assert dense.X.to_numpy().tolist() == [[1, 0], [0, 1]]
    assert dense.Y.tolist() == [[1], [0]]


B4 = "@relation toy\n@attribute a numeric\n@attribute b numeric\n@attribute L1 {0,1}\n@data\n1,2,1\n3,,4,0\n5,6,0\t\n"


def test_wrong_number_of_fields_is_refused_and_a_trailing_tab_ignored(write):
    # B4: a double comma shifted all later columns.
    with pytest.raises(ValueError, match="line 7: 4 fields, 3 expected"):
        read_arff(write(B4), labels=1)
    data = read_arff(write(B4.replace("3,,4,0\n", "")), labels=1)
    assert data.X.to_numpy().tolist() == [[1, 2], [5, 6]]
    assert data.Y.tolist() == [[1], [0]]


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ("3,,0", "attribute 'b' has an empty field; allowed are a finite number"),
        ("3,x,0", "attribute 'b' has the value 'x'"),
        ("3,1_0,0", "attribute 'b' has the value '1_0'"),
        ("3,nan,0", "attribute 'b' has the value 'nan'"),
        ("inf,1,0", "attribute 'a' has the value 'inf'"),
        ("3,1,2", r"attribute 'L1' has the value '2'; allowed are one of \{0, 1\}"),
        ("3,1,?", "label 'L1' is missing; allowed are 0 and 1"),
        ("3,'1,0", "cannot read field 2"),
        ("{0 1}", "a sparse row in a file that began with dense rows"),
    ],
)
def test_faults_of_dense_rows_name_the_line(write, row, message):
    with pytest.raises(ValueError, match=f"line 7: {message}"):
        read_arff(write(B4.replace("3,,4,0", row)), labels=1)


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ("{3 1}", "index 3; the 3 attributes are counted from 0"),
        ("{0 1, 0 2}", "index 0 comes twice"),
        ("{0 1, 2}", "expected 'index value' and a comma or brace, found ' 2}'"),
        ("{0 1 2 1}", "expected 'index value'"),
        ("{0 1,}", "expected 'index value'"),
        ("{0 1", "expected 'index value'"),
        ("{0 1}, {5}", r"', \{5\}' after the closing brace"),
        ("{1 x}", "attribute 'b' has the value 'x'"),
        ("{2 7}", "attribute 'L1' has the value '7'"),
        ("{2 ?}", "label 'L1' is missing"),
        ("1,2,1", "a dense row in a file that began with sparse rows"),
    ],
)
def test_faults_of_sparse_rows_name_the_line(write, row, message):
    header = "@relation t\n@attribute a numeric\n@attribute b numeric\n@attribute L1 {0,1}\n@data\n{0 1}\n"
    with pytest.raises(ValueError, match=f"line 7: {message}"):
        read_arff(write(f"{header}{row}\n{{}}\n"), labels=1)


def test_label_with_a_third_value_is_refused(write):
    header = "@relation t\n@attribute a numeric\n@attribute L {0,1,2}\n@data\n1,1\n"
    with pytest.raises(ValueError, match=r"label 'L' is declared \{0, 1, 2\}; allowed is \{0,1\}"):
        read_arff(write(header), labels=1)
    numeric = "@relation t\n@attribute a numeric\n@attribute L numeric\n@data\n1,1\n1,3\n"
    with pytest.raises(ValueError, match="line 6: label 'L' has the value 3; allowed are 0 and 1"):
        read_arff(write(numeric), labels=1)
    assert read_arff(write(numeric.replace("1,3", "1,0")), labels=1).Y.tolist() == [[1], [0]]


B5 = """@relation toy
@attribute when date "yyyy-MM-dd"
@attribute note string
@attribute grade {'?',A,B}
@attribute L1 {0,1}
@data
"2031-05-06",'a, b % c',A,1
"2031-05-07",'x','?',0
?,'y',?,1
"""


def test_text_and_dates_are_refused_by_name_or_dropped(write, tmp_path):
    # B5: a quoted '?' is a category, a bare one is missing, also after writing and reading back.
    path = write(B5)
    with pytest.raises(ValueError, match=r"'when' \(date\), 'note' \(string\)"):
        read_arff(path, labels=1)
    data = read_arff(path, labels=1, drop_text=True)
    assert data.feature_names == ("grade",)
    write_arff(data, tmp_path / "again.arff")
    for grade in (data.X["grade"], read_arff(tmp_path / "again.arff").X["grade"]):
        assert grade.isna().tolist() == [False, False, True]
        assert grade.tolist()[:2] == ["A", "?"]
        assert grade.cat.categories.tolist() == ["?", "A", "B"]


# Against another reader, and back.


@pytest.mark.parametrize("name", ["flags/flags", "birds/birds-train", "medical/medical-train"])
def test_equals_liac_arff_where_that_reads_the_file(data_folder, name):
    path = data_folder / f"{name}.arff"
    other = liac.loads(path.read_text(), encode_nominal=True)
    data = read_arff(path, labels=[name.replace("\\", "") for name, _ in other["attributes"][-5:]])
    values = np.array(other["data"], dtype=float)
    if sp.issparse(data.X):
        assert np.array_equal(data.X.toarray(), values[:, :-5])
    else:
        codes = [data.X[f].cat.codes if kind == "nominal" else data.X[f] for f, kind in zip(data.X, data.kinds)]
        assert np.array_equal(np.column_stack(codes), values[:, :-5])
    assert np.array_equal(data.Y, values[:, -5:])


NAMES = st.lists(
    st.text(st.characters(exclude_categories=["Cs", "Cc"]), max_size=6), min_size=3, max_size=3, unique=True
)
NUMBERS = st.lists(st.one_of(st.floats(allow_infinity=False), st.integers(-3, 3).map(float)), min_size=2, max_size=2)


@given(names=NAMES, numbers=NUMBERS, sparse=st.booleans())
def test_what_is_written_is_read_back(tmp_path_factory, names, numbers, sparse):
    category = pd.Categorical.from_codes([1, -1], ["?", *{name for name in names if name != "?"}])
    columns = {names[0]: np.array(numbers), names[1]: [0.0, 1.0]}
    X = (
        sp.csr_array(np.column_stack(list(columns.values())))
        if sparse
        else pd.DataFrame(columns | {names[2]: category})
    )
    kinds = ("numeric", "binary") if sparse else ("numeric", "binary", "nominal")
    data = MultilabelData(X, np.array([[1, 0], [0, 0]]), tuple(names[: len(kinds)]), ("L%", "a'b\\"), kinds, "-C 7")
    path = tmp_path_factory.mktemp("written") / "t.arff"
    write_arff(data, path)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        again = read_arff(path, name="-C 7")
    assert (again.feature_names, again.label_names, again.kinds) == (data.feature_names, data.label_names, kinds)
    assert np.array_equal(again.Y, data.Y)
    if sparse:
        assert np.array_equal(again.X.toarray(), X.toarray(), equal_nan=True)
    else:
        pd.testing.assert_frame_equal(again.X, X, check_exact=True)


def one_feature(values, kind):
    return MultilabelData(pd.DataFrame({"f": values}), np.array([[1], [0]]), ("f",), ("L",), (kind,), "t")


@pytest.mark.parametrize(
    ("values", "kind", "error", "message"),
    [
        ([1.0, np.inf], "numeric", ValueError, "numeric feature 'f' has the value inf; allowed are finite numbers"),
        ([0.0, 2.0], "binary", ValueError, "binary feature 'f' has the value 2; allowed are 0 and 1"),
        (["a", "b"], "numeric", TypeError, "feature 'f' is numeric but has the type str; give numbers"),
        (np.array(["a", "b"], dtype=object), "nominal", TypeError, "feature 'f' is nominal but has the type"),
        (pd.Categorical([1, 2]), "nominal", TypeError, "nominal feature 'f' has the category 1; give texts"),
        (pd.Categorical([None, None]), "nominal", ValueError, "nominal feature 'f' has no category"),
    ],
)
def test_what_cannot_be_read_back_is_not_written(tmp_path, values, kind, error, message):
    with pytest.raises(error, match=message):
        write_arff(one_feature(values, kind), tmp_path / "t.arff")
    assert list(tmp_path.iterdir()) == []


def test_infinity_in_a_sparse_table_is_not_written(tmp_path):
    data = MultilabelData(sp.csr_array([[0.0], [np.inf]]), np.array([[1], [0]]), ("f",), ("L",), ("numeric",), "t")
    with pytest.raises(ValueError, match="feature 'f' has the value inf"):
        write_arff(data, tmp_path / "t.arff")


def test_set_without_rows_is_not_written(tmp_path):
    data = MultilabelData(pd.DataFrame({"f": []}), np.zeros((0, 1)), ("f",), ("L",), ("numeric",), "t")
    with pytest.raises(ValueError, match="data has 0 rows and 1 labels"):
        write_arff(data, tmp_path / "t.arff")


def test_integers_with_missing_values_and_truth_values_are_written(tmp_path):
    for values, kind, expected in (
        (pd.array([3, None], dtype="Int64"), "numeric", [3, np.nan]),
        ([True, False], "binary", [1, 0]),
    ):
        write_arff(one_feature(values, kind), tmp_path / "t.arff")
        assert np.array_equal(read_arff(tmp_path / "t.arff").X["f"], expected, equal_nan=True)


def test_categories_zero_and_one_come_back_as_binary(tmp_path):
    write_arff(one_feature(pd.Categorical(["1", "0"]), "nominal"), tmp_path / "t.arff")
    again = read_arff(tmp_path / "t.arff")
    assert (again.kinds, again.X["f"].tolist()) == (("binary",), [1, 0])
