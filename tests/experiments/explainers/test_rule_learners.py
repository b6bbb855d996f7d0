"""What all explainers that learn rules of the forest's labels have in common."""

import random

import numpy as np
import pytest

from experiments.explainers import label_rules
from experiments.explainers.deadline import OutOfTimeError
from experiments.methods import EXPLAINERS

# Small sizes, and a parameter with a value that is refused.
LEARNERS = {
    "boomer": ({"max_rules": 30}, {"max_rules": -1}),
    "defrag-trees": ({"n_starts": 2, "n_rules": 6}, {"n_rules": 0}),
    "intrees": ({"max_rules": 100, "n_trees": 10}, {"max_rules": 0}),
    "ripper": ({}, {"prune_size": 1.5}),
    "rulefit": ({"n_estimators": 10, "cv": False, "max_rules": 8}, {"tree_size": 2}),
    "seco": ({}, {"heuristic": "luck"}),
    "trepan": ({"n_rows": 100}, {"max_leaf_nodes": 1}),
}


def rows_with_labels(fold):
    for row in np.flatnonzero(fold.predicted.any(axis=1)):
        yield fold.X_test[row], fold.labels_of(row)


@pytest.fixture(scope="module")
def fits(surrogate_fold):
    """One fit a learner."""
    return {name: EXPLAINERS[name].fit(surrogate_fold, 5, parameters) for name, (parameters, _) in LEARNERS.items()}


@pytest.fixture(params=LEARNERS)
def learner(request, fits):
    parameters, _ = LEARNERS[request.param]
    EXPLAINERS[request.param].check(parameters)
    return EXPLAINERS[request.param], parameters, fits[request.param]


def test_rules_cover_their_row_and_say_the_labels(learner, surrogate_fold):
    adapter, _, fitted = learner
    n_same = n_rows = 0
    for x, labels in rows_with_labels(surrogate_fold):
        found = fitted.explain(x, labels, adapter.strategies)
        (whole,) = found["all"]
        n_same, n_rows = n_same + (whole.labels == labels), n_rows + 1
        each = found.get("each", [])
        assert [one.labels for one in each] == [(k,) if k in whole.labels else () for k in labels][: len(each)]
        for one in [whole, *each]:
            if one.rule is not None:
                assert one.rule.covers(x[None]).all()
                assert one.rule.consequent == one.labels
    # More than by saying the most frequent label set for every row.
    _, counts = np.unique(surrogate_fold.predicted, axis=0, return_counts=True)
    assert n_same > counts.max()


@pytest.mark.parametrize("name", ["defrag-trees", "intrees", "ripper", "rulefit", "seco"])
def test_constant_labels_need_no_condition(name, fits, surrogate_fold):
    for x, _ in rows_with_labels(surrogate_fold):
        present, absent = fits[name].explain(x, (3, 4), ("each",))["each"]
        assert (present.labels, len(present.rule)) == ((3,), 0)
        assert (absent.labels, absent.rule) == ((), None)


def test_same_seed_gives_the_same_rules_and_leaves_global_states_alone(learner, surrogate_fold):
    adapter, parameters, fitted = learner
    states = random.getstate(), np.random.get_state()[1].tolist()  # noqa: NPY002, what is looked after
    again = adapter.fit(surrogate_fold, 5, parameters)
    assert (random.getstate(), np.random.get_state()[1].tolist()) == states  # noqa: NPY002
    rows = list(rows_with_labels(surrogate_fold))
    first = [fitted.explain(x, labels, ("all",))["all"][0] for x, labels in rows]
    second = [again.explain(x, labels, ("all",))["all"][0] for x, labels in reversed(rows)]
    assert [(one.labels, one.rule) for one in first] == [(one.labels, one.rule) for one in reversed(second)]


@pytest.mark.parametrize("name", LEARNERS)
def test_learning_ends_when_its_time_is_over(name, surrogate_fold, monkeypatch):
    monkeypatch.setattr(label_rules, "FIT_LIMIT", 1e-9)
    parameters, _ = LEARNERS[name]
    message = "more than 1e-09 (CPU )?seconds"
    with pytest.raises((OutOfTimeError, TimeoutError), match=message):
        EXPLAINERS[name].fit(surrogate_fold, 5, parameters)


@pytest.mark.parametrize("name", LEARNERS)
def test_wrong_parameters_are_refused_by_name(name):
    _, wrong = LEARNERS[name]
    with pytest.raises(ValueError, match=next(iter(wrong))):
        EXPLAINERS[name].check(wrong)
    with pytest.raises(ValueError, match="unknown parameter 'n_rulez'"):
        EXPLAINERS[name].check({"n_rulez": 3})


@pytest.mark.parametrize("parameters", [{"binary_predictor": "gfm"}, {"loss": "logistic-non-decomposable"}])
def test_variants_of_boomer(parameters, surrogate_fold):
    adapter = EXPLAINERS["boomer"]
    adapter.check(parameters)
    fitted = adapter.fit(surrogate_fold, 5, {"max_rules": 30, **parameters})
    x, labels = next(rows_with_labels(surrogate_fold))
    assert fitted.explain(x, labels, ("all",))["all"][0].reported["fidelity"] > 0.8
