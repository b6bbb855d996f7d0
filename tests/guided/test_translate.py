"""Items and their absence as conditions on the original columns."""

import re

import numpy as np
import pandas as pd
import pytest

from mlrx import FeatureBinarizer, GuidedRulesClassifier
from mlrx.rules import Condition, opposite, parse_rule

VALUES = np.array([-1.0, 0.0, 2.0, 5.0])


@pytest.mark.parametrize("condition", [Condition(1, lower=0.0), Condition(1, upper=2.0), Condition(1, lower=-np.inf)])
@pytest.mark.parametrize("missing", [False, True])
def test_opposites_of_cuts(condition, missing):
    turned = opposite(condition, missing)
    np.testing.assert_array_equal(turned.holds(VALUES), ~condition.holds(VALUES))
    assert turned.holds(np.array([np.nan])).item() is missing


def test_opposites_of_categories():
    texts = np.array(["a", "b", None], dtype=object)
    is_a = Condition(0, categories=("a",))
    assert opposite(is_a, missing=False).holds(texts).tolist() == [False, True, False]
    assert opposite(is_a, missing=True).holds(texts).tolist() == [False, True, True]
    assert opposite(opposite(is_a, missing=False), missing=False) == is_a


def test_an_interval_with_both_ends_is_refused():
    with pytest.raises(ValueError, match="both ends"):
        opposite(Condition(0, 1.0, 2.0), missing=False)


def hard_table(n=200):
    rng = np.random.default_rng(0)
    X = pd.DataFrame(
        {
            "a b": rng.normal(size=n),
            "depth": rng.normal(size=n),
            "city": rng.choice(["x", "y", "or"], size=n),
            "flag": rng.integers(0, 2, n).astype(float),
        }
    )
    Y = np.column_stack([X["depth"] <= 0, X["city"] != "x", X["flag"] == 0, (X["a b"] <= 0.5) & (X["flag"] == 1)])
    X.loc[::7, "a b"] = np.nan
    X.loc[::5, "flag"] = np.nan
    X.loc[::11, "city"] = None
    return X, Y.astype(int)


@pytest.mark.parametrize("sides", ["above", "both"])
def test_rules_cover_what_they_say_and_read_back(sides):
    """The absence of an item holds of missing values, and says so where the column has any."""
    X, Y = hard_table()
    binarizer = FeatureBinarizer((25, 50, 75), sides=sides)
    model = GuidedRulesClassifier(25, target_f1=0.8, size_price=0.5, binarizer=binarizer).fit(X, Y)
    text = str(model.rules_)
    assert "(or missing)" in text
    assert "depth <= " in text
    assert not re.search(r"depth <= \S+ \(or missing", text)
    for line, rule in zip(text.splitlines(), model.rules_, strict=True):
        covered = rule.covers(X)
        assert covered.sum() == rule.n_covered > 0
        assert Y[covered][:, rule.consequent].all(axis=1).sum() == rule.n_correct
        read_back = parse_rule(line, list(X.columns), ["y0", "y1", "y2", "y3"])
        assert (read_back.antecedent, read_back.consequent) == (rule.antecedent, rule.consequent)
