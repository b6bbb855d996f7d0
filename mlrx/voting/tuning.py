"""Learning points with given settings, and choosing the settings by cross-validation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from itertools import product

import numpy as np
import pandas as pd
import scipy.sparse as sp
from joblib import Parallel, delayed
from sklearn.model_selection import KFold

from ..bits import pack, unpack
from .candidates import Candidates, label_means, label_weights, literal_bits, make_candidates
from .points import gram_matrix, integer_points
from .scoring import best_threshold, scores_by_threshold
from .selection import select

RIDGES = (1.0, 3.0, 10.0, 30.0, 100.0, 300.0)
PRICES = (0.0, 0.1, 0.3, 1.0, 3.0)
UNITS = (0.03, 0.05, 0.07, 0.1, 0.15, 0.2)
THRESHOLDS = np.linspace(0.02, 0.98, 97)
LENIENCES = (0.0, 0.2)


@dataclass(frozen=True)
class Settings:
    """What the points depend on.

    Attributes
    ----------
    ridge : float
        Weight of the squared weights.
    price : float
        What a weight costs: in selection in squared error that counts rare labels more, then in plain squared error.
    unit : float
        What a point is worth: the share of a label that it stands for.
    threshold : float
        Share of a label from which it is predicted, for a label that is as frequent as the mean.
    lenience : float
        Power of a label's frequency that its threshold is in proportion to.
    """

    ridge: float
    price: float
    unit: float
    threshold: float
    lenience: float


@dataclass(frozen=True)
class Voters:
    """Rules with points, as literals over items.

    Attributes
    ----------
    rules : Candidates
    points : ndarray of int64 of shape (n_rules, n_labels)
        No row is all 0.
    constants : ndarray of float of shape (n_labels,)
        Share of each label for a row without points.
    """

    rules: Candidates
    points: np.ndarray
    constants: np.ndarray

    def votes(self, item_bits: np.ndarray, n_rows: int) -> np.ndarray:
        """Return the points of each row and label, of shape (n_rows, n_labels), as float32 of whole numbers."""
        covered = unpack(literal_bits(self.rules.literals, item_bits, n_rows), n_rows)
        return covered.T.astype(np.float32) @ self.points.astype(np.float32)


def vote(candidates: Candidates, positives: sp.csr_array, n_rules: int, settings: Settings) -> Voters:
    """Choose rules and give them points.

    Parameters
    ----------
    candidates : Candidates
        Made from the rows of `positives`.
    positives : csr_array of shape (n_rows, n_labels)
        Of zeros and ones.
    n_rules : int
        Most rules.
    settings : Settings
        Its threshold and lenience play no part.
    """
    return _with_points(*_chosen(candidates, positives, n_rules, settings.ridge, settings.price), positives, settings)


def _chosen(candidates, positives, n_rules, ridge, price) -> tuple[Candidates, np.ndarray]:
    """Return the candidates that selection chooses, and their Gram matrix."""
    n_rows = positives.shape[0]
    chosen = candidates[select(candidates, label_weights(positives), n_rows, n_rules, ridge, price)]
    return chosen, gram_matrix(chosen, n_rows)


def _with_points(chosen: Candidates, gram: np.ndarray, positives: sp.csr_array, settings: Settings) -> Voters:
    points = integer_points(gram, chosen.products, settings.ridge, settings.price, settings.unit)
    used = points.any(axis=1)
    constants = label_means(positives) - settings.unit * (chosen.n_covered @ points) / positives.shape[0]
    return Voters(chosen[used], points[used], constants)


def threshold_factors(frequencies: np.ndarray, lenience: float) -> np.ndarray:
    """Return what the common threshold is multiplied with for each label, shape (n_labels,).

    Parameters
    ----------
    frequencies : ndarray of float of shape (n_labels,)
        Shares of the rows that carry the labels, above 0.
    lenience : float
    """
    mean = frequencies.sum() / max(frequencies.size, 1)
    return (frequencies / mean) ** lenience


def label_bars(constants: np.ndarray, frequencies: np.ndarray, settings: Settings) -> np.ndarray:
    """Return for each label the fewest points for which ``constant + unit * points`` reaches its threshold, or 1.

    Parameters
    ----------
    constants, frequencies : ndarray of float of shape (n_labels,)
    settings : Settings

    Returns
    -------
    ndarray of int64 of shape (n_labels,)
    """
    thresholds = settings.threshold * threshold_factors(frequencies, settings.lenience)
    return np.ceil((np.minimum(thresholds, 1.0) - constants) / settings.unit - 1e-9).astype(np.int64)


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
    selected = []
    for fold in folds:
        selected.append((*_chosen(fold.candidates, fold.positives, n_rules, ridge, price), fold.positives))
    rows, frequencies = [], positives.mean(axis=0)
    for unit in units:
        settings = Settings(ridge, price, unit, threshold=np.nan, lenience=np.nan)
        voters = [_with_points(*one, settings) for one in selected]
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
    margins = np.empty(positives.shape, dtype=np.int64)
    for fold in folds:
        voters = vote(fold.candidates, fold.positives, n_rules, settings)
        bars = label_bars(voters.constants, positives.mean(axis=0), settings)
        margins[fold.held_out] = voters.votes(fold.item_bits, fold.held_out.size).astype(np.int64) - bars
    return margins
