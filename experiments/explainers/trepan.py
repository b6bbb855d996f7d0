"""TREPAN-lite: a tree grown best node first, the forest answering for rows drawn where training rows are few."""

from __future__ import annotations

import heapq
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import count
from numbers import Integral
from typing import Any, NamedTuple

import numpy as np
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils._param_validation import Interval

from mlrx.rules import Condition, Rule, TableColumns, covered_rows

from ..forests import Fold
from .deadline import Deadline
from .explainer import Explainer, FittedExplainer, parameter_check
from .label_rules import Claims, fit_model

MAX_LEAVES, N_ROWS = 32, 1000
CONSTRAINTS = {
    "max_leaf_nodes": [Interval(Integral, 2, None, closed="left")],
    "n_rows": [Interval(Integral, 0, None, closed="left")],
}


def fit(fold: Fold, seed: int, parameters: dict[str, Any]) -> FittedExplainer:
    """Grow a multi-output tree of at most `max_leaf_nodes` (32) leaves; a row's leaf is its rule.

    Every node is split on the training rows that reach it, topped up to `n_rows` (1000) rows that are drawn column by
    column from the training rows whose value there meets the node's conditions, and labelled by the forest.

    Notes
    -----
    After TREPAN [1]_: the next node to split is the one with the largest product of the share of training rows that
    reach it and of its error. Other than there, splits are single conditions, by the Gini impurity summed over the
    labels, never m of n. Columns of one nominal column are drawn together. A label is present in a leaf where most of
    its rows have it. O(max_leaf_nodes * n_rows * (n_features * log(n_rows) + cost of the forest)).

    References
    ----------
    .. [1] M. W. Craven, J. W. Shavlik. Extracting tree-structured representations of trained networks. NIPS 1995,
       24-30.
    """
    return fit_model(_learn, fold, seed, parameters)


@dataclass(frozen=True, eq=False)
class LeafRules:
    """The leaves of a tree for all labels, each a rule whose consequent are the labels present there.

    Parameters
    ----------
    rules : sequence of Rule
        Every row is covered by one of them.
    """

    rules: Sequence[Rule]

    def claims(self, X: np.ndarray) -> list[Claims]:
        """See `RuleModel`; the rule of each label present is that of the leaf."""
        leaves = covered_rows(self.rules, TableColumns(X)).argmax(axis=1)
        return [
            {label: Rule(self.rules[leaf].antecedent, (label,)) for label in self.rules[leaf].consequent}
            for leaf in leaves.tolist()
        ]


def _learn(fold: Fold, truth: np.ndarray, seed: int, parameters: dict[str, Any], deadline: Deadline) -> LeafRules:
    return LeafRules([leaf.rule for leaf in grow(fold, np.random.default_rng(seed), deadline, **parameters)])


class Node(NamedTuple):
    """A node: its rule, whose consequent are the labels of most of its rows; these rows, and the training rows."""

    rule: Rule
    X: np.ndarray
    Y: np.ndarray
    trained: np.ndarray

    @property
    def present(self) -> np.ndarray:
        """The labels that most rows have, bool of shape (n_labels,)."""
        return 2 * self.Y.sum(axis=0) > len(self.Y)

    @property
    def gain(self) -> float:
        """How much there is to gain: training rows times the share of labels that the node has wrong."""
        return len(self.trained) * float((self.present != self.Y).mean())


@dataclass(frozen=True, eq=False)
class Oracle:
    """Draws rows that meet conditions, and asks the forest for their labels.

    Parameters
    ----------
    X : ndarray of float64 of shape (n_samples, n_features)
        Training rows.
    parts : tuple of tuple of int
        Columns that are drawn together.
    predict : callable
        Returns the forest's labels of rows, bool of shape (n_rows, n_labels).
    n_rows : int
        To which nodes are topped up.
    rng : Generator
    """

    X: np.ndarray
    parts: tuple[tuple[int, ...], ...]
    predict: Callable[[np.ndarray], np.ndarray]
    n_rows: int
    rng: np.random.Generator

    def node(self, conditions: tuple[Condition, ...], trained: np.ndarray) -> Node:
        """Return the node that training rows, given by their numbers, reach."""
        X = np.concatenate([self.X[trained], self.draw(conditions, max(self.n_rows - len(trained), 0))])
        Y = self.predict(X)
        rule = Rule(conditions, np.flatnonzero(2 * Y.sum(axis=0) > len(Y)))
        return Node(rule, X, Y, trained)

    def draw(self, conditions: tuple[Condition, ...], n_rows: int) -> np.ndarray:
        """Draw rows, each part of the columns by itself, from the training rows that meet its conditions there."""
        X = np.empty((n_rows, self.X.shape[1]))
        for part in self.parts:
            own = Rule([condition for condition in conditions if condition.feature in part], ())
            meeting = np.flatnonzero(own.covers(self.X))
            X[:, part] = self.X[np.ix_(self.rng.choice(meeting, n_rows), part)]
        return X


def grow(
    fold: Fold,
    rng: np.random.Generator,
    deadline: Deadline,
    max_leaf_nodes: int = MAX_LEAVES,
    n_rows: int = N_ROWS,
) -> list[Node]:
    """Return the leaves of the tree; see `fit`."""
    grouped = {column for group in fold.groups.values() for column in group}
    single = [(column,) for column in range(len(fold.feature_names)) if column not in grouped]
    oracle = Oracle(fold.X_train, (*fold.groups.values(), *single), fold.forest.predict_labels, n_rows, rng)
    leaves, waiting, order = [], [], count()
    root = oracle.node((), np.arange(len(fold.X_train)))
    heapq.heappush(waiting, (-root.gain, next(order), root))
    while waiting and len(leaves) + len(waiting) < max_leaf_nodes:
        deadline.check()
        *_, node = heapq.heappop(waiting)
        children = split(node, oracle)
        if not children:
            leaves.append(node)
        for child in children:
            heapq.heappush(waiting, (-child.gain, next(order), child))
    return [*leaves, *(node for *_, node in waiting)]


def split(node: Node, oracle: Oracle) -> list[Node]:
    """Return the two children of a node, or none where its rows are alike or no training row would reach a child."""
    if node.gain == 0:
        return []
    stump = DecisionTreeClassifier(max_depth=1, random_state=int(oracle.rng.integers(2**31)))
    tree = stump.fit(node.X, node.Y).tree_
    if tree.node_count == 1:
        return []
    column, cut = int(tree.feature[0]), float(tree.threshold[0])
    children = []
    for condition in (Condition(column, upper=cut), Condition(column, lower=cut)):
        trained = node.trained[condition.holds(oracle.X[node.trained, column])]
        if not trained.size:
            return []
        children.append(oracle.node((*node.rule.antecedent, condition), trained))
    return children


check = parameter_check("trepan", CONSTRAINTS)
EXPLAINER = Explainer(fit, check, ("all", "each"))
