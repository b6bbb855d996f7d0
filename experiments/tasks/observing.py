"""Tasks that look at data without fitting or predicting: each method is a frozen dataclass with ``observe``."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from ..config import Config, Dataset, Method
from ..schema import build
from ..splits import Split, check_dataset, ensure_files, load_split, varies
from .measures import Measure
from .task import Task

if TYPE_CHECKING:
    from ..runs import Run


class Observer(Protocol):
    """What is looked at; its fields are the parameters that a config may set."""

    def observe(self, split: Split, rng: np.random.Generator) -> dict[str, float]:
        """Return scores; a name that is left out has no value on this data."""


@dataclass(frozen=True)
class Kind:
    """A sort of observer, as the runner asks for it.

    Parameters
    ----------
    observer : type
        A dataclass with the methods of `Observer`; what it refuses raises ValueError.
    """

    observer: type

    def check(self, parameters: dict[str, Any]) -> None:
        """Refuse unknown and missing parameters, and values out of their domain."""
        build(self.observer, parameters)

    def make(self, parameters: dict[str, Any]) -> Observer:
        """Return the observer with these parameters."""
        return build(self.observer, parameters)


def make_task(observers: dict[str, type], measures: dict[str, Measure]) -> Task:
    """Return a task whose methods are observers.

    Parameters
    ----------
    observers : dict of str to type
        By the names that configs use.
    measures : dict of str to Measure

    Notes
    -----
    The seconds of a run include the compilation of what it is the first to use.
    """
    kinds = {name: Kind(observer) for name, observer in observers.items()}

    def outcome(run: Run, split: Split) -> dict[str, Any]:
        rng = np.random.default_rng(run.random_state)
        start = time.perf_counter()
        scores = kinds[run.kind].make(run.parameters).observe(split, rng)
        seconds = {"fit": 0.0, "observe": time.perf_counter() - start}
        entry = {"asked": None, **{name: scores.get(name) for name in run.metrics}}
        return {"metrics": (entry,), "seconds": seconds, "notes": ()}

    return Task(kinds, measures, "", 1, check, check_dataset, ensure_files, load_split, varies, asked, outcome)


def check(config: Config) -> None:
    """Refuse what belongs to predictions and explanations, and a margin that is no number."""
    for name in ("zero_division", "tuning", "audit_budget"):
        if getattr(config, name) is not None:
            raise ValueError(f"{name} has no meaning where nothing is fitted, got {getattr(config, name)!r}")
    if not isinstance(config.margin, float):
        raise ValueError(f"margin must be a number, got {config.margin!r}")
    for name, profile in config.profiles.items():
        if profile.rows or profile.tune:
            raise ValueError(f"profiles.{name}: rows and tune have no meaning where nothing is fitted")


def asked(method: Method, dataset: Dataset) -> list[tuple[()]]:
    """Return that nothing is asked for, once."""
    if method.rules or method.strategies:
        raise ValueError("methods that observe have neither rules nor strategies")
    return [()]
