"""Reading CSV files with a header line."""

from __future__ import annotations

import csv
import re
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
import scipy.sparse as sp

from .arff_text import fault
from .data import MultilabelData
from .labels import label_columns

MISSING = ("", "?", "NA", "NaN", "nan")
LABEL_WORDS = {"no": 0, "yes": 1, "false": 0, "true": 1}


def read_csv(
    path: str | Path,
    labels: Sequence[str] | int,
    *,
    sep: str = ",",
    decimal: str = ".",
    nominal: Sequence[str] = (),
    drop: Sequence[str] = (),
    missing: Sequence[str] = MISSING,
    sparse_labels: bool = False,
    name: str | None = None,
    encoding: str = "utf-8",
) -> MultilabelData:
    r"""Read a CSV file whose first line names the columns.

    Parameters
    ----------
    path : str or Path
        The file.
    labels : list of str or int
        Names of the label columns, or the number of last columns, which are the labels. They hold 0 and 1, or no
        and yes, or false and true, in letters of either case. An empty list takes every column for a feature.
    sep, decimal : str
        What separates fields, and whole numbers from fractions; one character each.
    nominal : list of str
        Columns to be taken as categories though they hold numbers.
    drop : list of str
        Columns to be left out.
    missing : list of str
        What stands for a missing value.
    sparse_labels : bool
        Y as CSR array instead of a dense one.
    name : str, optional
        Name of the data set; by default the file's.
    encoding : str
        Encoding of the file; a byte order mark is skipped.

    Returns
    -------
    MultilabelData
        X a DataFrame. A column of numbers is "binary" if it holds 0 and 1 alone and "numeric" otherwise; a column
        without any number is "nominal", its categories sorted.

    Raises
    ------
    ValueError
        Naming file and line or column: for a wrong number of fields, a nameless or doubled column, text among
        numbers, a number beyond float64, labels that are absent or take other values than the two. If another ``sep``
        or ``decimal`` explains the fault, it is suggested.

    Notes
    -----
    Lines of nothing but blanks are skipped.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder, "toy.csv")
    ...     _ = path.write_text("f1;L1\n1,5;1\n2,5;0\n")
    ...     data = read_csv(path, labels=["L1"], sep=";", decimal=",")
    >>> data.X["f1"].tolist(), data.Y.tolist()
    ([1.5, 2.5], [[1], [0]])
    """
    path = Path(path)
    for option, given in (("sep", sep), ("decimal", decimal)):
        if not isinstance(given, str) or len(given) != 1 or given in '"\r\n':
            raise ValueError(f"{option}={given!r}: give one character, neither a quote nor a line end")
    if decimal == sep:
        raise ValueError(f"decimal={decimal!r}: it cannot be the same as sep")
    rows, lines = _read_rows(path, sep, encoding)
    cells = _name_columns(path, rows, lines, sep)
    for option, given in (("nominal", nominal), ("drop", drop)):
        if isinstance(given, str) or not set(given) <= set(cells):
            raise ValueError(f"{option}={given!r}: give a list of columns; those of {path} are {', '.join(cells)}")
    kept = [column for column in cells if column not in set(drop)]
    label_names = [kept[at] for at in label_columns(labels, kept, path)]
    parse = _Parser(path, lines[1:], decimal, frozenset(missing))
    features = {
        column: parse.feature(column, cells[column], column in set(nominal))
        for column in kept
        if column not in set(label_names)
    }
    Y = np.zeros((len(rows) - 1, len(label_names)), dtype=np.uint8)
    for at, column in enumerate(label_names):
        Y[:, at] = parse.label(column, cells[column])
    return MultilabelData(
        X=pd.DataFrame({column: values for column, (values, _) in features.items()}, index=pd.RangeIndex(len(Y))),
        Y=sp.csr_array(Y) if sparse_labels else Y,
        feature_names=tuple(features),
        label_names=tuple(label_names),
        kinds=tuple(kind for _, kind in features.values()),
        name=path.stem if name is None else name,
    )


def _read_rows(path: Path, sep: str, encoding: str) -> tuple[list[list[str]], list[int]]:
    """Read the fields of each line that is not blank, and the line's number.

    The standard library reads them, because pandas fills short rows up and takes a surplus first column for an index.
    """
    if encoding.lower().replace("_", "-") in ("utf-8", "utf8"):
        encoding = "utf-8-sig"
    rows, lines = [], []
    with open(path, encoding=encoding, newline="") as file:
        reader = csv.reader(file, delimiter=sep, strict=True)
        try:
            for row in reader:
                if len(row) > 1 or "".join(row).strip():
                    rows.append(row)
                    lines.append(reader.line_num)
        except UnicodeDecodeError as error:
            where = f"{path}, after line {reader.line_num}"
            raise ValueError(f"{where}: not {error.encoding} text; give encoding=, e.g. 'latin-1'") from None
        except csv.Error as error:
            raise fault(path, reader.line_num, str(error)) from None
    if len(rows) < 2:
        raise ValueError(f"{path}: {len(rows)} line(s); a line of names and at least one row are needed")
    return rows, lines


