import numpy as np
import pytest

from experiments.explainers.explainer import AGREES, DIFFERS
from experiments.explainers.label_rules import RuleLists, ScoredRules, fit_model
from mlrx.lionforests.scaling import float64_bounds
from mlrx.rules import Condition, Rule

LOW, HIGH = Condition(0, upper=0.0), Condition(0, lower=0.0)


def test_first_covering_rule_of_a_list_speaks():
    lists = [
        [Rule([Condition(0, upper=-1.0)], ()), Rule([LOW], [0]), Rule((), ())],
        [Rule([HIGH], ()), Rule((), [1])],
    ]
    claims = RuleLists(lists).claims(np.array([[-2.0], [-0.5], [3.0]]))
    assert claims == [{1: lists[1][1]}, {0: lists[0][1], 1: lists[1][1]}, {}]


def test_highest_score_among_covering_rules_speaks_and_no_rule_where_none_is_in_favour():
    rules = [Rule([HIGH], [0]), Rule([Condition(0, lower=1.0)], [0]), Rule([LOW], [1])]
    scores = np.array([[1.0, -1.0], [2.0, 0.0], [-3.0, 4.0]])
    model = ScoredRules(rules, scores, lambda X: np.ones((len(X), 2), dtype=bool))
    high, middle, low = model.claims(np.array([[5.0], [0.5], [-5.0]]))
    assert high == {0: Rule([Condition(0, lower=1.0)], [0]), 1: Rule((), [1])}
    assert middle == {0: Rule([HIGH], [0]), 1: Rule((), [1])}
    assert low == {0: Rule((), [0]), 1: Rule([LOW], [1])}


def test_float64_bounds_part_values_as_float32_does():
    for bound in (np.float32(0.1), np.float32(-3.3), np.float32(16777216.0), np.float32(0.0), np.float32(1e-40)):
        (cut,) = float64_bounds([float(bound)])
        assert np.float32(cut) <= bound < np.float32(np.nextafter(cut, np.inf))


class Fixed:
    """Says that label 0 is present by one rule, and label 2 by default."""

    def claims(self, X):
        return [{0: Rule([HIGH, Condition(1, upper=9.0)], [0]), 2: Rule((), [2])}] * len(X)


def test_explanations_for_all_labels_and_for_each(surrogate_fold):
    explainer = fit_model(lambda *arguments: Fixed(), surrogate_fold, 1, {})
    x = surrogate_fold.X_test[0]
    found = explainer.explain(x, (0, 1), ("all", "each"))
    (whole,) = found["all"]
    assert (whole.labels, whole.status) == ((0, 2), DIFFERS)
    assert whole.rule == Rule([HIGH, Condition(1, upper=9.0)], [0, 2])
    first, second = found["each"]
    assert (first.labels, first.status, first.rule) == ((0,), AGREES, Rule([HIGH, Condition(1, upper=9.0)], [0]))
    assert (second.labels, second.status, second.rule) == ((), DIFFERS, None)
    assert first.seconds == second.seconds == pytest.approx(whole.seconds / 2)
    assert explainer.explain(x, (0, 2), ("all",))["all"][0].status == AGREES


def test_fidelity_is_micro_f1_on_training_rows(surrogate_fold):
    explainer = fit_model(lambda *arguments: Fixed(), surrogate_fold, 1, {})
    truth = surrogate_fold.forest.predict_labels(surrogate_fold.X_train)
    n_shared = truth[:, [0, 2]].sum()
    expected = 2 * n_shared / (truth.sum() + 2 * len(truth))
    assert explainer.explain(surrogate_fold.X_test[0], (0,), ("all",))["all"][0].reported == {"fidelity": expected}
