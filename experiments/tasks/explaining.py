"""The task "explain": ten folds, a forest fitted on each, and rules for the forest's labels of every test row."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from ..config import PUBLISHED_SD, Config, Dataset, Method
from ..explainers.explainer import Explained, FittedExplainer
from ..forests import PROTOCOLS, Fold, ensure_protocol_files, load_fold
from ..methods import EXPLAINERS
from ..schema import suggest
from .conclusiveness import NOT_AUDITED, VERDICTS, Auditor
from .explanation_scores import average_rows, score_row
from .measures import OF_EXPLANATIONS
from .task import Task

if TYPE_CHECKING:
    from ..runs import Run


# By position of the row and strategy.
Found = dict[int, dict[str, list[Explained]]]


def check(config: Config) -> None:
    """Refuse what belongs to predictions, more repetitions than folds, and margins for other strategies.

    The metrics of the audit and its budget go together.
    """
    for name, value in (("zero_division", config.zero_division), ("tuning", config.tuning)):
        if value is not None:
            raise ValueError(f"{name} has no meaning where forests are explained, got {value!r}")
    strategies = {strategy for method in config.methods.values() for strategy in method.strategies}
    if isinstance(config.margin, dict) and set(config.margin) not in (strategies, {PUBLISHED_SD}):
        raise ValueError(
            f"margin must have exactly the strategies {', '.join(sorted(strategies))}, or {PUBLISHED_SD}, "
            f"got {config.margin}"
        )
    audited = sorted({*VERDICTS.values(), NOT_AUDITED} & set(config.metrics))
    if bool(audited) != (config.audit_budget is not None):
        raise ValueError(
            f"metrics of the audit need an audit_budget and the other way round, got {audited} and "
            f"{config.audit_budget!r}"
        )
    if config.audit_budget is not None and config.audit_budget < 1:
        raise ValueError(f"audit_budget must be at least 1, got {config.audit_budget}")
    check_folds(config)
    for name, profile in config.profiles.items():
        _check_rows(config, f"profiles.{name}.rows", profile.rows)


def check_folds(config: Config) -> None:
    """Refuse a profile with more repetitions than its data sets have folds."""
    for name, profile in config.profiles.items():
        n_folds = min(PROTOCOLS[dataset].n_folds for dataset in profile.datasets)
        if profile.repetitions > n_folds:
            raise ValueError(f"profiles.{name}.repetitions must be at most {n_folds}, got {profile.repetitions}")


def _check_rows(config: Config, where: str, rows: dict[str, int | dict[str, int]]) -> None:
    for dataset, stated in rows.items():
        if dataset not in config.datasets:
            raise ValueError(f"{where}: unknown {dataset!r}{suggest(dataset, config.datasets)}")
        by_method = stated if isinstance(stated, dict) else {"": stated}
        for method, n_rows in by_method.items():
            place = f"{where}.{dataset}.{method}".rstrip(".")
            if method and method not in config.methods:
                raise ValueError(f"{where}.{dataset}: unknown {method!r}{suggest(method, config.methods)}")
            if n_rows < 1:
                raise ValueError(f"{place} must be at least 1, got {n_rows}")


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


def fit(run: Run, fold: Fold) -> FittedExplainer:
    """Fit the run's explainer."""
    return EXPLAINERS[run.kind].fit(fold, run.random_state, run.parameters)


def explanations(run: Run, fold: Fold, fitted: FittedExplainer) -> Iterator[tuple[int, dict[str, list[Explained]]]]:
    """Explain the first rows of the fold, those for which the forest predicts a label: position, rules by strategy."""
    for row in np.flatnonzero(fold.predicted[: run.rows].any(axis=1)).tolist():
        yield row, fitted.explain(fold.X_test[row], fold.labels_of(row), run.asked)


def outcome(run: Run, fold: Fold) -> dict[str, Any]:
    """Fit the run's explainer, let it explain the first rows of the fold, and audit and score what it says.

    Rows for which the forest predicts no label are counted and passed over. A metrics entry holds, besides the
    metrics over the rows, ``rows``: for each row explained its position in the fold and its own scores. The seconds
    of the audit are apart from those of the explanations.
    """
    fitted = fit(run, fold)
    start = time.perf_counter()
    found = dict(explanations(run, fold, fitted))
    explained = time.perf_counter()
    audits = _audits(run, fold, found)
    seconds = {"fit": fitted.seconds, "explain": explained - start, "audit": time.perf_counter() - explained}
    n_empty = int((~fold.predicted[: run.rows].any(axis=1)).sum())
    metrics = []
    for strategy in run.asked:
        rows = [
            score_row(by[strategy], row, fold, strategy == "all", audits[row][strategy]) for row, by in found.items()
        ]
        metrics.append(_entry(strategy, rows, n_empty, run.metrics))
    return {"metrics": tuple(metrics), "seconds": seconds, "notes": fitted.notes}


def _audits(run: Run, fold: Fold, found: Found) -> dict[int, dict[str, list[dict[str, float]]]]:
    """Return the audit's scores of every rule; nothing for any where no audit is asked for."""
    if run.audit_budget is None:
        return {row: {strategy: [] for strategy in by} for row, by in found.items()}
    auditor = Auditor(fold.cells, run.audit_budget)
    return {
        row: {strategy: [auditor.scores(one) for one in rules] for strategy, rules in by.items()}
        for row, by in found.items()
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
