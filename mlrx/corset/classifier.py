"""CorsetClassifier: a concise set of multi-label rules, by sampling candidates and choosing good and diverse ones."""

from __future__ import annotations

import logging
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
import pandas as pd
from joblib import effective_n_jobs
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import Interval, StrOptions

from ..binarize import FeatureBinarizer
from ..bits import drop_idle_items
from ..learner import RuleLearner, Training
from ..progress import progress_bar
from ..rules import Rule, RuleSet
from ..table import BinaryTable
from .antecedents import ALL, DIFFERENCE, UNION, Growth
from .consequents import CliqueConsequents, FullConsequents
from .pairs import SIZE, SUBSETS, TIGHT, PairLaw
from .pool import METHODS, Pool, PoolSampler
from .selection import Chosen, Criteria, Selection, Selector, keep_useful, select_again, select_from_pools

logger = logging.getLogger(__name__)

_CANDIDATES = {"difference": DIFFERENCE, "union": UNION, "all": ALL}


class CorsetClassifier(RuleLearner):
    """A concise set of if-then rules for multi-label data.

    Rules are chosen one by one. For each, a pool of candidates is sampled: consequents by the label occurrences that
    no rule covers yet, antecedents by how well they tell the rows of a consequent from the others. The candidate with
    the best mix of quality and distance to the rules already chosen is taken. A row is predicted the union of the
    consequents of all rules that cover it.

    Parameters
    ----------
    n_rules : int, default=30
        Number of rules wanted (B). There may be fewer: then a note is logged, and `stop_reason_` says why.
    diversity_weight : float, default=1.0
        Weight of the distances to the rules already chosen (lambda).
    pool_size : int, default=500
        Candidates sampled for each rule.
    consequents : {"cliques", "full"}, default="cliques"
        Sample consequents from likely cliques of labels, or from all label sets. Among all label sets a row weighs
        about ``2 ** n_labels_of_row``: one with many more labels than the others swallows all draws.
    antecedents : {"greedy", "coupling", "rejection", "cliques"}, default="greedy"
        Grow antecedents greedily from a sampled pair of rows; draw them by discriminativity from all item sets, by
        coupling from the past or by rejection (one law); or draw them so from likely cliques of items.
    min_clique_probability : float, default=0.8
        Threshold on the product of edge probabilities of a clique (alpha).
    negative_weight : float, default=1.0
        What a covered negative row costs in the greedy antecedent, against a positive one (gamma).
    pair_weight : {"size", "subsets"}, default="size"
        Weight of the pair that a greedy antecedent starts from: the number of items, or of item sets, that tell its
        two rows apart.
    candidates : {"difference", "union", "all"}, default="difference"
        Items that the greedy antecedent chooses from: those of the positive row that the negative one lacks, those of
        either row, or all items without drawing a pair.
    normalize_gain : bool, default=False
        Divide the gain of an item in the greedy antecedent by the number of rows that have it.
    uncovered_only : bool, default=False
        Count in the greedy antecedent only positive rows in which some label of the consequent is uncovered.
    patience : int, default=1
        Steps without a better value after which the greedy antecedent stops.
    min_positive_share : float, default=0.0
        Share of the consequent's rows that a greedy antecedent has to keep; two rows in any case.
    max_conditions : int, default=10
        Longest greedy antecedent, in items.
    min_conditions : {1, 2}, default=1
        Least number of items of antecedents drawn by coupling or rejection; 2 is the law of the paper's (12).
    quality_weight : float, default=0.5
        Weight of quality in the choice of a rule. The paper has 0.5, the released code 1.0.
    refine : bool, default=False
        Choose a second time from all candidates of the first round together, and keep the better objective.
    tolerance : float, default=0.0
        Stop when the best rule covers no more than this share of all label occurrences anew.
    binarizer : FeatureBinarizer or None, default=None
        Makes binary items of the columns; None is ``FeatureBinarizer()``.
    random_state : int, RandomState or None, default=None
    n_jobs : int or None, default=None
        Threads that sample a pool. The result does not depend on it.
    verbose : int, default=0
        1 shows a progress bar.

    Attributes
    ----------
    rules_ : RuleSet
        In the order of choice, in terms of the original columns; ``rules_[:k]`` is the set after k choices (of the
        round that was kept).
    history_ : DataFrame
        One row a rule: quality, diversity, label occurrences newly covered, rows covered and correct, pool
        statistics, seconds.
    objective_ : float
        Value of the objective of the rules chosen, with quality weighted 1 as in Problem 1.
    stop_reason_ : str
        Why no further rule was chosen.
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
    Cost per rule O(pool_size * (items in a row * n_rows / 64 + n_rules * n_rows / 64)) and less in practice.

    Departures from the paper: the quality of a rule depends on the rules before it, so the factor of 2 is not claimed;
    greedy antecedents choose from the items of D+ that D- lacks by default, and pairs are weighted by size; conditions
    that change nothing are dropped from a chosen rule; a rule that adds no label occurrence, or no confidence over the
    base rate, is never chosen for its diversity alone.

    References
    ----------
    "Concise and interpretable multi-label rule sets" (CORSET), Problem 1 and Algorithms 1 to 5.

    Examples
    --------
    >>> import pandas as pd
    >>> from mlrx import CorsetClassifier
    >>> X = pd.DataFrame({"rain": [1, 1, 1, 0, 0, 0], "wind": [1, 0, 1, 0, 1, 0]})
    >>> Y = pd.DataFrame({"umbrella": [1, 1, 1, 0, 0, 0], "kite": [0, 0, 0, 0, 1, 0]})
    >>> print(CorsetClassifier(n_rules=1, random_state=0).fit(X, Y).rules_)
    IF rain present THEN umbrella  [confidence 1.00, 3 of 3]
    """

    _parameter_constraints: ClassVar[dict] = {
        "n_rules": [Interval(Integral, 1, None, closed="left")],
        "diversity_weight": [Interval(Real, 0, None, closed="left")],
        "pool_size": [Interval(Integral, 1, None, closed="left")],
        "consequents": [StrOptions({"cliques", "full"})],
        "antecedents": [StrOptions(set(METHODS))],
        "min_clique_probability": [Interval(Real, 0, 1, closed="right")],
        "negative_weight": [Interval(Real, 0, None, closed="left")],
        "pair_weight": [StrOptions({"size", "subsets"})],
        "candidates": [StrOptions(set(_CANDIDATES))],
        "normalize_gain": ["boolean"],
        "uncovered_only": ["boolean"],
        "patience": [Interval(Integral, 1, None, closed="left")],
        "min_positive_share": [Interval(Real, 0, 1, closed="both")],
        "max_conditions": [Interval(Integral, 1, None, closed="left")],
        "min_conditions": [Interval(Integral, 1, 2, closed="both")],
        "quality_weight": [Interval(Real, 0, None, closed="left")],
        "refine": ["boolean"],
        "tolerance": [Interval(Real, 0, 1, closed="both")],
        "binarizer": [FeatureBinarizer, None],
        "random_state": ["random_state"],
        "n_jobs": [Integral, None],
        "verbose": ["verbose"],
    }

    def __init__(
        self,
        n_rules: int = 30,
        *,
        diversity_weight: float = 1.0,
        pool_size: int = 500,
        consequents: str = "cliques",
        antecedents: str = "greedy",
        min_clique_probability: float = 0.8,
        negative_weight: float = 1.0,
        pair_weight: str = "size",
        candidates: str = "difference",
        normalize_gain: bool = False,
        uncovered_only: bool = False,
        patience: int = 1,
        min_positive_share: float = 0.0,
        max_conditions: int = 10,
        min_conditions: int = 1,
        quality_weight: float = 0.5,
        refine: bool = False,
        tolerance: float = 0.0,
        binarizer: FeatureBinarizer | None = None,
        random_state: int | np.random.RandomState | None = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.n_rules = n_rules
        self.diversity_weight = diversity_weight
        self.pool_size = pool_size
        self.consequents = consequents
        self.antecedents = antecedents
        self.min_clique_probability = min_clique_probability
        self.negative_weight = negative_weight
        self.pair_weight = pair_weight
        self.candidates = candidates
        self.normalize_gain = normalize_gain
        self.uncovered_only = uncovered_only
        self.patience = patience
        self.min_positive_share = min_positive_share
        self.max_conditions = max_conditions
        self.min_conditions = min_conditions
        self.quality_weight = quality_weight
        self.refine = refine
        self.tolerance = tolerance
        self.binarizer = binarizer
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def _learn(self, training: Training, X: Any) -> None:
        items, labels = BinaryTable.from_matrix(training.items), BinaryTable.from_matrix(training.positives)
        rng = np.random.default_rng(check_random_state(self.random_state).randint(2**31 - 1, size=4))
        selection = self._select(items, labels, rng)
        if len(selection.chosen) < self.n_rules:
            logger.warning("%d of %d rules: %s", len(selection.chosen), self.n_rules, selection.stop_reason)
        self.rules_ = self._rule_set(selection, items, training)
        history = pd.DataFrame([_history_row(rule) for rule in selection.chosen], columns=list(HISTORY))
        self.history_ = history.astype(HISTORY)
        self.objective_ = selection.objective
        self.stop_reason_ = selection.stop_reason

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        # One cut at the 90th percentile of each column, the paper's default, is coarse for few numeric columns.
        tags.classifier_tags.poor_score = True
        return tags

    def _select(self, items: BinaryTable, labels: BinaryTable, rng: np.random.Generator) -> Selection:
        """Run the first round, and with ``refine=True`` the second; return the better one."""
        criteria = Criteria(self.n_rules, self.diversity_weight, self.quality_weight, self.tolerance)
        if self.consequents == "cliques":
            consequents = CliqueConsequents(labels, self.min_clique_probability)
        else:
            consequents = FullConsequents(labels)
        sampler = self._sampler(items, labels, consequents.n_sets)
        pools: list[Pool] = []
        n_threads = effective_n_jobs(self.n_jobs)
        with (
            ThreadPoolExecutor(n_threads) if n_threads > 1 else nullcontext() as executor,
            progress_bar("rules", self.n_rules, self.verbose > 0) as advance,
        ):

            def draw_pool() -> Pool | None:
                drawn = consequents.draw(rng, self.pool_size)
                if drawn is None:
                    return None
                pool = sampler.draw(rng, drawn, consequents.uncovered, executor)
                if self.refine:
                    pools.append(keep_useful(pool))
                return pool

            first = select_from_pools(draw_pool, consequents.cover, Selector(consequents.uncovered, criteria), advance)
        if not pools:
            return first
        second = select_again(pools, Selector(labels.bits.copy(), criteria))
        return second if second.objective > first.objective else first

    def _sampler(self, items: BinaryTable, labels: BinaryTable, n_consequents: int) -> PoolSampler:
        in_subsets = self.antecedents in ("coupling", "rejection") or (
            self.antecedents == "greedy" and self.pair_weight == "subsets"
        )
        min_items = self.min_conditions if self.antecedents in ("coupling", "rejection") else 1
        return PoolSampler(
            items,
            labels,
            method=self.antecedents,
            law=PairLaw(SUBSETS if in_subsets else SIZE, min_items, TIGHT, items.n_columns),
            growth=Growth(
                float(self.negative_weight),
                bool(self.normalize_gain),
                int(self.patience),
                int(self.max_conditions),
                float(self.min_positive_share),
            ),
            candidates=_CANDIDATES[self.candidates],
            uncovered_only=bool(self.uncovered_only),
            min_clique_probability=self.min_clique_probability,
            n_consequents=n_consequents,
        )

    def _rule_set(self, selection: Selection, items: BinaryTable, training: Training) -> RuleSet:
        """Translate items to conditions on the original columns, and labels back to columns of y."""
        binarizer = training.binarizer
        rules = [
            Rule(
                [binarizer.items_[item] for item in drop_idle_items(rule.items, items.bits)],
                training.used[rule.consequent].tolist(),
                rule.n_covered,
                rule.n_correct,
            )
            for rule in selection.chosen
        ]
        names = binarizer.feature_names_, training.targets.label_names
        return RuleSet(rules, *names, binarizer.kinds_, items.n_rows)


HISTORY = {
    "quality": float,
    "diversity": float,
    "n_new": int,
    "n_covered": int,
    "n_correct": int,
    "n_candidates": int,
    "n_useful": int,
    "n_trials": int,
    "seconds": float,
}


def _history_row(rule: Chosen) -> dict[str, float]:
    return {column: getattr(rule, column) for column in HISTORY}
