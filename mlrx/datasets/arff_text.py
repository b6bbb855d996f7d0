"""The grammar of ARFF files: attributes of the header, rows of the data section.

liac-arff is not used for reading: it refuses remarks after a declaration, ranges after a type and date attributes,
keeps the backslash of an escaped quote, trims blanks inside quotes, takes an empty field for a missing value and cannot
say how many fields a row should have. Working around each of these in front of it would take more code than the grammar
itself. The tests compare the two on files that both can read.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import scipy.sparse as sp

# Quoted with backslash escapes, or bare: a bare token ends at a blank, comma, brace, quote or remark.
_QUOTED = r"""'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*\""""
_NAME = re.compile(rf"""@attribute[ \t]+(?P<name>{_QUOTED}|[^\s'"%{{}}]\S*)(?P<rest>.*)""", re.IGNORECASE | re.DOTALL)
_FIELD = re.compile(rf"[ \t]*(?P<token>{_QUOTED}|[^,'\"{{}}%]*)[ \t]*(?P<end>,|\}}|%.*|$)")
_TYPE = re.compile(r"(?P<type>[a-z]+)(?P<rest>.*)", re.IGNORECASE)
_RANGE = re.compile(r"\[[^\]]*\]")
_PLAIN_PAIRS = re.compile(r"(?:\s*\d+\s+[^\s,]+\s*(?:,(?=.)|$))*")
_ESCAPE = re.compile(r"\\(.)", re.DOTALL)
_ESCAPED = {"n": "\n", "r": "\r", "t": "\t"}
_NUMERIC = {"numeric", "real", "integer"}
_OTHER = {"string", "date"}


@dataclass(frozen=True)
class Attribute:
    """A declared column: its name, its type, and the values that a nominal one may take."""

    name: str
    type: str
    values: tuple[str, ...] = ()


@dataclass(frozen=True)
class Table:
    """What an ARFF file holds, before features and labels are told apart.

    ``codes`` has a row for each of the file's and a column for each attribute: the number itself, or the index of the
    nominal value among the declared ones, NaN where it is missing; for dates and strings it holds zeros. It is CSR
    where the file is sparse: an omitted nominal takes its first value, whose index is 0, so omitted cells are zeros
    throughout. ``lines`` has the line of each row.
    """

    path: Path
    relation: str
    attributes: tuple[Attribute, ...]
    codes: np.ndarray | sp.csr_array
    lines: np.ndarray


def read_table(path: Path, encoding: str) -> Table:
    """Read an ARFF file.

    Parameters
    ----------
    path : Path
        The file.
    encoding : str
        Its encoding; a byte order mark is skipped.

    Returns
    -------
    Table

    Raises
    ------
    ValueError
        With path and line, where the file breaks the grammar.
    """
    with _Lines(path, encoding) as lines:
        relation, attributes = _read_header(lines)
        numbers, rows = [], []
        for line in lines:
            numbers.append(lines.number)
            rows.append(line)
    if not rows:
        raise fault(path, lines.number, "no row after @data")
    sparse = rows[0].startswith("{")
    read = _sparse_codes if sparse else _dense_codes
    return Table(path, relation, attributes, read(path, attributes, rows, numbers), np.array(numbers, dtype=np.int64))


class _Lines:
    """The lines of a file that are neither blank nor a remark, stripped; ``number`` is the line last given."""

    def __init__(self, path: Path, encoding: str):
        self.path = path
        self.encoding = "utf-8-sig" if encoding.lower().replace("_", "-") in ("utf-8", "utf8") else encoding
        self.number = 0

    def __enter__(self) -> _Lines:
        self.file = open(self.path, encoding=self.encoding)
        return self

    def __exit__(self, *exception) -> None:
        self.file.close()

    def __iter__(self) -> Iterator[str]:
        try:
            for line in self.file:
                self.number += 1
                stripped = line.strip()
                if stripped and stripped[0] != "%":
                    yield stripped
        except UnicodeDecodeError as error:
            raise ValueError(
                f"{self.path}, after line {self.number}: not {error.encoding} text; give encoding=, e.g. 'latin-1'"
            ) from None


def fault(path: Path, line: int, text: str) -> ValueError:
    """Make the error that names a place in a file."""
    return ValueError(f"{path}, line {line}: {text}")


def unquote(token: str) -> str:
    """Take off quotes and resolve escapes; a bare token stays as it is."""
    if token[:1] not in ("'", '"'):
        return token
    return _ESCAPE.sub(lambda match: _ESCAPED.get(match[1], match[1]), token[1:-1])


# The header.


