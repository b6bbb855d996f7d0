"""Configs: one YAML file says what a published table or study is made of; it is checked before anything runs."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from .files import CONFIGS, NOTEBOOKS
from .measures import MEASURES
from .schema import build, suggest

PROFILES = ("smoke", "quick", "paper")
MULTIPLE = re.compile(r"(\d+(?:\.\d+)?)x")


@dataclass(frozen=True)
class Dataset:
    """A data set of a study.

    Parameters
    ----------
    n_rules : int or None
        The number that "1x" stands for: the number of generating rules, or the number chosen for a real set.
    generate : dict or None
        None loads the set of this name; otherwise ``{"generator": NAME, ...}`` with the generator's arguments.
    parameters : dict
        Parameters by method, which go over the method's own.
    """

    n_rules: int | None = None
    generate: dict[str, Any] | None = None
    parameters: dict[str, dict[str, Any]] = field(default_factory=dict)


@dataclass(frozen=True)
class Method:
    """A method of a study.

    Parameters
    ----------
    kind : str
        A name of `experiments.methods.METHODS`.
    title : str
        How tables call it.
    parameters : dict
    rules : tuple of int or str
        Numbers of rules: absolute, or multiples of the data set's number such as "2x"; empty where none is set.
    deterministic : bool
        Whether the seed has no say: on one split it is run once.
    """

    kind: str
    title: str
    parameters: dict[str, Any] = field(default_factory=dict)
    rules: tuple[int | str, ...] = ()
    deterministic: bool = False

    def n_rules(self, dataset: Dataset) -> tuple[int, ...]:
        """Return the numbers of rules on the data set, ascending and unique."""
        return tuple(sorted({_number_of_rules(entry, dataset) for entry in self.rules}))


@dataclass(frozen=True)
class Profile:
    """How much of a study is run: the sets, the repetitions (seeds), and parameters by method that go over all others.

    With ``tune`` the methods' parameters are searched for on training rows first.
    """

    datasets: tuple[str, ...]
    repetitions: int
    parameters: dict[str, dict[str, Any]] = field(default_factory=dict)
    tune: bool = False


@dataclass(frozen=True)
class Range:
    """Numbers from `low` to `high`, drawn uniformly, or with ``log`` on a logarithmic scale."""

    low: float
    high: float
    log: bool = False


@dataclass(frozen=True)
class Tuning:
    """Random search on training rows only.

    Parameters
    ----------
    method : str
    candidates : int
        Drawn settings.
    folds : int
        Folds of cross-validation on the training rows.
    n_rules : int
        Rules fitted; every prefix is scored, and the best number of rules is part of the result.
    parameters : dict
        Held fixed during the search only.
    space : dict
        By parameter the values to draw from: a list, or a `Range`.
    """

    method: str
    candidates: int
    folds: int
    n_rules: int
    space: dict[str, Range | tuple[Any, ...]]
    parameters: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Config:
    """A published table or study.

    Parameters
    ----------
    id : str
        The name of the file, without its ending.
    title, claim : str
        What it is called, and what the paper claims.
    paper : str
        Key of the paper.
    table : str
        Which table or study of it.
    unstated : tuple of str
        What the paper leaves unstated and what was chosen.
    notebook : str
        File in ``notebooks``, executed once a data set.
    metrics : tuple of str
        Names of `experiments.measures.MEASURES`.
    zero_division : {0, 1}
        The F1 of a label with nothing true and nothing predicted.
    seed : int
        All seeds derive from it.
    margin : float
        Largest difference from a published number that counts as the same, fixed before running.
    datasets : dict of str to Dataset
    methods : dict of str to Method
    profiles : dict of str to Profile
        "smoke", "quick" and "paper".
    published : str or None
        CSV of published numbers beside the config: dataset, method, metric, value, comparable, source.
    tuning : Tuning or None
        How parameters are searched for.
    path : Path
        The file, set when it is read.
    """

    id: str
    title: str
    paper: str
    table: str
    claim: str
    unstated: tuple[str, ...]
    notebook: str
    metrics: tuple[str, ...]
    zero_division: int
    seed: int
    margin: float
    datasets: dict[str, Dataset]
    methods: dict[str, Method]
    profiles: dict[str, Profile]
    published: str | None = None
    tuning: Tuning | None = None
    path: Path | None = None

    def parameters(self, method: str, dataset: str, profile: str) -> dict[str, Any]:
        """Return the method's parameters: its own, then the data set's, then the profile's over them."""
        layers = self.datasets[dataset].parameters, self.profiles[profile].parameters
        return self.methods[method].parameters | layers[0].get(method, {}) | layers[1].get(method, {})

    @property
    def published_path(self) -> Path | None:
        """The CSV of published numbers, beside the config."""
        return None if self.published is None else self.path.with_name(self.published)

    @property
    def notebook_path(self) -> Path:
        """The notebook that runs the study on one data set."""
        return NOTEBOOKS / self.notebook


