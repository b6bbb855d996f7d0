"""A decision tree in the forest's place: its labels, and the path of a row as a rule."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from sklearn.tree import DecisionTreeClassifier

from mlrx.lionforests.scaling import float64_bounds
from mlrx.metrics import micro_f1
from mlrx.rules import Condition, Rule

from .explainer import AGREES, DIFFERS, Explained


class Step(NamedTuple):
    """A split on a row's way down a tree: the column, whether the row went left, and the threshold."""

    feature: int
    goes_left: bool
    threshold: float


@dataclass(frozen=True, eq=False)
class Surrogate:
    """A tree that was fitted on what the forest predicts; made by `Surrogate.fit`.

    Parameters
    ----------
    tree : DecisionTreeClassifier

    Examples
    --------
    >>> surrogate = Surrogate.fit(np.array([[0.0], [1.0], [2.0]]), np.array([[True], [False], [False]]), seed=0)
    >>> surrogate.predict(np.array([[0.2], [7.0]])).tolist(), surrogate.path(np.array([7.0]))
    ([[True], [False]], [Step(feature=0, goes_left=False, threshold=0.5)])
    """

    tree: DecisionTreeClassifier

    @classmethod
    def fit(
        cls, X: np.ndarray, Y: np.ndarray, seed: Any, sample_weight: np.ndarray | None = None, **parameters: Any
    ) -> Surrogate:
        """Fit a `DecisionTreeClassifier` on rows and Boolean labels of shape (n_samples, n_labels)."""
        tree = DecisionTreeClassifier(random_state=seed, **parameters)
        return cls(tree.fit(X, Y.astype(np.float64), sample_weight=sample_weight))

    @property
    def depth(self) -> int:
        """Number of splits on the longest path."""
        return self.tree.tree_.max_depth

    @cached_property
    def node_labels(self) -> np.ndarray:
        """What each node would predict, bool of shape (n_nodes, n_labels); a tie is "absent"."""
        classes = self.tree.classes_ if self.tree.n_outputs_ > 1 else [self.tree.classes_]
        winners = self.tree.tree_.value.argmax(axis=2)
        return np.column_stack([known.astype(bool)[winners[:, k]] for k, known in enumerate(classes)])

    def predict(self, X: np.ndarray) -> np.ndarray:
        """Return the tree's labels, bool of shape (n_samples, n_labels)."""
        return self.node_labels[self.tree.tree_.apply(np.asarray(X, dtype=np.float32))]

    def path(self, x: np.ndarray) -> list[Step]:
        """Return the splits that a row of shape (n_features,) passes, from the root."""
        tree = self.tree.tree_
        nodes = tree.decision_path(np.asarray(x, dtype=np.float32)[None]).indices
        return [
            Step(int(tree.feature[node]), bool(tree.children_left[node] == child), float(tree.threshold[node]))
            for node, child in pairwise(nodes)
        ]

    def labels(self, x: np.ndarray) -> tuple[int, ...]:
        """Return the indices of the tree's labels for a row."""
        return tuple(np.flatnonzero(self.predict(x[None])[0]).tolist())

    def rule(self, x: np.ndarray) -> Rule:
        """Return the path of a row as a rule for the tree's labels."""
        return path_rule(self.path(x), self.labels(x))


def path_rule(steps: Sequence[Step], labels: Sequence[int]) -> Rule:
    """Return the rule that covers exactly the rows which pass the same splits, several on a column intersected.

    Notes
    -----
    A tree compares float32 values. The bounds are the greatest float64 values that, rounded to float32, go left, a
    little above the thresholds of the tree.
    """
    cuts = float64_bounds([step.threshold for step in steps]).tolist()
    sides = ["upper" if step.goes_left else "lower" for step in steps]
    return Rule([Condition(step.feature, **{side: cut}) for step, side, cut in zip(steps, sides, cuts)], labels)


def agreement(truth: np.ndarray, predicted: np.ndarray) -> dict[str, Any]:
    """Return how well a surrogate copies the forest on some rows, both of shape (n_samples, n_labels).

    ``fidelity`` is the micro-averaged F1, 1 where no label is present at all; ``label_fidelity`` for each label the
    share of rows in which they agree on it.
    """
    return {
        "fidelity": micro_f1(truth, predicted, zero_division=1.0),
        "label_fidelity": (truth == predicted).mean(axis=0).tolist(),
    }


def explained(rule: Rule, wanted: tuple[int, ...], n_labels: int, reported: dict[str, Any], start: float) -> Explained:
    """Return a surrogate's rule as `Explained`, with what its labels have to do with the forest's.

    Parameters
    ----------
    rule : Rule
        Its consequent holds the surrogate's own labels.
    wanted : tuple of int
        The forest's labels of the row.
    n_labels : int
    reported : dict
        See `Explained`. Added are ``hit``, the share of labels on which the surrogate agrees for the row, and
        ``same_labels``, 1 where it agrees on all.
    start : float
        CPU time when work on the row began.
    """
    n_wrong = len(set(rule.consequent) ^ set(wanted))
    own = {"hit": 1 - n_wrong / n_labels, "same_labels": float(n_wrong == 0)}
    status = DIFFERS if n_wrong else AGREES
    return Explained(rule.consequent, rule, status, time.process_time() - start, reported | own)
