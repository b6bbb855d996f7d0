"""CHIRPS: for each label a rule made of the splits that recur on a row's paths."""

from __future__ import annotations

import time
from dataclasses import dataclass
from numbers import Real
from typing import Any

import numpy as np

from mlrx.rules import Condition, Rule

from ..baselines.method import check_names, names_of
from ..forests import Fold
from .chirps_patterns import Item, Terms, merge_bounds, mine_patterns, node_bounds, splits_on_paths
from .chirps_rule import Evidence, Stability, merge_patterns, prune_terms, rank_patterns, simplify_groups
from .deadline import Deadline, OutOfTimeError
from .explainer import Explained, Explainer, FittedExplainer

CHOICES = {"weighting": ("chisq", "kldiv"), "on_no_solution": ("empty", "default"), "mode": ("sound", "paper")}


@dataclass(frozen=True)
class Settings:
    """What a config may set; the defaults are the library's.

    Parameters
    ----------
    precision : float, default=0.95
        The stability at which a rule is done.
    support : float, default=0.05
        Share of the paths that hold a pattern.
    n_bins : int, default=4
        Bounds kept of a side, at most.
    weighting : {"chisq", "kldiv"}, default="chisq"
    delta : float, default=0.1
        A term goes when its complement's stability comes so near to `precision`.
    n_boots : int, default=20
        Bootstrap samples for merging and for pruning; 0 for decisions by the training rows as they are.
    on_no_solution : {"empty", "default"}, default="empty"
        What a rule without terms becomes: it stays so, or is the pattern with the best score.
    time_limit : float or None, default=None
        CPU seconds that the rules of one row may take together.
    mode : {"sound", "paper"}, default="sound"
    """

    precision: float = 0.95
    support: float = 0.05
    n_bins: int = 4
    weighting: str = "chisq"
    delta: float = 0.1
    n_boots: int = 20
    on_no_solution: str = "empty"
    time_limit: float | None = None
    mode: str = "sound"

    def __post_init__(self) -> None:
        for name in ("precision", "support", "delta"):
            value = getattr(self, name)
            if not isinstance(value, Real) or not 0 < value <= 1:
                raise ValueError(f"{name} must be above 0 and at most 1, got {value!r}")
        for name, least in (("n_bins", 1), ("n_boots", 0)):
            value = getattr(self, name)
            if not isinstance(value, int) or value < least:
                raise ValueError(f"{name} must be a whole number from {least}, got {value!r}")
        for name, allowed in CHOICES.items():
            if getattr(self, name) not in allowed:
                raise ValueError(f"{name} must be one of {', '.join(allowed)}, got {getattr(self, name)!r}")
        if self.time_limit is not None and not self.time_limit > 0:
            raise ValueError(f"time_limit must be None or above 0, got {self.time_limit!r}")

    @property
    def is_paper(self) -> bool:
        """Whether the published quirks are wanted."""
        return self.mode == "paper"


