"""BOOMER with its shrinkage and one threshold on its scores chosen on training rows: the fair peer of tuned rules."""

from __future__ import annotations

import time
from typing import Any

import numpy as np

from ..splits import Split
from . import boomer
from .cross_validation import training_folds
from .method import Fitted, Method
from .threshold import best_threshold

SHRINKAGES = (0.1, 0.3, 0.5)
RESERVED = (*boomer.RESERVED, "shrinkage", "binary_predictor")


def fit(split: Split, n_rules: int | None, seed: int, parameters: dict[str, Any]) -> Fitted:
    """Fit `BoomerClassifier`; a label is present where its score reaches a threshold, the same for all labels.

    The threshold is the one with the highest micro-F1 of scores of training rows that were left out of the fit, in
    three folds; so is the shrinkage, of `shrinkages` (0.1, 0.3, 0.5).

    Notes
    -----
    BOOMER sums scores of rules; 0 is the threshold that it uses itself with its logistic loss.
    """
    own = dict(parameters)
    shrinkages = own.pop("shrinkages", SHRINKAGES)
    start, folds = time.perf_counter(), list(training_folds(split, seed))
    truth = np.concatenate([fold.test.Y for fold in folds])
    best = None
    for shrinkage in shrinkages:
        settings = {"shrinkage": shrinkage, **own}
        asked = [(boomer.learn(fold, n_rules, seed, settings)[0], fold.test.X) for fold in folds]
        scores = np.concatenate([ask("scores", X) for ask, X in asked])
        threshold, f1 = best_threshold(scores, truth)
        if best is None or f1 > best[0]:
            best = f1, threshold, settings
    searched = time.perf_counter() - start
    f1, threshold, settings = best
    ask, learned = boomer.learn(split, n_rules, seed, settings)
    note = f"chosen on training rows: shrinkage={settings['shrinkage']}, threshold {threshold:.3g} (micro-F1 {f1:.3f})"
    return Fitted(
        lambda X: (ask("scores", X) >= threshold).astype(np.uint8), *learned, notes=(note,), search_seconds=searched
    )


def check(parameters: dict[str, Any]) -> None:
    """Refuse parameters that BOOMER does not take, and shrinkages that it refuses."""
    shrinkages = parameters.get("shrinkages", SHRINKAGES)
    if not isinstance(shrinkages, list | tuple) or not shrinkages:
        raise ValueError(f"shrinkages must be a list of numbers, got {shrinkages!r}")
    boomer.check({name: value for name, value in parameters.items() if name != "shrinkages"}, reserved=RESERVED)
    for shrinkage in shrinkages:
        boomer.check({"shrinkage": shrinkage})


METHOD = Method(fit, check)
