"""Records: one JSON file a run, complete or absent, under an id that follows from all that determines the result."""

from __future__ import annotations

import hashlib
import os
import platform
import subprocess
import warnings
from dataclasses import asdict, dataclass, field, replace
from datetime import UTC, datetime
from functools import cache
from importlib import metadata
from pathlib import Path
from typing import Any

from mlrx.files import write_whole

from .files import ROOT
from .schema import build
from .values import from_json, to_json

FORMAT = "mlrx.record"
VERSION = 1
DONE, FAILED, SKIPPED = "done", "failed", "skipped"
PACKAGES = ("numpy", "scipy", "pandas", "scikit-learn", "numba", "mlxtend", "mlrl-boomer")
# Sources, by file or folder, that cannot change a result.
NOT_IN_CODE = ("plotting", "__main__.py")
RUN_SOURCES = ("baselines/*.py", "explainers/*.py", "tasks/*.py", "forests.py", "seeds.py", "splits.py")


@dataclass(frozen=True)
class Record:
    """What one run was and what came of it.

    Parameters
    ----------
    determines : dict
        All that determines the result: data set with checksum, method, parameters, seed, what is measured, versions
        of the packages, and a digest of the sources.
    status : {"done", "failed", "skipped"}
        Skipped is a method whose package is an extra that is not installed, or whose fit took longer than its limit.
    reproducible : bool
        False when the random state was none that can be repeated; such a run is never taken for done.
    metrics : tuple of dict
        One entry for each number of rules or strategy: the scores, and where rows are explained those of each.
    seconds : dict
        Wall times by a monotonic clock, in seconds.
    notes : tuple of str
        What a reader of the scores must know, such as a fit that did not converge.
    error, trace : str or None
        Why it failed, and where.
    started : str
        Start of the run, UTC with +00:00.
    machine, commit : str
        Where it ran, and the commit of the checkout.
    """

    determines: dict[str, Any]
    status: str
    reproducible: bool
    metrics: tuple[dict[str, Any], ...] = ()
    seconds: dict[str, Any] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    error: str | None = None
    trace: str | None = None
    started: str = ""
    machine: str = ""
    commit: str = ""

    @property
    def id(self) -> str:
        """The first 16 hexadecimal digits of the SHA-256 of `determines`."""
        return hashlib.sha256(to_json(self.determines).encode()).hexdigest()[:16]

    @property
    def file_name(self) -> str:
        """Name of the record's file: data set and method for the eye, the id for uniqueness."""
        return f"{self.determines['dataset']}-{self.determines['method']}-{self.id}.json"


class RecordStore:
    """The records in a folder.

    Parameters
    ----------
    folder : Path
        Need not exist.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def write(self, record: Record) -> Path:
        """Write the record, in place of an earlier one of the same id."""
        path = self.folder / record.file_name
        write_whole(path, to_json({"format": FORMAT, "version": VERSION, "id": record.id, **asdict(record)}, 1) + "\n")
        return path

    def find(self, sought: Record) -> Record | None:
        """Return the record with the same id, None when there is none or it cannot be read (with a warning)."""
        path = self.folder / sought.file_name
        return _read(path) if path.exists() else None

    def read(self, dataset: str = "") -> list[Record]:
        """Return the records of a data set, or all, in the order of their names.

        Files that are no whole records are named in a warning and passed over.
        """
        # Names that start with a dot are of files being written, or left by a writer that was killed.
        start = f"{dataset}-" if dataset else ""
        names = os.listdir(self.folder) if self.folder.exists() else []
        paths = [self.folder / name for name in sorted(names) if name.startswith(start) and not name.startswith(".")]
        return [record for record in map(_read, paths) if record is not None]


def _read(path: Path) -> Record | None:
    try:
        fields = from_json(path.read_text(encoding="utf-8"))
        if not isinstance(fields, dict) or [fields.pop(key, None) for key in ("format", "version")] != [
            FORMAT,
            VERSION,
        ]:
            raise ValueError(f"not a {FORMAT} of version {VERSION}")
        stated = fields.pop("id", None)
        record = build(Record, fields)
        if stated != record.id or path.name != record.file_name:
            raise ValueError("its id or name does not fit its contents")
    except (OSError, ValueError, KeyError) as error:
        warnings.warn(f"{path.name} is no complete record ({error}); it is not counted", stacklevel=3)
        return None
    return record


def index_records(records: list[Record]) -> dict[str, Record]:
    """Return the records by an id that leaves the data's checksum out, which a plan does not know.

    Raises
    ------
    ValueError
        When a run has records on different data: files have changed in between.
    """
    index: dict[str, Record] = {}
    for record in records:
        key = replace(record, determines={**record.determines, "checksum": None}).id
        if key in index:
            names = f"{index[key].file_name} and {record.file_name}"
            raise ValueError(f"{names} are of one run on different data; remove the one that is out of date")
        index[key] = record
    return index


@cache
def code_digest() -> str:
    """Return a digest of the sources that a result can depend on; a change there makes all runs due again."""
    sources = [p for p in (ROOT / "mlrx").rglob("*.py") if not set(NOT_IN_CODE) & set(p.relative_to(ROOT).parts)]
    sources += [p for pattern in RUN_SOURCES for p in (ROOT / "experiments").glob(pattern)]
    digest = hashlib.sha256()
    for path in sorted(sources):
        digest.update(path.relative_to(ROOT).as_posix().encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()[:16]


def code_changed() -> bool:
    """Tell whether the sources differ from those that this process first saw."""
    return code_digest.__wrapped__() != code_digest()


@cache
def package_versions() -> dict[str, str]:
    """Return the versions of the packages that results depend on."""
    return {name: _version(name) for name in PACKAGES}


@cache
def git_commit() -> str:
    """Return the commit of the checkout, with "+changes" when tracked files differ from it; "unknown" without git."""
    command = ["git", "-C", str(ROOT), "describe", "--always", "--abbrev=40", "--exclude=*", "--dirty=+changes"]
    try:
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return "unknown"


def now() -> str:
    """Return the time in UTC, with its offset."""
    return datetime.now(UTC).isoformat(timespec="seconds")


def machine() -> str:
    """Say what a run was made on, without naming the host."""
    return f"{platform.system()} {platform.machine()}, {os.cpu_count()} CPUs, Python {platform.python_version()}"


def _version(package: str) -> str:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return "not installed"
