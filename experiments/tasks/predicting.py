"""The task "predict": fit on training rows, predict test rows."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from ..baselines.method import Method as Baseline
from ..config import Config, Dataset, Method
from ..methods import METHODS
from ..splits import Split, check_dataset, ensure_files, load_split, varies
from .evaluation import evaluate
from .measures import OF_PREDICTIONS
from .task import Task

if TYPE_CHECKING:
    from ..runs import Run


def check(config: Config) -> None:
    """Refuse a config without a value for undefined scores, and a margin that is no number."""
    if config.zero_division not in (0, 1):
        raise ValueError(f"zero_division must be 0 or 1, got {config.zero_division!r}")
    if config.audit_budget is not None:
        raise ValueError(f"audit_budget has no meaning where labels are predicted, got {config.audit_budget!r}")
    if not isinstance(config.margin, float):
        raise ValueError(f"margin must be a number, got {config.margin!r}")
    for name, profile in config.profiles.items():
        if profile.rows:
            raise ValueError(f"profiles.{name}.rows: all test rows are predicted, none may be left out")
        for dataset in profile.datasets:
            n_folds = config.datasets[dataset].folds
            if n_folds is not None and profile.repetitions > n_folds:
                raise ValueError(f"profiles.{name}.repetitions must be at most {n_folds}, the folds of {dataset}")


def asked(method: Method, dataset: Dataset, methods: dict[str, Baseline] = METHODS) -> list[tuple[int, ...]]:
    """Return the numbers of rules of each fit: all in one where one fit serves them all."""
    if method.strategies:
        raise ValueError(f"strategies: predictions have none, got {', '.join(method.strategies)}")
    numbers = method.n_rules(dataset)
    return [numbers] if methods[method.kind].serves_prefixes or not numbers else [(n,) for n in numbers]


def outcome(run: Run, split: Split, methods: dict[str, Baseline] = METHODS) -> dict[str, Any]:
    """Fit the run's method, predict the test rows, and score."""
    most = max(run.asked, default=None)
    fitted = methods[run.kind].fit(split, most, run.random_state, run.parameters)
    start = time.perf_counter()
    predicted = fitted.predict(split.test.X)
    seconds = {"fit": fitted.seconds, "predict": time.perf_counter() - start, "rules": list(fitted.rule_seconds)}
    if fitted.search_seconds:
        seconds["search"] = fitted.search_seconds
    return {
        "metrics": evaluate(fitted, predicted, split, run.asked, run.metrics, run.zero_division),
        "seconds": seconds,
        "notes": fitted.notes,
    }


TASK = Task(
    METHODS, OF_PREDICTIONS, "rules asked", 1, check, check_dataset, ensure_files, load_split, varies, asked, outcome
)
