"""Bellatrex: a few of a forest's own paths that together come near to its prediction (package bellatrex)."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
import pandas as pd

from mlrx.lionforests import Box, ForestCells
from mlrx.lionforests.cells import probabilities
from mlrx.rules import Rule

from ..extras import import_extra
from ..forests import Fold
from .explainer import AGREES, DIFFERS, Explained, Explainer, FittedExplainer, parameter_check
from .foreign import contained


def fit(fold: Fold, seed: int, parameters: dict[str, Any]) -> FittedExplainer:
    """Hand the forest to `BellatrexExplain` [1]_, which chooses one to three trees for each row.

    Notes
    -----
    Its explanation are the paths of the row through the chosen trees, each with a weight. The rule is their
    conditions together, the labels are those for which the weighted mean of the paths' probabilities is above 0.5: for
    every row of the rule these trees say the same, the forest need not. ``fidelity`` is the package's own measure, 1
    less the Euclidean distance of that mean from the forest's probabilities; ``n_paths`` counts the paths. The seed has
    no say: the package fixes its own. It knows no limit of time, and a label that all or no training rows have is an
    error of its own. A row's cost grows with the square of the number of trees.

    References
    ----------
    .. [1] K. Dedja, F. K. Nakano, K. Pliakos, C. Vens. BELLATREX: Building explanations through a locally accurate
       rule extractor. IEEE Access 11, 41348-41367, 2023. doi:10.1109/ACCESS.2023.3268866
    """
    with contained():
        package = import_extra("bellatrex")
        model = fold.model[-1] if fold.is_scaled else fold.model
        explainer = package.BellatrexExplain(model, set_up="multi-label").fit(None, None)
    cells = fold.cells

    def explain(x: np.ndarray, labels: tuple[int, ...], strategies: tuple[str, ...]) -> dict[str, list[Explained]]:
        start = time.process_time()
        with contained():
            found = explainer.explain(pd.DataFrame(fold.scaler.transform(x[None])), 0).tuned_method
        trees, sizes = np.array(found.final_trees_idx), np.array(found.cluster_sizes)
        rule = rule_of_trees(cells, x, trees, sizes / sizes.sum())
        status = AGREES if rule.consequent == labels else DIFFERS
        reported = {"fidelity": float(found.sample_score), "n_paths": trees.size}
        return {"all": [Explained(rule.consequent, rule, status, time.process_time() - start, reported)]}

    return FittedExplainer(explain, 0.0)


def rule_of_trees(cells: ForestCells, x: np.ndarray, trees: np.ndarray, weights: np.ndarray) -> Rule:
    """Return what a row's paths through some trees say together.

    Parameters
    ----------
    cells : ForestCells
    x : ndarray of shape (n_features,)
    trees : ndarray of int of shape (n_chosen,)
    weights : ndarray of float64 of shape (n_chosen,)
        Sum to 1.
    """
    leaves = cells.leaves_at(cells.locate(x[None])[0])[trees]
    present = weights @ probabilities(cells.margins[0][:, leaves]) > 0.5
    box = Box(cells.lower[leaves].max(axis=0), cells.upper[leaves].min(axis=0), cells.missing[leaves].all(axis=0))
    return cells.rule_of_box(box, np.flatnonzero(present).tolist())


check = parameter_check("bellatrex", {})
EXPLAINER = Explainer(fit, check, ("all",))
