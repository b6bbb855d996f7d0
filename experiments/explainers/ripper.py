"""RIPPER in the forest's place: for each label, rules for its presence (package wittgenstein)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from numbers import Integral, Real
from typing import Any

import numpy as np
import pandas as pd
from sklearn.utils._param_validation import Interval

from mlrx.rules import Condition, Rule

from ..forests import Fold
from .deadline import Deadline
from .explainer import Explainer, FittedExplainer, parameter_check
from .foreign import contained
from .label_rules import RuleLists, constant, fit_model

N_BINS = 10
CONSTRAINTS = {
    "k": [Interval(Integral, 0, None, closed="left")],
    "prune_size": [Interval(Real, 0, 1, closed="neither")],
    "n_bins": [Interval(Integral, 2, None, closed="left")],
}


def fit(fold: Fold, seed: int, parameters: dict[str, Any]) -> FittedExplainer:
    """Learn a rule set for each label; it is present where a rule covers the row, and the first one speaks for it.

    Parameters are those of `learn_rules`.
    """
    get_ready()
    return fit_model(_learn, fold, seed, parameters)


def get_ready() -> None:
    """Import wittgenstein, so that this is in nobody's time."""
    with contained():
        import wittgenstein  # noqa: F401


@dataclass(frozen=True, eq=False)
class Bins:
    """Columns of training rows cut into bins that hold about as many rows each.

    Parameters
    ----------
    X : ndarray of float64 of shape (n_samples, n_features)
    n_bins : int
        Most bins of a column; with no more distinct values than that, each is its own bin.

    Examples
    --------
    >>> bins = Bins(np.array([[1.0], [2.0], [4.0], [8.0]]), 2)
    >>> bins.cuts[0].tolist(), bins.locate().ravel().tolist(), bins.condition(0, 1).lower
    ([3.0], [0, 0, 1, 1], 3.0)
    """

    X: np.ndarray
    n_bins: int

    @cached_property
    def cuts(self) -> tuple[np.ndarray, ...]:
        """Midpoints between neighbouring training values at which each column is cut, ascending."""
        return tuple(self._cuts(column) for column in self.X.T)

    def _cuts(self, column: np.ndarray) -> np.ndarray:
        values = np.unique(column)
        if values.size > self.n_bins:
            shares = np.arange(1, self.n_bins) / self.n_bins
            ends = np.searchsorted(values, np.unique(np.quantile(column, shares, method="lower")))
            ends = ends[ends < values.size - 1]
        else:
            ends = np.arange(values.size - 1)
        return (values[ends] + values[ends + 1]) / 2

    def locate(self) -> np.ndarray:
        """Return the bins of the training rows, of shape (n_samples, n_features)."""
        return np.column_stack([np.searchsorted(cuts, column) for cuts, column in zip(self.cuts, self.X.T)])

    def condition(self, column: int, k: int) -> Condition:
        """Return the condition that holds in bin k of a column."""
        ends = list(pairwise([-np.inf, *self.cuts[column].tolist(), np.inf]))
        return Condition(column, *ends[k])


def _learn(fold: Fold, truth: np.ndarray, seed: int, parameters: dict[str, Any], deadline: Deadline) -> RuleLists:
    found = learn_rules(fold.X_train, truth, seed, parameters, deadline)
    # A label whose rules do not cover a row is absent.
    return RuleLists([[*rules, constant(label, False)] for label, rules in enumerate(found)])


def learn_rules(
    X: np.ndarray, truth: np.ndarray, seed: int, parameters: dict[str, Any], deadline: Deadline
) -> list[list[Rule]]:
    """Learn for each label the rules [1]_ that say it is present.

    Parameters
    ----------
    X : ndarray of float64 of shape (n_samples, n_features)
    truth : ndarray of bool of shape (n_samples, n_labels)
    seed : int
    parameters : dict
        `k` rounds of optimisation and the share `prune_size` of the rows for pruning are handed on to wittgenstein;
        `n_bins` is 10 where it is not given.
    deadline : Deadline
        Looked at between labels, since wittgenstein knows no limit of time.

    Notes
    -----
    wittgenstein's RIPPER compares categories only, and writes its own bins of numbers as rounded text. Here columns are
    cut into `n_bins` bins of about as many rows before, between training values; a condition is one bin. A label that
    all training rows have gets the rule without conditions, one that none has no rule.

    References
    ----------
    .. [1] W. W. Cohen. Fast effective rule induction. ICML 1995, 115-123. doi:10.1016/B978-1-55860-377-6.50023-2
    """
    settings = dict(parameters)
    bins = Bins(X, settings.pop("n_bins", N_BINS))
    # Texts, since wittgenstein would cut numbers again.
    table = pd.DataFrame(bins.locate()).astype(str).rename(columns=str)
    settings |= {"random_state": seed % 2**32, "n_discretize_bins": None}
    return [_rules_of(bins, table, truth[:, k], k, settings) for k in deadline.each(range(truth.shape[1]))]


def _rules_of(bins: Bins, table: pd.DataFrame, present: np.ndarray, label: int, settings: dict[str, Any]) -> list[Rule]:
    if present.all() or not present.any():
        return [constant(label, True)] if present.all() else []
    with contained():
        from wittgenstein import RIPPER

        model = RIPPER(**settings)
        model.fit(table, present, pos_class=True)
    found = [[bins.condition(int(one.feature), int(one.val)) for one in rule.conds] for rule in model.ruleset_.rules]
    return [Rule(conditions, (label,)) for conditions in found]


check = parameter_check("ripper", CONSTRAINTS)
EXPLAINER = Explainer(fit, check, ("all", "each"))
