"""Verdicts on rules, of whatever method."""

import numpy as np
import pytest
from sklearn.ensemble import RandomForestClassifier

from experiments.explainers.explainer import Explained
from experiments.tasks import conclusiveness
from experiments.tasks.conclusiveness import NOT_AUDITED, VERDICTS, Auditor
from mlrx.lionforests import ForestCells
from mlrx.lionforests.violation import Verdict
from mlrx.rules import Condition, Rule


@pytest.fixture(scope="module")
def cells():
    """One tree: the first label above 1.5, the second above 0.5."""
    model = RandomForestClassifier(1, bootstrap=False, random_state=0)
    return ForestCells.of(model.fit(np.arange(4.0)[:, None], [[0, 0], [0, 1], [1, 1], [1, 1]]))


def explained(labels, *conditions):
    return Explained(labels, Rule(conditions, labels), "found", 0.0)


@pytest.mark.parametrize(
    ("one", "verdict"),
    [
        (explained((0,), Condition(0, lower=1.5)), "audited_proven"),
        (explained((1,), Condition(0, lower=1.5)), "audited_proven"),
        (explained((0, 1), Condition(0, lower=1.0)), "audited_refuted"),
        (explained((1,)), "audited_refuted"),
        (explained((), Condition(0, lower=1.5)), "not_audited"),
        (explained((0,), Condition(0, lower=3.0, upper=2.0)), "not_audited"),
        (Explained((0,), None, "out of time", 0.0), "not_audited"),
    ],
)
def test_verdicts_of_hand_worked_rules(cells, one, verdict):
    auditor = Auditor(cells, 100)
    assert auditor.verdict(one) == verdict
    scores = auditor.scores(one)
    assert set(scores) == {*VERDICTS.values(), NOT_AUDITED}
    assert {name for name, score in scores.items() if score} == {verdict}


def test_budget_is_handed_on_and_a_rule_asked_about_once(cells, monkeypatch):
    asked = []

    def search(cells, rule, labels, budget):
        asked.append((labels, budget))
        return Verdict("undecided", None, (), (), budget)

    monkeypatch.setattr(conclusiveness, "find_violation", search)
    auditor = Auditor(cells, 7)
    first, second = (explained((label,), Condition(0, lower=0.7)) for label in (0, 1))
    assert [auditor.verdict(one) for one in (first, second, first)] == ["audited_undecided"] * 3
    assert asked == [((0,), 7), ((1,), 7)]
