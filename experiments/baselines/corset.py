"""CORSET, the method of the paper, in this package."""

from __future__ import annotations

from .rule_learner import rule_learner

METHOD = rule_learner("CorsetClassifier", serves_prefixes=True)
fit, check = METHOD.fit, METHOD.check
