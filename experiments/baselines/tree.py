"""One decision tree for all labels; every leaf that predicts a label is a rule."""

from __future__ import annotations

import time
from typing import Any

import numpy as np

from ..splits import Split
from .encoding import make_encoder
from .method import Fitted, Method, check_names, names_of, predict_table


def fit(split: Split, n_rules: int | None, seed: int, parameters: dict[str, Any]) -> Fitted:
    """Fit scikit-learn's `DecisionTreeClassifier` on all labels at once, with at most `n_rules` leaves."""
    from sklearn.tree import DecisionTreeClassifier

    encode = make_encoder(split.train)
    model = DecisionTreeClassifier(random_state=seed, max_leaf_nodes=n_rules, **parameters)
    X = encode(split.train.X)
    start = time.perf_counter()
    model.fit(X, np.asarray(split.train.Y))
    seconds = time.perf_counter() - start
    lengths = leaf_lengths(model)
    return Fitted(lambda X: predict_table(model, encode(X)).astype(np.uint8), seconds, len(lengths), sum(lengths))


def leaf_lengths(model: Any) -> list[int]:
    """Return, for each leaf that predicts some label, the number of distinct columns on its path."""
    tree, lengths = model.tree_, []
    present = _predicted(model)
    paths = [(0, frozenset())]
    while paths:
        node, columns = paths.pop()
        if tree.children_left[node] == tree.children_right[node]:
            if present[node]:
                lengths.append(len(columns))
            continue
        columns |= {tree.feature[node]}
        paths += [(tree.children_left[node], columns), (tree.children_right[node], columns)]
    return lengths


def _predicted(model: Any) -> np.ndarray:
    """Tell for each node whether it would predict at least one label."""
    # A label that is the same in all training rows has one class only.
    classes = model.classes_ if isinstance(model.classes_, list) else [model.classes_]
    winners = model.tree_.value.argmax(axis=2)
    return np.any([known[winners[:, k]] for k, known in enumerate(classes)], axis=0)


def check(parameters: dict[str, Any]) -> None:
    """Refuse parameters that `DecisionTreeClassifier` does not take, and values out of their domain."""
    from sklearn.tree import DecisionTreeClassifier

    check_names(parameters, names_of(DecisionTreeClassifier), ("random_state", "max_leaf_nodes"))
    DecisionTreeClassifier(**parameters)._validate_params()


METHOD = Method(fit, check)
