"""TE2Rules in the forest's place: for each label, rules joined from the trees' paths (package te2rules)."""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any

import numpy as np
from sklearn.utils._param_validation import Interval

from mlrx.lionforests import ForestCells
from mlrx.rules import Rule

from ..extras import import_extra
from ..forests import Fold
from .deadline import Deadline
from .explainer import Explainer, FittedExplainer, parameter_check
from .foreign import contained
from .label_rules import RuleLists, constant, fit_model

CONSTRAINTS = {
    "num_stages": [Interval(Integral, 1, None, closed="left")],
    "min_precision": [Interval(Real, 0, 1, closed="both")],
    "jaccard_threshold": [Interval(Real, 0, 1, closed="both")],
}


def fit(fold: Fold, seed: int, parameters: dict[str, Any]) -> FittedExplainer:
    """Hand the forest, one label at a time, to `RuleBuilder` [1]_; `parameters` are handed on to it.

    Notes
    -----
    The package takes forests of one binary output. It is given the trees with the label's probabilities in their
    leaves, and the rows as numbers of the cells that the forest tells apart, so that no threshold is rounded. Where
    several conditions bound a column, version 1.0.1 keeps the narrowest in the order of texts, which puts 9 after 10:
    the numbers are written with leading zeros.

    Its rules are for "present" only; the local rule is the first one that covers the row, in the order of its set
    cover. Stage k joins paths of k trees, and there are as many stages as trees where `num_stages` does not say
    otherwise: on hundreds of trees each stage after the first multiplies the time. The seed has no say. The limit of
    time is looked at between labels.

    References
    ----------
    .. [1] G. R. Lal, X. Chen, V. Mithal. TE2Rules: Explaining tree ensembles using rules. 2022.
       doi:10.48550/arXiv.2206.14359
    """
    with contained():
        import_extra("te2rules")
    return fit_model(_learn, fold, seed, parameters)


def _learn(fold: Fold, truth: np.ndarray, seed: int, parameters: dict[str, Any], deadline: Deadline) -> RuleLists:
    rows = (fold.cells.locate(fold.X_train) + 1).tolist()
    lists = []
    for label in deadline.each(range(truth.shape[1])):
        found = []
        if truth[:, label].any():
            with contained():
                found = _rules_of_label(fold.cells, rows, truth[:, label], label, parameters)
        lists.append([*found, constant(label, False)])
    return RuleLists(lists)


def _rules_of_label(
    cells: ForestCells, rows: list[list[int]], present: np.ndarray, label: int, parameters: dict[str, Any]
) -> list[Rule]:
    from te2rules.explainer import RuleBuilder
    from te2rules.tree import RandomForest

    names = [str(f) for f in range(cells.forest.n_features)]
    trees = [_tree(cells, root, label)[0] for root in cells.forest.roots.tolist()]
    forest = RandomForest(trees, 1 / len(trees), 0.0, names, "linear")
    builder = RuleBuilder(forest, **parameters)
    return [read_rule(cells, rule.decision_rule, label) for rule in builder.explain(rows, present.astype(int).tolist())]


def _tree(cells: ForestCells, node: int, label: int) -> tuple[Any, list[int]]:
    """Return a subtree as the package's own, over cells, and its leaves."""
    from te2rules.tree import DecisionTree, LeafNode, TreeNode

    if node < 0:
        return DecisionTree(LeafNode(float(cells.forest.votes[~node, label, 1]))), [~node]
    f = int(cells.forest.feature[node])
    left, left_leaves = _tree(cells, int(cells.forest.left[node]), label)
    right, right_leaves = _tree(cells, int(cells.forest.right[node]), label)
    # Where a split above says less already, the last cell that goes left is that of the split above.
    last = int(cells.upper[left_leaves, f].max())
    return DecisionTree(TreeNode(str(f), Padded(last + 1)), left, right), left_leaves + right_leaves


class Padded(int):
    """A number whose texts come in its own order."""

    def __str__(self) -> str:
        return f"{int(self):07d}"


def read_rule(cells: ForestCells, terms: list[str], label: int) -> Rule:
    """Read terms such as "3 <= 0000014" and "0 > 0000002", column and cell, counted from 1."""
    box = cells.whole()
    for column, sign, cell in (term.split() for term in terms):
        f, last = int(column), int(cell) - 1
        if sign == "<=":
            box.upper[f] = min(box.upper[f], last)
        else:
            box.lower[f] = max(box.lower[f], last + 1)
    return cells.rule_of_box(box, (label,))


check = parameter_check("te2rules", CONSTRAINTS)
EXPLAINER = Explainer(fit, check, ("all", "each"))
