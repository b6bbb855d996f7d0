import json
import math
from pathlib import PurePosixPath

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from experiments.values import from_json, plain, to_json


def test_hard_values_survive_in_strict_json(hard_values):
    text = to_json(hard_values)
    json.loads(text, parse_constant=pytest.fail)
    back = from_json(text)
    assert math.isnan(back.pop("nan"))
    del hard_values["nan"]
    assert back == hard_values
    assert type(back["true"]) is bool
    assert type(back["big"]) is int


def test_infinity_is_written_as_an_object():
    assert to_json([math.inf, 1.5]) == '[{"$float": "inf"}, 1.5]'


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=10,
)


@given(values)
def test_what_is_written_is_restored(value):
    assert from_json(to_json(value)) == value


def test_other_types_become_plain():
    given = {"a": np.float64(0.5), "b": (np.int64(2), np.True_), "c": np.array([1, 2]), "d": PurePosixPath("x/y")}
    assert plain(given) == {"a": 0.5, "b": [2, True], "c": [1, 2], "d": "x/y"}
    assert type(plain(np.int64(2))) is int


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ({"a": [1, {2}]}, r"value\['a'\]\[1\] is \{2\} of type set"),
        ({1: 2}, "the key 1"),
        ({"$float": 1}, "key '\\$float'"),
    ],
)
def test_other_values_are_refused_by_place(value, message):
    with pytest.raises(TypeError, match=message):
        plain(value)


@pytest.mark.parametrize("text", ["NaN", '{"a": Infinity}', '{"a": 1', ""])
def test_what_is_not_strict_json_is_refused(text):
    with pytest.raises(ValueError, match=r".+"):
        from_json(text)
