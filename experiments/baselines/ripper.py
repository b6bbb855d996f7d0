"""RIPPER: for each label, rules for its presence (package wittgenstein)."""

from __future__ import annotations

import time
from typing import Any

import numpy as np

from mlrx.rules import RuleSet

from ..explainers import ripper
from ..explainers.deadline import Deadline
from ..splits import Split
from .boomer import FIT_LIMIT, check_limit
from .encoding import make_encoder
from .method import Fitted, Method


def fit(split: Split, n_rules: int | None, seed: int, parameters: dict[str, Any]) -> Fitted:
    """Learn rules label by label; a row is predicted the labels of all rules that cover it.

    Raises OutOfTimeError when that takes more than `fit_limit` CPU seconds.
    """
    ripper.get_ready()
    encode, own = make_encoder(split.train), dict(parameters)
    deadline = Deadline(own.pop(FIT_LIMIT, None))
    X, truth = encode(split.train.X).toarray().astype(np.float64), np.asarray(split.train.Y, dtype=bool)
    start = time.perf_counter()
    with deadline.interrupting():  # a label of a thousand words alone takes minutes
        found = [rule for rules in ripper.learn_rules(X, truth, seed, own, deadline) for rule in rules]
    seconds = time.perf_counter() - start
    # In the columns of the encoder, which need no names here.
    rules = RuleSet(found, [str(k) for k in range(X.shape[1])], split.train.label_names)
    return Fitted(lambda X: rules.predict(encode(X).toarray()), seconds, len(rules), rules.n_conditions)


def check(parameters: dict[str, Any]) -> None:
    """Refuse unknown parameters, and values out of their domain."""
    check_limit(parameters)
    ripper.check({name: value for name, value in parameters.items() if name != FIT_LIMIT})


METHOD = Method(fit, check)
