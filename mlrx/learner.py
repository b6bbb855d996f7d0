"""RuleLearner: what estimators that learn rules from binary items share, from reading X and y to predicting."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import pandas as pd
import scipy.sparse as sp
from sklearn.base import BaseEstimator, ClassifierMixin, _fit_context, clone
from sklearn.utils import check_consistent_length
from sklearn.utils.validation import check_is_fitted

from .binarize import FeatureBinarizer
from .targets import Targets, read_targets


@dataclass(frozen=True)
class Training:
    """What a rule learner learns from.

    Attributes
    ----------
    items : csr_array of uint8 of shape (n_samples, n_items)
        Which item of the binarizer holds in which row.
    positives : csr_array of uint8 of shape (n_samples, n_used)
        The labels that occur; those that never do take no part.
    used : ndarray of int of shape (n_used,)
        Their columns in y.
    binarizer : FeatureBinarizer
    targets : Targets
    """

    items: sp.csr_array
    positives: sp.csr_array
    used: np.ndarray
    binarizer: FeatureBinarizer
    targets: Targets


class RuleLearner(ClassifierMixin, BaseEstimator):
    """Base of the rule learners: an estimator with a parameter `binarizer`, which learns `rules_`.

    A subclass has ``_learn(training, X)``, which sets `rules_`: something with `feature_names`, and with
    ``predict(X, sparse=...)`` that gives 0 and 1 for each label. `_default_binarizer` stands in where none is given.
    """

    _default_binarizer = FeatureBinarizer()

    @_fit_context(prefer_skip_nested_validation=False)
    def fit(
        self,
        X: Any,
        y: Any,
        *,
        feature_names: Sequence[str] | None = None,
        label_names: Sequence[str] | None = None,
    ) -> Self:
        """Learn the rules.

        Parameters
        ----------
        X : array-like, sparse matrix or DataFrame of shape (n_samples, n_features)
            Original columns: numbers, zeros and ones, or in a DataFrame categories.
        y : array-like, sparse matrix or DataFrame of shape (n_samples, n_labels)
            Zeros and ones; one-dimensional y with two classes is taken for one label.
        feature_names, label_names : sequence of str or None, default=None
            Names for the rules to speak in, where X and y bring none.

        Returns
        -------
        self
        """
        binarizer = self._default_binarizer if self.binarizer is None else self.binarizer
        training = self._read_training(X, y, feature_names, label_names, binarizer)
        self._learn(training, X)
        self._take_over(training)
        return self

    def predict(self, X: Any) -> Any:
        """Predict the labels of each row from the rules that cover it.

        Parameters
        ----------
        X : array-like, sparse matrix or DataFrame of shape (n_samples, n_features)

        Returns
        -------
        ndarray or csr_array of shape (n_samples, n_labels), or ndarray of shape (n_samples,)
            In the form of the y seen in `fit`: sparse for sparse, classes for one-dimensional y.
        """
        table = self._checked_table(X)
        predicted = self.rules_.predict(table, sparse=self.targets_.form == "sparse")
        return self.targets_.like_input(predicted)

    def _checked_table(self, X: Any) -> Any:
        """Return X, checked, as `rules_` reads it: in a DataFrame without text names columns go by position."""
        check_is_fitted(self)
        table = self.binarizer_.check(X)
        if isinstance(table, pd.DataFrame) and not hasattr(self, "feature_names_in_"):
            return table.set_axis(self.rules_.feature_names, axis="columns")
        return table

    def _read_training(
        self,
        X: Any,
        y: Any,
        feature_names: Sequence[str] | None,
        label_names: Sequence[str] | None,
        binarizer: FeatureBinarizer,
    ) -> Training:
        """Read X and y; a copy of `binarizer` makes the items, from the labels that occur if it looks at any."""
        if feature_names is not None and isinstance(X, pd.DataFrame):
            raise ValueError("feature_names is for X without names of its own; rename the columns of the DataFrame")
        targets = read_targets(y, label_names)
        binarizer = clone(binarizer)
        if feature_names is not None:
            binarizer.set_params(feature_names=feature_names)
        check_consistent_length(X, targets.positives)
        # A set of twenty thousand labels may well use a hundred.
        used = np.flatnonzero(targets.positives.sum(axis=0))
        positives = targets.positives[:, used]
        # Whatever container transformers are set to give elsewhere, items are sparse here.
        binarizer.set_output(transform="default")
        items = binarizer.fit_transform(X, positives if used.size else targets.positives)
        return Training(items, positives, used, binarizer, targets)

    def _take_over(self, training: Training) -> None:
        """Set the attributes that predicting needs, and those that scikit-learn expects."""
        binarizer = training.binarizer
        self.binarizer_ = binarizer
        self.targets_ = training.targets
        self.classes_ = training.targets.classes
        self.n_features_in_ = binarizer.n_features_in_
        if hasattr(binarizer, "feature_names_in_"):
            self.feature_names_in_ = binarizer.feature_names_in_
        elif hasattr(self, "feature_names_in_"):
            del self.feature_names_in_

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.allow_nan = True
        tags.input_tags.categorical = True
        tags.target_tags.multi_output = True
        tags.classifier_tags.multi_label = True
        tags.classifier_tags.multi_class = False
        return tags
