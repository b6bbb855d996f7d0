import numpy as np
import pytest

from experiments.explainers import lime_weights
from experiments.explainers.lime_weights import LabelWeights, LimeWeights
from experiments.explainers.quartiles import Quartiles
from experiments.forests import load_fold
from mlrx.rules import Condition


@pytest.fixture(scope="module")
def fold():
    return load_fold("ai4i-simulated", 0)


@pytest.fixture(scope="module")
def row(fold):
    return int(np.flatnonzero(fold.predicted.sum(axis=1) == 1)[0])


def test_weights_are_those_of_the_library(fold, row):
    """One label at a time, with probabilities of two classes, as the library is meant to be used."""
    from lime.lime_tabular import LimeTabularExplainer

    x = fold.X_test[row]
    found = LimeWeights(fold, 3, 500).of(x, (0, 2))
    for k, label in enumerate((0, 2)):
        library = LimeTabularExplainer(fold.X_train, feature_selection="none", random_state=3)
        column = fold.model.predict_proba
        theirs = library.explain_instance(x, lambda X, k=label, p=column: p(X)[k], num_features=x.size, num_samples=500)
        assert np.allclose(found[k].weights, [weight for _, weight in sorted(theirs.local_exp[1])], atol=1e-12)
        assert found[k].fidelity == pytest.approx(theirs.score)
        named = [library.discretizer.names[f][int(library.discretizer.discretize(x)[f])] for f in range(x.size)]
        for condition, name in zip(found[k].conditions, named, strict=True):
            assert sum(np.isfinite([condition.lower, condition.upper])) == (2 if name.count("<") == 2 else 1)


def test_conditions_hold_for_the_row_between_exact_quartiles(fold, row):
    x = fold.X_test[row]
    (found,) = LimeWeights(fold, 3, 100).of(x, (1,))
    edges = Quartiles(fold.X_train).edges
    for f, condition in enumerate(found.conditions):
        assert condition.feature == f
        assert condition.holds(x[f : f + 1]).all()
        assert {b for b in (condition.lower, condition.upper) if np.isfinite(b)} <= set(edges[f])


def test_pseudo_rule_has_the_heaviest_positive_conditions():
    conditions = tuple(Condition(f, upper=1.0) for f in range(4))
    weights = LabelWeights(1, conditions, np.array([0.1, -0.5, 0.3, 0.2]), 0.4)
    assert [c.feature for c in weights.pseudo_rule(2).antecedent] == [2, 3]
    assert [c.feature for c in weights.pseudo_rule(4).antecedent] == [0, 2, 3]
    assert weights.pseudo_rule(2).consequent == (1,)


def test_row_gets_a_pseudo_rule_that_is_named_so(fold, row):
    labels = fold.labels_of(row)
    (found,) = lime_weights.fit(fold, 1, {"n_conditions": 2}).explain(fold.X_test[row], labels, ("each",))["each"]
    assert found.status == "pseudo-rule"
    assert 1 <= len(found.rule) <= 2
    assert found.rule.covers(fold.X_test[row : row + 1]).all()
    assert 0 < found.reported["fidelity"] < 1


def test_weights_do_not_depend_on_the_order_of_calls(fold, row):
    lime = LimeWeights(fold, 3, 100)
    first = lime.of(fold.X_test[row], (0,))[0].weights
    lime.of(fold.X_test[0], (0, 1))
    assert np.array_equal(first, lime.of(fold.X_test[row], (0,))[0].weights)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"n_samples": 1}, "n_samples must be a whole number from 2, got 1"),
        ({"n_conditions": 0}, "n_conditions must be a whole number from 1, got 0"),
        ({"kernel": None}, "unknown parameter 'kernel'"),
    ],
)
def test_wrong_parameters_are_named(parameters, message):
    with pytest.raises(ValueError, match=message):
        lime_weights.check(parameters)
