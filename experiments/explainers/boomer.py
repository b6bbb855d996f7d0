"""BOOMER in the forest's place: gradient boosted multi-label rules that add up scores."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import scipy.sparse as sp

from mlrx.lionforests.scaling import float64_bounds
from mlrx.rules import Condition, Rule

from ..baselines import boomer
from ..forests import Fold
from .deadline import Deadline
from .explainer import Explainer, FittedExplainer
from .label_rules import ScoredRules, fit_model

# All columns are given as numbers, so BOOMER and SeCo make no other conditions.
SIDES = {"numerical_leq": "upper", "numerical_gr": "lower"}
# Other than in the comparison of predictions, the number of rules is a parameter here, and the limit of time is not.
RESERVED = (*(name for name in boomer.RESERVED if name != "max_rules"), boomer.FIT_LIMIT)


def fit(fold: Fold, seed: int, parameters: dict[str, Any]) -> FittedExplainer:
    """Learn `BoomerClassifier` [1]_ from the forest's labels of the training rows, in a process of its own.

    Notes
    -----
    The labels of a row are BOOMER's own prediction, by whatever loss and predictor `parameters` choose. The rule that
    speaks for one of them is the covering rule with the highest score for it, the default rule left out; all covering
    rules add to the prediction, so it says what weighs most, not what suffices. The seconds of a row leave out the
    prediction, which another process makes.

    References
    ----------
    .. [1] M. Rapp, E. Loza Mencía, J. Fürnkranz, V.-L. Nguyen, E. Hüllermeier. Learning gradient boosted multi-label
       classification rules. ECML PKDD 2020, 124-140, 2021. doi:10.1007/978-3-030-67664-3_8
    """
    worker = start("BOOMER", seed)
    return fit_model(partial(_learn, worker), fold, seed, parameters)


def _learn(
    worker: boomer.Worker, fold: Fold, truth: np.ndarray, seed: int, parameters: dict[str, Any], deadline: Deadline
) -> ScoredRules:
    found = [rule for rule in learn_rules(worker, fold, truth, seed, parameters, deadline) if rule[0]]
    rules = [Rule(conditions, [k for k, score in scores.items() if score > 0]) for conditions, scores in found]
    table = np.zeros((len(rules), truth.shape[1]))
    for row, (_, scores) in zip(table, found, strict=True):
        row[list(scores)] = list(scores.values())
    return ScoredRules(rules, table, lambda X: worker.ask("predict", to_csr(X)).toarray().astype(bool))


def start(learner: str, seed: int) -> boomer.Worker:
    """Return a process of BOOMER or SeCo that is ready to learn; raises ValueError for a seed that they refuse."""
    boomer.check_seed(seed)
    worker = boomer.Worker(learner)
    worker.ask("wait")
    return worker


def learn_rules(
    worker: boomer.Worker, fold: Fold, truth: np.ndarray, seed: int, parameters: dict[str, Any], deadline: Deadline
) -> list[tuple[list[Condition], dict[int, float]]]:
    """Learn by BOOMER or SeCo, in the deadline's seconds at most, by the clock.

    Returns
    -------
    list of (conditions, scores)
        The rules in the model's order, with the score of each label that they are about.
    """
    Y = sp.csr_matrix(truth, dtype=np.uint8)
    worker.ask("fit", {"random_state": seed, **parameters}, to_csr(fold.X_train), Y, limit=deadline.seconds)
    found = worker.ask("rules")
    bounds = iter(float64_bounds([bound for conditions, _ in found for *_, bound in conditions]).tolist())
    return [
        ([Condition(column, **{SIDES[test]: next(bounds)}) for test, column, _ in conditions], scores)
        for conditions, scores in found
    ]


def to_csr(X: np.ndarray) -> sp.csr_matrix:
    """Return rows as BOOMER and SeCo take them: sparse, float32."""
    return sp.csr_matrix(X, dtype=np.float32)


EXPLAINER = Explainer(fit, partial(boomer.check, reserved=RESERVED), ("all", "each"))
