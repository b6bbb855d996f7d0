"""LIME: for each label a weight of every column's condition, and the heaviest of them as a pseudo-rule."""

from __future__ import annotations

import time
import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.linear_model import Ridge

from mlrx.rules import Condition, Rule

from ..baselines.method import check_names, names_of
from ..forests import Fold
from .explainer import Explained, Explainer, FittedExplainer
from .quartiles import Quartiles


@dataclass(frozen=True)
class Settings:
    """What a config may set.

    Parameters
    ----------
    n_samples : int, default=5000
        Rows drawn around the one explained.
    n_conditions : int, default=5
        Conditions of a pseudo-rule, at most.
    """

    n_samples: int = 5000
    n_conditions: int = 5

    def __post_init__(self) -> None:
        for name, least in (("n_samples", 2), ("n_conditions", 1)):
            value = getattr(self, name)
            if not isinstance(value, int) or value < least:
                raise ValueError(f"{name} must be a whole number from {least}, got {value!r}")


@dataclass(frozen=True, eq=False)
class LabelWeights:
    """How the conditions of a row change the probability of a label.

    Parameters
    ----------
    label : int
    conditions : tuple of Condition
        One a column, the quartiles between which the row's value lies.
    weights : ndarray of float64 of shape (n_features,)
        What each condition adds to the forest's probability of the label, in the linear model.
    fidelity : float
        R² of the linear model on the drawn rows, weighted by their nearness.
    """

    label: int
    conditions: tuple[Condition, ...]
    weights: np.ndarray
    fidelity: float

    def pseudo_rule(self, n: int) -> Rule:
        """Return the n conditions with the largest positive weights as if they were a rule; nobody says it holds."""
        order = np.argsort(-self.weights, kind="stable")[:n]
        return Rule([self.conditions[f] for f in order if self.weights[f] > 0], (self.label,))


class LimeWeights:
    """Linear models of a forest near a row [1]_, by the package lime.

    Parameters
    ----------
    fold : Fold
    seed : int
    n_samples : int, default=5000

    Notes
    -----
    The rows are drawn once for all labels, bin by bin of each column as often as the training rows are there, with the
    generator seeded afresh; one ridge regression a label, on all columns: the package's choice of ten is left out, so
    that weights of labels compare. O(n_samples * (cost of a prediction + n_features**2 * n_labels)).

    References
    ----------
    .. [1] M. T. Ribeiro, S. Singh, C. Guestrin. "Why should I trust you?" Explaining the predictions of any
       classifier. KDD 2016. doi:10.1145/2939672.2939778
    """

    def __init__(self, fold: Fold, seed: int, n_samples: int = 5000) -> None:
        from lime.lime_tabular import LimeTabularExplainer

        self._forest, self._seed, self._n_samples = fold.forest, seed, n_samples
        self._quartiles = Quartiles(fold.X_train)
        self._rng = np.random.RandomState(seed)
        self._library = LimeTabularExplainer(
            fold.X_train, class_names=fold.label_names, feature_selection="none", random_state=self._rng
        )

    def of(self, x: np.ndarray, labels: tuple[int, ...]) -> list[LabelWeights]:
        """Return the weights of some labels.

        Parameters
        ----------
        x : ndarray of float64 of shape (n_features,)
        labels : tuple of int
        """
        self._rng.seed(self._seed)
        regression = _ScoredRidge()
        with warnings.catch_warnings():
            # The probabilities of several labels are no distribution.
            warnings.filterwarnings("ignore", message=r"\s*Prediction probabilties do not sum to 1")
            found = self._library.explain_instance(
                x,
                lambda X: (1 + self._forest.margins(X)) / 2,
                labels=labels,
                num_features=x.size,
                num_samples=self._n_samples,
                model_regressor=regression,
            )
        conditions = tuple(self._quartiles.conditions_at(x))
        return [
            LabelWeights(label, conditions, _dense(found.local_exp[label], x.size), fidelity)
            for label, fidelity in zip(labels, regression.scores, strict=True)
        ]


class _ScoredRidge(Ridge):
    """The package's own regression; remembers its scores, of which the package tells the last only."""

    def __init__(self) -> None:
        super().__init__(alpha=1.0)
        self.scores: list[float] = []

    def score(self, X: np.ndarray, y: np.ndarray, sample_weight: np.ndarray | None = None) -> float:
        self.scores.append(float(super().score(X, y, sample_weight)))
        return self.scores[-1]


def _dense(pairs: list[tuple[int, float]], n_features: int) -> np.ndarray:
    weights = np.zeros(n_features)
    for f, weight in pairs:
        weights[f] = weight
    return weights


def fit(fold: Fold, seed: int, parameters: dict[str, Any]) -> FittedExplainer:
    """Find the quartiles of the training rows.

    Notes
    -----
    See `LimeWeights`. A row's records say ``fidelity``, ``is_empty`` and ``n_positive``, the conditions with a positive
    weight. CPU seconds of a row are shared evenly by its labels.
    """
    settings = Settings(**parameters)
    fold.forest.margins(fold.X_train[:1])
    start = time.perf_counter()
    lime = LimeWeights(fold, seed, settings.n_samples)
    seconds = time.perf_counter() - start

    def explain(x: np.ndarray, labels: tuple[int, ...], strategies: tuple[str, ...]) -> dict[str, list[Explained]]:
        start = time.process_time()
        found = lime.of(x, labels)
        each = (time.process_time() - start) / len(labels)
        explained = [_explained(weights, settings.n_conditions, each) for weights in found]
        return dict.fromkeys(strategies, explained)

    note = "LIME gives weights, not rules: the rules scored are its heaviest conditions"
    return FittedExplainer(explain, seconds, (note,))


def _explained(weights: LabelWeights, n: int, seconds: float) -> Explained:
    rule = weights.pseudo_rule(n)
    reported = {
        "fidelity": weights.fidelity,
        "is_empty": not rule.antecedent,
        "n_positive": int((weights.weights > 0).sum()),
    }
    return Explained((weights.label,), rule, "pseudo-rule", seconds, reported)


def check(parameters: dict[str, Any]) -> None:
    """Refuse parameters that the explainer does not take, and values out of their domain."""
    check_names(parameters, names_of(Settings))
    Settings(**parameters)


EXPLAINER = Explainer(fit, check, ("each",))
