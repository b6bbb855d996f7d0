import math
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from experiments.baselines.method import Fitted
from experiments.splits import Split
from experiments.tasks.evaluation import evaluate
from mlrx.datasets import GeneratingRule, MultilabelData
from mlrx.rules import Condition, Rule, RuleSet

# Three rows; f0 marks l0 on the first two rows, f1 marks l1 on the last one.
X = pd.DataFrame({"f0": [1.0, 1.0, 0.0], "f1": [0.0, 0.0, 1.0]})
Y = np.array([[1, 0], [1, 0], [0, 1]], dtype=np.uint8)
DATA = MultilabelData(
    X,
    Y,
    ("f0", "f1"),
    ("l0", "l1"),
    ("binary",) * 2,
    "toy",
    None,
    (GeneratingRule((0,), (0,)), GeneratingRule((1,), (1,))),
)
SPLIT = Split("toy", DATA, DATA, "")
RULES = RuleSet(
    [Rule([Condition(0, lower=0.5)], [0]), Rule([Condition(0, upper=0.5), Condition(1, lower=0.5)], [1])],
    DATA.feature_names,
    DATA.label_names,
    DATA.kinds,
)
METRICS = ("micro_f1", "subset_accuracy", "n_rules", "n_conditions", "coverage", "recovery", "recovered")


def test_prefixes_of_rules_are_scored():
    fitted = Fitted(RULES.predict, 0.0, 2, 3, RULES)
    one, two, more = evaluate(fitted, RULES.predict(X), SPLIT, (1, 2, 5), METRICS, 0)
    # The first rule predicts two of three occurrences, and is one of the two generating rules.
    assert one == {"asked": 1, "micro_f1": pytest.approx(0.8), "subset_accuracy": pytest.approx(2 / 3)} | {
        "n_rules": 1,
        "n_conditions": 1,
        "coverage": pytest.approx(2 / 3),
        "recovery": 0.5,
        "recovered": 0.5,
    }
    assert two == {"asked": 2, "micro_f1": 1.0, "subset_accuracy": 1.0, "n_rules": 2, "n_conditions": 3} | {
        "coverage": 1.0,
        "recovery": 1.0,
        "recovered": 1.0,
    }
    assert more == {**two, "asked": 5}


def test_method_without_rules_has_no_coverage():
    (entry,) = evaluate(Fitted(lambda X: Y, 0.0), np.zeros_like(Y), SPLIT, (), METRICS, 0)
    assert entry == {"asked": None, "micro_f1": 0.0, "subset_accuracy": 0.0} | dict.fromkeys(METRICS[2:])


def test_diversity_is_that_of_training_rows():
    # On the training rows the two rules share nothing; the test rows would leave none to compare.
    split = Split("toy", DATA, replace(DATA, Y=np.zeros_like(Y)), "")
    fitted = Fitted(RULES.predict, 0.0, 2, 3, RULES)
    one, two = evaluate(fitted, RULES.predict(X), split, (1, 2), ("diversity",), 0)
    assert math.isnan(one["diversity"])
    assert two["diversity"] == 1.0
