"""An independent exact verifier gives the same verdicts: on each question that dropping asks, and on finished rules.

The other verifier reads scikit-learn's forests by itself, one label at a time, and looks for the least mean margin in
a box of float64 values. Values are cast to float32 before it sees them.
"""

from collections import Counter

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import RandomForestClassifier

from mlrx.datasets import load_dataset, make_ai4i
from mlrx.lionforests import ForestCells, certify, find_violation
from mlrx.rules import Condition, Rule

veritas = pytest.importorskip("veritas", reason="dtai-veritas has no wheel for this system")

MOST_STEPS = 20_000
# The forests of the published experiments with fewer trees. Odd numbers of them make ties rare.
FORESTS = {
    "flags": {"n_estimators": 51, "min_samples_leaf": 5, "max_features": "sqrt", "bootstrap": False},
    "ai4i": {"n_estimators": 51, "max_features": "sqrt", "bootstrap": False},
    "water-quality": {"n_estimators": 15, "max_features": None},
    "foodtruck": {"n_estimators": 31, "max_features": 0.75},
}


class SecondOpinion:
    """The other verifier's view of a forest of one label."""

    def __init__(self, model):
        self.trees = veritas.get_addtree(model, silent=True)
        # A box of more features than the trees ask about is an index out of range there.
        self.n_features = self.trees.get_maximum_feat_id() + 1

    def verdict(self, rule):
        """Say what holds in the rule's box: "proven", "counterexample", or "unclear" for any of these reasons.

        The search was cut short, the least margin is a tie, or float64 values alone lose the label.
        """
        config = veritas.Config(veritas.HeuristicType.MIN_OUTPUT)
        tolerance = 1e-9 * len(self.trees)
        config.ignore_state_when_worse_than = tolerance
        config.stop_when_num_solutions_exceeds = 1
        search = config.get_search(self.trees, self.box(rule))
        reason = search.steps(MOST_STEPS)
        if search.num_solutions() == 0:
            ended = reason in {veritas.StopReason.NO_MORE_OPEN, veritas.StopReason.OPTIMAL}
            return "proven" if ended else "unclear"
        solution = search.get_solution(0)
        if solution.output >= -tolerance or not all(map(_holds_a_float32, solution.box().values())):
            return "unclear"
        return "counterexample"

    def box(self, rule):
        """Return the rule as intervals from their first float32 value to just above their last."""
        box = [veritas.Interval()] * self.n_features
        for c in (c for c in rule.antecedent if c.feature < self.n_features):
            first = _first_float32(np.nextafter(c.lower, np.inf)) if np.isfinite(c.lower) else -np.inf
            last = -_first_float32(-c.upper) if np.isfinite(c.upper) else np.inf
            box[c.feature] = veritas.Interval(first, float(np.nextafter(last, np.inf)))
        return box


def _first_float32(bound):
    """The least float32 value from a bound on, as a float64: numpy would compare a float32 in single precision."""
    with np.errstate(over="ignore"):
        nearest = np.float32(bound)
    return float(nearest) if float(nearest) >= bound else float(np.nextafter(nearest, np.float32(np.inf)))


def _holds_a_float32(interval):
    return _first_float32(interval.lo) < interval.hi


def forests_of_labels(X, Y, n_labels, **parameters):
    """A forest for each of the first labels that vary, on four rows of five."""
    X, Y = np.asarray(X, dtype=np.float32), np.asarray(Y)
    is_training = np.arange(len(X)) % 5 > 0
    varied = [k for k in range(Y.shape[1]) if np.unique(Y[is_training, k]).size == 2]
    for label in varied[:n_labels]:
        model = RandomForestClassifier(max_depth=10, random_state=0, **parameters)
        yield model.fit(X[is_training], Y[is_training, label]), X[~is_training]


def point_rule(row, features):
    """The rule that fixes some features at the row's values."""
    below = np.nextafter(row, np.float32(-np.inf))
    return Rule([Condition(f, float(below[f]), float(row[f])) for f in features], [0], dtype="float32")


def compare(model, rows):
    """Count the verdicts of both verifiers on rows with the label, by (kind of question, ours, the other's).

    The kinds: "dropping", the row's point with one more feature left out; "rule", the certified rule, which ours calls
    proven, and that rule without one of its conditions, which must be one too few.
    """
    cells, other, verdicts = ForestCells.of(model), SecondOpinion(model), Counter()
    for row in rows:
        kept = list(range(row.size))
        for feature in range(row.size):
            rule = point_rule(row, [f for f in kept if f != feature])
            own = find_violation(cells, rule, [0]).status
            verdicts["dropping", own, other.verdict(rule)] += 1
            if own == "proven":
                kept.remove(feature)
        certificate = certify(cells, row, [0])
        rule = certificate.rule
        verdicts["rule", "proven", other.verdict(rule)] += 1
        for condition in (c for c in rule.antecedent if c.feature not in certificate.undecided):
            rest = Rule([c for c in rule.antecedent if c != condition], [0], dtype="float32")
            verdicts["rule", "counterexample", other.verdict(rest)] += 1
    return verdicts


def clearly_present(model, rows, n):
    """The first rows in which the label is predicted, and not at a tie."""
    return rows[model.predict_proba(rows)[:, 1] > 0.5 + 1e-6][:n]


def assert_same(verdicts, n_questions):
    """Hold that the verifiers never contradict each other, and that both sides of the question were met often."""
    clear = {pair: n for pair, n in verdicts.items() if "unclear" not in pair and "undecided" not in pair}
    assert [pair for pair in clear if pair[1] != pair[2]] == []
    counts = Counter()
    for (kind, verdict, _), n in clear.items():
        counts[kind, verdict] += n
    assert counts["dropping", "proven"] + counts["dropping", "counterexample"] >= n_questions
    assert min(counts["dropping", "proven"], counts["dropping", "counterexample"], counts["rule", "proven"]) >= 4
    assert sum(verdicts.values()) - sum(clear.values()) <= 0.05 * sum(verdicts.values())


@pytest.mark.parametrize("name", FORESTS)
def test_same_verdicts_on_benchmark_forests(name, data_folder):
    data = load_dataset(name)
    X, Y = pd.get_dummies(data.X, dtype=float), np.asarray(data.Y)
    if name == "ai4i":
        failed = Y.any(axis=1)
        X, Y = X[failed], Y[failed]
    verdicts = Counter()
    n_rows = 1 if X.shape[1] > 25 else 2  # many columns are many questions
    for model, rows in forests_of_labels(X, Y, 4, **FORESTS[name]):
        verdicts += compare(model, clearly_present(model, rows, n_rows))
    assert_same(verdicts, 60)


def test_same_verdicts_on_simulated_processes():
    data = make_ai4i(3000, random_state=0)
    failed = data.Y.any(axis=1)
    X = pd.get_dummies(data.X, dtype=float)[failed]
    verdicts = Counter()
    for model, rows in forests_of_labels(X, data.Y[failed], 3, **FORESTS["ai4i"]):
        verdicts += compare(model, clearly_present(model, rows, 4))
    assert_same(verdicts, 60)
