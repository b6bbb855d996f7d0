"""GS: one decision tree in the place of the whole forest; a row's path through it is its rule."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
from sklearn.utils._param_validation import StrOptions

from ..forests import Fold
from .explainer import Explained, Explainer, FittedExplainer, parameter_check
from .grid import PUBLISHED_SEED, best_surrogate, grid_for
from .surrogate import agreement, explained

CONSTRAINTS = {"mode": [StrOptions({"sound", "paper"})]}


def fit(fold: Fold, seed: int, parameters: dict[str, Any]) -> FittedExplainer:
    """Fit the tree on the forest's labels of the training rows.

    Notes
    -----
    The global surrogate of [1]_. With ``mode="paper"`` the published grid of 64 trees and its fixed seed; without, the
    16 of them that look at all columns, and the seed given. The labels are the tree's, which may not be the forest's.
    The seconds of a row are those of looking up its path; the search, at most 641 or 161 fits, is in those of the fit.

    References
    ----------
    .. [1] N. Mylonas, I. Mollas, N. Bassiliades, G. Tsoumakas. Local Multi-Label Explanations for Random Forest.
       ECML PKDD 2022 Workshops, CCIS 1752, 2023. arXiv:2207.01994
    """
    mode = parameters.get("mode", "sound")
    forest = fold.forest
    truth = forest.predict_labels(fold.X_train)
    start = time.perf_counter()
    surrogate = best_surrogate(fold.X_train, truth, grid_for(mode), PUBLISHED_SEED if mode == "paper" else seed)
    reported = agreement(truth, surrogate.predict(fold.X_train))
    seconds = time.perf_counter() - start

    def explain(x: np.ndarray, labels: tuple[int, ...], strategies: tuple[str, ...]) -> dict[str, list[Explained]]:
        start = time.process_time()
        return {"all": [explained(surrogate.rule(x), labels, forest.n_labels, reported, start)]}

    return FittedExplainer(explain, seconds)


check = parameter_check("global-tree", CONSTRAINTS)
EXPLAINER = Explainer(fit, check, ("all",))