def _read_header(lines: _Lines) -> tuple[str, tuple[Attribute, ...]]:
    relation, attributes, declared_at = "", [], {}
    for line in lines:
        keyword = line.split(None, 1)[0].lower()
        if keyword == "@data":
            if not attributes:
                raise fault(lines.path, lines.number, "@data without any @attribute before it")
            return relation, tuple(attributes)
        if keyword == "@relation":
            relation = unquote(line[len(keyword) :].strip())
        elif keyword == "@attribute":
            attribute = _parse_attribute(line, lines)
            if attribute.name in declared_at:
                first = declared_at[attribute.name]
                raise fault(
                    lines.path, lines.number, f"attribute {attribute.name!r} was declared in line {first} already"
                )
            declared_at[attribute.name] = lines.number
            attributes.append(attribute)
        else:
            raise fault(lines.path, lines.number, f"expected @relation, @attribute or @data, found {line[:40]!r}")
    raise fault(lines.path, lines.number, "the file ends without @data")


def _parse_attribute(line: str, lines: _Lines) -> Attribute:
    match = _NAME.match(line)
    if not match:
        raise fault(lines.path, lines.number, f"cannot read the attribute's name in {line[:60]!r}")
    name, rest = unquote(match["name"]), match["rest"].strip()
    if rest.startswith("{"):
        return Attribute(name, "nominal", _parse_nominal(name, rest, lines))
    match = _TYPE.match(rest)
    type_ = match["type"].lower() if match else ""
    if type_ not in _NUMERIC | _OTHER:
        allowed = "numeric, real, integer, string, date or {values}"
        raise fault(lines.path, lines.number, f"attribute {name!r} has the type {rest[:40]!r}; allowed are {allowed}")
    rest = match["rest"].strip()
    if type_ in _NUMERIC:
        bare = _RANGE.sub("", rest, count=1).strip()
        if bare != rest:
            text = f"{lines.path}, line {lines.number}: attribute {name!r}: the range {rest} is ignored"
            warnings.warn(text, UserWarning, stacklevel=5)  # the caller of read_arff
        if bare and not bare.startswith("%"):
            raise fault(lines.path, lines.number, f"attribute {name!r}: {bare[:40]!r} after the type {type_}")
        type_ = "numeric"
    return Attribute(name, type_)


def _parse_nominal(name: str, text: str, lines: _Lines) -> tuple[str, ...]:
    values, position, end = [], 1, ","
    while end == ",":
        match = _FIELD.match(text, position)
        if not match or match["end"][:1] not in (",", "}"):
            raise fault(
                lines.path,
                lines.number,
                f"attribute {name!r}: cannot read its values from {text[position - 1 :][:40]!r}",
            )
        token, position, end = match["token"], match.end(), match["end"]
        bare = token.rstrip()
        if not bare or bare[0] not in "'\"":
            token = bare
            if not token or re.search(r"\s", token):
                what = f"the value {token!r} holds a blank" if token else "a value is empty"
                raise fault(lines.path, lines.number, f"attribute {name!r}: {what}; it must be quoted")
        values.append(unquote(token))
    rest = text[position:].strip()
    if rest and not rest.startswith("%"):
        raise fault(lines.path, lines.number, f"attribute {name!r}: {rest[:40]!r} after the closing brace")
    if len(set(values)) < len(values):
        twice = next(value for value in values if values.count(value) > 1)
        raise fault(lines.path, lines.number, f"attribute {name!r}: the value {twice!r} is declared twice")
    return tuple(values)


# The data section.


def _fields(text: str, line: int, path: Path) -> list[str]:
    """Split a row that may hold quotes or a remark; quoted fields keep their quotes."""
    fields, position, end = [], 0, ","
    while end == ",":
        match = _FIELD.match(text, position)
        if not match or match["end"] == "}":
            raise fault(path, line, f"cannot read field {len(fields) + 1}: {text[position:][:40]!r}")
        token, position, end = match["token"], match.end(), match["end"]
        fields.append(token if token[:1] in ("'", '"') else token.strip())
    return fields


def _dense_codes(path: Path, attributes: tuple[Attribute, ...], rows: list[str], lines: list[int]) -> np.ndarray:
    """Shape (n_rows, n_attributes); O(characters)."""
    converters = [_converter(attribute) for attribute in attributes]
    codes = np.empty((len(rows), len(attributes)))
    for at, (row, line) in enumerate(zip(rows, lines)):
        if row.startswith("{"):
            raise fault(path, line, "a sparse row in a file that began with dense rows")
        plain = "'" not in row and '"' not in row and "%" not in row
        fields = [field.strip() for field in row.split(",")] if plain else _fields(row, line, path)
        if len(fields) != len(attributes):
            raise fault(path, line, f"{len(fields)} fields, {len(attributes)} expected")
        try:
            codes[at] = [convert(field) for convert, field in zip(converters, fields)]
        except (KeyError, ValueError):
            raise _bad_value(attributes, fields, line, path) from None
    return codes