def _name_columns(path: Path, rows: list[list[str]], lines: list[int], sep: str) -> dict[str, list[str]]:
    """Give each column its name from the first line; blanks around names and values are trimmed."""
    given = rows[0]
    others = [other for other in ";\t|," if other != sep and other in given[0]]
    if len(given) == 1 and others:
        hint = f"sep={others[0]!r}"
        if others[0] != "," and any(re.search(r"\d,\d", sep.join(row)) for row in rows[1:]):
            hint += ' decimal=","'
        raise ValueError(f"{path}: with sep={sep!r} it has the single column {given[0]!r}; try {hint}")
    for row, line in zip(rows, lines):
        if len(row) != len(given):
            raise fault(path, line, f"{len(row)} fields, {len(given)} expected")
    names = [name.strip() for name in given]
    trimmed = [name for name, raw in zip(names, given) if name != raw]
    if trimmed:
        text = f"{path}: blanks around these column names are trimmed: {', '.join(map(repr, trimmed))}"
        warnings.warn(text, UserWarning, stacklevel=3)
    columns: dict[str, list[str]] = {}
    for number, (name, values) in enumerate(zip(names, zip(*rows[1:])), 1):
        cells = [value.strip() for value in values]
        if name in columns:
            raise ValueError(f"{path}: two columns are called {name!r}")
        if name:
            columns[name] = cells
        elif any(cells):
            raise ValueError(
                f"{path}: column {number} has no name but holds values, e.g. {next(filter(None, cells))!r}"
            )
        else:
            warnings.warn(f"{path}: column {number}, nameless and empty, is left out", UserWarning, stacklevel=3)
    return columns


@dataclass(frozen=True)
class _Parser:
    """Turns the text of a column into values; knows where it is for messages."""

    path: Path
    lines: list[int]
    decimal: str
    missing: frozenset[str]

    def _is_number(self, decimal: str) -> Callable[[str], re.Match | None]:
        point = re.escape(decimal)
        return re.compile(rf"[+-]?(?:\d+(?:{point}\d*)?|{point}\d+)(?:[eE][+-]?\d+)?").fullmatch

    def _numbers(self, cells: list[str]) -> np.ndarray:
        return np.array([np.nan if cell in self.missing else float(cell.replace(self.decimal, ".")) for cell in cells])

    def feature(self, column: str, cells: list[str], nominal: bool) -> tuple[np.ndarray | pd.Categorical, str]:
        """Values and kind of a feature column."""
        present = [cell for cell in cells if cell not in self.missing]
        is_number = self._is_number(self.decimal)
        text = [cell for cell in present if not is_number(cell)]
        if not nominal and not text:
            values = self._numbers(cells)
            for at in np.flatnonzero(np.isinf(values)):
                what = f"column {column!r} has the value {cells[at]!r}, which is beyond the range of float64"
                raise fault(self.path, self.lines[at], what)
            binary = bool(present) and np.isin(values[~np.isnan(values)], (0, 1)).all()
            return values, "binary" if binary else "numeric"
        if not nominal:
            self._refuse_numbers(column, cells, text, len(text) < len(present))
        values = [None if cell in self.missing else cell for cell in cells]
        return pd.Categorical(values, categories=sorted(set(present))), "nominal"

    def _refuse_numbers(self, column: str, cells: list[str], text: list[str], mixed: bool) -> None:
        """Raise if a column with text seems to be one of numbers: in another spelling, or with a slip."""
        other = "," if self.decimal == "." else "."
        where = self.lines[cells.index(text[0])]
        if all(map(self._is_number(other), text)):
            raise fault(self.path, where, f"column {column!r} has the value {text[0]!r}; try decimal={other!r}")
        if mixed:
            raise fault(
                self.path,
                where,
                f"column {column!r} has the value {text[0]!r} among numbers; name the column in nominal= if it holds "
                "categories, or the value in missing=",
            )

    def label(self, column: str, cells: list[str]) -> np.ndarray:
        """Values of a label column."""
        is_number = self._is_number(self.decimal)
        values = np.zeros(len(cells), dtype=np.uint8)
        for at, (cell, line) in enumerate(zip(cells, self.lines)):
            value = float(cell.replace(self.decimal, ".")) if is_number(cell) else LABEL_WORDS.get(cell.lower())
            if value not in (0, 1):
                allowed = "0 and 1, no and yes, false and true"
                raise fault(self.path, line, f"label {column!r} has the value {cell!r}; allowed are {allowed}")
            values[at] = value
        return values
