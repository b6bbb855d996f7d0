"""A strict reader of mappings into frozen dataclasses: the type hints are the schema."""

from __future__ import annotations

import dataclasses
import difflib
import types
import typing
from collections.abc import Iterable
from typing import Any


def build(hint: Any, value: Any, where: str = "") -> Any:
    """Check a value of YAML or JSON against a type hint, and return it as that type.

    Parameters
    ----------
    hint : type
        A dataclass, ``tuple[X, ...]``, ``dict[str, X]``, ``X | Y``, None, bool, int, float, str or Any.
    value : object
    where : str, default=""
        Where the value stands, for errors.

    Returns
    -------
    object
        Mappings become dataclasses, lists tuples, whole numbers floats where the hint asks for it.

    Raises
    ------
    ValueError
        Naming the place, the value and what is allowed. Unknown keys are refused.
    """
    if hint is Any:
        return value
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    if origin is types.UnionType:
        return _build_union(arguments, value, where)
    if dataclasses.is_dataclass(hint):
        return _build_dataclass(hint, value, where)
    if origin is tuple and isinstance(value, list):
        return tuple(build(arguments[0], item, f"{where}[{k}]") for k, item in enumerate(value))
    if origin is dict and isinstance(value, dict):
        for key in value:
            if not isinstance(key, str):
                raise ValueError(f"{where} has the key {key!r}; keys are text (put it in quotes)")
        return {key: build(arguments[1], item, f"{where}.{key}".lstrip(".")) for key, item in value.items()}
    if hint is float and type(value) is int:
        return float(value)
    if origin is None and type(value) is hint:
        return value
    raise ValueError(f"{where or 'the file'} must be {_describe(hint)}, got {value!r}")


def suggest(name: str, known: Iterable[str]) -> str:
    """Return what is allowed in place of a wrong name, as the end of an error message."""
    known = sorted(known)
    near = difflib.get_close_matches(name, known, n=1)
    return f"; did you mean {near[0]!r}?" if near else f"; allowed are {', '.join(known)}"


def _build_dataclass(kind: type, fields: Any, where: str) -> Any:
    if not isinstance(fields, dict):
        raise ValueError(f"{where or 'the file'} must be a mapping, got {fields!r}")
    hints = typing.get_type_hints(kind)
    place = f"in {where}" if where else "at the top"
    for key in fields:
        if key not in hints:
            raise ValueError(f"unknown key {key!r} {place}{suggest(str(key), hints)}")
    for field in dataclasses.fields(kind):
        if field.default is field.default_factory is dataclasses.MISSING and field.name not in fields:
            raise ValueError(f"missing key {field.name!r} {place}")
    return kind(**{key: build(hints[key], item, f"{where}.{key}".lstrip(".")) for key, item in fields.items()})


def _build_union(hints: tuple[Any, ...], value: Any, where: str) -> Any:
    if value is None and type(None) in hints:
        return None
    others = [hint for hint in hints if hint is not type(None)]
    for hint in others:
        if len(others) == 1 or _has_form(hint, value):
            return build(hint, value, where)
    raise ValueError(f"{where} must be {' or '.join(_describe(hint) for hint in others)}, got {value!r}")


def _has_form(hint: Any, value: Any) -> bool:
    """Tell whether a value is of the hint's form, whatever it holds."""
    if dataclasses.is_dataclass(hint):
        return isinstance(value, dict)
    if hint is float:
        return type(value) in (int, float)
    return type(value) is {tuple: list}.get(typing.get_origin(hint), typing.get_origin(hint) or hint)


def _describe(hint: Any) -> str:
    names = {bool: "true or false", int: "a whole number", float: "a number", str: "text"}
    names |= {tuple: "a list", dict: "a mapping"}
    if dataclasses.is_dataclass(hint):
        return f"a mapping of {', '.join(field.name for field in dataclasses.fields(hint))}"
    return names.get(typing.get_origin(hint) or hint, str(hint))