def list_configs() -> list[str]:
    """Return the ids of all configs, in the order of their file names."""
    return [path.stem for path in sorted(CONFIGS.glob("*.yaml"))]


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
    import yaml

    path = Path(name) if str(name).endswith(".yaml") else CONFIGS / f"{name}.yaml"
    if not path.is_file():
        raise ValueError(f"there is no config {str(name)!r}; there are {', '.join(list_configs())}")
    try:
        document = yaml.safe_load(path.read_text(encoding="utf-8"))
        config = replace(build(Config, document), path=path)
        if config.id != path.stem:
            raise ValueError(f"id is {config.id!r}, but the file is called {path.name}")
        _check(config)
    except (ValueError, TypeError, yaml.YAMLError) as error:
        raise ValueError(f"{path.name}: {error}") from error
    return config


def _check(config: Config) -> None:
    """Check what the types alone do not tell, without loading data or running anything."""
    from .methods import METHODS
    from .splits import check_dataset

    if set(config.profiles) != set(PROFILES):
        raise ValueError(f"profiles must be exactly {', '.join(PROFILES)}, got {', '.join(config.profiles)}")
    if config.zero_division not in (0, 1):
        raise ValueError(f"zero_division must be 0 or 1, got {config.zero_division!r}")
    if not config.notebook_path.is_file():
        raise ValueError(f"notebook: there is no {config.notebook!r} in notebooks/")
    if config.published_path is not None and not config.published_path.is_file():
        raise ValueError(f"published: there is no {config.published!r} beside the config")
    _known(config.metrics, MEASURES, "metrics")
    for name, method in config.methods.items():
        _known([method.kind], METHODS, f"methods.{name}.kind")
    for name, profile in config.profiles.items():
        _known(profile.datasets, config.datasets, f"profiles.{name}.datasets")
        _known(profile.parameters, config.methods, f"profiles.{name}.parameters")
        if profile.repetitions < 1:
            raise ValueError(f"profiles.{name}.repetitions must be at least 1, got {profile.repetitions}")
    for name, dataset in config.datasets.items():
        _known(dataset.parameters, config.methods, f"datasets.{name}.parameters")
        check_dataset(name, dataset)
        for method in config.methods.values():
            method.n_rules(dataset)
    _check_parameters(config)
    if config.tuning is not None:
        _check_tuning(config, config.tuning)


def _check_parameters(config: Config) -> None:
    """Check the parameters of every method as they will be on every data set in every profile."""
    from .methods import METHODS

    for profile in config.profiles:
        for dataset in config.profiles[profile].datasets:
            for name, method in config.methods.items():
                try:
                    METHODS[method.kind].check(config.parameters(name, dataset, profile))
                except (ValueError, TypeError) as error:
                    raise ValueError(f"methods.{name} on {dataset}, profile {profile}: {error}") from error


def _check_tuning(config: Config, tuning: Tuning) -> None:
    """Check what the search would try."""
    from .methods import METHODS
    from .tuning import draw_candidates

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


def _number_of_rules(entry: int | str, dataset: Dataset) -> int:
    """Return what an entry of `rules` means on the data set: itself, or a multiple rounded to the nearest integer."""
    if isinstance(entry, str):
        match = MULTIPLE.fullmatch(entry)
        if match is None:
            raise ValueError(f"rules: {entry!r} is neither a whole number nor a multiple such as '2x'")
        if dataset.n_rules is None:
            raise ValueError(f"rules: {entry!r} needs the data set's n_rules")
        entry = round(float(match[1]) * dataset.n_rules)
    if entry < 1:
        raise ValueError(f"rules: a number of rules must be at least 1, got {entry}")
    return entry
