"""LionForestsExplainer: rules for the predictions of a multi-label forest, proven by default."""

from __future__ import annotations

import copy
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cache, partial
from numbers import Integral
from typing import Any, ClassVar

import numpy as np
from joblib import Parallel, delayed, effective_n_jobs
from sklearn.base import BaseEstimator
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from ..progress import progress_bar
from .cells import Box, ForestCells
from .certificate import DEFAULT_BUDGET, Certificate, certify, is_tie, margin_of_row
from .explanation import Explanation, Explanations
from .labelsets import label_sets
from .names import columns_by_name, labels_by_name, names_of_features, names_of_labels
from .onehot import check_one_hot, read_groups
from .oracle import meeting_leaves
from .paper import paper_box
from .parameters import CONSTRAINTS, check_parameters
from .paths import Paths
from .quorum import REDUCTIONS
from .violation import Target, targets_of

NO_FREQUENT = "no two labels are frequent together; strategy='each' explains single labels"
NO_SETS = "no label sets were asked about"
NO_LABEL = "the forest predicts no label for this row; strategy='all' explains that"
# A process is sent the flat forest once for each part; with several parts, the bar moves on.
PARTS_PER_PROCESS = 4


class LionForestsExplainer(BaseEstimator):
    """Explain single predictions of a multi-label random forest by rules.

    For a row and a set of its predicted labels, finds a rule that covers the row and such that the forest predicts
    these labels for every row that the rule covers.

    Parameters
    ----------
    forest : RandomForestClassifier, ExtraTreesClassifier, Pipeline or FlatForest
        Fitted, for one or many labels of two classes each. A Pipeline of scalers and a forest is explained as a whole,
        in the units of its input. A FlatForest is what `read_forest` returns.
    feature_names : sequence of str or None, default=None
        None takes those that the forest was fitted with, else those of the frame given to `fit`, else x0, x1, ...
    label_names : sequence of str or None, default=None
        None takes those of the frame given to `fit` as Y, else y0, y1, ...
    categorical : dict or None, default=None
        One-hot columns: by name of a category its columns, or a dict that gives the column by category. They count as
        one feature, are left out together if possible, and are printed as ``name = category``.
    mode : {"certified", "paper"}, default="certified"
        "certified" finds a short rule and proves it. "paper" follows the paper: the paths of the trees that vote for
        the labels are reduced to few, and the rule is where all of them hold.
    guarantee : {"labels", "labelset"}, default="labels"
        Keep the explained labels present (the paper's), or keep all others absent too. A row without any predicted
        label is explained with "labelset" in any case.
    smallest : bool, default=False
        Look longer for the provably smallest number of features ("certified" and "short" only); without it, too, most
        rows get there. An explanation says whether it has it (`is_smallest`).
    prefer : {"short", "coverage"}, default="short"
        "coverage" lets the rule cover more rows like those given to `fit`, at the price of more features ("certified"
        only).
    min_support : float, default=0.01
        Least share of rows that carry all labels of a frequent label set.
    reductions : sequence of {"association", "clustering", "random"}, default=all three
        Stages that reduce the paths, in this order ("paper" only).
    budget : int, default=200
        Boxes that the exact search may look at for each question and label ("certified" only).
    random_state : int, RandomState or None, default=0
        For the clustering and the random selection of paths ("paper" only). With an int, it is the seed of every row,
        whose explanation does not depend on what was explained before; else each row has a seed drawn for it.

    Attributes
    ----------
    cells_ : ForestCells
        The forest in flat arrays.
    groups_ : tuple of OneHot
    feature_names_, label_names_ : tuple of str
    n_features_in_ : int
    rows_ : ndarray of shape (n_samples, n_features)
        The rows given to `fit`.
    row_cells_, row_labels_ : ndarray of shape (n_samples, n_features), (n_samples, n_labels)
        Their cells, see `ForestCells`, and their labels.
    ranges_ : ndarray of shape (2, n_features)
        Least and greatest value of each column, 0 where none is known.

    Notes
    -----
    `fit` reads the forest, names and categories; a change of these, a new fit of the forest among them, has no effect
    before the next `fit`. All other parameters act from the next explanation on.

    Reading the forest costs O(leaves * (features + labels)); see `certify` for the cost of a proven rule.

    Departures from the paper: rules are compared as the trees compare, in float32; what counts is the mean of the
    trees' probabilities, as in scikit-learn, not the number of trees; bounds are open below and closed above, and a
    side that no path bounds is open.

    References
    ----------
    N. Mylonas, I. Mollas, N. Bassiliades, G. Tsoumakas. "Local Multi-Label Explanations for Random Forest",
    sections 3 and 4. arXiv:2207.01994

    Examples
    --------
    >>> from sklearn.ensemble import RandomForestClassifier
    >>> from mlrx import LionForestsExplainer
    >>> X = [[0.0, 7.0], [1.0, 6.0], [2.0, 7.0], [3.0, 6.0]]
    >>> forest = RandomForestClassifier(9, bootstrap=False, random_state=0).fit(X, [[0, 0], [0, 1], [1, 0], [1, 1]])
    >>> explainer = LionForestsExplainer(forest, ["wind", "day"], ["storm", "weekend"]).fit(X)
    >>> for explanation in explainer.explain([3.0, 6.0], "each"):
    ...     print(explanation)
    IF wind > 2 THEN storm  [certified-irreducible; fewest features]
    IF day <= 6.5 THEN weekend  [certified-irreducible; fewest features]
    """

    _parameter_constraints: ClassVar[dict] = CONSTRAINTS

    def __init__(
        self,
        forest: Any,
        feature_names: Sequence[str] | None = None,
        label_names: Sequence[str] | None = None,
        categorical: Mapping[str, Any] | None = None,
        *,
        mode: str = "certified",
        guarantee: str = "labels",
        smallest: bool = False,
        prefer: str = "short",
        min_support: float = 0.01,
        reductions: Sequence[str] = REDUCTIONS,
        budget: int = DEFAULT_BUDGET,
        random_state: int | np.random.RandomState | None = 0,
    ) -> None:
        self.forest = forest
        self.feature_names = feature_names
        self.label_names = label_names
        self.categorical = categorical
        self.mode = mode
        self.guarantee = guarantee
        self.smallest = smallest
        self.prefer = prefer
        self.min_support = min_support
        self.reductions = reductions
        self.budget = budget
        self.random_state = random_state

    def __sklearn_clone__(self) -> LionForestsExplainer:
        """Return an explainer that is not fitted, of the same fitted forest."""
        return type(self)(**self.get_params(deep=False))

    def fit(self, X: Any, Y: Any = None) -> LionForestsExplainer:
        """Read the forest, and take in rows like those that it was trained on.

        Parameters
        ----------
        X : array-like, sparse matrix or DataFrame of shape (n_samples, n_features)
            Rows, which tell the ranges of the columns and what rules cover.
        Y : array-like of shape (n_samples, n_labels) or None, default=None
            Their labels, which tell the frequent label sets; None takes those that the forest predicts. As in X,
            columns of a DataFrame with text names are found by name.

        Returns
        -------
        self

        Raises
        ------
        ValueError
            When a parameter, a name or the shape of X or Y is at fault; the message names it.
        TypeError
            When the forest is of a class that cannot be explained.
        sklearn.exceptions.NotFittedError
            When the forest is not fitted.
        """
        check_parameters(self.get_params(deep=False))
        self.cells_ = ForestCells.of(self.forest)
        forest = self.cells_.forest
        self.n_features_in_ = forest.n_features
        self.feature_names_ = names_of_features(self.feature_names, forest, X)
        self.label_names_ = names_of_labels(self.label_names, forest, Y)
        self.groups_ = read_groups(self.categorical, self.feature_names_)
        X = columns_by_name(X, forest, self.feature_names_)
        self.rows_ = forest.rows(X)
        check_one_hot(self.groups_, self.rows_, self.feature_names_)
        with np.errstate(invalid="ignore"):
            self.ranges_ = np.nan_to_num([np.fmin.reduce(self.rows_), np.fmax.reduce(self.rows_)])
        self.row_cells_ = self.cells_.locate(self.rows_)
        self.row_labels_ = (
            forest.predict_labels(X) if Y is None else forest.read_labels(labels_by_name(Y, self.label_names_))
        )
        if len(self.row_labels_) != len(self.rows_):
            raise ValueError(f"Y has {len(self.row_labels_)} rows, but X has {len(self.rows_)}")
        return self

    def explain(
        self, x: Any, strategy: str | Iterable[Iterable[int]] = "all", max_sets: int | None = None
    ) -> Explanations:
        """Explain the prediction for one row.

        Parameters
        ----------
        x : array-like or Series of shape (n_features,), or table of one row
        strategy : {"all", "each", "frequent"} or iterable of label sets, default="all"
            One rule for all predicted labels (LF-a); a rule for each of them (LF-l); a rule for each frequent set of
            them and for each of them, the most frequent first (LF-p); or a rule for each set given, by label indices.
        max_sets : int or None, default=None
            Explain at most so many label sets; None explains all.

        Returns
        -------
        Explanations
            A list of Explanation, one for each label set. For a row without any predicted label, "all" explains that
            no label is predicted, and the others return an empty list whose `reason` says so.

        Raises
        ------
        ValueError
            When the row, the strategy, or a label is out of its domain, or a label is not predicted for x.
        """
        self._check_ready()
        forest = self.cells_.forest
        row = forest.row(columns_by_name(x, forest, self.feature_names_))
        check_one_hot(self.groups_, row[None], self.feature_names_)
        return self._explain(row, strategy, max_sets, *self._seeds(1))

    def _check_ready(self) -> None:
        check_is_fitted(self, "cells_")
        check_parameters(self.get_params(deep=False))  # `set_params` does not

    def explain_many(
        self,
        X: Any,
        strategy: str | Iterable[Iterable[int]] = "all",
        max_sets: int | None = None,
        *,
        n_jobs: int | None = None,
        progress: bool = True,
    ) -> list[Explanations]:
        """Explain the predictions for many rows.

        Parameters
        ----------
        X : array-like, sparse matrix or DataFrame of shape (n_samples, n_features)
        strategy, max_sets
            As in `explain`.
        n_jobs : int or None, default=None
            Processes, as in joblib. The result does not depend on it.
        progress : bool, default=True
            Show a bar in a terminal or a notebook.

        Returns
        -------
        list of Explanations
            One for each row.
        """
        self._check_ready()
        forest = self.cells_.forest
        rows = forest.rows(columns_by_name(X, forest, self.feature_names_))
        check_one_hot(self.groups_, rows, self.feature_names_)
        strategy = strategy if isinstance(strategy, str) else [tuple(labels) for labels in strategy]
        seeds = self._seeds(len(rows))
        n_processes = effective_n_jobs(n_jobs)
        n_parts = len(rows) if n_processes == 1 else PARTS_PER_PROCESS * n_processes
        parts = np.array_split(np.arange(len(rows)), max(1, min(n_parts, len(rows))))
        found = []
        # Arrays are sent as they are: functions would be compiled anew for those that are mapped from a file.
        run = Parallel(n_jobs=n_jobs, return_as="generator", max_nbytes=None)
        with progress_bar("rows", len(rows), progress) as advance:
            explain = delayed(self._without_model()._explain_rows)
            for explained in run(explain(rows[part], strategy, max_sets, seeds[part]) for part in parts):
                found += explained
                for _ in explained:
                    advance()
        return found

    def _without_model(self) -> LionForestsExplainer:
        """Return a copy that explains and is quick to send: scikit-learn's trees, which it has read, are left out."""
        worker = copy.copy(self)
        worker.forest = None
        worker.cells_ = replace(self.cells_, forest=replace(self.cells_.forest, model=None))
        return worker

    def _explain_rows(
        self, rows: np.ndarray, strategy: str | Iterable[Iterable[int]], max_sets: int | None, seeds: Sequence[int]
    ) -> list[Explanations]:
        return [self._explain(row, strategy, max_sets, seed) for row, seed in zip(rows, seeds)]

    def _seeds(self, n: int) -> np.ndarray:
        """Return a seed for each of n rows: `random_state` if it is one, else a draw each."""
        if isinstance(self.random_state, Integral):
            return np.full(n, self.random_state)
        rng = check_random_state(self.random_state)
        return np.array([rng.randint(np.iinfo(np.int32).max) for _ in range(n)])

    def _explain(
        self, row: np.ndarray, strategy: str | Iterable[Iterable[int]], max_sets: int | None, seed: int
    ) -> Explanations:
        predicted = tuple(np.flatnonzero(self.cells_.forest.predict_labels(row[None])[0]).tolist())
        sets = label_sets(strategy, predicted, self.row_labels_, self.min_support, max_sets)
        for labels in sets:
            self._check_set(labels, predicted)
        if not sets:
            return Explanations(
                reason=NO_LABEL if not predicted else NO_FREQUENT if strategy == "frequent" else NO_SETS
            )
        if self.mode == "certified":
            explain = partial(self._certify, row)
        else:
            # Made once, in the time of the first set: the distances between paths are the same for all.
            paths = cache(lambda: Paths.of(self.cells_, self.cells_.locate(row[None])[0], self.ranges_))
            explain = partial(self._reduce, row, paths, seed)
        return Explanations([self._explain_set(row, labels, explain) for labels in sets])

    def _check_set(self, labels: tuple[int, ...], predicted: tuple[int, ...]) -> None:
        for label in labels:
            if not 0 <= label < len(self.label_names_):
                raise ValueError(f"labels must be from 0 to {len(self.label_names_) - 1}, got {label}")
        if not labels and predicted:
            raise ValueError(f"the empty label set cannot be explained, the forest predicts {list(predicted)}")
        left_out = sorted(set(predicted) - set(labels))
        if self.guarantee == "labelset" and left_out:
            raise ValueError(
                f"guarantee='labelset' keeps all labels absent that are not in the set, but label {left_out[0]} is "
                f"predicted and not in {list(labels)}: explain all labels together, or use guarantee='labels'"
            )

    def _explain_set(self, row: np.ndarray, labels: tuple[int, ...], explain: Callable[..., Any]) -> Explanation:
        start = time.perf_counter()
        guarantee = self.guarantee if labels else "labelset"
        certificate, n_paths = explain(labels, guarantee)
        rule, box, status, n_voting = certificate.rule, certificate.box, certificate.status, 0
        if box is not None:
            rule = replace(rule, n_covered=int(box.holds(self.row_cells_).sum()))
            least = self._least_margins(box, targets_of(labels, guarantee, self.cells_.forest.n_labels))
            n_voting = int((least > 0).all(axis=0).sum())
            if status == "uncertified" and (least.sum(axis=1) > self.cells_.tie_bound).all():
                status = "certified"  # by the additive bound
        return Explanation(
            labels=labels,
            rule=rule,
            status=status,
            guarantee=guarantee,
            margin=certificate.margin,
            x=tuple(row.tolist()),
            feature_names=self.feature_names_,
            label_names=self.label_names_,
            groups=self.groups_,
            n_voting=n_voting,
            n_paths=n_paths,
            n_trees=self.cells_.forest.n_trees,
            undecided=certificate.undecided,
            is_smallest=certificate.is_smallest,
            n_samples=len(self.rows_),
            seconds=time.perf_counter() - start,
        )

    def _least_margins(self, box: Box, targets: Sequence[Target]) -> np.ndarray:
        """Return the least margin of each target and tree over a box, of shape (n_targets, n_trees)."""
        leaves = meeting_leaves(self.cells_, box)
        margins = np.array([target.margins(self.cells_)[leaves] for target in targets])
        return np.minimum.reduceat(margins, np.searchsorted(leaves, self.cells_.forest.leaf_start[:-1]), axis=1)

    def _certify(self, row: np.ndarray, labels: tuple[int, ...], guarantee: str) -> tuple[Certificate, None]:
        """Find a proven rule; None stands for the number of paths."""
        certificate = certify(
            self.cells_,
            row,
            labels,
            guarantee,
            groups=[group.columns for group in self.groups_],
            rows=self.rows_ if self.prefer == "coverage" else None,
            prefer=self.prefer,
            smallest=self.smallest,
            budget=self.budget,
        )
        return certificate, None

    def _reduce(
        self, row: np.ndarray, paths: Callable[[], Paths], seed: int, labels: tuple[int, ...], guarantee: str
    ) -> tuple[Certificate, int | None]:
        """Build the paper's rule, which nothing is proven about yet; also return how many paths it is made of."""
        cells, targets = self.cells_, targets_of(labels, guarantee, self.cells_.forest.n_labels)
        margin = margin_of_row(cells, row, targets)
        if is_tie(cells, margin):
            return Certificate("tie", None, None, margin), None
        found = paper_box(paths(), targets, self.reductions, seed)
        # Paths may let missing values through; a rule about known ones does not speak of them.
        box = replace(found.box, missing=found.box.missing & np.isnan(row))
        return Certificate("uncertified", cells.rule_of_box(box, labels), box, margin), found.reduced.trees.size
