"""The catalogue of data sets: their files, checksums, shapes and sources, as `catalogue.toml` lists them."""

from __future__ import annotations

import difflib
import tomllib
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files


@dataclass(frozen=True)
class DataFile:
    """A file of a data set.

    Attributes
    ----------
    path : str
        ``FOLDER/FILENAME`` below the folder with data, be it that of ``MLRX_DATA`` or the cache.
    size : int
        Bytes.
    sha256 : str
        Checksum, hexadecimal.
    address : str or None
        Where it is fetched from; None if no address serves it.
    """

    path: str
    size: int
    sha256: str
    address: str | None


@dataclass(frozen=True)
class CataloguedSet:
    """What is known of a data set before it is loaded.

    Attributes
    ----------
    name : str
        What `load_dataset` takes.
    format : str
        "arff", "csv" or "npz".
    origin : str
        Where the files come from, if not from the files' addresses.
    rows : dict of str to int
        Number of rows of each split, "all" for all of them; empty if unknown.
    n_features, n_labels : int or None
        None if unknown.
    citation : str
        Who made the data.
    files : dict of str to DataFile
        By split, and "labels", "arrays" or "rules". Empty if an own copy is needed.
    converted, note : str
        What was changed or left out; what else to know.
    read : dict
        Options of the reader.
    """

    name: str
    format: str
    citation: str
    origin: str = ""
    rows: dict[str, int] = field(default_factory=dict)
    n_features: int | None = None
    n_labels: int | None = None
    files: dict[str, DataFile] = field(default_factory=dict)
    converted: str = "nothing"
    note: str = ""
    read: dict = field(default_factory=dict)

    @property
    def splits(self) -> tuple[str | None, ...]:
        """What `load_dataset` takes as split: "train", "test", and None where all rows are at hand."""
        return tuple(None if split == "all" else split for split in self.rows if self.files)

    @property
    def has_address(self) -> bool:
        """Whether all its files can be fetched."""
        return bool(self.files) and all(file.address for file in self.files.values())


@cache
def catalogue() -> dict[str, CataloguedSet]:
    """Read the catalogue.

    Returns
    -------
    dict of str to CataloguedSet
    """
    listed = tomllib.loads((files(__package__) / "catalogue.toml").read_text("utf-8"))
    return {name: _entry(name, listed["source"][entry.pop("source")], entry) for name, entry in listed["set"].items()}


def _entry(name: str, source: dict[str, str], entry: dict) -> CataloguedSet:
    data_files = {}
    for role, stored in entry.pop("files", {}).items():
        address = source.get("address")
        if address:
            address = address.format(path=stored["path"], file=stored["path"].rpartition("/")[2])
        data_files[role] = DataFile(address=address, **stored)
    return CataloguedSet(name=name, origin=source.get("origin", ""), files=data_files, **entry)


def find(name: str) -> CataloguedSet:
    """Look a data set up.

    Raises
    ------
    ValueError
        If there is none of that name; close ones are suggested.
    """
    known = catalogue()
    if name in known:
        return known[name]
    close = difflib.get_close_matches(str(name).lower(), known, n=3)
    hint = f"did you mean {' or '.join(map(repr, close))}? " if close else ""
    raise ValueError(f"name={name!r}: no such data set; {hint}known are {', '.join(known)}")
