"""What the runner asks of an explainer: ``fit(fold, ...)`` gives something that explains a row's labels by rules."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from sklearn.utils._param_validation import validate_parameter_constraints

from mlrx.rules import Rule

from ..baselines.method import check_names
from ..forests import Fold

# One rule for all predicted labels; one for each of them; one for each frequent set of them and for each of them.
STRATEGIES = ("all", "each", "frequent")
PROVEN = "proven"
# Of a surrogate: whether its labels for the row are the forest's.
AGREES, DIFFERS = "same labels", "other labels"


@dataclass(frozen=True)
class Explained:
    """A rule for some labels of a row.

    Parameters
    ----------
    labels : tuple of int
        What the rule says is predicted; a surrogate may say something else than the forest.
    rule : Rule or None
        In the original columns; None where the explainer has none.
    status : str
        `PROVEN` where the explainer has proven that the forest predicts the labels for every row of the rule,
        otherwise a word of its own.
    seconds : float
        CPU time.
    reported : dict
        What the explainer itself says of the rule, by name: numbers, or a list of them with one for each label, such
        as the fidelity of a surrogate. Lists stay with the rows; means are made of numbers only.
    """

    labels: tuple[int, ...]
    rule: Rule | None
    status: str
    seconds: float
    reported: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class FittedExplainer:
    """An explainer at work on a fold.

    Parameters
    ----------
    explain : callable
        ``explain(x, labels, strategies)`` with a row of shape (n_features,) and the forest's labels of it, ascending,
        at least one; returns by strategy a list of `Explained`.
    seconds : float
        Wall time of getting ready, without the fit of the forest, imports and compilation.
    notes : tuple of str
        What a reader of the scores must know.
    """

    explain: Callable[[np.ndarray, tuple[int, ...], tuple[str, ...]], dict[str, list[Explained]]]
    seconds: float
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Explainer:
    """An adapter.

    Parameters
    ----------
    fit : callable
        ``fit(fold, seed, parameters) -> FittedExplainer``.
    check : callable
        ``check(parameters)`` raises ValueError for names and values that the explainer does not take, without data.
    strategies : tuple of str
        Those of `STRATEGIES` that it serves.
    """

    fit: Callable[[Fold, int, dict[str, Any]], FittedExplainer]
    check: Callable[[dict[str, Any]], None]
    strategies: tuple[str, ...]


def parameter_check(kind: str, constraints: dict[str, list[Any]]) -> Callable[[dict[str, Any]], None]:
    """Return a check that refuses unknown parameters, and values out of their domain.

    Parameters
    ----------
    kind : str
        How messages call the explainer.
    constraints : dict of str to list
        The domain of each parameter, as scikit-learn states it.
    """

    def check(parameters: dict[str, Any]) -> None:
        check_names(parameters, constraints)
        validate_parameter_constraints(constraints, parameters, kind)

    return check
