"""Rules read out of other people's models say what these models predict."""

import numpy as np
import pandas as pd
import pytest

from experiments.explainers import boomer, ripper, rulefit, seco
from experiments.explainers.deadline import Deadline
from experiments.explainers.foreign import contained
from mlrx.rules import Condition, Rule, TableColumns, covered_rows

PARAMETERS = {"n_estimators": 20, "cv": False, "max_rules": 12}


@pytest.fixture(scope="module")
def truth(surrogate_fold):
    return surrogate_fold.forest.predict_labels(surrogate_fold.X_train)


def claimed(model, X, n_labels):
    present = np.zeros((len(X), n_labels), dtype=bool)
    for row, claims in zip(present, model.claims(X), strict=True):
        row[list(claims)] = True
    return present


@pytest.fixture
def both(surrogate_fold):
    return np.concatenate([surrogate_fold.X_train, surrogate_fold.X_test])


def test_scores_of_boomer_add_up_to_its_prediction(surrogate_fold, truth, both):
    worker = boomer.start("BOOMER", 1)
    found = boomer.learn_rules(worker, surrogate_fold, truth, 1, {"max_rules": 40}, Deadline())
    assert len(found) == 40
    sums = np.zeros((len(both), truth.shape[1]))
    for conditions, scores in found:
        covered = Rule(conditions, ()).covers(both)
        for label, score in scores.items():
            sums[covered, label] += score
    predicted = worker.ask("predict", boomer.to_csr(both)).toarray().astype(bool)
    assert np.array_equal(sums > 0, predicted)
    assert len(np.unique(predicted, axis=0)) > 3


def test_list_of_seco_predicts_what_seco_does(surrogate_fold, truth, both):
    worker = boomer.start("SeCo", 1)
    model = seco._learn(worker, surrogate_fold, truth, 1, {}, Deadline())
    predicted = worker.ask("predict", boomer.to_csr(both)).toarray().astype(bool)
    assert np.array_equal(claimed(model, both, truth.shape[1]), predicted)
    assert len(np.unique(predicted, axis=0)) > 3


def test_rules_of_ripper_predict_what_wittgenstein_does(surrogate_fold, truth):
    model = ripper._learn(surrogate_fold, truth, 1, {}, Deadline())
    bins = ripper.Bins(surrogate_fold.X_train, ripper.N_BINS)
    table = pd.DataFrame(bins.locate()).astype(str).rename(columns=str)
    with contained():
        from wittgenstein import RIPPER

        theirs = RIPPER(random_state=1, n_discretize_bins=None)
        theirs.fit(table, truth[:, 2], pos_class=True)
        predicted = np.array(theirs.predict(table), dtype=bool)
    assert predicted.any()
    assert np.array_equal(claimed(model, surrogate_fold.X_train, truth.shape[1])[:, 2], predicted)


def test_bins_hold_equally_many_rows_and_end_between_values():
    X = np.column_stack([np.arange(20.0) ** 2, np.arange(20) % 2])
    bins = ripper.Bins(X, 4)
    assert bins.cuts[0].tolist() == [(n**2 + (n + 1) ** 2) / 2 for n in (4, 9, 14)]
    assert bins.cuts[1].tolist() == [0.5]
    assert np.bincount(bins.locate()[:, 0]).tolist() == [5, 5, 5, 5]
    for k in range(4):
        assert np.array_equal(bins.condition(0, k).holds(X[:, 0]), bins.locate()[:, 0] == k)


def test_log_odds_are_those_of_imodels(surrogate_fold, truth, both):
    theirs = rulefit._fit_label(surrogate_fold.X_train, truth[:, 1], 1, PARAMETERS)
    rules = [Rule(conditions, (0,)) for conditions, _ in rulefit.read_rules(theirs)]
    scores = np.array([[coefficient] for _, coefficient in rulefit.read_rules(theirs)])
    assert len(rules) > 3
    ours = rulefit.log_odds([theirs], rules, scores, both)[:, 0]
    assert np.allclose(ours, theirs._predict_continuous_output(both), rtol=0, atol=1e-9)
    assert np.array_equal(ours > 0.5, theirs.predict(both).astype(bool))


def test_text_of_imodels_is_read_exactly(surrogate_fold, truth, both):
    theirs = rulefit._fit_label(surrogate_fold.X_train, truth[:, 1], 1, PARAMETERS)
    texts = [rule.rule for rule in theirs.rules_without_feature_names_]
    rules = [Rule(conditions, ()) for conditions, _ in rulefit.read_rules(theirs)]
    assert np.array_equal(covered_rows(rules, TableColumns(both)), theirs.transform(both, texts).astype(bool))
    assert rulefit._conditions("X_0 == X_0") == []
    assert rulefit._conditions("X_3 > -1e-07") == [Condition(3, lower=-1e-07)]


def test_few_rows_with_a_label_need_no_cross_validation(surrogate_fold):
    present = np.zeros(len(surrogate_fold.X_train), dtype=bool)
    present[:3] = True
    model = rulefit._fit_label(surrogate_fold.X_train, present, 1, {"n_estimators": 10, "max_rules": 3})
    assert np.isfinite(model.coef).all()
