"""VotingRulesClassifier: few rules that give labels integer points."""

from __future__ import annotations

from dataclasses import fields
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
import pandas as pd
import scipy.sparse as sp
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import Interval, StrOptions

from ..binarize import FeatureBinarizer
from ..bits import pack
from ..learner import RuleLearner, Training
from .candidates import antecedent, label_means, make_candidates
from .pointrules import PointRule, PointRules
from .points import MOST_POINTS
from .scoring import METRICS, probability_table
from .sheet import ScoreSheet
from .tuning import make_folds, tune
from .voters import Settings, Voters, label_bars, vote

SETTINGS = tuple(field.name for field in fields(Settings))


class VotingRulesClassifier(RuleLearner):
    """At most `n_rules` rules for multi-label data, each of which gives a few labels small integer points.

    A row is predicted the labels whose points, summed over the rules that cover the row, reach the label's bar. Such a
    rule is no statement of its own; the score sheet of a row says why it gets its labels.

    Candidates are the paths of shallow trees over binary items. Forward selection chooses those that together fit all
    labels with least squared error, in which rarer labels count for more. Integers from -3 to 3 are found for them by
    coordinate descent, and a threshold on the fit becomes an exact bar for each label.

    Parameters
    ----------
    n_rules : int, default=100
        Most rules.
    metric : {"micro_f1", "macro_f1", "subset_accuracy", "hamming_loss"}, default="micro_f1"
        What the settings below are chosen for. For one-dimensional y it has no say in the bar, which is where the
        probability passes one half.
    ridge, price, unit, threshold, lenience : float or None, default=None
        Weight of the squared weights; what a weight costs in squared error; what a point is worth, as a share of a
        label; the share from which a label of mean frequency is predicted; how much lower that share is for a rarer
        label and higher, up to 1, for a more frequent one: ``threshold * (frequency / mean frequency) ** lenience``.
        Those that are None are chosen by cross-validation on the training rows; where all are given, none takes place.
    tolerance : float, default=0.002
        How much of the metric, as cross-validation measures it, is given up for fewer weights.
    n_trees : int, default=200
        Trees whose paths are candidates.
    n_folds : int, default=3
        Folds of the cross-validation; at most as many as there are rows.
    binarizer : FeatureBinarizer or None, default=None
        Makes binary items of the columns; None cuts numeric columns at their octiles. It is fitted once, before
        cross-validation: with ``cuts="supervised"`` it has seen the labels of the rows held out, which makes scores and
        probabilities too bold.
    random_state : int, RandomState or None, default=None
    n_jobs : int or None, default=None
        Threads that try settings. The result does not depend on it.

    Attributes
    ----------
    rules_ : PointRules
        In terms of the original columns, in the order of choice.
    ridge_, price_, unit_, threshold_, lenience_ : float
        The settings chosen or given.
    cv_results_ : DataFrame
        For each setting tried its best threshold, the metric on the rows held out (the Hamming loss with a minus), and
        the mean number of rules and of weights. Empty where no cross-validation took place.
    binarizer_ : FeatureBinarizer
    targets_ : Targets
    classes_ : list of ndarray, or ndarray for one-dimensional y
    n_features_in_ : int
    feature_names_in_ : ndarray of str
        Only when X has text names.

    Raises
    ------
    ValueError
        When a parameter, X or y is out of its domain; the message names it.

    Notes
    -----
    Cost, tuning excluded, O(n_trees * items in a row + n_candidates * n_rules * (n_rows / 64 + n_rules + n_labels)),
    with n_candidates at most 4000 and trees on at most 500 rows each; tuning tries 30 selections a fold.

    The probabilities of `predict_proba` come from the rows held out in cross-validation; without one from the training
    rows themselves, which makes them too bold.

    The bar of one-dimensional y is moved to where the probability passes one half, so that the class of higher
    probability is predicted.

    Examples
    --------
    >>> import pandas as pd
    >>> from mlrx import VotingRulesClassifier
    >>> X = pd.DataFrame({"rain": [1, 1, 1, 0, 0, 0] * 5, "wind": [1, 0, 1, 0, 1, 0] * 5})
    >>> Y = pd.DataFrame({"umbrella": [1, 1, 1, 0, 0, 0] * 5, "kite": [0, 0, 0, 0, 1, 0] * 5})
    >>> model = VotingRulesClassifier(unit=0.3, random_state=0).fit(X, Y)
    >>> model.predict(X.iloc[:5])
    array([[1, 0],
           [1, 0],
           [1, 0],
           [0, 0],
           [0, 1]])
    """

    _default_binarizer = FeatureBinarizer(percentiles=[12.5 * k for k in range(1, 8)])
    _parameter_constraints: ClassVar[dict] = {
        "n_rules": [Interval(Integral, 1, None, closed="left")],
        "metric": [StrOptions(set(METRICS))],
        "ridge": [Interval(Real, 0, None, closed="neither"), None],
        "price": [Interval(Real, 0, None, closed="left"), None],
        "unit": [Interval(Real, 0, None, closed="neither"), None],
        "threshold": [Interval(Real, 0, 1, closed="both"), None],
        "lenience": [Interval(Real, 0, 1, closed="both"), None],
        "tolerance": [Interval(Real, 0, None, closed="left")],
        "n_trees": [Interval(Integral, 0, None, closed="left")],
        "n_folds": [Interval(Integral, 2, None, closed="left")],
        "binarizer": [FeatureBinarizer, None],
        "random_state": ["random_state"],
        "n_jobs": [Integral, None],
    }

    def __init__(
        self,
        n_rules: int = 100,
        *,
        metric: str = "micro_f1",
        ridge: float | None = None,
        price: float | None = None,
        unit: float | None = None,
        threshold: float | None = None,
        lenience: float | None = None,
        tolerance: float = 0.002,
        n_trees: int = 200,
        n_folds: int = 3,
        binarizer: FeatureBinarizer | None = None,
        random_state: int | np.random.RandomState | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self.n_rules = n_rules
        self.metric = metric
        self.ridge = ridge
        self.price = price
        self.unit = unit
        self.threshold = threshold
        self.lenience = lenience
        self.tolerance = tolerance
        self.n_trees = n_trees
        self.n_folds = n_folds
        self.binarizer = binarizer
        self.random_state = random_state
        self.n_jobs = n_jobs

    def _learn(self, training: Training, X: Any) -> None:
        rng = np.random.default_rng(check_random_state(self.random_state).randint(2**31 - 1, size=4))
        items, positives, binarizer = training.items, training.positives, training.binarizer
        features = np.array([item.feature for item in binarizer.items_], dtype=np.int64)
        candidates = make_candidates(items, positives, features, self.n_trees, rng)
        settings, margins = self._settings(training, features, rng)
        voters = vote(candidates, positives, self.n_rules, settings)
        bars = label_bars(voters.constants, label_means(positives), settings)
        if margins is None:
            margins = voters.votes(pack(items), items.shape[0]).astype(np.int64) - bars
        probabilities = probability_table(margins, positives.toarray() > 0)
        if training.targets.form == "vector":
            bars, probabilities = _at_one_half(bars, probabilities, len(voters.rules))
        # A label that never occurs gets no points, and a bar above 0.
        out_of_reach = max(1, *label_bars(np.zeros(1), np.ones(1), settings))
        all_bars = np.full(len(training.targets.label_names), out_of_reach)
        all_bars[training.used] = bars
        rules = _point_rules(voters, training, _known_columns(binarizer.check(X)))
        names = binarizer.feature_names_, training.targets.label_names
        self.rules_ = PointRules(rules, *names, all_bars, binarizer.kinds_, items.shape[0], probabilities)
        for name in SETTINGS:
            setattr(self, f"{name}_", getattr(settings, name))

    def predict_proba(self, X: Any) -> np.ndarray:
        """Return the probability of each label, looked up by its points in the table ``rules_.probabilities``.

        Parameters
        ----------
        X : array-like, sparse matrix or DataFrame of shape (n_samples, n_features)

        Returns
        -------
        ndarray of float of shape (n_samples, n_labels), or (n_samples, 2) for one-dimensional y
            In the latter case of the two classes, in the order of `classes_`.
        """
        table = self._checked_table(X)
        probabilities = self.rules_.predict_proba(table)
        return np.hstack([1 - probabilities, probabilities]) if self.targets_.form == "vector" else probabilities

    def score_sheet(self, X: Any) -> ScoreSheet:
        """Say for one row which rules cover it, what points they give, and which labels reach their bar.

        Parameters
        ----------
        X : array-like, sparse matrix or DataFrame of shape (1, n_features)
            One row, as ``X.iloc[[0]]`` is.
        """
        table = self._checked_table(X)
        return self.rules_.score_sheet(table)

    def _settings(
        self, training: Training, features: np.ndarray, rng: np.random.Generator
    ) -> tuple[Settings, np.ndarray | None]:
        """Return the settings given or chosen and, where rows were held out, their margins."""
        given = {name: float(getattr(self, name)) for name in SETTINGS if getattr(self, name) is not None}
        self.cv_results_ = pd.DataFrame()
        if len(given) == len(SETTINGS):
            return Settings(**given), None
        n_rows = training.items.shape[0]
        if n_rows < 2:
            raise ValueError(f"cross-validation needs two rows, got n_samples={n_rows}; give {', '.join(SETTINGS)}")
        folds = make_folds(training.items, training.positives, features, self.n_trees, min(self.n_folds, n_rows), rng)
        tuned = tune(
            folds, training.positives.toarray() > 0, self.n_rules, self.metric, self.tolerance, given, self.n_jobs
        )
        self.cv_results_ = tuned.results
        return tuned.settings, tuned.margins


def _known_columns(table: Any) -> np.ndarray:
    """Tell of each column of a DataFrame, array or sparse matrix whether no value is missing."""
    if sp.issparse(table):
        known = np.ones(table.shape[1], dtype=bool)
        known[table.indices[np.isnan(table.data)]] = False
        return known
    return np.asarray(pd.notna(table)).all(axis=0)


def _at_one_half(
    bars: np.ndarray, probabilities: tuple[tuple[int, float], ...], n_rules: int
) -> tuple[np.ndarray, tuple[tuple[int, float], ...]]:
    """Move the bar of the only label to the margin from which its probability is above one half.

    The first probability of the table also holds below its margin, the last one above: where the one is above one half
    or the other is not, the bar goes to where all rows reach it, or none.
    """
    most = MOST_POINTS * n_rules
    likely = [margin for margin, share in probabilities if share > 0.5]
    if len(likely) == len(probabilities):
        shift = -most - int(bars[0])
    else:
        shift = likely[0] if likely else most + 1 - int(bars[0])
    return bars + shift, tuple((margin - shift, share) for margin, share in probabilities)


def _point_rules(voters: Voters, training: Training, known: np.ndarray) -> list[PointRule]:
    """Translate items to conditions on the original columns, and labels back to columns of y."""
    items, used = training.binarizer.items_, training.used
    return [
        PointRule(
            antecedent(literals, items, known),
            [(int(used[label]), int(points[label])) for label in np.flatnonzero(points)],
            int(n_covered),
        )
        for literals, points, n_covered in zip(voters.rules.literals, voters.points, voters.rules.n_covered)
    ]
