"""RuleFit in the forest's place: for each label, a sparse linear model over rules and columns (package imodels)."""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Integral
from typing import Any

import numpy as np
from sklearn.utils._param_validation import Interval

from mlrx.rules import Condition, Rule, TableColumns, covered_rows

from ..forests import Fold
from .deadline import Deadline
from .explainer import Explainer, FittedExplainer, parameter_check
from .foreign import contained
from .label_rules import ScoredRules, fit_model

CONSTRAINTS = {
    "n_estimators": [Interval(Integral, 1, None, closed="left")],
    "tree_size": [Interval(Integral, 2, None, closed="neither")],
    "max_rules": [Interval(Integral, 1, None, closed="left")],
    "include_linear": ["boolean"],
    "cv": ["boolean"],
}
SIDES = {"<=": "upper", ">": "lower"}
# Folds in which imodels chooses the strength of the penalty.
N_FOLDS = 5


def fit(fold: Fold, seed: int, parameters: dict[str, Any]) -> FittedExplainer:
    """Fit `RuleFitClassifier` [1]_ to each label; `parameters` are handed on to it.

    Notes
    -----
    A label is present where its log-odds are above 0 (imodels itself asks for more than 0.5). The rule that speaks for
    it is the covering rule with the highest positive coefficient; linear terms and the intercept add to the
    prediction, so there may be none. Thresholds are rounded by imodels, to five digits after the point or more, before
    it fits the coefficients: the rules are exact. A label that all or no training rows have is constant; one that
    fewer than five have, or lack, gets the weakest penalty that `max_rules` allows, since there is no cross-validation.

    imodels knows no limit of time: the one on learning is looked at between labels.

    References
    ----------
    .. [1] J. H. Friedman, B. E. Popescu. Predictive learning via rule ensembles. Annals of Applied Statistics 2(3),
       916-954, 2008. doi:10.1214/07-AOAS148
    """
    with contained():
        import imodels  # noqa: F401, so that the import is in nobody's time
    return fit_model(_learn, fold, seed, parameters)


def _learn(fold: Fold, truth: np.ndarray, seed: int, parameters: dict[str, Any], deadline: Deadline) -> ScoredRules:
    models = [_fit_label(fold.X_train, present, seed, parameters) for present in deadline.each(truth.T)]
    rules, scores = [], []
    for label, model in enumerate(models):
        for conditions, coefficient in [] if isinstance(model, bool) else read_rules(model):
            rules.append(Rule(conditions, (label,)))
            scores.append(np.where(np.arange(len(models)) == label, coefficient, 0.0))
    scores = np.array(scores).reshape(-1, len(models))
    return ScoredRules(rules, scores, lambda X: log_odds(models, rules, scores, X) > 0)


def _fit_label(X: np.ndarray, present: np.ndarray, seed: int, parameters: dict[str, Any]) -> Any:
    """Return the model, or what all training rows have."""
    if present.all() or not present.any():
        return bool(present.all())
    with contained():
        from imodels import RuleFitClassifier

        settings = {"random_state": seed, **parameters}
        if min(present.sum(), (~present).sum()) < N_FOLDS:
            settings["cv"] = False
        return RuleFitClassifier(**settings).fit(X, present.astype(int))


def read_rules(model: Any) -> list[tuple[list[Condition], float]]:
    """Return the conditions and the coefficient of each rule of a fitted `RuleFitClassifier`."""
    return [(_conditions(rule.rule), float(rule.args[0])) for rule in model.rules_without_feature_names_]


def _conditions(text: str) -> list[Condition]:
    """Read such as "X_0 <= 3.5 and X_2 > 1"; "X_0 == X_0" stands for no condition."""
    parts = [part.split() for part in text.split(" and ")]
    return [
        Condition(int(name.removeprefix("X_")), **{SIDES[sign]: float(bound)})
        for name, sign, bound in parts
        if sign != "=="
    ]


def log_odds(models: Sequence[Any], rules: Sequence[Rule], scores: np.ndarray, X: np.ndarray) -> np.ndarray:
    """Return the log-odds of each label, of shape (n_samples, n_labels).

    Parameters
    ----------
    models : sequence of RuleFitClassifier or bool
        One a label.
    rules, scores
        All their rules and coefficients; see `ScoredRules`.
    X : ndarray of shape (n_samples, n_features)

    Notes
    -----
    What imodels computes, without a DataFrame query for each rule.
    """
    sums = covered_rows(rules, TableColumns(X)) @ scores
    for total, model in zip(sums.T, models, strict=True):
        if isinstance(model, bool):
            total += np.inf if model else -np.inf
            continue
        total += np.ravel(model.intercept)[0]
        if model.include_linear:
            columns = model.friedscale.scale(X) if model.lin_standardise else X
            total += columns @ np.asarray(model.coef[: X.shape[1]])
    return sums


check = parameter_check("rulefit", CONSTRAINTS)
EXPLAINER = Explainer(fit, check, ("all", "each"))
