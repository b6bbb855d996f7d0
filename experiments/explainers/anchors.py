"""Anchors: a rule for each label, or for the whole label set, that holds for most rows drawn under it."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from sklearn.preprocessing import MinMaxScaler

from mlrx.lionforests import FlatForest
from mlrx.lionforests.scaling import greatest_at_most
from mlrx.rules import Condition, Rule

from ..baselines.method import check_names, names_of
from ..forests import Fold
from .anchor_rows import AnchorRows, Predicate
from .anchor_search import Anchor, AnchorSearch
from .deadline import Deadline
from .explainer import Explained, Explainer, FittedExplainer
from .quartiles import Quartiles

MODES = ("sound", "paper")


@dataclass(frozen=True)
class Settings:
    """What a config may set.

    Parameters
    ----------
    precision : float, default=0.95
        Share of drawn rows that must be treated alike.
    beam_size : int, default=4
        In the paper's way always 1: the library takes the parameter and passes it to nothing.
    time_limit : float or None, default=None
        CPU seconds that the rules of one row may take together.
    mode : {"sound", "paper"}, default="sound"
    """

    precision: float = 0.95
    beam_size: int = 4
    time_limit: float | None = None
    mode: str = "sound"

    def __post_init__(self) -> None:
        if not 0 < self.precision < 1:
            raise ValueError(f"precision must be above 0 and below 1, got {self.precision!r}")
        if not isinstance(self.beam_size, int) or self.beam_size < 1:
            raise ValueError(f"beam_size must be a whole number from 1, got {self.beam_size!r}")
        if self.time_limit is not None and not self.time_limit > 0:
            raise ValueError(f"time_limit must be None or above 0, got {self.time_limit!r}")
        if self.mode not in MODES:
            raise ValueError(f"mode must be one of {', '.join(MODES)}, got {self.mode!r}")


def fit(fold: Fold, seed: int, parameters: dict[str, Any]) -> FittedExplainer:
    """Find the quartiles of the training rows.

    Notes
    -----
    Draws and anchors are those of the package anchor-exp 0.0.2 for the same seed; the search and its cost are
    described at `AnchorSearch`. Every rule is searched with the generator seeded afresh. A rule for one label wants the
    forest to predict that label; one for the whole set wants all of its labels, and allows others.

    Bounds are the quartiles themselves. The published studies (``mode="paper"``) ran a copy of the library whose
    confidence bounds take one step of bisection and whose beam is 1, and read bounds from text with two decimals, on
    columns scaled to (-1, 1): such a rule may exclude its own row.

    A row's records say ``own_precision`` and ``own_coverage``, both as estimated by the search, ``is_precise``,
    ``is_empty``, ``is_out_of_time`` and ``n_asked``, the rows that the forest was asked about. A rule that no set of
    predicates makes precise is the most precise one found, with the status "below the threshold"; one whose search
    ran out of time is the best precise one until then, or none.
    """
    settings = Settings(**parameters)
    start = time.perf_counter()
    quartiles = Quartiles(fold.X_train)
    bounds = _rounded(quartiles) if settings.mode == "paper" else quartiles.edges
    quartiles.locate(quartiles.X)
    seconds = time.perf_counter() - start

    def explain(x: np.ndarray, labels: tuple[int, ...], strategies: tuple[str, ...]) -> dict[str, list[Explained]]:
        deadline = Deadline(settings.time_limit)
        wanted = {"all": [labels], "each": [(label,) for label in labels]}

        def explain_set(chosen: tuple[int, ...]) -> Explained:
            rows = AnchorRows(quartiles, x, np.random.RandomState(seed))
            return _explain_set(fold.forest, bounds, rows, chosen, settings, deadline)

        return {strategy: [explain_set(chosen) for chosen in wanted[strategy]] for strategy in strategies}

    return FittedExplainer(explain, seconds)


def check(parameters: dict[str, Any]) -> None:
    """Refuse parameters that the explainer does not take, and values out of their domain."""
    check_names(parameters, names_of(Settings))
    if parameters.get("mode") == "paper" and parameters.get("beam_size", 1) != 1:
        raise ValueError(f"beam_size must be 1 with mode 'paper', got {parameters['beam_size']!r}")
    Settings(**parameters)


def _keep_labels(forest: FlatForest, labels: tuple[int, ...]) -> FlatForest:
    """Return the forest as if it had some of its labels only; their votes are added up as before, to the last bit."""
    kept = list(labels)
    classes = tuple(forest.classes[label] for label in labels)
    votes = np.ascontiguousarray(forest.votes[:, kept])
    return replace(forest, classes=classes, is_present=forest.is_present[kept], votes=votes)


def _explain_set(
    forest: FlatForest,
    bounds: tuple[np.ndarray, ...],
    rows: AnchorRows,
    labels: tuple[int, ...],
    settings: Settings,
    deadline: Deadline,
) -> Explained:
    start = time.process_time()
    is_paper = settings.mode == "paper"
    forest = _keep_labels(forest, labels)
    search = AnchorSearch(
        rows,
        lambda X: forest.predict_labels(X).all(axis=1),
        settings.precision,
        1 if is_paper else settings.beam_size,
        1 if is_paper else 16,
        deadline,
    )
    anchor = search.find()
    rule = None if anchor is None else Rule([_condition(rows.predicates[k], bounds) for k in anchor.numbers], labels)
    return Explained(
        labels, rule, _status(anchor, search), time.process_time() - start, reported=_reported(anchor, search)
    )


def _condition(predicate: Predicate, bounds: tuple[np.ndarray, ...]) -> Condition:
    bound = float(bounds[predicate.feature][predicate.edge])
    return Condition(predicate.feature, **{"lower" if predicate.is_above else "upper": bound})


def _status(anchor: Anchor | None, search: AnchorSearch) -> str:
    if search.is_out_of_time:
        return "out of time"
    return "precise" if anchor.is_precise else "below the threshold"


def _reported(anchor: Anchor | None, search: AnchorSearch) -> dict[str, float]:
    return {
        "own_precision": np.nan if anchor is None else anchor.precision,
        "own_coverage": np.nan if anchor is None else anchor.coverage,
        "is_precise": anchor is not None and anchor.is_precise,
        "is_empty": anchor is not None and not anchor.numbers,
        "is_out_of_time": search.is_out_of_time,
        "n_asked": search.n_asked,
    }


def _rounded(quartiles: Quartiles) -> tuple[np.ndarray, ...]:
    """Return the edges with two decimals in the scale from -1 to 1, as bounds of original values."""
    scaler = MinMaxScaler((-1, 1)).fit(quartiles.X)
    sizes = [edges.size for edges in quartiles.edges]
    table = np.column_stack([np.resize(edges, max(sizes)) for edges in quartiles.edges])
    with np.errstate(over="ignore"):
        bounds = greatest_at_most(scaler.transform, np.round(scaler.transform(table), 2))
    return tuple(column[:size] for column, size in zip(bounds.T, sizes, strict=True))


EXPLAINER = Explainer(fit, check, ("all", "each"))
