"""PyXAI, which encodes a forest of one label as a SAT problem, gives the same verdicts.

`pip install --group pyxai` to run it. It lets trees vote by their class, not by their share, so leaves are pure here
and trees odd in number.
"""

import sys
from collections import Counter

import numpy as np
import pytest
from sklearn.ensemble import RandomForestClassifier

from mlrx.lionforests import ForestCells, certify, find_violation
from mlrx.lionforests.scaling import round_down
from mlrx.rules import Rule


@pytest.fixture(scope="module")
def pyxai():
    """The package; it reads the command line on import."""
    arguments, sys.argv = sys.argv, sys.argv[:1]
    try:
        return pytest.importorskip("pyxai", reason="PyXAI is not installed", exc_type=ImportError)
    finally:
        sys.argv = arguments


def translate(model):
    """Return the forest as PyXAI's own."""
    from pyxai import Builder, Learning

    def subtree(tree, node):
        if tree.children_left[node] < 0:
            return int(tree.value[node, 0].argmax())
        branches = [subtree(tree, child) for child in (tree.children_left[node], tree.children_right[node])]
        column, cut = int(tree.feature[node]) + 1, float(tree.threshold[node])
        return Builder.DecisionNode(column, operator=Builder.GT, threshold=cut, left=branches[0], right=branches[1])

    trees = [Builder.DecisionTree(model.n_features_in_, subtree(one.tree_, 0)) for one in model.estimators_]
    information = Learning.LearnerInformation(None, problem_type="classification")
    return Builder.RandomForest(trees, n_classes=2, learner_information=information)


def is_implied(forest, rule, x):
    """Tell whether the SAT problem "the rule holds and the forest says otherwise than for x" has no solution."""
    from pysat.solvers import Glucose4
    from pyxai import Explaining
    from pyxai.sources.type import Encoding

    names = [f"f{column}" for column in range(1, x.size + 1)]
    explainer = Explaining.initialize(forest, instance=x.tolist(), features_type={"numerical": names})
    literals, given = explainer.binary_representation, []
    bounds = {condition.feature: (condition.lower, condition.upper) for condition in rule.antecedent}
    for (column, _, cut), (number, *_) in forest.map_features_to_id_binaries.items():
        # For float32 values, bounds are the same as the float32 values at or below them.
        lower, upper, cut = round_down(np.array([*bounds.get(column - 1, (-np.inf, np.inf)), cut]), np.float32)
        if lower >= cut or upper <= cut:
            given.append([number if lower >= cut else -number])
    otherwise = forest.to_CNF(x.tolist(), literals, explainer.cpp_target_prediction, tree_encoding=Encoding.MUS)
    clauses = [*otherwise, *forest.get_theory(literals), *given]
    with Glucose4(bootstrap_with=[list(map(int, clause)) for clause in clauses]) as solver:
        return not solver.solve()


def test_same_verdicts_on_certified_rules_and_on_wider_ones(pyxai):
    counts = Counter()
    for seed in range(10):
        rng = np.random.default_rng(seed)
        X = np.round(rng.normal(size=(60, 4)), 1).astype(np.float32)
        y = (X[:, 0] + X[:, 1] * X[:, 2] > rng.normal() / 2).astype(int)
        model = RandomForestClassifier(rng.choice([5, 7, 9]), random_state=seed).fit(X, y)
        cells, forest = ForestCells.of(model), translate(model)
        for x in X[np.flatnonzero(model.predict(X))[:4]]:
            rule = certify(cells, x, [0]).rule
            wider = [Rule([c for c in rule.antecedent if c != gone], [0], dtype=rule.dtype) for gone in rule.antecedent]
            for one in (rule, *wider):
                status = find_violation(cells, one, [0]).status
                assert is_implied(forest, one, x) == (status == "proven")
                counts[status] += 1
    assert min(counts["proven"], counts["counterexample"]) > 30
