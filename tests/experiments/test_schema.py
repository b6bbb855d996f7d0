from dataclasses import dataclass, field
from typing import Any

import pytest

from experiments.schema import build, suggest


@dataclass(frozen=True)
class Inner:
    x: float


@dataclass(frozen=True)
class Outer:
    name: str
    many: tuple[Inner, ...] = ()
    named: dict[str, Inner] = field(default_factory=dict)
    either: Inner | tuple[Any, ...] | None = None
    count: int | str = 1


def test_mappings_become_dataclasses():
    built = build(
        Outer, {"name": "a", "many": [{"x": 1}], "named": {"b": {"x": 0.5}}, "either": [1, "z"], "count": "2x"}
    )
    assert built == Outer("a", (Inner(1.0),), {"b": Inner(0.5)}, (1, "z"), "2x")
    assert type(built.many[0].x) is float
    assert build(Outer, {"name": "a", "either": {"x": 2}}).either == Inner(2.0)
    assert build(Outer, {"name": "a", "either": None}).either is None


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ([], "the file must be a mapping, got \\[\\]"),
        ({}, "missing key 'name' at the top"),
        ({"name": "a", "nam": 1}, "unknown key 'nam' at the top; did you mean 'name'"),
        ({"name": 1}, "name must be text, got 1"),
        ({"name": "a", "many": {"x": 1}}, "many must be a list"),
        ({"name": "a", "many": [{"x": 1}, {"y": 1}]}, r"unknown key 'y' in many\[1\]; allowed are x"),
        ({"name": "a", "named": {"b": {}}}, r"missing key 'x' in named\.b"),
        ({"name": "a", "named": {1: {"x": 1}}}, "named has the key 1; keys are text"),
        ({"name": "a", "either": 5}, "either must be a mapping of x or a list, got 5"),
        ({"name": "a", "count": True}, "count must be a whole number or text, got True"),
        ({"name": "a", "count": None}, "count must be a whole number or text, got None"),
    ],
)
def test_faults_are_named(fields, message):
    with pytest.raises(ValueError, match=message):
        build(Outer, fields)


def test_suggestions():
    assert suggest("pool_siz", ["pool_size", "x"]) == "; did you mean 'pool_size'?"
    assert suggest("q", ["b", "a"]) == "; allowed are a, b"
