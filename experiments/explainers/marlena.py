"""MARLENA: a decision tree for rows made up from a row's neighbours, by features and by the forest's labels."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any

import numpy as np
from sklearn.utils._param_validation import Interval, StrOptions

from mlrx.lionforests.scaling import greatest_at_most
from mlrx.rules import Condition, Rule

from ..forests import Fold
from ..seeds import derive_seed
from .columns import Columns
from .explainer import Explained, Explainer, FittedExplainer, parameter_check
from .surrogate import Step, Surrogate, agreement, explained

CONSTRAINTS = {
    "mode": [StrOptions({"sound", "paper"})],
    "neighbourhood": [StrOptions({"mixed", "unified"})],
    "n_neighbors": [Interval(Integral, 1, None, closed="left")],
    "n_samples": [Interval(Integral, 0, None, closed="left")],
    "feature_share": [Interval(Real, 0, 1, closed="both")],
}
PUBLISHED_SEED = 42


def fit(fold: Fold, seed: int, parameters: dict[str, Any]) -> FittedExplainer:
    """Label the training rows; a row's tree is fitted on rows made up when it is explained.

    Parameters are those of `Neighbours`, and `n_samples` (1000, 50 in the paper), the number of rows made up.

    Notes
    -----
    MARLENA [1]_ as used in [2]_. The tree, balanced by class, is fitted on the made-up rows and their core, with one
    generator for rows and tree, drawn anew for each row to explain. Its labels may not be the forest's, and may be
    none. With ``mode="paper"`` all columns are numbers, label sets are as far apart as rows of numbers are, the seed
    is fixed, and the rule is read as in the published comparison, see `published_rule`. The columns of the unified
    neighbourhood, mixed up there, are not. The training rows are labelled once, not for every row.
    O(n_train * n_features) a row, and one prediction of the forest for `n_samples` rows and the core.

    References
    ----------
    .. [1] C. Panigutti, R. Guidotti, A. Monreale, D. Pedreschi. Explaining multi-label black-box classifiers for
       health applications. Precision Health and Medicine, SCI 843, 2020, 97-110. doi:10.1007/978-3-030-24409-5_9
    .. [2] N. Mylonas, I. Mollas, N. Bassiliades, G. Tsoumakas. Local Multi-Label Explanations for Random Forest.
       ECML PKDD 2022 Workshops, CCIS 1752, 2023. arXiv:2207.01994
    """
    parameters = dict(parameters)
    n_samples, is_paper = parameters.pop("n_samples", 1000), parameters.pop("mode", "sound") == "paper"
    scaler, forest = fold.scaler, fold.forest
    start = time.perf_counter()
    columns = Columns(tuple(range(len(fold.feature_names)))) if is_paper else Columns.of(fold)
    truth = forest.predict_labels(fold.X_train)
    neighbours = Neighbours(scaler.transform(fold.X_train), truth, columns, is_paper, **parameters)
    seconds = time.perf_counter() - start

    def explain(x: np.ndarray, labels: tuple[int, ...], strategies: tuple[str, ...]) -> dict[str, list[Explained]]:
        start = time.process_time()
        rng = np.random.RandomState(PUBLISHED_SEED if is_paper else derive_seed(seed, x))
        present = np.isin(np.arange(forest.n_labels), labels)
        core = fold.X_train[neighbours.core(scaler.transform(x[None])[0], present, rng)]
        X = np.concatenate([make_up(core, columns, n_samples, rng), core])
        Y = forest.predict_labels(X)
        surrogate = Surrogate.fit(X, Y, rng, class_weight="balanced")
        rule = published_rule(surrogate.path(x), surrogate.labels(x), scaler) if is_paper else surrogate.rule(x)
        reported = agreement(Y, surrogate.predict(X))
        return {"all": [explained(rule, labels, forest.n_labels, reported, start)]}

    return FittedExplainer(explain, seconds)


@dataclass(frozen=True, eq=False)
class Neighbours:
    """Finds the training rows near a row.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
        Training rows, columns brought to (0, 1).
    Y : ndarray of bool of shape (n_samples, n_labels)
        The forest's labels of them.
    columns : Columns
    is_paper : bool
        Whether label sets are compared as rows of numbers, and the distance of two rows that are each constant is
        undefined and comes last; otherwise by the share of labels that differ, and the distance of two such rows is 0.
    neighbourhood : {"mixed", "unified"}, default="mixed"
        Some rows near by features and some near by labels, or rows near by both together, labels as nominal columns.
    n_neighbors : int, default=10
    feature_share : float, default=0.7
        Share of rows near by features in a mixed neighbourhood.
    """

    X: np.ndarray
    Y: np.ndarray
    columns: Columns
    is_paper: bool
    neighbourhood: str = "mixed"
    n_neighbors: int = 10
    feature_share: float = 0.7

    def core(self, x: np.ndarray, present: np.ndarray, rng: np.random.RandomState) -> np.ndarray:
        """Return positions of `n_neighbors` training rows, those near by features first; some may occur twice."""
        k = min(self.n_neighbors, len(self.X))
        if self.neighbourhood == "unified":
            return self.feature_distances(x, present != self.Y).argsort(kind="stable")[:k]
        by_features = self.feature_distances(x)
        # The larger part is what the smaller one leaves, where both would be rounded to too few or too many.
        share = self.feature_share
        n_features = k - round((1 - share) * k) if share >= 0.5 else round(share * k)
        near = by_features.argsort(kind="stable")[:k]
        alike = self._by_labels(present, by_features)[:k]
        return np.concatenate(
            [rng.choice(near, n_features, replace=False), rng.choice(alike, k - n_features, replace=False)]
        )

    def feature_distances(self, x: np.ndarray, label_mismatches: np.ndarray | None = None) -> np.ndarray:
        """Return the distances to all training rows: of numbers and of nominal parts, each by its share of parts."""
        mismatches = self.columns.mismatches(self.X, x)
        if label_mismatches is not None:
            mismatches = np.column_stack([mismatches, label_mismatches])
        numeric, n_nominal = list(self.columns.numeric), mismatches.shape[1]
        distances = mismatches.sum(axis=1).astype(float)
        if numeric:
            distances += len(numeric) * self._of_numbers(self.X[:, numeric], x[numeric])
        return distances / (len(numeric) + n_nominal)

    def _by_labels(self, present: np.ndarray, by_features: np.ndarray) -> np.ndarray:
        """Return the training rows by distance of their label sets; in the sound way, ties by features."""
        if self.is_paper:
            return self._of_numbers(self.Y.astype(float), present.astype(float)).argsort(kind="stable")
        return np.lexsort([by_features, (present != self.Y).sum(axis=1)])

    def _of_numbers(self, A: np.ndarray, b: np.ndarray) -> np.ndarray:
        distances = variance_distances(A, b)
        return distances if self.is_paper else np.nan_to_num(distances, nan=0.0)


def variance_distances(A: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Return var(a - b) / (2 (var a + var b)) for each row a, variances over the columns.

    Of a single column, |a - b| / max(|a|, |b|). NaN where two rows are constant.

    Examples
    --------
    >>> A = np.array([[1.0, 1, 0], [0, 1, 0], [0, 0, 0]])
    >>> variance_distances(A, np.array([1.0, 0, 1])).round(9).tolist()
    [0.75, 1.0, 0.5]
    """
    with np.errstate(invalid="ignore"):
        if b.size == 1:
            return (np.abs(A - b) / np.maximum(np.abs(A), np.abs(b)))[:, 0]
        return 0.5 * (A - b).var(axis=1) / (A.var(axis=1) + b.var())