def fit(fold: Fold, seed: int, parameters: dict[str, Any]) -> FittedExplainer:
    """Label the training rows by the forest, and draw bootstrap samples of them.

    Notes
    -----
    CHIRPS [1]_ for two classes, one run a label. Trees count by their own majority. Patterns are all that are frequent;
    those with one term by the same rule as others, in forests of stumps too. With α = 0, as in the published studies,
    a pattern's length has no part in its score. Samples are drawn once a fold, so that rules do not depend on the
    order of calls. O(nodes) once; a rule costs its patterns times the training rows, times samples for those tried.

    Bounds are means of thresholds in the original units, unrounded. A rule may be empty: where the label is as frequent
    as the precision asks for, or where no pattern makes the rule surely more stable, or no tree votes for the label.

    With ``mode="paper"``: lower bounds are looked up in bins that are not their own, "chisq" weighs patterns the wrong
    way round, a pattern that is turned down may end the search, and of a column with two bounds the one found first is
    dropped. The authors' miner, which misses some frequent patterns, and their rounding to five decimals are left out.

    A row's records say ``own_precision`` and ``own_coverage`` on the training rows, ``is_empty``, ``is_out_of_time``,
    ``n_patterns``, and ``n_paths``, the trees that vote for the label.

    References
    ----------
    .. [1] J. Hatwell, M. M. Gaber, R. M. A. Azad. CHIRPS: Explaining random forest classification.
       Artificial Intelligence Review 53, 5747-5788, 2020. doi:10.1007/s10462-020-09833-6
    """
    settings = Settings(**parameters)
    forest = fold.forest
    start = time.perf_counter()
    bounds = node_bounds(forest)
    Y = forest.predict_labels(fold.X_train)
    rng = np.random.default_rng(seed)
    drawn = rng.multinomial(len(Y), np.full(len(Y), 1 / len(Y)), settings.n_boots).astype(float)
    seconds = time.perf_counter() - start

    def explain(x: np.ndarray, labels: tuple[int, ...], strategies: tuple[str, ...]) -> dict[str, list[Explained]]:
        deadline = Deadline(settings.time_limit)
        splits, votes = splits_on_paths(forest, bounds, x)

        def explain_label(label: int) -> Explained:
            start = time.process_time()
            paths = [path for path, agrees in zip(splits, votes[:, label], strict=True) if agrees]
            stability = Stability(Evidence(fold.X_train, Y[:, label]), drawn)
            try:
                terms, n_patterns = _find_terms(paths, stability, fold.groups, settings, deadline)
            except OutOfTimeError:
                terms, n_patterns = None, 0
            reported = _reported(terms, stability.evidence, len(paths), n_patterns)
            rule = None if terms is None else Rule(_conditions(terms, settings.is_paper), (label,), dtype=forest.dtype)
            return Explained((label,), rule, _status(reported), time.process_time() - start, reported)

        return {strategy: [explain_label(label) for label in labels] for strategy in strategies}

    return FittedExplainer(explain, seconds)


def check(parameters: dict[str, Any]) -> None:
    """Refuse parameters that the explainer does not take, and values out of their domain."""
    check_names(parameters, names_of(Settings))
    Settings(**parameters)


def _find_terms(
    paths: list[list[Item]],
    stability: Stability,
    groups: dict[str, tuple[int, ...]],
    settings: Settings,
    deadline: Deadline,
) -> tuple[Terms, int]:
    """Return the terms of a label's rule, and how many patterns it was chosen from."""
    if not paths:
        return {}, 0
    transactions = merge_bounds(paths, settings.n_bins, settings.is_paper)
    patterns = mine_patterns(transactions, settings.support, deadline)
    if not patterns:
        return {}, 0
    ranked = rank_patterns(patterns, stability.evidence, settings.weighting, settings.is_paper)
    terms = merge_patterns(ranked, stability, settings.precision, settings.is_paper)
    terms = prune_terms(terms, stability, settings.precision - settings.delta)
    if not terms and settings.on_no_solution == "default":
        terms = dict(ranked[0])
    return simplify_groups(terms, groups), len(patterns)


def _conditions(terms: Terms, keeps_last: bool) -> list[Condition]:
    """Return the terms as conditions; of two on one column both, or the last of them only."""
    kept = {f: (is_lower, bound) for (f, is_lower), bound in terms.items()}
    sides = [((f, is_lower), bound) for f, (is_lower, bound) in kept.items()] if keeps_last else terms.items()
    return [Condition(f, **{"lower" if is_lower else "upper": bound}) for (f, is_lower), bound in sides]


def _reported(terms: Terms | None, evidence: Evidence, n_paths: int, n_patterns: int) -> dict[str, float]:
    is_found = terms is not None
    return {
        "own_precision": evidence.precision(terms) if is_found else np.nan,
        "own_coverage": evidence.covers(terms).mean() if is_found else np.nan,
        "is_empty": is_found and not terms,
        "is_out_of_time": not is_found,
        "n_patterns": n_patterns,
        "n_paths": n_paths,
    }


def _status(reported: dict[str, float]) -> str:
    if reported["is_out_of_time"]:
        return "out of time"
    if not reported["n_paths"]:
        return "no tree agrees"
    return "empty" if reported["is_empty"] else "found"


EXPLAINER = Explainer(fit, check, ("each",))
