"""Configs: one YAML file says what a published table or study is made of; it is checked before anything runs."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from .files import NOTEBOOKS

PROFILES = ("smoke", "quick", "paper")
# The margin in units of the published standard deviation.
PUBLISHED_SD = "published_sd"
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
    folds : int or None
        With a number, all rows are cut into so many folds, and each repetition tests another one; None keeps the
        published split, or draws one.
    """

    n_rules: int | None = None
    generate: dict[str, Any] | None = None
    parameters: dict[str, dict[str, Any]] = field(default_factory=dict)
    folds: int | None = None


@dataclass(frozen=True)
class Method:
    """A method of a study.

    Parameters
    ----------
    kind : str
        A name of `experiments.methods.METHODS`, or of `EXPLAINERS` where forests are explained.
    title : str
        How tables call it.
    parameters : dict
    rules : tuple of int or str
        Numbers of rules: absolute, or multiples of the data set's number such as "2x"; empty where none is set.
    deterministic : bool
        Whether the seed has no say: on one split it is run once.
    strategies : tuple of str
        Which label sets of a row are explained, where forests are explained.
    """

    kind: str
    title: str
    parameters: dict[str, Any] = field(default_factory=dict)
    rules: tuple[int | str, ...] = ()
    deterministic: bool = False
    strategies: tuple[str, ...] = ()

    def n_rules(self, dataset: Dataset) -> tuple[int, ...]:
        """Return the numbers of rules on the data set, ascending and unique."""
        return tuple(sorted({_number_of_rules(entry, dataset) for entry in self.rules}))


@dataclass(frozen=True)
class Profile:
    """How much of a study is run: the sets, the repetitions or folds, and parameters by method that go over all others.

    With ``tune`` the methods' parameters are searched for on training rows first. `rows` says how many rows of a fold,
    from its first, are explained, by data set: one number for all methods, or numbers by method; all where nothing is
    said.
    """

    datasets: tuple[str, ...]
    repetitions: int
    parameters: dict[str, dict[str, Any]] = field(default_factory=dict)
    tune: bool = False
    rows: dict[str, int | dict[str, int]] = field(default_factory=dict)

    def n_rows(self, dataset: str, method: str) -> int | None:
        """Return how many rows of a fold the method explains; None is all."""
        rows = self.rows.get(dataset)
        return rows.get(method) if isinstance(rows, dict) else rows


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
        Names of `experiments.tasks.measures.MEASURES`.
    seed : int
        All seeds derive from it.
    margin : float or dict of str to float
        Largest difference from a published number that counts as the same, fixed before running. By strategy: as a
        share of the published number. ``{"published_sd": k}``: k published standard deviations.
    datasets : dict of str to Dataset
    methods : dict of str to Method
    profiles : dict of str to Profile
        "smoke", "quick" and "paper".
    task : str
        A name of `experiments.tasks.registry.TASKS`.
    zero_division : {0, 1} or None
        The F1 of a label with nothing true and nothing predicted; None where forests are explained.
    published : str or None
        CSV of published numbers beside the config: dataset, method, asked, metric, value, sd, comparable, source.
    tuning : Tuning or None
        How parameters are searched for.
    audit_budget : int or None
        Where forests are explained: boxes that the search for a counterexample to a rule may look at, for each label.
        None audits no rule.
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
    seed: int
    margin: float | dict[str, float]
    datasets: dict[str, Dataset]
    methods: dict[str, Method]
    profiles: dict[str, Profile]
    task: str = "predict"
    zero_division: int | None = None
    published: str | None = None
    tuning: Tuning | None = None
    audit_budget: int | None = None
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