def _sparse_codes(path: Path, attributes: tuple[Attribute, ...], rows: list[str], lines: list[int]) -> sp.csr_array:
    """Shape (n_rows, n_attributes), zeros where omitted; O(characters)."""
    converters = [_converter(attribute) for attribute in attributes]
    indices, values, pointers = [], [], [0]
    for row, line in zip(rows, lines):
        pairs = row[1:-1]
        if row[0] == "{" and row[-1] == "}" and "'" not in row and '"' not in row and _PLAIN_PAIRS.fullmatch(pairs):
            words = pairs.replace(",", " ").split()
            of_row, tokens = [int(word) for word in words[::2]], words[1::2]
        else:
            of_row, tokens = _quoted_pairs(row, line, path)
        if of_row and max(of_row) >= len(attributes):
            raise fault(path, line, f"index {max(of_row)}; the {len(attributes)} attributes are counted from 0")
        if len(set(of_row)) < len(of_row):
            twice = next(index for index in of_row if of_row.count(index) > 1)
            raise fault(path, line, f"index {twice} comes twice")
        try:
            values += [converters[index](token) for index, token in zip(of_row, tokens)]
        except (KeyError, ValueError):
            raise _bad_value([attributes[index] for index in of_row], tokens, line, path) from None
        indices += of_row
        pointers.append(len(indices))
    parts = np.array(values, dtype=float), np.array(indices, dtype=np.int32), np.array(pointers, dtype=np.int32)
    codes = sp.csr_array(parts, shape=(len(rows), len(attributes)))
    codes.eliminate_zeros()
    codes.sort_indices()
    return codes


def _quoted_pairs(row: str, line: int, path: Path) -> tuple[list[int], list[str]]:
    """Split a sparse row that may hold quotes, a remark or a fault."""
    if row[0] != "{":
        raise fault(path, line, "a dense row in a file that began with sparse rows")
    pair = re.compile(rf"[ \t]*(?P<index>\d+)[ \t]+(?P<token>{_QUOTED}|[^\s,'\"{{}}%]+)[ \t]*(?P<end>[,}}])")
    indices, tokens, position, end = [], [], 1, ","
    empty = re.compile(r"\{[ \t]*\}").match(row)
    if empty:
        position, end = empty.end(), "}"
    while end == ",":
        match = pair.match(row, position)
        if not match:
            raise fault(path, line, f"expected 'index value' and a comma or brace, found {row[position:][:40]!r}")
        indices.append(int(match["index"]))
        tokens.append(match["token"])
        position, end = match.end(), match["end"]
    rest = row[position:].strip()
    if rest and not rest.startswith("%"):
        raise fault(path, line, f"{rest[:40]!r} after the closing brace")
    return indices, tokens


def _converter(attribute: Attribute) -> Callable[[str], float]:
    """Make the function from a token to its code; KeyError or ValueError for a token that is none."""
    if attribute.type == "nominal":
        codes = {value: code for code, value in enumerate(attribute.values)}
        # Bare and quoted spellings are told apart, so that '?' in quotes is a value and a bare ? is a missing one.
        spelled = {value: code for value, code in codes.items() if value} | {"?": np.nan}
        return lambda token: codes[unquote(token)] if token[:1] in ("'", '"') else spelled[token]
    if attribute.type in _OTHER:
        return lambda token: 0.0
    return lambda token: np.nan if token == "?" else _number(token)


def _number(token: str) -> float:
    value = float(token)  # takes also nan, inf and 1_000, none of which is a number in an ARFF file
    if "_" in token or value - value != 0:
        raise ValueError(token)
    return value


def _bad_value(attributes: Sequence[Attribute], tokens: list[str], line: int, path: Path) -> ValueError:
    """Make the error for the first token of a row that its attribute does not allow."""
    for attribute, token in zip(attributes, tokens):
        try:
            _converter(attribute)(token)
        except (KeyError, ValueError):
            break
    values = ", ".join(attribute.values[:10]) + (", ..." if len(attribute.values) > 10 else "")
    allowed = f"one of {{{values}}}" if attribute.type == "nominal" else "a finite number"
    found = f"the value {token!r}" if token else "an empty field"
    what = f"attribute {attribute.name!r} has {found}; allowed are {allowed}, and ? where it is missing"
    return fault(path, line, what)
