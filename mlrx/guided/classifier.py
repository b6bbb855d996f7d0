"""GuidedRulesClassifier: a union of multi-label rules, chosen for the F1 that they give."""

from __future__ import annotations

import logging
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from itertools import islice
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
import pandas as pd
from joblib import effective_n_jobs
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import Interval, StrOptions

from ..binarize import FeatureBinarizer
from ..learner import RuleLearner, Training
from ..progress import progress_bar
from ..rules import RuleSet
from .backfitting import backfit
from .gain import Price
from .growing import FoundRule, Rows, grow_rules
from .optimise import Search
from .translate import rule_set
from .tuning import METRICS, Tally, cross_validate

logger = logging.getLogger(__name__)

TARGETS = (0.5, 0.6, 0.7, 0.8, 1.0, 1.2)
SIZE_PRICES = (0.5, 1.0, 2.0)
# Consequents tried for a rule, in turn with antecedents; most rules settle after two.
_ROUNDS = 4


class GuidedRulesClassifier(RuleLearner):
    """A set of if-then rules for multi-label data, chosen for the F1 of their union.

    Rules are chosen one by one. A rule gains ``(2 - F) TP - F FP - kappa sqrt(TP + FP)`` over the cells (row, label)
    that it newly predicts. The rule of most gain is sought from each label: the best antecedent of a consequent by a
    beam, the best consequent of an antecedent exactly, in turn. At the end each rule is sought again beside all others.
    A row is predicted the union of the consequents of all rules that cover it.

    Parameters
    ----------
    n_rules : int or None, default=None
        Number of rules; there may be fewer, when no further rule gains anything. None chooses it by cross-validation,
        up to `max_rules`.
    target_f1 : float or None, default=None
        F1 that the rules aim at (F), from 0 to below 2: the higher, the surer a rule has to be. 1 weighs a right cell
        like a wrong one. Up to about 0.4 the best rule may be one that predicts everything. None chooses it by
        cross-validation from 0.5, 0.6, 0.7, 0.8, 1 and 1.2.
    size_price : float or None, default=None
        Price of the square root of the number of cells newly predicted (kappa), which keeps out gains of chance. None
        chooses it by cross-validation from 0.5, 1 and 2.
    metric : {"micro_f1", "macro_f1", "subset_accuracy", "hamming_accuracy"}, default="micro_f1"
        Score by which cross-validation chooses.
    max_rules : int, default=100
        Most rules that cross-validation chooses.
    max_conditions : int, default=4
        Most conditions of a rule.
    beam_width : int, default=3
        Antecedents kept at each length while the best is sought.
    n_folds : int, default=5
        Folds of the cross-validation.
    binarizer : FeatureBinarizer or None, default=None
        Makes binary items of the columns; a rule may also ask that an item is absent, which is the other side of a
        cut. None is ``FeatureBinarizer(percentiles=(25, 50, 75))``.
    random_state : int, RandomState or None, default=None
        Assigns rows to folds. Nothing else is random.
    n_jobs : int or None, default=None
        Threads of the cross-validation. The result does not depend on it.
    verbose : int, default=0
        1 shows a progress bar of the cross-validation.

    Attributes
    ----------
    rules_ : RuleSet
        In the order of choice, in terms of the original columns. Being sought again at the end, the first few are not
        the set that fewer rules would have given.
    target_f1_, size_price_ : float
        Given or chosen.
    n_rules_ : int
        Number of rules.
    cv_results_ : DataFrame
        target_f1, size_price, n_rules, score on rows held out; no rows when all three were given.
    history_ : DataFrame
        One row a rule: gain beside the rules that there were when it was last sought; cells that it predicts rightly
        (n_true) and wrongly (n_false) and no rule before it does; rows covered (n_covered) and those that have all its
        labels (n_correct).
    binarizer_ : FeatureBinarizer
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
    A rule set has an F1 above F exactly when its gains for kappa = 0 sum to more than F times the number of label
    occurrences. The first nine rules are held to a stricter F, which falls from 1 to F in steps of three; where F is 1
    or more, it is the same for all. Cross-validation scores the rules as they are before they are sought again.

    O(rules * n_labels_of_a_rule * max_conditions * beam_width * (items in the rows looked at)), about linear in rows;
    cross-validation costs that for each fold and pair of F and kappa, once for all numbers of rules. Cuts of the
    binarizer are found once, on all training rows.

    Examples
    --------
    >>> import pandas as pd
    >>> from mlrx import GuidedRulesClassifier
    >>> X = pd.DataFrame({"rain": [1, 1, 1, 0, 0, 0], "wind": [1, 0, 1, 0, 1, 0]})
    >>> Y = pd.DataFrame({"umbrella": [1, 1, 1, 0, 0, 0], "kite": [0, 0, 0, 0, 1, 0]})
    >>> print(GuidedRulesClassifier(n_rules=2, target_f1=0.8, size_price=0.5).fit(X, Y).rules_)
    IF rain present THEN umbrella  [confidence 1.00, 3 of 3]
    IF rain absent AND wind present THEN kite  [confidence 1.00, 1 of 1]
    """

    _default_binarizer = FeatureBinarizer(percentiles=(25, 50, 75))

    _parameter_constraints: ClassVar[dict] = {
        "n_rules": [Interval(Integral, 1, None, closed="left"), None],
        "target_f1": [Interval(Real, 0, 2, closed="left"), None],
        "size_price": [Interval(Real, 0, None, closed="left"), None],
        "metric": [StrOptions(set(METRICS))],
        "max_rules": [Interval(Integral, 1, None, closed="left")],
        "max_conditions": [Interval(Integral, 1, None, closed="left")],
        "beam_width": [Interval(Integral, 1, None, closed="left")],
        "n_folds": [Interval(Integral, 2, None, closed="left")],
        "binarizer": [FeatureBinarizer, None],
        "random_state": ["random_state"],
        "n_jobs": [Integral, None],
        "verbose": ["verbose"],
    }

    def __init__(
        self,
        n_rules: int | None = None,
        *,
        target_f1: float | None = None,
        size_price: float | None = None,
        metric: str = "micro_f1",
        max_rules: int = 100,
        max_conditions: int = 4,
        beam_width: int = 3,
        n_folds: int = 5,
        binarizer: FeatureBinarizer | None = None,
        random_state: int | np.random.RandomState | None = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.n_rules = n_rules
        self.target_f1 = target_f1
        self.size_price = size_price
        self.metric = metric
        self.max_rules = max_rules
        self.max_conditions = max_conditions
        self.beam_width = beam_width
        self.n_folds = n_folds
        self.binarizer = binarizer
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def _learn(self, training: Training, X: Any) -> None:
        search = Search(int(self.max_conditions), int(self.beam_width), _ROUNDS)
        self.cv_results_ = self._tune(training, search)
        price, n_rules = self._settle()
        rows = Rows.from_matrices(training.items, training.positives)
        found = list(islice(grow_rules(rows, price, search), n_rules))
        if len(found) < n_rules:
            logger.warning("%d of %d rules: no further rule gains anything", len(found), n_rules)
        found = backfit(found, rows, price, search)
        self.target_f1_, self.size_price_ = price
        self.rules_ = rule_set(found, rows, training, X)
        self.n_rules_ = len(found)
        self.history_ = _history(found, rows, self.rules_)

    def _tune(self, training: Training, search: Search) -> pd.DataFrame:
        """Score what is left open, by cross-validation; return no rows when nothing is."""
        given = self.target_f1, self.size_price, self.n_rules
        if None not in given or not training.used.size:
            return pd.DataFrame({name: [] for name in ("target_f1", "size_price", "n_rules", "score")})
        targets = TARGETS if self.target_f1 is None else (self.target_f1,)
        size_prices = SIZE_PRICES if self.size_price is None else (self.size_price,)
        n_threads = effective_n_jobs(self.n_jobs)
        with (
            ThreadPoolExecutor(n_threads) if n_threads > 1 else nullcontext() as executor,
            progress_bar("pairs of F and price", len(targets) * len(size_prices), self.verbose > 0) as advance,
        ):
            return cross_validate(
                training.items,
                training.positives,
                targets,
                size_prices,
                int(self.max_rules if self.n_rules is None else self.n_rules),
                search=search,
                metric=self.metric,
                n_folds=int(self.n_folds),
                seed=check_random_state(self.random_state).randint(2**31 - 1),
                executor=executor,
                advance=advance,
            )

    def _settle(self) -> tuple[Price, int]:
        """Return F, price and number of rules: those given, and of the others the best by cross-validation."""
        results = self.cv_results_
        if self.n_rules is not None and not results.empty:
            results = results[results["n_rules"] == min(self.n_rules, results["n_rules"].max())]
        if results.empty:
            target_f1 = 1.0 if self.target_f1 is None else float(self.target_f1)
            size_price = 0.0 if self.size_price is None else float(self.size_price)
            return Price(target_f1, size_price), 0 if self.n_rules is None else int(self.n_rules)
        # Of equal scores that of fewer rules, then the first.
        best = results.sort_values(["score", "n_rules"], ascending=[False, True], kind="stable").iloc[0]
        n_rules = best["n_rules"] if self.n_rules is None else self.n_rules
        return Price(float(best["target_f1"]), float(best["size_price"])), int(n_rules)


def _history(found: list[FoundRule], rows: Rows, rules: RuleSet) -> pd.DataFrame:
    """Return one row a rule, as `GuidedRulesClassifier.history_` has them."""
    tally = Tally(len(found), rows.labels.bits.shape[0])
    tally.add(iter(found), rows)
    return pd.DataFrame(
        {
            "gain": np.array([rule.gain for rule in found], dtype=float),
            "n_true": np.diff(tally.n_true.sum(axis=1)),
            "n_false": np.diff(tally.n_false.sum(axis=1)),
            "n_covered": np.array([rule.n_covered for rule in rules], dtype=int),
            "n_correct": np.array([rule.n_correct for rule in rules], dtype=int),
        }
    )
