import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from experiments.baselines.cross_validation import N_FOLDS, cross_validated, prefix_scores, training_folds
from experiments.baselines.method import Fitted, Method
from experiments.baselines.threshold import best_threshold
from experiments.explainers.deadline import OutOfTimeError
from experiments.methods import METHODS
from experiments.splits import Split
from mlrx.datasets import MultilabelData
from mlrx.metrics import micro_f1
from mlrx.rules import Condition, Rule, RuleSet

RNG = np.random.default_rng(3)
X = (RNG.random((90, 4)) < 0.5).astype(float)
# l0 is f0, l1 is f1 and f2, l2 never occurs, l3 always does.
Y = np.column_stack([X[:, 0], X[:, 1] * X[:, 2], np.zeros(90), np.ones(90)]).astype(np.uint8)


def toy(X) -> Split:
    data = MultilabelData(X, Y, ("f0", "f1", "f2", "f3"), ("l0", "l1", "l2", "l3"), ("binary",) * 4, "toy")
    return Split("toy", data, data, "")


@pytest.fixture(params=["table", "sparse"])
def split(request):
    return toy(pd.DataFrame(X, columns=["f0", "f1", "f2", "f3"]) if request.param == "table" else sp.csr_array(X))


@pytest.mark.parametrize(
    ("kind", "n_rules", "parameters"),
    [
        ("corset-cv", 20, {"pool_size": 50, "grid": {"diversity_weight": [0.1, 1]}}),
        ("guided", 10, {"n_folds": 2, "target_f1": 0.6}),
        ("voting", 20, {"n_folds": 2, "n_trees": 20}),
        ("boomer-threshold", 60, {"shrinkages": [0.3, 0.5], "fit_limit": 60}),
        ("seco", None, {"fit_limit": 60}),
        ("ripper", None, {"k": 0, "fit_limit": 60}),
        ("svm-cv", None, {"grid": {"C": [0.1, 1]}}),
        ("tree-cv", 30, {"grid": {"min_samples_leaf": [1, 30]}}),
        ("forest", None, {"n_estimators": 30}),
    ],
)
def test_every_method_learns_what_is_there(split, kind, n_rules, parameters):
    METHODS[kind].check(parameters)
    fitted = METHODS[kind].fit(split, n_rules, 1, parameters)
    predicted = fitted.predict(split.test.X)
    predicted = predicted.toarray() if sp.issparse(predicted) else predicted
    assert predicted.shape == Y.shape
    # Not all of them have a rule for the label that is always there.
    assert (predicted[:, :3] == Y[:, :3]).mean() > 0.95
    assert fitted.seconds > 0
    assert (fitted.search_seconds > 0) == ("grid" in parameters or "shrinkages" in parameters)
    assert kind in ("svm-cv", "forest") or fitted.n_conditions >= fitted.n_rules - 1 > 0


def test_tree_has_no_more_leaves_than_asked_for(split):
    assert METHODS["tree"].fit(split, 3, 1, {}).n_rules <= 3


@pytest.mark.parametrize(
    ("kind", "parameters", "message"),
    [
        ("svm-cv", {}, "grid must be a mapping of parameters to lists of values, got None"),
        ("svm-cv", {"grid": {"C": 3}}, "grid must be a mapping"),
        ("svm-cv", {"grid": {"C": [1, -1]}}, "'C'.* Got -1"),
        ("tree-cv", {"grid": {"leaf": [1]}}, "unknown parameter 'leaf'"),
        ("corset-cv", {"pool_size": 0, "grid": {"diversity_weight": [1]}}, "pool_size"),
        ("boomer-threshold", {"shrinkages": []}, r"shrinkages must be a list of numbers, got \[\]"),
        ("boomer-threshold", {"shrinkages": ["x"]}, "shrinkage is 'x'"),
        ("boomer-threshold", {"binary_predictor": "gfm"}, "'binary_predictor' is set by the runner"),
        ("boomer", {"fit_limit": 0}, "fit_limit must be above 0, got 0"),
        ("ripper", {"fit_limit": "x"}, "fit_limit must be above 0, got 'x'"),
        ("ripper", {"prune_size": 2}, "prune_size"),
        ("guided", {"n_rules": 3}, "'n_rules' is set by the runner"),
        ("guided", {"beam_widht": 3}, "unknown parameter 'beam_widht'; did you mean 'beam_width'"),
        ("guided", {"beam_width": 0}, "'beam_width'.* Got 0"),
        ("forest", {"oob_score": True}, "'oob_score' is set by the runner"),
        ("forest", {"max_features": -1}, "max_features"),
    ],
)
def test_unlawful_values_are_refused_without_data(kind, parameters, message):
    with pytest.raises(ValueError, match=message):
        METHODS[kind].check(parameters)


