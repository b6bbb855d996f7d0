"""A sweep: one YAML file names a notebook and a grid of its parameters; it is checked before anything runs."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from itertools import product
from pathlib import Path
from typing import Any

from ..files import NOTEBOOKS
from ..loading import list_sweeps, read_checked
from ..notebooks import check_parameters
from ..records import DONE, Record, code_digest, package_versions
from ..schema import suggest
from ..values import to_json


@dataclass(frozen=True)
class Picture:
    """Heat maps of means over `x` and `y`, two of the parameters: a column each value of `columns`, a row a metric."""

    x: str
    y: str
    columns: str
    metrics: tuple[str, ...]


@dataclass(frozen=True)
class Point:
    """One point of a grid.

    Parameters
    ----------
    place : dict
        The grid's parameters, in the order of the config.
    sought : Record
        The record that the point leaves, without what comes of it; ``determines["parameters"]`` holds all parameters.
    """

    place: dict[str, Any]
    sought: Record

    def __str__(self) -> str:
        return ", ".join(f"{name}={as_text(value)}" for name, value in self.place.items())

    @property
    def name(self) -> str:
        """The name of its files, without an ending."""
        return Path(self.sought.file_name).stem


@dataclass(frozen=True)
class Sweep:
    """A grid of parameters of a notebook.

    Parameters
    ----------
    id : str
        The name of the file, without its ending.
    title, claim : str
        What it is called, and what it is to show.
    unstated : tuple of str
        What was chosen where nothing is published.
    notebook : str
        File in ``notebooks``, executed once a point.
    grid : dict of str to tuple
        By parameter its values; the points are all combinations, the last parameter changing fastest.
    metrics : tuple of str
        Scores that the notebook hands in, and that the table shows.
    timeout : float
        Seconds that a point may take.
    parameters : dict
        Parameters that are the same for all points.
    picture : Picture or None
    path : Path
        The file, set when it is read.
    """

    id: str
    title: str
    claim: str
    unstated: tuple[str, ...]
    notebook: str
    grid: dict[str, tuple[Any, ...]]
    metrics: tuple[str, ...]
    timeout: float
    parameters: dict[str, Any] = field(default_factory=dict)
    picture: Picture | None = None
    path: Path | None = None

    @property
    def notebook_path(self) -> Path:
        """The notebook that is executed."""
        return NOTEBOOKS / self.notebook

    @cached_property
    def points(self) -> tuple[Point, ...]:
        """All points, in the order of the grid."""
        return tuple(self._points())

    def _points(self) -> Iterator[Point]:
        shared = {"task": "sweep", "method": self.notebook_path.stem, "notebook": _digest(self.notebook_path)}
        shared |= {"code": code_digest(), "packages": package_versions()}
        for values in product(*self.grid.values()):
            place = dict(zip(self.grid, values))
            parameters = check_parameters(self.notebook_path, self.parameters | place)
            # The data set for the eye, in the name of the record's file; not every notebook has one.
            dataset = re.sub(r"[^\w.-]+", "_", as_text(parameters.get("dataset", "point")))[:60]
            determines = {**shared, "dataset": dataset, "parameters": parameters}
            yield Point(place, Record(determines, DONE, True))


def load_sweep(name: str | Path) -> Sweep:
    """Read and check a sweep, without starting a kernel.

    Parameters
    ----------
    name : str or Path
        An id of `list_sweeps`, or the path of a YAML file whose name is its id.

    Raises
    ------
    ValueError, TypeError
        Naming the file, the key, its value and what is allowed.
    """
    return read_checked(Sweep, name, list_sweeps(), _check)


def as_text(value: Any) -> str:
    """Return a parameter's value for people and tables: text as it is, all else as JSON."""
    return value if isinstance(value, str) else to_json(value)


def _check(sweep: Sweep) -> None:
    """Check what the types alone do not tell, names and values of parameters among it."""
    if not sweep.notebook_path.is_file():
        raise ValueError(f"notebook: there is no {sweep.notebook!r} in notebooks/")
    if not sweep.timeout > 0:
        raise ValueError(f"timeout must be above 0 seconds, got {sweep.timeout}")
    for key in ("metrics", "grid"):
        if not getattr(sweep, key):
            raise ValueError(f"{key}: a sweep needs at least one, got none")
    for name, values in sweep.grid.items():
        if name in sweep.parameters:
            raise ValueError(f"parameter {name!r} is both in grid and in parameters")
        if not values:
            raise ValueError(f"grid.{name} has no value")
        texts = [to_json(value) for value in values]
        for text in texts:
            if texts.count(text) > 1:
                raise ValueError(f"grid.{name} lists {text} {texts.count(text)} times; a point is run once")
    _check_picture(sweep)
    sweep.points  # noqa: B018 - the names and values of each are checked in the making


def _check_picture(sweep: Sweep) -> None:
    picture = sweep.picture
    if picture is None:
        return
    asked = [("x", picture.x, sweep.grid), ("y", picture.y, sweep.grid), ("columns", picture.columns, sweep.grid)]
    for key, name, known in [*asked, *(("metrics", metric, sweep.metrics) for metric in picture.metrics)]:
        if name not in known:
            raise ValueError(f"picture.{key}: unknown {name!r}{suggest(name, known)}")
    if len({picture.x, picture.y, picture.columns}) < 3:
        raise ValueError(f"picture: x, y and columns must differ, got {picture.x}, {picture.y} and {picture.columns}")


def _digest(notebook: Path) -> str:
    """Return a digest of the notebook's code."""
    import nbformat

    cells = nbformat.read(notebook, as_version=4).cells
    code = to_json([cell.source for cell in cells if cell.cell_type == "code"])
    return hashlib.sha256(code.encode()).hexdigest()[:16]
