"""Files that the command line reads: CSV and ARFF, with labels or without."""

from __future__ import annotations

import codecs
import csv
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pandas as pd

from ..datasets import MultilabelData, read_arff, read_csv


@dataclass(frozen=True)
class Reading:
    """How a file is to be read, as the options say; None where an option was not given.

    Attributes
    ----------
    sep, decimal, missing, nominal, encoding, drop
        As in `read_csv`; lists as one text, see `listed`. The first four are for CSV files only.
    drop_text : bool
        As in `read_arff`; for ARFF files only.
    """

    sep: str | None = None
    decimal: str | None = None
    missing: str | None = None
    nominal: str | None = None
    encoding: str | None = None
    drop: str | None = None
    drop_text: bool = False


def listed(text: str) -> list[str]:
    """Return the entries of a list with commas; an entry in double quotes may hold commas.

    Examples
    --------
    >>> listed('HDF, "x, y"')
    ['HDF', 'x, y']
    """
    return [entry.strip() for entry in next(csv.reader([text], skipinitialspace=True), [])]


def read_table(path: Path, labels: Any, how: Reading, nominal: Sequence[str] = ()) -> MultilabelData:
    """Read a file.

    Parameters
    ----------
    path : Path
        An ARFF file if it ends so, else a CSV file.
    labels : as in `read_arff` or `read_csv`
    how : Reading
    nominal : sequence of str
        Columns of a CSV file, as far as it has them, that are nominal besides those that the options name.
    """
    shared = {} if how.encoding is None else {"encoding": _checked_encoding(how.encoding)}
    drop = [] if how.drop is None else listed(how.drop)
    if is_arff(path):
        for option in ("sep", "decimal", "missing", "nominal"):
            if getattr(how, option) is not None:
                raise ValueError(f"--{option} is for CSV files, and {path} is an ARFF file, which declares its columns")
        return without(read_arff(path, labels, drop_text=how.drop_text, **shared), drop, path)
    if how.drop_text:
        raise ValueError(f"--drop-text is for ARFF files, and {path} is a CSV file; --drop NAME leaves out a column")
    given = {option: getattr(how, option) for option in ("sep", "decimal") if getattr(how, option) is not None}
    if how.missing is not None:
        shared["missing"] = [*listed(how.missing), ""]
    named = [] if how.nominal is None else listed(how.nominal)
    if nominal:
        there = _column_names(path, how)
        named += [name for name in nominal if name in there]
    return read_csv(path, labels, nominal=named, drop=drop, **given, **shared)


def is_arff(path: Path) -> bool:
    """Tell an ARFF file by its name; all others are CSV."""
    return path.suffix.lower() == ".arff"


def _checked_encoding(name: str) -> str:
    try:
        return codecs.lookup(name).name
    except LookupError:
        raise ValueError(f"--encoding {name}: there is no such encoding; utf-8 and latin-1 are two") from None


def _column_names(path: Path, how: Reading) -> list[str]:
    """Return the names in the first line of a CSV file; what is wrong with them, or with options, `read_csv` tells."""
    with open(path, encoding=how.encoding or "utf-8-sig", errors="replace", newline="") as file:
        try:
            return [name.strip() for name in next(csv.reader(file, delimiter=how.sep or ","), [])]
        except (csv.Error, TypeError, ValueError):
            return []


def without(data: MultilabelData, names: Sequence[str], path: Path) -> MultilabelData:
    """Return the data without some features; ValueError names one that is none."""
    for name in names:
        if name not in data.feature_names:
            raise ValueError(f"--drop {name!r}: {path} has no such feature; it has {_some(data.feature_names)}")
    kept = [at for at, name in enumerate(data.feature_names) if name not in set(names)]
    return replace(
        data,
        X=_columns(data.X, kept),
        feature_names=tuple(data.feature_names[at] for at in kept),
        kinds=tuple(data.kinds[at] for at in kept),
    )


def known_columns(
    data: MultilabelData, names: Sequence[str], labels: Sequence[str], kinds: Sequence[str], path: Path
) -> Any:
    """Return the columns that a model knows, in its order; label columns are passed over.

    Parameters
    ----------
    data : MultilabelData
        Read without labels.
    names, kinds : sequence of str
        The features of the model.
    labels : sequence of str
        Its labels.
    path : Path
        For messages.

    Returns
    -------
    DataFrame or csr_array of shape (n_samples, n_names)
    """
    at = {name: position for position, name in enumerate(data.feature_names)}
    absent = [name for name in names if name not in at]
    if absent:
        raise ValueError(f"{path} lacks columns that the model knows: {_some(absent)}")
    extra = [name for name in data.feature_names if name not in {*names, *labels}]
    if extra:
        raise ValueError(f"{path} has columns that the model does not know: {_some(extra)}; --drop leaves them out")
    for name, kind in zip(names, kinds):
        found = data.kinds[at[name]]
        if (found == "nominal") != (kind == "nominal"):
            raise ValueError(f"{path}: column {name!r} is {found}, but the model takes it as {kind}")
    return _columns(data.X, [at[name] for name in names])


def _columns(X: Any, positions: list[int]) -> Any:
    return X.iloc[:, positions] if isinstance(X, pd.DataFrame) else X[:, positions]


def _some(names: Sequence[str], most: int = 10) -> str:
    return ", ".join(map(repr, names[:most])) + (f" and {len(names) - most} more" if len(names) > most else "")
