"""What the runner asks of a task: what a study does with a method on a data set, and how its tables are made."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ..config import Config, Dataset, Method
from ..splits import Split
from .measures import Measure

if TYPE_CHECKING:
    from ..runs import Run


@dataclass(frozen=True)
class Task:
    """A task.

    Parameters
    ----------
    methods : dict of str to Any
        Adapters by name; each has ``check(parameters)``.
    measures : dict of str to Measure
        What a config may list under `metrics`.
    asked_title : str
        How tables call what is asked of a fitted method: a number of rules, or a strategy.
    ddof : int
        The standard deviation over n repetitions divides by n - `ddof`.
    check : callable
        ``check(config)`` raises ValueError for what has no meaning in this task.
    check_dataset : callable
        ``check_dataset(name, dataset)`` raises ValueError for a set that cannot be had, without loading it.
    ensure_files : callable
        ``ensure_files(name, dataset)`` has the files at hand, or raises OSError or ValueError.
    load : callable
        ``load(name, dataset, seed, repetition) -> Split``.
    varies : callable
        ``varies(dataset)`` tells whether repetitions have rows of their own.
    asked : callable
        ``asked(method, dataset)`` returns what is asked, one tuple for each fit that it takes.
    outcome : callable
        ``outcome(run, split)`` fits, uses and scores; it returns the record's metrics, seconds and notes.
    """

    methods: dict[str, Any]
    measures: dict[str, Measure]
    asked_title: str
    ddof: int
    check: Callable[[Config], None]
    check_dataset: Callable[[str, Dataset], None]
    ensure_files: Callable[[str, Dataset], None]
    load: Callable[[str, Dataset, int, int], Split]
    varies: Callable[[Dataset], bool]
    asked: Callable[[Method, Dataset], list[tuple[int | str, ...]]]
    outcome: Callable[[Run, Split], dict[str, Any]]
