"""What the parameters of the explainer may be, each by itself and together."""

from __future__ import annotations

from collections.abc import Mapping
from numbers import Integral, Real
from typing import Any

from sklearn.utils._param_validation import Interval, StrOptions, validate_parameter_constraints

from .certificate import PREFERENCES, check_preference
from .quorum import check_reductions
from .violation import GUARANTEES, check_budget

MODES = ("certified", "paper")
CONSTRAINTS = {
    "feature_names": ["array-like", None],
    "label_names": ["array-like", None],
    "categorical": [Mapping, None],
    "mode": [StrOptions(set(MODES))],
    "guarantee": [StrOptions(set(GUARANTEES))],
    "smallest": ["boolean"],
    "prefer": [StrOptions(set(PREFERENCES))],
    "min_support": [Interval(Real, 0, 1, closed="right")],
    "reductions": ["array-like"],
    "budget": [Interval(Integral, 1, None, closed="left")],
    "random_state": ["random_state"],
}


def check_parameters(parameters: Mapping[str, Any]) -> None:
    """Refuse what an explainer does not take.

    Parameters
    ----------
    parameters : dict
        All parameters of `LionForestsExplainer`, by name.

    Raises
    ------
    ValueError
        When a value is out of its domain, or two parameters exclude each other; the message names them.
    """
    validate_parameter_constraints(CONSTRAINTS, parameters, "LionForestsExplainer")
    check_reductions(parameters["reductions"])
    check_budget(parameters["budget"])
    if parameters["mode"] == "paper":
        for name, value in (("smallest", True), ("prefer", "coverage")):
            if parameters[name] == value:
                raise ValueError(f"{name}={value!r} needs mode='certified', got mode='paper'")
    check_preference(parameters["prefer"], parameters["smallest"])
