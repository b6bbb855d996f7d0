"""Plain values: what may stand in a config, a notebook parameter or a record, and its form in JSON."""

from __future__ import annotations

import json
import math
from pathlib import PurePath
from typing import Any

import numpy as np

FLOAT_KEY = "$float"


def plain(value: Any, where: str = "value") -> Any:
    """Return the value built of None, bool, int, float, str, list and dict alone.

    Parameters
    ----------
    value : object
        Numpy scalars become Python's, tuples and arrays become lists, paths become text.
    where : str, default="value"
        What the value is called in an error.

    Raises
    ------
    TypeError
        When a value, or the key of a dict, is of another type.

    Examples
    --------
    >>> plain({"a": (1, None, float("inf"))})
    {'a': [1, None, inf]}
    """
    if isinstance(value, np.generic | np.ndarray):
        value = value.tolist()
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, PurePath):
        return str(value)
    if isinstance(value, list | tuple):
        return [plain(item, f"{where}[{k}]") for k, item in enumerate(value)]
    if isinstance(value, dict):
        for key in value:
            if not isinstance(key, str) or key == FLOAT_KEY:
                raise TypeError(f"{where} has the key {key!r}; keys must be text other than {FLOAT_KEY!r}")
        return {key: plain(item, f"{where}[{key!r}]") for key, item in value.items()}
    kinds = "None, bool, int, float, str, list and dict"
    raise TypeError(f"{where} is {value!r} of type {type(value).__name__}; allowed are {kinds}")


def to_json(value: Any, indent: int | None = None) -> str:
    """Return strict JSON text, keys sorted; ``{"$float": "nan"}`` stands for a float that JSON cannot write."""
    return json.dumps(_encode(plain(value)), indent=indent, sort_keys=True, ensure_ascii=False, allow_nan=False)


def from_json(text: str) -> Any:
    """Restore the value that `to_json` wrote; `ValueError` when the text is not strict JSON."""
    return json.loads(text, object_hook=_decode, parse_constant=_refuse)


def _encode(value: Any) -> Any:
    if isinstance(value, float) and not math.isfinite(value):
        return {FLOAT_KEY: repr(value)}
    if isinstance(value, list):
        return [_encode(item) for item in value]
    if isinstance(value, dict):
        return {key: _encode(item) for key, item in value.items()}
    return value


def _decode(fields: dict[str, Any]) -> Any:
    return float(fields[FLOAT_KEY]) if set(fields) == {FLOAT_KEY} else fields


def _refuse(constant: str) -> None:
    raise ValueError(f"{constant} is not JSON")
