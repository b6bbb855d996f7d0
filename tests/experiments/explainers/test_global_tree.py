import numpy as np
import pytest

from experiments.explainers import global_tree

from .small_folds import make_mixed_fold, make_steps_fold


def test_rule_of_the_worked_example():
    fitted = global_tree.fit(make_steps_fold(5), 0, {})
    (one,) = fitted.explain(np.array([4.0]), (0,), ("all",))["all"]
    assert one.labels == one.rule.consequent == (0,)
    assert one.rule.covers(np.arange(8.0)[:, None]).tolist() == [False] * 3 + [True] * 3 + [False] * 2
    assert one.reported == {"fidelity": 1, "label_fidelity": [1, 1], "hit": 1, "same_labels": 1}


def test_every_row_satisfies_its_own_rule():
    fold = make_mixed_fold(40)
    fitted = global_tree.fit(fold, 3, {})
    for x, present in zip(fold.X_test, fold.predicted):
        (one,) = fitted.explain(x, tuple(np.flatnonzero(present).tolist()), ("all",))["all"]
        assert one.rule.covers(x[None]).all()


def test_grid_and_seed_of_the_published_way_are_fixed(monkeypatch):
    asked = []
    monkeypatch.setattr(global_tree, "best_surrogate", lambda X, Y, *rest: asked.append(rest))
    for mode in ("paper", "sound"):
        with pytest.raises(AttributeError):
            global_tree.fit(make_steps_fold(), 77, {"mode": mode})
    assert asked == [(("sqrt", "log2", 0.75, None), 10), ((None,), 77)]


@pytest.mark.parametrize(
    ("parameters", "message"), [({"mode": "fast"}, "'mode' parameter of global-tree"), ({"depth": 3}, "'depth'")]
)
def test_unknown_parameters_are_refused(parameters, message):
    with pytest.raises(ValueError, match=message):
        global_tree.check(parameters)
