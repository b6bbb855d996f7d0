"""Files of catalogued data sets: from the folder that ``MLRX_DATA`` names, else the cache, else fetched into it."""

from __future__ import annotations

import hashlib
import os
import textwrap
from pathlib import Path

from .catalogue import CataloguedSet, DataFile

TIMEOUT = 30  # seconds without an answer


class DataUnavailableError(OSError):
    """The file of a data set is neither at hand nor to be had."""


def locate(entry: CataloguedSet, file: DataFile) -> Path:
    """Find a file of a data set, fetching it if need be.

    Parameters
    ----------
    entry : CataloguedSet
        The data set, for messages.
    file : DataFile
        One of its files.

    Returns
    -------
    Path
        A file with the catalogued checksum.

    Raises
    ------
    ValueError
        If a file at hand, or fetched, has another checksum.
    DataUnavailableError
        If the file cannot be had; names the data set, the address and ``MLRX_DATA``.

    Notes
    -----
    The order is: ``MLRX_DATA``, if it holds the file; the cache of pooch (``mlrx`` in the user's folder of caches);
    the network. The checksum is tested in each case. A download appears under its name only when it is whole and its
    checksum was right.
    """
    folder = os.environ.get("MLRX_DATA")
    if folder:
        if not Path(folder).is_dir():
            raise DataUnavailableError(f"MLRX_DATA={folder!r} is no folder")
        path = Path(folder, file.path)
        if path.is_file():
            _check(path, file)
            return path
    if file.address is None:
        raise DataUnavailableError(
            f"data set {entry.name!r}: no address serves {file.path} (made from: {entry.origin}); "
            f"set MLRX_DATA to a folder that holds it (MLRX_DATA is {_spoken(folder)})"
        )
    return _fetch(entry, file, folder)


def _fetch(entry: CataloguedSet, file: DataFile, folder: str | None) -> Path:
    import pooch  # only here, since most runs need no network

    checksums, addresses = {file.path: f"sha256:{file.sha256}"}, {file.path: file.address}
    source = pooch.create(path=pooch.os_cache("mlrx"), base_url="", registry=checksums, urls=addresses)
    try:
        return Path(source.fetch(file.path, downloader=pooch.HTTPDownloader(timeout=TIMEOUT)))
    except OSError as error:
        raise DataUnavailableError(
            f"data set {entry.name!r}: {file.path} is not at hand and could not be fetched from {file.address}; "
            f"set MLRX_DATA to a folder that holds it (MLRX_DATA is {_spoken(folder)}). The reason: "
            + textwrap.shorten(str(error), 200)
        ) from error
    except ValueError as error:  # pooch's error for a wrong checksum
        raise ValueError(f"data set {entry.name!r}: {file.address} gave another file: {error}") from error


def _check(path: Path, file: DataFile) -> None:
    found = hashlib.sha256(path.read_bytes()).hexdigest()
    if found != file.sha256:
        raise ValueError(f"{path}: its SHA-256 is {found}, but {file.sha256} in the catalogue; the file was changed")


def _spoken(folder: str | None) -> str:
    return repr(folder) if folder else "not set"
