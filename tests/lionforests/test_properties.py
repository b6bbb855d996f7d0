"""Properties on drawn forests: certified rules survive the worst points of their boxes, counterexamples are real.

Rows have values that lie badly: neighbours in float32, far out, below zero, on both sides of a threshold of -2. What
counts is scikit-learn's own `predict`.
"""

import itertools

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from sklearn.ensemble import ExtraTreesClassifier, RandomForestClassifier

from mlrx import LionForestsExplainer
from mlrx.lionforests import ForestCells, certify, find_violation
from mlrx.rules import Condition, Rule

from .small_forests import all_cells, rows_in

# scikit-learn's check for NaN adds up all values, among them those far out on both sides.
pytestmark = pytest.mark.filterwarnings("ignore:(invalid value|overflow) encountered in reduce:RuntimeWarning")

ONE_STEP_UP = float(np.nextafter(np.float32(1), np.float32(2)))
VALUES = [-1e30, -3.0, -1.0, 0.0, 1e-38, 0.1, 0.3, 1.0, ONE_STEP_UP, 2.0, 16777216.0, 16777218.0, 3e38]
LARGEST = float(np.finfo(np.float32).max)
# Fitting takes most of the time, and hypothesis would call it a slow draw.
COMMON = {"suppress_health_check": [HealthCheck.too_slow]}


@st.composite
def forests(draw):
    """A fitted forest and the rows it was fitted on; labels may be constant, rows equal, values missing."""
    n, n_features, n_labels = draw(st.integers(1, 20)), draw(st.integers(1, 4)), draw(st.integers(1, 3))
    rng = np.random.default_rng(draw(st.integers(0, 10_000)))
    X = rng.choice(VALUES + [np.nan] * draw(st.sampled_from([0, 0, 2])), (n, n_features)).astype(np.float32)
    Y = (rng.random((n, n_labels)) < draw(st.sampled_from([0.5, 0.8]))).astype(int)
    kind = draw(st.sampled_from([RandomForestClassifier, ExtraTreesClassifier]))
    model = kind(
        draw(st.integers(1, 7)),
        max_depth=draw(st.sampled_from([None, 1, 2, 3])),
        min_samples_leaf=draw(st.integers(1, 3)),
        max_features=draw(st.sampled_from(["sqrt", None])),
        bootstrap=draw(st.booleans()),
        class_weight=draw(st.sampled_from([None, "balanced"])),
        random_state=draw(st.integers(0, 99)),
    )
    return model.fit(X, Y[:, 0] if n_labels == 1 else Y), X


def predicted(model, cells, rows):
    """Which labels scikit-learn predicts, of shape (n_samples, n_labels); the only class of a constant one counts."""
    labels = model.predict(rows) if len(rows) else np.empty(0)
    return np.reshape(labels, (len(rows), cells.forest.n_labels)) == 1


def bad_values(condition, cut, with_missing):
    """Values of one column inside the rule: both ends, the float32 neighbours of cuts, far out, missing if allowed."""
    ends = [] if condition is None else [condition.lower, condition.upper]
    values = np.concatenate([ends, cut, [0, -LARGEST, LARGEST]])
    values = np.clip(values, -LARGEST, LARGEST).astype(np.float32)
    with np.errstate(over="ignore"):
        values = np.concatenate([values, np.nextafter(values, -np.inf), np.nextafter(values, np.inf)])
    values = np.unique(values[np.isfinite(values)])
    if condition is not None:
        values = values[condition.holds(values, "float32")]
    return np.append(values, np.float32(np.nan)) if with_missing else values


def worst_points(cells, rule, rng, n=300):
    """Points inside a rule, of shape (n_samples, n_features): all its corners and combinations of bad values."""
    conditions = {c.feature: c for c in rule.antecedent}
    columns = []
    for f, cut in enumerate(cells.cuts):
        condition = conditions.get(f)
        missing = condition is not None and condition.missing and cells.forest.allows_missing
        columns.append(bad_values(condition, cut, missing))
    if not all(column.size for column in columns):
        return np.empty((0, len(columns)), np.float32)
    corners = np.array(list(itertools.product(*(column[[0, -1]] for column in columns))))
    return np.concatenate([corners, np.column_stack([rng.choice(column, n) for column in columns])])


@settings(max_examples=60, **COMMON)
@given(forests(), st.data())
def test_certified_rules_survive_their_worst_points(drawn, data):
    model, X = drawn
    cells = ForestCells.of(model)
    row = X[data.draw(st.integers(0, len(X) - 1))]
    wanted = predicted(model, cells, row[None])[0]
    guarantee = data.draw(st.sampled_from(["labels", "labelset"] if wanted.any() else ["labelset"]))
    options = data.draw(st.sampled_from([{}, {"smallest": True}, {"prefer": "coverage", "rows": X}]))
    certificate = certify(cells, row, np.flatnonzero(wanted), guarantee, **options)
    if certificate.status == "tie":
        assert abs(certificate.margin) < 1e-8
        return
    assert certificate.rule.covers(row[None]).all()
    points = worst_points(cells, certificate.rule, np.random.default_rng(0))
    assert certificate.rule.covers(points).all()
    got = predicted(model, cells, points)
    assert (got == wanted).all() if guarantee == "labelset" else got[:, wanted].all()


