"""Which columns of an ARFF file are labels: a Mulan XML file, a MEKA header, names, or a number of last columns."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from numbers import Integral
from pathlib import Path
from xml.parsers import expat

MOST_NAMED = 20  # columns in a message
_MEKA = re.compile(r"(?:^|\s|:)-C\s+(-?\d+)")


def label_columns(
    labels: str | Path | Sequence[str] | int | None, names: Sequence[str], source: Path, relation: str = ""
) -> list[int]:
    """Find the label columns.

    Parameters
    ----------
    labels : path of an XML file, list of str, int or None
        See `read_arff`.
    names : sequence of str
        All columns of the file.
    source : Path
        The file, for messages.
    relation : str
        Its relation, which may hold a MEKA header.

    Returns
    -------
    list of int
        Column indices in the file's order, whatever the order in ``labels``.
    """
    if labels is None:
        return _from_meka(relation, len(names), source)
    if isinstance(labels, Integral) and not isinstance(labels, bool):
        if not 1 <= labels <= len(names):
            raise ValueError(f"labels={labels}: {source} has {len(names)} columns; give 1 to {len(names)}")
        return list(range(len(names) - int(labels), len(names)))
    if isinstance(labels, Path) or (isinstance(labels, str) and labels.lower().endswith(".xml")):
        return _from_names(read_label_xml(labels), names, f"{labels} names labels", source)
    if isinstance(labels, str) or not isinstance(labels, Sequence):
        raise TypeError(
            f"labels={labels!r}: give a list of names, the number of last columns, or the path of an XML file"
        )
    return _from_names(labels, names, "labels names columns", source)


def _from_names(wanted: Sequence[str], names: Sequence[str], who: str, source: Path) -> list[int]:
    twice = [name for name, count in Counter(wanted).items() if count > 1]
    if twice:
        raise ValueError(f"{who}, {', '.join(map(repr, twice))} more than once")
    absent = [name for name in wanted if name not in set(names)]
    if absent:
        there = ", ".join(map(repr, names[:MOST_NAMED])) + (", ..." if len(names) > MOST_NAMED else "")
        raise ValueError(f"{who} that are absent from {source}: {', '.join(map(repr, absent))}; it has {there}")
    chosen = set(wanted)
    return [column for column, name in enumerate(names) if name in chosen]


def _from_meka(relation: str, n_columns: int, source: Path) -> list[int]:
    """Find the first n columns for ``-C n``, the last n for ``-C -n``."""
    found = _MEKA.findall(relation)
    how = "give labels=: the XML file, a list of names, or the number of last columns"
    if not found:
        raise ValueError(f"{source}: its relation {relation!r} has no '-C' that tells the labels; {how}")
    if "supervised.attribute" in relation:
        raise ValueError(f"{source}: a filter changed the attributes after '-C' was written into {relation!r}; {how}")
    n_labels = int(found[-1])
    if not 1 <= abs(n_labels) <= n_columns:
        raise ValueError(f"{source}: '-C {n_labels}' in its relation, but {n_columns} attributes; {how}")
    return list(range(n_labels)) if n_labels > 0 else list(range(n_columns + n_labels, n_columns))


def read_label_xml(path: str | Path) -> list[str]:
    """Names of the labels in a Mulan XML file, at whatever depth; entities of its own and an external DTD are refused.

    Raises
    ------
    ValueError
        With path and line, if it is no well-formed label file.
    """
    names: list[str] = []
    undeclared: list[int] = []
    parser = expat.ParserCreate()

    def element(tag: str, attributes: dict[str, str]) -> None:
        if tag.rpartition(":")[2] == "label":
            if "name" not in attributes:
                raise ValueError(f"{path}, line {parser.CurrentLineNumber}: a label without a name")
            names.append(attributes["name"])

    def refuse(what: str) -> None:
        raise ValueError(f"{path}, line {parser.CurrentLineNumber}: it {what}, which is not resolved")

    def doctype(root: str, system: str | None, public: str | None, internal: bool) -> None:
        # Behind an external DTD, or a parameter entity, an undeclared entity would be dropped without a word.
        if system or public:
            refuse(f"refers to the external DTD {system or public!r}")

    def not_standalone() -> int:
        # Called for an external DTD too, before `doctype`: so only noted here.
        undeclared.append(parser.CurrentLineNumber)
        return 1

    parser.StartElementHandler = element
    parser.StartDoctypeDeclHandler = doctype
    parser.EntityDeclHandler = lambda name, *declaration: refuse(f"declares the entity {name!r}")
    parser.NotStandaloneHandler = not_standalone
    try:
        parser.Parse(Path(path).read_bytes(), True)
    except expat.ExpatError as error:
        raise ValueError(f"{path}, line {error.lineno}: not well-formed XML: {expat.ErrorString(error.code)}") from None
    if undeclared:
        raise ValueError(f"{path}, line {undeclared[0]}: it uses a parameter entity, which is not resolved")
    if not names:
        raise ValueError(f"{path}: it names no label; expected <labels><label name=.../></labels>")
    return names
