"""Choosing the settings by cross-validation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from itertools import product

import numpy as np
import pandas as pd
import scipy.sparse as sp
from joblib import Parallel, delayed
from sklearn.model_selection import KFold

from ..bits import pack
from .candidates import Candidates, make_candidates
from .scoring import best_threshold, scores_by_threshold
from .voters import Settings, choose, give_points, label_bars, threshold_factors, vote

RIDGES = (1.0, 3.0, 10.0, 30.0, 100.0, 300.0)
PRICES = (0.0, 0.1, 0.3, 1.0, 3.0)
UNITS = (0.03, 0.05, 0.07, 0.1, 0.15, 0.2)
THRESHOLDS = np.linspace(0.02, 0.98, 97)
LENIENCES = (0.0, 0.2)


@dataclass(frozen=True)
class Fold:
    """One fold of a cross-validation.

    Attributes
    ----------
    candidates : Candidates
        Made from the rows to learn from.
    positives : csr_array of shape (n_learned, n_labels)
        Labels of these rows.
    item_bits : ndarray of uint64 of shape (n_items, n_words)
        Items of the rows held out, packed.
    held_out : ndarray of int of shape (n_held_out,)
        These rows.
    """

    candidates: Candidates
    positives: sp.csr_array
    item_bits: np.ndarray
    held_out: np.ndarray


def make_folds(
    items: sp.csr_array,
    positives: sp.csr_array,
    features: np.ndarray,
    n_trees: int,
    n_folds: int,
    rng: np.random.Generator,
) -> list[Fold]:
    """Split the rows at random, and make the candidates of each fold; parameters as of `make_candidates`."""
    splitter = KFold(n_folds, shuffle=True, random_state=int(rng.integers(2**31)))
    folds = []
    for learned, held_out in splitter.split(np.empty(items.shape[0])):
        candidates = make_candidates(items[learned], positives[learned], features, n_trees, rng)
        folds.append(Fold(candidates, positives[learned], pack(items[held_out]), held_out))
    return folds


@dataclass(frozen=True)
class Tuned:
    """Settings chosen, the table of all, and margins of the rows held out."""

    settings: Settings
    results: pd.DataFrame
    margins: np.ndarray


def tune(
    folds: list[Fold],
    positives: np.ndarray,
    n_rules: int,
    metric: str,
    tolerance: float,
    given: dict[str, float],
    n_jobs: int | None,
) -> Tuned:
    """Choose the settings with the fewest weights of those that score about best on the rows held out, all together.

    Parameters
    ----------
    folds : list of Fold
    positives : ndarray of bool of shape (n_rows, n_labels)
    n_rules : int
    metric : str
        One of `METRICS`.
    tolerance : float
        How far below the best score others are about as good.
    given : dict
        Settings by name that are not to be chosen.
    n_jobs : int or None
        Threads; the result does not depend on it.
    """
    grid = product(_values("ridge", RIDGES, given), _values("price", PRICES, given))
    units, thresholds = _values("unit", UNITS, given), np.array(_values("threshold", THRESHOLDS, given))
    # The only label has the mean frequency, whatever the lenience.
    leniences = _values("lenience", LENIENCES if positives.shape[1] > 1 else LENIENCES[:1], given)
    tasks = (
        delayed(_try)(folds, positives, n_rules, metric, ridge, price, units, leniences, thresholds)
        for ridge, price in grid
    )
    results = pd.DataFrame([row for rows in Parallel(n_jobs, prefer="threads")(tasks) for row in rows])
    good = results[results["score"] >= results["score"].max() - tolerance]
    best = good.sort_values(["n_weights", "score"], ascending=[True, False], kind="stable").iloc[0]
    settings = Settings(**{field.name: float(best[field.name]) for field in fields(Settings)})
    return Tuned(settings, results, held_out_margins(folds, positives, n_rules, settings))


def _values(name: str, grid: Sequence[float], given: dict[str, float]) -> Sequence[float]:
    return (given[name],) if name in given else grid


def _try(folds, positives, n_rules, metric, ridge, price, units, leniences, thresholds) -> list[dict[str, float]]:
    """Score one selection in each fold, at all units, leniences and thresholds."""
    selected = [(*choose(fold.candidates, fold.positives, n_rules, ridge, price), fold.positives) for fold in folds]
    rows, frequencies = [], positives.mean(axis=0)
    for unit in units:
        voters = [give_points(*one, ridge, price, unit) for one in selected]
        scores = np.empty(positives.shape, dtype=np.float32)
        for fold, one in zip(folds, voters):
            scores[fold.held_out] = one.constants + unit * one.votes(fold.item_bits, fold.held_out.size)
        sizes = {
            "n_rules": float(np.mean([len(one.rules) for one in voters])),
            "n_weights": float(np.mean([np.count_nonzero(one.points) for one in voters])),
        }
        for lenience in leniences:
            factors = threshold_factors(frequencies, lenience).astype(np.float32)
            raised = np.where(scores >= 1, np.inf, scores / factors)  # no threshold is above 1
            by_threshold = scores_by_threshold(raised, positives, thresholds, metric)
            at = best_threshold(by_threshold)
            best = {"threshold": float(thresholds[at]), "lenience": lenience, "score": float(by_threshold[at])}
            rows.append({"ridge": ridge, "price": price, "unit": unit, **best, **sizes})
    return rows


def held_out_margins(folds: list[Fold], positives: np.ndarray, n_rules: int, settings: Settings) -> np.ndarray:
    """Return for each row held out the points less the bars of the rules learned without it."""
    margins, frequencies = np.empty(positives.shape, dtype=np.int64), positives.mean(axis=0)
    for fold in folds:
        voters = vote(fold.candidates, fold.positives, n_rules, settings)
        bars = label_bars(voters.constants, frequencies, settings)
        margins[fold.held_out] = voters.votes(fold.item_bits, fold.held_out.size).astype(np.int64) - bars
    return margins
