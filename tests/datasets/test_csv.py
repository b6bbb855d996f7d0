import numpy as np
import pytest

from mlrx.datasets import read_csv


@pytest.fixture
def write(tmp_path):
    def write(text, encoding="utf-8"):
        path = tmp_path / "toy.csv"
        path.write_bytes(text.encode(encoding))
        return path

    return write


def test_blanks_are_trimmed_and_an_empty_last_column_is_dropped(write):
    # F1
    path = write("\ufefff1 , colours ,L1,\r\n1,2,0,\r\n")
    with pytest.warns(UserWarning, match="toy") as caught:
        data = read_csv(path, labels=["L1"])
    assert [str(warning.message).partition(": ")[2] for warning in caught] == [
        "blanks around these column names are trimmed: 'f1', 'colours'",
        "column 4, nameless and empty, is left out",
    ]
    assert data.feature_names == ("f1", "colours")
    assert data.X.to_numpy().tolist() == [[1, 2]]
    assert data.Y.tolist() == [[0]]


def test_nameless_column_with_values_is_refused(write):
    # F1
    with pytest.raises(ValueError, match=r"column 3 has no name but holds values, e\.g\. '7'"):
        read_csv(write("f1,L1,\n1,0,7\n"), labels=["L1"])


def test_other_separators_and_decimals(write):
    # F3: the file became one column, or its numbers categories.
    path = write("f1;L1\n1,5;1\n2,5;0\n")
    data = read_csv(path, labels=1, sep=";", decimal=",")
    assert data.X.to_numpy().tolist() == [[1.5], [2.5]]
    assert data.Y.tolist() == [[1], [0]]
    assert data.kinds == ("numeric",)
    with pytest.raises(ValueError, match="the single column 'f1;L1'; try sep=';' decimal=\",\""):
        read_csv(path, labels=1)
    with pytest.raises(ValueError, match="line 2: column 'f1' has the value '1,5'; try decimal=','"):
        read_csv(path, labels=1, sep=";")
    with pytest.raises(ValueError, match="decimal=';': it cannot be the same as sep"):
        read_csv(path, labels=1, sep=";", decimal=";")


def test_thousands_are_no_decimals(write):
    with pytest.raises(ValueError, match=r"line 2: column 'f' has the value '1\.5'; try decimal='\.'"):
        read_csv(write("f;L\n1.5;1\n2;0\n"), labels=1, sep=";", decimal=",")


def test_kinds_and_missing_values(write):
    text = 'size,flag,colour,code,L1\n 1e2 ,1,"dark, blue",1,0\n?,0,red,2,1\n-.5,,NA,1,1\n'
    data = read_csv(write(text), labels=["L1"], nominal=["code"])
    assert data.kinds == ("numeric", "binary", "nominal", "nominal")
    assert np.array_equal(data.X["size"], [100, np.nan, -0.5], equal_nan=True)
    assert np.array_equal(data.X["flag"], [1, 0, np.nan], equal_nan=True)
    assert data.X["colour"].cat.categories.tolist() == ["dark, blue", "red"]
    assert data.X["colour"].isna().tolist() == [False, False, True]
    assert data.X["code"].tolist() == ["1", "2", "1"]
    assert data.Y.tolist() == [[0], [1], [1]]


def test_country_code_of_namibia_can_be_kept(write):
    data = read_csv(write("country,L\nNA,1\nDE,0\n"), labels=1, missing=[""])
    assert data.X["country"].tolist() == ["NA", "DE"]


def test_labels_in_the_middle_and_columns_left_out(write):
    data = read_csv(write("id,L1,f,L2\na,1,5,0\nb,0,6,1\n"), labels=["L2", "L1"], drop=["id"], sparse_labels=True)
    assert data.feature_names == ("f",)
    assert data.label_names == ("L1", "L2")
    assert data.Y.toarray().tolist() == [[1, 0], [0, 1]]


@pytest.mark.parametrize(
    ("text", "options", "message"),
    [
        ("f,L\n1,0\n1,2,0\n", {}, "line 3: 3 fields, 2 expected"),
        ("f,L\n1,0\n\n1\n", {}, "line 4: 1 fields, 2 expected"),
        ("f,L\n", {}, r"1 line\(s\); a line of names and at least one row are needed"),
        ("f,f,L\n1,2,0\n", {}, "two columns are called 'f'"),
        (
            "f,L\n1,0\nabc,1\n2,1\n",
            {},
            "line 3: column 'f' has the value 'abc' among numbers; name the column in nominal=",
        ),
        ("f,L\n1,0\n1,2\n", {}, "line 3: label 'L' has the value '2'; allowed are 0 and 1"),
        (
            "f,L\n1,no\n1,maybe\n",
            {},
            "line 3: label 'L' has the value 'maybe'; allowed are 0 and 1, no and yes",
        ),
        ("f,L\n1,0\n1,?\n", {}, r"line 3: label 'L' has the value '\?'; allowed are 0 and 1"),
        ("f,L\n1,0\n", {"labels": ["K"]}, "absent from .*toy.csv: 'K'; it has 'f', 'L'"),
        ("f,L\n1,0\n", {"drop": ["id"]}, r"drop=\['id'\]: give a list of columns; those of .* are f, L"),
        ("f,L\n1,0\n", {"nominal": "f"}, "nominal='f': give a list of columns"),
        ("f,L\n1,0\n1e999,1\n", {}, "line 3: column 'f' has the value '1e999', which is beyond the range of float64"),
        ("f,L\n1,0\n", {"sep": "ab"}, "sep='ab': give one character"),
        ("f,L\n1,0\n", {"sep": ""}, "sep='': give one character"),
        ("f,L\n1,0\n", {"decimal": ""}, "decimal='': give one character"),
        ('f,L\n"1,0\n', {}, "line 2: unexpected end of data"),
    ],
)
def test_faults_name_place_and_value(write, text, options, message):
    with pytest.raises(ValueError, match=message):
        read_csv(write(text), **{"labels": ["L"]} | options)


@pytest.mark.parametrize("words", [("no", "yes"), ("No", "YES"), ("False", "True"), ("false", "true")])
def test_labels_may_be_words(write, words):
    no, yes = words
    data = read_csv(write(f"f,L,K\n1,{no},1\n2,{yes},0\n3, {yes} ,0\n"), labels=["L", "K"])
    assert data.Y.tolist() == [[0, 1], [1, 0], [1, 0]]


def test_lines_of_blanks_are_skipped(write):
    data = read_csv(write("f,L\n  \n1,0\n\t\n2,1\n \n"), labels=1)
    assert data.X["f"].tolist() == [1, 2]


def test_other_encoding_is_named_and_can_be_given(write):
    path = write("größe,L\n1,0\n", encoding="latin-1")
    with pytest.raises(ValueError, match="not utf-8 text; give encoding="):
        read_csv(path, labels=1)
    assert read_csv(path, labels=1, encoding="latin-1").feature_names == ("größe",)