@settings(max_examples=60, **COMMON)
@given(forests(), st.data())
def test_rules_of_paths_survive_their_worst_points(drawn, data):
    model, X = drawn
    cells = ForestCells.of(model)
    row = X[data.draw(st.integers(0, len(X) - 1))]
    wanted = predicted(model, cells, row[None])[0]
    guarantee = data.draw(st.sampled_from(["labels", "labelset"]))
    reductions = data.draw(st.permutations(["association", "clustering", "random"]))
    explain = LionForestsExplainer(model, mode="paper", guarantee=guarantee, reductions=reductions).fit(X).explain
    for explanation in explain(row, "each" if guarantee == "labels" and wanted.any() else "all"):
        if explanation.status == "tie":
            continue
        assert explanation.status == "certified"
        assert explanation.covers(row[None]).all()
        points = worst_points(cells, explanation.rule, np.random.default_rng(0))
        assert explanation.covers(points).all()
        got, labels = predicted(model, cells, points), list(explanation.labels)
        assert (got == wanted).all() if explanation.guarantee == "labelset" else got[:, labels].all()


@st.composite
def rules(draw, n_features):
    """Any rule: bounds on thresholds, beside them, turned round, in either precision, with and without missing."""
    bounds = st.sampled_from([*VALUES, 0.05, 0.2, 0.65, 1 + 2.0**-24, 1.5, 2.5, -2.0, -np.inf, np.inf])
    conditions = [
        Condition(f, *sorted(draw(st.tuples(bounds, bounds))), missing=draw(st.booleans()))
        for f in range(n_features)
        if draw(st.booleans())
    ]
    return Rule(conditions, [0], dtype=draw(st.sampled_from(["float32", "float64"])))


@settings(max_examples=60, **COMMON)
@given(forests(), st.data())
def test_verdicts_on_any_rule_are_true(drawn, data):
    model, _ = drawn
    cells = ForestCells.of(model)
    rule = data.draw(rules(cells.forest.n_features))
    labels = data.draw(st.sets(st.integers(0, cells.forest.n_labels - 1), min_size=1))
    wanted = np.isin(np.arange(cells.forest.n_labels), list(labels))
    guarantee = data.draw(st.sampled_from(["labels", "labelset"]))
    verdict = find_violation(model, rule, labels, guarantee)
    if verdict.status == "counterexample":
        assert rule.covers(verdict.point[None]).all()
        lost = predicted(model, cells, verdict.point[None])[0] != wanted
        assert {t.label for t in verdict.violated} == set(
            np.flatnonzero(lost if guarantee == "labelset" else lost & wanted)
        )
        assert verdict.violated
        return
    points = worst_points(cells, rule, np.random.default_rng(0))
    points = points[rule.covers(points)]
    kept = predicted(model, cells, points) == wanted
    if verdict.status == "proven":
        assert kept.all() if guarantee == "labelset" else kept[:, wanted].all()
    else:
        undecided = [t.label for t in verdict.undecided]
        assert undecided
        assert guarantee == "labelset"  # an exact tie keeps a label absent, by whatever order it is summed


@settings(max_examples=60, **COMMON)
@given(forests(), st.data())
def test_what_is_left_in_a_rule_is_needed(drawn, data):
    """Over the full grid: the rule keeps the labels, and without any one of its conditions some cell loses one.

    Conditions that only say that a value may be missing, too, leave nothing out.
    """
    model, X = drawn
    cells = ForestCells.of(model)
    assume(np.prod(cells.n_cells + 1) <= 20_000)
    row = X[data.draw(st.integers(0, len(X) - 1))]
    labels = np.flatnonzero(cells.forest.margins(row[None])[0] > 1e-8)
    assume(labels.size)
    certificate = certify(cells, row, labels)
    grid = all_cells(cells)
    kept = (cells.forest.margins(rows_in(cells, grid))[:, labels] > 2e-9).all(axis=1)
    assert kept[certificate.box.holds(grid)].all()
    assert certificate.status == "certified-irreducible"
    for condition in certificate.rule.antecedent:
        if condition == Condition(condition.feature, missing=True):
            continue
        f, box = condition.feature, certificate.box
        others = np.arange(cells.n_cells.size) != f
        inside = (grid >= box.lower) & (grid <= box.upper) | ((grid < 0) & box.missing)
        inside = inside[:, others].all(axis=1) & ((grid[:, f] >= 0) | box.missing[f])
        assert not kept[inside].all()
