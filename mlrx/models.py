"""A learned set of rules as a JSON file: what predicts, and how it was learned; reading it runs nothing."""

from __future__ import annotations

import json
import warnings
from collections.abc import Mapping
from dataclasses import dataclass, field
from numbers import Real
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from .files import write_whole
from .rules import RuleSet, TableColumns, category_texts
from .rules.document import restore_file
from .voting import PointRules

FORMAT = "mlrx.model"
FORMAT_VERSION = 1
# By format of the rules within the file: what a learner's `rules_` is of.
RULES = {"mlrx.ruleset": RuleSet, "mlrx.pointrules": PointRules}


@dataclass(frozen=True)
class RuleModel:
    """Rules that were learned, as a file keeps them.

    Parameters
    ----------
    rules : RuleSet or PointRules
        They know the names and kinds of the columns, and the names of the labels.
    learner : str
        Name of the estimator that learned them.
    parameters : dict
        Its parameters, for the record; in the place of one that was None, what `fit` chose.
    categories : dict of str to tuple of str
        Of each nominal column the categories seen in training.
    """

    rules: RuleSet | PointRules
    learner: str
    parameters: Mapping[str, Any] = field(default_factory=dict)
    categories: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    @classmethod
    def of(cls, estimator: Any) -> RuleModel:
        """Take over what a fitted estimator learned: one with `rules_` and `binarizer_`, such as CorsetClassifier."""
        check_is_fitted(estimator, ["rules_", "binarizer_"])
        names = estimator.binarizer_.feature_names_
        parameters = {
            name: getattr(estimator, f"{name}_", None) if value is None else value
            for name, value in estimator.get_params().items()
        }
        return cls(
            estimator.rules_,
            type(estimator).__name__,
            {name: value for name, value in parameters.items() if not hasattr(value, "get_params")},
            {names[feature]: texts for feature, texts in estimator.binarizer_.categories_.items()},
        )

    def predict(self, X: Any) -> np.ndarray:
        """Predict as the estimator does; its `rules_` say how.

        Parameters
        ----------
        X : ndarray, sparse matrix or DataFrame of shape (n_samples, n_features)
            Columns of a DataFrame are found by name.

        Returns
        -------
        ndarray of uint8 of shape (n_samples, n_labels)

        Warns
        -----
        UserWarning
            When a nominal column has categories that were not seen in training.
        """
        table = TableColumns(X, self.rules.feature_names)
        for name, seen in self.categories.items():
            unseen = sorted(set(category_texts(table[self.rules.feature_names.index(name)])) - {None, *seen})
            if unseen:
                listed = ", ".join(map(repr, unseen[:10])) + (" and more" if len(unseen) > 10 else "")
                warnings.warn(f"column {name!r} has categories that were not seen in training: {listed}", stacklevel=2)
        return self.rules.predict(X)


def write_model(estimator: Any, path: str | Path) -> None:
    """Write what an estimator learned as a JSON file, which `read_model` and ``mlrx predict`` read.

    Parameters
    ----------
    estimator : fitted estimator with `rules_` and `binarizer_`, or RuleModel
    path : str or Path
        The file; one that is there is replaced at once, by a whole one.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> from mlrx import CorsetClassifier
    >>> model = CorsetClassifier(n_rules=1, random_state=0).fit([[1], [1], [1], [0], [0]], [[1], [1], [1], [0], [0]])
    >>> with TemporaryDirectory() as folder:
    ...     write_model(model, f"{folder}/model.json")
    ...     read_model(f"{folder}/model.json").predict([[0], [1]]).tolist()
    [[0], [1]]
    """
    model = estimator if isinstance(estimator, RuleModel) else RuleModel.of(estimator)
    document = {
        "format": FORMAT,
        "version": FORMAT_VERSION,
        "learner": model.learner,
        "parameters": {name: _plain(value) for name, value in model.parameters.items()},
        "categories": {name: list(texts) for name, texts in model.categories.items()},
        "rules": json.loads(model.rules.to_json()),
    }
    write_whole(Path(path), json.dumps(document, indent=1, ensure_ascii=False, allow_nan=False) + "\n")


def read_model(path: str | Path) -> RuleModel:
    """Read a model that `write_model` or ``mlrx fit`` wrote.

    Raises
    ------
    ValueError
        When the file holds something else, is damaged, or is of another version of the format; the message names the
        file and the fault.
    OSError
        When the file cannot be read.
    """
    return restore_file(path, "model", FORMAT, FORMAT_VERSION, _model_from)


def _model_from(document: Mapping[str, Any]) -> RuleModel:
    form = document["rules"].get("format")
    if form not in RULES:
        raise ValueError(f"rules must be of a format among {sorted(RULES)}, got {form!r}")
    rules = RULES[form].from_json(json.dumps(document["rules"]))
    categories = {name: tuple(texts) for name, texts in document["categories"].items()}
    unknown = sorted(set(categories) - set(rules.feature_names))
    if unknown:
        raise ValueError(f"categories has columns that the rules do not know: {unknown}")
    return RuleModel(rules, str(document["learner"]), dict(document["parameters"]), categories)


def _plain(value: Any) -> Any:
    """Return a parameter as JSON can hold it; what it cannot is written as Python shows it."""
    if value is None or isinstance(value, bool | str | int):
        return value
    if isinstance(value, np.generic):
        return _plain(value.item())
    if isinstance(value, Real) and np.isfinite(value):
        return float(value)
    return [_plain(entry) for entry in value] if isinstance(value, list | tuple | np.ndarray) else repr(value)