@pytest.mark.parametrize("kind", ["boomer", "boomer-threshold", "seco", "ripper"])
def test_fit_that_takes_too_long_is_ended(split, kind):
    with pytest.raises(OutOfTimeError, match=r"more than 1e-09 (CPU )?seconds"):
        METHODS[kind].fit(split, 1000, 1, {"fit_limit": 1e-9})


def test_folds_part_the_training_rows(split):
    folds = list(training_folds(split, 7))
    tested = [fold.test.X.toarray() if sp.issparse(fold.test.X) else fold.test.X.to_numpy() for fold in folds]
    assert [len(rows) for rows in tested] == [30] * N_FOLDS
    assert sorted(np.concatenate(tested).tolist()) == sorted(X.tolist())
    assert all(fold.train.n_samples == 60 for fold in folds)


def test_choice_is_made_on_rows_left_out_and_never_on_test_rows():
    """The method predicts what its parameter says; true is that no label is present, but for the test rows."""
    seen, train = [], toy(sp.csr_array(X)).train

    def fit(fold, n_rules, seed, parameters):
        seen.append(fold)
        return Fitted(lambda X: np.full((X.shape[0], 4), parameters["answer"]), 1.0)

    method = cross_validated(Method(fit, lambda parameters: None))
    hidden = Split("toy", train, MultilabelData(sp.csr_array(X), 1 - Y, *names(), ("binary",) * 4, "toy"), "")
    fitted = method.fit(hidden, None, 1, {"grid": {"answer": [0, 1]}})
    # Half of the cells are present in training rows: all ones score 0.6 and more, all zeros 0.
    assert fitted.predict(sp.csr_array(X)).all()
    assert len(seen) == 2 * N_FOLDS + 1
    assert all(fold.test is not hidden.test for fold in seen[:-1])
    assert "answer=1" in fitted.notes[0]


def names():
    return ("f0", "f1", "f2", "f3"), ("l0", "l1", "l2", "l3")


def test_number_of_rules_is_chosen_with_the_parameters():
    """The first rule is right, the others are wrong."""
    right, wrong = Rule([Condition(0, lower=0.5)], [0]), Rule([Condition(0, upper=0.5)], [2])
    rules = RuleSet([right, wrong, wrong], *names())
    method = Method(lambda *_: Fitted(rules.predict, 1.0, 3, 3, rules), lambda _: None, serves_prefixes=True)
    fitted = cross_validated(method).fit(toy(sp.csr_array(X)), 3, 1, {"grid": {"a": [1]}})
    assert (fitted.n_rules, fitted.n_conditions, len(fitted.rules)) == (1, 1, 1)
    assert fitted.predict(X)[:, 2].sum() == 0
    with pytest.raises(ValueError, match="needs the most that there may be"):
        cross_validated(method).fit(toy(sp.csr_array(X)), None, 1, {"grid": {"a": [1]}})


def test_scores_of_prefixes_are_those_of_their_predictions():
    rules = RuleSet([Rule([Condition(k, lower=0.5)], [k]) for k in (2, 0, 3)], *names())
    scores = prefix_scores(rules, 5, X, Y, zero_division=0)
    expected = [micro_f1(Y, rules[:n].predict(X), zero_division=0) for n in (1, 2, 3, 3, 3)]
    assert scores.tolist() == pytest.approx(expected)
    nothing = RuleSet([Rule([Condition(0, lower=5)], [0])], *names())
    assert prefix_scores(nothing, 2, X, Y * 0, zero_division=1).tolist() == [1, 1]


CELLS = (4, 3)


@settings(max_examples=50)
@given(
    arrays(float, CELLS, elements=st.sampled_from([-1.0, 0.0, 0.25, 1.0])),
    arrays(np.uint8, CELLS, elements=st.integers(0, 1)),
)
def test_threshold_is_the_best_of_all(scores, truth):
    threshold, f1 = best_threshold(scores, truth)
    every = [micro_f1(truth, scores >= value, zero_division=0) for value in np.unique(scores)]
    assert f1 == pytest.approx(max(every))
    assert micro_f1(truth, scores >= threshold, zero_division=0) == pytest.approx(f1)


def test_threshold_needs_cells():
    with pytest.raises(ValueError, match=r"one shape, not empty, got \(2, 1\), \(1, 2\)"):
        best_threshold(np.zeros((2, 1)), np.zeros((1, 2)))
