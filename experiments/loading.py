"""Configs read from their files and checked, without loading data or running anything."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

from .config import PROFILES, Config, Range, Tuning
from .files import CONFIGS
from .methods import METHODS
from .schema import build, suggest
from .tasks.registry import TASKS
from .tuning import draw_candidates

SWEEPS = "sweep_*.yaml"
Read = TypeVar("Read")


def list_configs() -> list[str]:
    """Return the ids of all configs of studies, in the order of their file names."""
    return [path.stem for path in sorted(CONFIGS.glob("*.yaml")) if not path.match(SWEEPS)]


def list_sweeps() -> list[str]:
    """Return the ids of all configs of sweeps, in the order of their file names."""
    return [path.stem for path in sorted(CONFIGS.glob(SWEEPS))]


def load_config(name: str | Path) -> Config:
    """Read and check a config.

    Parameters
    ----------
    name : str or Path
        An id of `list_configs`, or the path of a YAML file whose name is its id.

    Raises
    ------
    ValueError
        Naming the file, the key, its value and what is allowed.
    """
    return read_checked(Config, name, list_configs(), _check)


def read_checked(kind: type[Read], name: str | Path, known: list[str], check: Callable[[Read], None]) -> Read:
    """Read a YAML file into a dataclass with `id` and `path`, and check it.

    Parameters
    ----------
    kind : type
    name : str or Path
        One of `known`, or the path of a YAML file whose name is its id.
    known : list of str
        Ids of the checkout's own configs.
    check : callable
        ``check(read)`` raises ValueError or TypeError.

    Raises
    ------
    ValueError
        Naming the file, the key, its value and what is allowed.
    """
    import yaml

    path = Path(name) if str(name).endswith(".yaml") else CONFIGS / f"{name}.yaml"
    if not path.is_file():
        raise ValueError(f"there is no config {str(name)!r}; there are {', '.join(known)}")
    try:
        read = replace(build(kind, _read_fields(path)), path=path)
        if read.id != path.stem:
            raise ValueError(f"id is {read.id!r}, but the file is called {path.name}")
        check(read)
    except (ValueError, TypeError, yaml.YAMLError) as error:
        raise ValueError(f"{path.name}: {error}") from error
    return read


def _read_fields(path: Path) -> Any:
    """Return what stands in a file; what it does not say is that of the file that it names by ``like``."""
    import yaml

    fields = yaml.safe_load(path.read_text(encoding="utf-8"))
    if not isinstance(fields, dict) or "like" not in fields:
        return fields
    other = path.with_name(f"{fields.pop('like')}.yaml")
    if not other.is_file():
        raise ValueError(f"like: there is no {other.name!r} beside the config")
    return _read_fields(other) | fields


def _check(config: Config) -> None:
    """Check what the types alone do not tell, without loading data or running anything."""
    if set(config.profiles) != set(PROFILES):
        raise ValueError(f"profiles must be exactly {', '.join(PROFILES)}, got {', '.join(config.profiles)}")
    if not config.notebook_path.is_file():
        raise ValueError(f"notebook: there is no {config.notebook!r} in notebooks/")
    if config.published_path is not None and not config.published_path.is_file():
        raise ValueError(f"published: there is no {config.published!r} beside the config")
    _known([config.task], TASKS, "task")
    task = TASKS[config.task]
    _known(config.metrics, task.measures, "metrics")
    for name, method in config.methods.items():
        _known([method.kind], task.methods, f"methods.{name}.kind")
    for name, profile in config.profiles.items():
        _known(profile.datasets, config.datasets, f"profiles.{name}.datasets")
        _known(profile.parameters, config.methods, f"profiles.{name}.parameters")
        if profile.repetitions < 1:
            raise ValueError(f"profiles.{name}.repetitions must be at least 1, got {profile.repetitions}")
    for name, dataset in config.datasets.items():
        _known(dataset.parameters, config.methods, f"datasets.{name}.parameters")
        task.check_dataset(name, dataset)
        for method in config.methods.values():
            task.asked(method, dataset)
    task.check(config)
    _check_parameters(config)
    if config.tuning is not None:
        _check_tuning(config, config.tuning)


def _check_parameters(config: Config) -> None:
    """Check the parameters of every method as they will be on every data set in every profile."""
    for profile in config.profiles:
        for dataset in config.profiles[profile].datasets:
            for name, method in config.methods.items():
                try:
                    TASKS[config.task].methods[method.kind].check(config.parameters(name, dataset, profile))
                except (ValueError, TypeError) as error:
                    raise ValueError(f"methods.{name} on {dataset}, profile {profile}: {error}") from error


def _check_tuning(config: Config, tuning: Tuning) -> None:
    """Check what the search would try."""
    _known([tuning.method], config.methods, "tuning.method")
    for name in ("candidates", "folds", "n_rules"):
        if getattr(tuning, name) < 1:
            raise ValueError(f"tuning.{name} must be at least 1, got {getattr(tuning, name)}")
    for name, space in tuning.space.items():
        if isinstance(space, Range) and not (0 if space.log else -math.inf) < space.low < space.high:
            raise ValueError(f"tuning.space.{name}: low must be below high, and above 0 with log, got {space}")
    for drawn in draw_candidates(tuning, config.seed):
        METHODS[config.methods[tuning.method].kind].check(tuning.parameters | drawn)


def _known(names: Iterable[str], known: Iterable[str], where: str) -> None:
    for name in names:
        if name not in known:
            raise ValueError(f"{where}: unknown {name!r}{suggest(name, known)}")
