import numpy as np
import pytest

from experiments.explainers.explainer import PROVEN, STRATEGIES
from experiments.explainers.lionforests import EXPLAINER
from experiments.forests import load_fold


@pytest.fixture(scope="module")
def fold():
    return load_fold("ai4i-simulated", 0)


@pytest.mark.parametrize("mode", ["certified", "paper"])
def test_rules_cover_their_row_and_say_what_is_predicted(fold, mode):
    fitted = EXPLAINER.fit(fold, 0, {"mode": mode})
    for x, present in zip(fold.X_test[:4], fold.predicted[:4]):
        labels = tuple(np.flatnonzero(present).tolist())
        found = fitted.explain(x, labels, STRATEGIES)
        assert [one.labels for one in found["all"]] == [labels]
        assert [one.labels for one in found["each"]] == [(label,) for label in labels]
        for one in found["all"] + found["each"] + found["frequent"]:
            assert one.rule.covers(x[None])[0]
            assert one.rule.consequent == one.labels
            assert one.seconds > 0
            assert one.status == PROVEN


def test_label_sets_that_strategies_share_are_explained_once(fold, monkeypatch):
    from mlrx import LionForestsExplainer

    fitted, explained = EXPLAINER.fit(fold, 0, {}), []
    explain = LionForestsExplainer.explain
    monkeypatch.setattr(LionForestsExplainer, "explain", lambda *a: explained.extend(a[2]) or explain(*a))
    found = fitted.explain(fold.X_test[0], fold.labels_of(0), STRATEGIES)
    assert len(explained) == len(set(explained))
    assert set(explained) == {one.labels for strategy in found.values() for one in strategy}


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"mod": "paper"}, "unknown parameter 'mod'; did you mean 'mode'"),
        ({"mode": "fast"}, "mode"),
        ({"budget": 0}, "budget"),
        ({"reductions": ["foo"]}, "reductions must be of"),
        ({"mode": "paper", "smallest": True}, "smallest=True needs mode='certified'"),
        ({"prefer": "coverage", "smallest": True}, "smallest=True needs prefer='short'"),
        ({"forest": 1}, "'forest' is set by the runner"),
    ],
)
def test_parameters_are_checked_without_data(parameters, message):
    with pytest.raises(ValueError, match=message):
        EXPLAINER.check(parameters)
