import sys

import numpy as np
import pytest

from experiments.explainers.deadline import Deadline
from experiments.explainers.te2rules import EXPLAINER, Padded, _learn, _tree, read_rule
from experiments.extras import MissingExtraError
from mlrx.lionforests import ForestCells


def test_terms_are_read_as_the_cells_they_name(surrogate_fold):
    cells = surrogate_fold.cells
    f = int(np.argmax(cells.n_cells))
    last = int(cells.n_cells[f]) - 2
    rule = read_rule(cells, [f"{f} > {Padded(1)}", f"{f} <= {Padded(last + 1)}", f"{f} > {Padded(0)}"], 1)
    rows = cells.locate(surrogate_fold.X_train)[:, f]
    covered = rule.covers(surrogate_fold.X_train)
    assert 0 < covered.sum() < covered.size
    assert np.array_equal(covered, (rows > 0) & (rows <= last))
    assert rule.consequent == (1,)


def test_missing_package_is_named_with_its_group(surrogate_fold, monkeypatch):
    monkeypatch.setitem(sys.modules, "te2rules", None)
    with pytest.raises(MissingExtraError, match="outside the lock: pip install --group te2rules"):
        EXPLAINER.fit(surrogate_fold, 0, {})
    with pytest.raises(ValueError, match="unknown parameter 'n_trees'"):
        EXPLAINER.check({"n_trees": 3})


def test_trees_are_handed_over_split_by_split(surrogate_fold):
    pytest.importorskip("te2rules", reason="te2rules is an extra outside the lock")
    cells: ForestCells = surrogate_fold.cells
    rows = cells.locate(surrogate_fold.X_train) + 1
    for t in (0, 5):
        tree, leaves = _tree(cells, int(cells.forest.roots[t]), 1)
        assert leaves == list(range(*cells.forest.leaf_start[t : t + 2]))
        for row in rows[:50]:
            node = tree
            while node.left is not None:
                node = node.left if row[int(node.node.node_name)] <= node.node.threshold else node.right
            assert node.node.value == cells.forest.votes[cells.leaves_at(row - 1)[t], 1, 1]


def test_rules_are_as_precise_as_the_package_was_asked_for(surrogate_fold):
    pytest.importorskip("te2rules", reason="te2rules is an extra outside the lock")
    truth = surrogate_fold.forest.predict_labels(surrogate_fold.X_train)
    model = _learn(surrogate_fold, truth, 0, {"num_stages": 1, "min_precision": 0.9}, Deadline())
    rules = [rule for rules in model.lists for rule in rules if rule.consequent]
    assert rules
    for rule in rules:
        (label,) = rule.consequent
        assert truth[rule.covers(surrogate_fold.X_train), label].mean() >= 0.9
