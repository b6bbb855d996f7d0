"""TREPAN-lite as a model that predicts: a tree that is grown by asking the forest for labels of rows."""

from __future__ import annotations

import time
from typing import Any

import numpy as np

from mlrx.rules import RuleSet

from ..explainers import trepan
from ..explainers.deadline import Deadline
from ..explainers.label_rules import FIT_LIMIT
from ..forests import Copied
from .method import Fitted, Method


def fit(split: Copied, n_rules: int | None, seed: int, parameters: dict[str, Any]) -> Fitted:
    """Grow a tree of at most `n_rules` leaves (32 where none is asked for); its rules are the leaves with a label.

    Raises OutOfTimeError when that takes more than 600 CPU seconds.
    """
    most = {} if n_rules is None else {"max_leaf_nodes": n_rules}
    start = time.perf_counter()
    leaves = trepan.grow(split.fold, np.random.default_rng(seed), Deadline(FIT_LIMIT), **most, **parameters)
    seconds = time.perf_counter() - start
    found = [leaf.rule for leaf in leaves if leaf.rule.consequent]
    rules = RuleSet(found, split.train.feature_names, split.train.label_names)
    return Fitted(rules.predict, seconds, len(rules), rules.n_conditions)


METHOD = Method(fit, trepan.check)
