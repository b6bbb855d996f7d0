"""The rules that generated the data, as a model: what a perfect recovery of them would score."""

from __future__ import annotations

from typing import Any

from ..splits import Split
from .method import Fitted, Method, check_names


def fit(split: Split, n_rules: int | None, seed: int, parameters: dict[str, Any]) -> Fitted:
    """Return the generating rules; nothing is fitted."""
    if split.rules is None:
        raise ValueError(f"{split.name} has no generating rules")
    return Fitted(split.rules.predict, 0.0, len(split.rules), split.rules.n_conditions, split.rules)


def check(parameters: dict[str, Any]) -> None:
    """Refuse every parameter."""
    check_names(parameters, ())


METHOD = Method(fit, check)