def make_up(core: np.ndarray, columns: Columns, n_samples: int, rng: np.random.RandomState) -> np.ndarray:
    """Return rows of shape (n_samples, n_features) whose parts are drawn one by one, as the core's are distributed.

    Numbers from a normal law with the core's mean and standard deviation, nominal parts from the core itself.
    """
    X = rng.normal(core.mean(axis=0), core.std(axis=0), size=(n_samples, core.shape[1]))
    is_nominal = np.arange(len(columns.parts)) >= len(columns.numeric)
    columns.redraw(X, core, np.tile(is_nominal, (n_samples, 1)), rng)
    return X


def published_rule(steps: Sequence[Step], labels: Sequence[int], scaler: Any) -> Rule:
    """Return the rule of a path as the published comparison reads it from the tree's text.

    Parameters
    ----------
    steps : sequence of Step
        From the root.
    labels : sequence of int
    scaler : fitted scaler or Pipeline
        Of all columns to (0, 1), where thresholds are rounded.

    Notes
    -----
    Thresholds are rounded to two decimals; of several bounds on one side the loosest counts; a column with bounds on
    both sides whose lower one comes first has them exchanged, and covers nothing.
    """
    if not steps:
        return Rule((), labels)
    columns = [step.feature for step in steps]
    thresholds = np.zeros((len(steps), scaler.n_features_in_))
    thresholds[range(len(steps)), columns] = [step.threshold for step in steps]
    rounded = scaler.transform(thresholds).round(2)
    with np.errstate(over="ignore"):
        cuts = greatest_at_most(scaler.transform, rounded)
    cuts = cuts[range(len(steps)), columns].tolist()
    bounds: dict[int, dict[bool, float]] = {}
    for step, cut in zip(steps, cuts):
        sides = bounds.setdefault(step.feature, {})
        loosest = max if step.goes_left else min
        sides[step.goes_left] = loosest(sides.get(step.goes_left, cut), cut)
    conditions = []
    for column, sides in bounds.items():
        upper, lower = sides.get(True, np.inf), sides.get(False, -np.inf)
        is_exchanged = len(sides) == 2 and not next(iter(sides))
        conditions.append(Condition(column, upper, lower) if is_exchanged else Condition(column, lower, upper))
    return Rule(conditions, labels)


check = parameter_check("marlena", CONSTRAINTS)
EXPLAINER = Explainer(fit, check, ("all",))
