"""The task "explain": ten folds, a forest fitted on each, and rules for the forest's labels of every test row."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import numpy as np

from .config import Config, Dataset, Method
from .explanation_scores import average_rows, score_row
from .forests import PROTOCOLS, Fold, ensure_protocol_files, load_fold
from .measures import OF_EXPLANATIONS
from .methods import EXPLAINERS
from .schema import suggest
from .task import Task

if TYPE_CHECKING:
    from .runs import Run


def check(config: Config) -> None:
    """Refuse what belongs to predictions, more repetitions than folds, and margins for other strategies."""
    for name, value in (("zero_division", config.zero_division), ("tuning", config.tuning)):
        if value is not None:
            raise ValueError(f"{name} has no meaning where forests are explained, got {value!r}")
    strategies = {strategy for method in config.methods.values() for strategy in method.strategies}
    if isinstance(config.margin, dict) and set(config.margin) != strategies:
        raise ValueError(
            f"margin must have exactly the strategies {', '.join(sorted(strategies))}, got {config.margin}"
        )
    for name, profile in config.profiles.items():
        n_folds = min(PROTOCOLS[dataset].n_folds for dataset in profile.datasets)
        if profile.repetitions > n_folds:
            raise ValueError(f"profiles.{name}.repetitions must be at most {n_folds}, got {profile.repetitions}")
        for dataset, n_rows in profile.rows.items():
            if dataset not in config.datasets:
                raise ValueError(f"profiles.{name}.rows: unknown {dataset!r}{suggest(dataset, config.datasets)}")
            if n_rows < 1:
                raise ValueError(f"profiles.{name}.rows.{dataset} must be at least 1, got {n_rows}")


def check_dataset(name: str, dataset: Dataset) -> None:
    """Check that there is a protocol for the set."""
    if name not in PROTOCOLS:
        raise ValueError(f"datasets: unknown {name!r}{suggest(name, PROTOCOLS)}")
    if dataset != Dataset(parameters=dataset.parameters):
        raise ValueError(f"datasets.{name} may hold parameters only")


def asked(method: Method, dataset: Dataset) -> list[tuple[str, ...]]:
    """Return the strategies, all served by one fit."""
    known = EXPLAINERS[method.kind].strategies
    if method.rules or not method.strategies:
        raise ValueError(f"methods that explain need strategies, out of {', '.join(known)}, and no rules")
    for strategy in method.strategies:
        if strategy not in known:
            raise ValueError(f"strategies: unknown {strategy!r}{suggest(strategy, known)}")
    return [method.strategies]


def outcome(run: Run, fold: Fold) -> dict[str, Any]:
    """Fit the run's explainer and let it explain the first rows of the fold.

    Rows for which the forest predicts no label are counted and passed over. A metrics entry holds, besides the
    metrics over the rows, ``rows``: for each row explained its position in the fold and its own scores.
    """
    fitted = EXPLAINERS[run.kind].fit(fold, run.random_state, run.parameters)
    scores = {strategy: [] for strategy in run.asked}
    predicted = fold.predicted[: run.rows]
    start = time.perf_counter()
    for row in np.flatnonzero(predicted.any(axis=1)):
        labels = tuple(np.flatnonzero(predicted[row]).tolist())
        for strategy, explained in fitted.explain(fold.X_test[row], labels, run.asked).items():
            scores[strategy].append(score_row(explained, int(row), fold, strategy == "all"))
    seconds = {"fit": fitted.seconds, "explain": time.perf_counter() - start}
    n_empty = int((~predicted.any(axis=1)).sum())
    return {
        "metrics": tuple(_entry(strategy, scores[strategy], n_empty, run.metrics) for strategy in run.asked),
        "seconds": seconds,
        "notes": fitted.notes,
    }


def _entry(strategy: str, rows: list[dict[str, Any]], n_empty: int, metrics: tuple[str, ...]) -> dict[str, Any]:
    means = average_rows(rows) | {"n_explained": len(rows), "n_empty": n_empty}
    columns = {name: [row[name] for row in rows] for name in (rows[0] if rows else ())}
    return {"asked": strategy, **{name: means.get(name) for name in metrics}, "rows": columns}


TASK = Task(
    EXPLAINERS,
    OF_EXPLANATIONS,
    "strategy",
    0,  # as published
    check,
    check_dataset,
    lambda name, dataset: ensure_protocol_files(name),
    lambda name, dataset, seed, repetition: load_fold(name, repetition),
    lambda dataset: True,
    asked,
    outcome,
)
