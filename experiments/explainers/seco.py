"""SeCo in the forest's place: a multi-label decision list learned by separate-and-conquer (package mlrl-seco)."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from mlrx.rules import Rule

from ..baselines import boomer
from ..forests import Fold
from .boomer import RESERVED, learn_rules, start
from .deadline import Deadline
from .explainer import Explainer, FittedExplainer
from .label_rules import RuleLists, constant, fit_model


def fit(fold: Fold, seed: int, parameters: dict[str, Any]) -> FittedExplainer:
    """Learn `SeCoClassifier` [1]_ from the forest's labels of the training rows, in a process of its own.

    Notes
    -----
    For each label, the first rule of the list that covers the row and is about the label says whether it is present;
    the default rule comes last. A rule that is about several labels speaks for each of them.

    References
    ----------
    .. [1] E. Loza Mencía, F. Janssen. Learning rules for multi-label classification: a stacking and a
       separate-and-conquer approach. Machine Learning 105, 77-126, 2016. doi:10.1007/s10994-016-5552-1
    """
    return fit_model(partial(_learn, start("SeCo", seed)), fold, seed, parameters)


def _learn(
    worker: boomer.Worker, fold: Fold, truth: np.ndarray, seed: int, parameters: dict[str, Any], deadline: Deadline
) -> RuleLists:
    lists = [[] for _ in range(truth.shape[1])]
    for conditions, scores in learn_rules(worker, fold, truth, seed, parameters, deadline):
        for label, score in scores.items():
            lists[label].append(Rule(conditions, (label,) if score > 0 else ()))
    # A label without a default is absent, as in SeCo's own prediction.
    return RuleLists([[*rules, constant(label, False)] for label, rules in enumerate(lists)])


EXPLAINER = Explainer(fit, partial(boomer.check, learner="SeCo", reserved=RESERVED), ("all", "each"))
