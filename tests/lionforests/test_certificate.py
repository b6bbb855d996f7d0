"""Certificates: every cell of the rule keeps the labels, no feature can be left out, the smallest is the smallest."""

import itertools
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import ExtraTreesClassifier, RandomForestClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from mlrx.lionforests import ForestCells, certify, find_violation
from mlrx.lionforests.smallest import hitting_set
from mlrx.rules import Condition

from .small_forests import LADDER, LADDER_LABELS, all_cells, rows_in, small_forest


class Grid:
    """A small forest with the truth about every cell."""

    def __init__(self, seed, **options):
        self.model = small_forest(seed, **options)
        self.cells = ForestCells.of(self.model)
        self.grid = all_cells(self.cells)
        self.margins = self.cells.forest.margins(rows_in(self.cells, self.grid))
        self.rng = np.random.default_rng(seed)

    def cases(self, guarantee, n=6, first=-1):
        """Rows with what is predicted for them; no missing value where the first cell is 0."""
        for k in self.rng.choice(np.flatnonzero((self.grid >= first).all(axis=1)), n):
            labels = np.flatnonzero(self.margins[k] > 1e-9)
            if labels.size or guarantee == "labelset":
                yield rows_in(self.cells, self.grid[[k]])[0], labels, self.grid[k]

    def is_kept(self, labels, guarantee):
        """Which cells of the grid keep the labels, by more than the tolerance."""
        kept = (self.margins[:, labels] > 2e-9).all(axis=1)
        if guarantee == "labelset":
            others = np.setdiff1d(np.arange(self.margins.shape[1]), labels)
            kept &= (self.margins[:, others] < -2e-9).all(axis=1)
        return kept

    def freed(self, box, columns, place):
        lower, upper, missing = box.lower.copy(), box.upper.copy(), box.missing.copy()
        lower[columns], upper[columns] = 0, self.cells.n_cells[columns] - 1
        missing[columns] = place[columns] < 0
        return replace(box, lower=lower, upper=upper, missing=missing)


@pytest.mark.parametrize("guarantee", ["labels", "labelset"])
@pytest.mark.parametrize("prefer", ["short", "coverage"])
@pytest.mark.parametrize("seed", range(24))
def test_certificate_is_true(seed, guarantee, prefer):
    truth = Grid(seed, with_missing=seed % 2 == 0)
    rows = rows_in(truth.cells, truth.grid[truth.rng.choice(len(truth.grid), 10)])
    for x, labels, place in truth.cases(guarantee):
        certificate = certify(truth.cells, x, labels, guarantee, prefer=prefer, rows=rows)
        kept = truth.is_kept(labels, guarantee)
        if not kept[(truth.grid == place).all(axis=1)].all():
            assert certificate.status == "tie"
            continue
        assert certificate.status == "certified-irreducible"
        assert certificate.box.holds(place[None]).all()
        assert certificate.rule.covers(x[None]).all()
        assert kept[certificate.box.holds(truth.grid)].all()
        assert find_violation(truth.cells, certificate.rule, labels, guarantee).status == "proven"
        # That a value may be missing as well leaves nothing out.
        free = {Condition(f, missing=True) for f in range(place.size)}
        for condition in set(certificate.rule.antecedent) - free:
            larger = truth.freed(certificate.box, [condition.feature], place)
            assert not kept[larger.holds(truth.grid)].all()


@pytest.mark.parametrize("seed", range(20))
def test_smallest_is_smallest(seed):
    truth = Grid(seed, n_features=4)
    for x, labels, place in truth.cases("labels", n=4, first=0):
        certificate = certify(truth.cells, x, labels, smallest=True)
        kept = truth.is_kept(labels, "labels")
        assert certificate.is_smallest
        assert kept[certificate.box.holds(truth.grid)].all()
        sizes = [
            size
            for size in range(5)
            for fixed in itertools.combinations(range(4), size)
            if kept[(truth.grid[:, fixed] == place[list(fixed)]).all(axis=1) & (truth.grid >= 0).all(axis=1)].all()
        ]
        assert len(certificate.rule) == sizes[0]


def test_smallest_beats_dropping():
    # Dropping takes the least harmful feature first, which may be the wrong one.
    lengths = []
    for seed in range(60):
        rng = np.random.default_rng(seed)
        X = rng.integers(0, 3, (40, 6)).astype(float)
        y = (X @ rng.normal(size=6) + rng.normal(0, 1, 40) > 0).astype(int)
        cells = ForestCells.of(RandomForestClassifier(15, max_depth=4, random_state=0).fit(X, y))
        margins = cells.forest.margins(X)[:, 0]
        if margins.max() < 0.1:
            continue
        x = X[margins.argmax()]
        dropping, smallest = certify(cells, x, [0], prefer="coverage"), certify(cells, x, [0], smallest=True)
        assert not dropping.is_smallest
        assert smallest.is_smallest
        assert len(certify(cells, x, [0]).rule) == len(smallest.rule)
        lengths.append((len(dropping.rule), len(smallest.rule)))
    assert all(smallest <= short for short, smallest in lengths)
    assert any(smallest < short for short, smallest in lengths)


@pytest.mark.parametrize("seed", range(20))
def test_no_side_can_be_moved_further(seed):
    truth = Grid(seed, with_missing=seed % 2 == 0)
    for x, labels, _ in truth.cases("labels", first=0):
        certificate = certify(truth.cells, x, labels, budget=10_000)
        if certificate.status == "tie":
            continue
        kept, box = truth.is_kept(labels, "labels"), certificate.box
        for condition in certificate.rule.antecedent:
            f, last = condition.feature, truth.cells.n_cells[condition.feature] - 1
            for first, end in ((box.lower[f] - 1, box.upper[f]), (box.lower[f], box.upper[f] + 1)):
                if first < 0 or end > last or (first, end) == (0, last):
                    continue
                lower, upper = box.lower.copy(), box.upper.copy()
                lower[f], upper[f] = first, end
                larger = replace(box, lower=lower, upper=upper)
                assert not kept[larger.holds(truth.grid)].all()


@pytest.mark.parametrize(
    ("sets", "smallest"), [([], 0), ([0b1, 0b10], 2), ([0b1001, 0b1010, 0b100], 2), ([0b11, 0b101, 0b110], 2)]
)
def test_hitting_set(sets, smallest):
    found = hitting_set(sets, smallest, [100])
    assert found.bit_count() == smallest
    assert all(found & s for s in sets)
    if smallest:
        assert hitting_set(sets, smallest - 1, [100]) is None


def test_hitting_set_is_given_up():
    pairs = [1 << i | 1 << k for i in range(12) for k in range(i)]
    choices = [50]
    assert hitting_set(pairs, 10, choices) is None
    assert choices[0] <= 0
    assert hitting_set(pairs, 11, [10**6]).bit_count() == 11


def one_hot_case():
    """A category of three values and a number; the label depends on both."""
    rng = np.random.default_rng(3)
    category, number = rng.integers(0, 3, 80), rng.normal(size=80).round(1)
    X = np.column_stack([np.eye(3)[category], number])
    return X, ((category == 1) & (number > 0)).astype(int)


def test_groups_count_as_one_feature():
    X, y = one_hot_case()
    cells = ForestCells.of(RandomForestClassifier(25, random_state=0).fit(X, y))
    x = X[y == 1][0]
    certificate = certify(cells, x, [0], groups=[[0, 1, 2]])
    assert certificate.status == "certified-irreducible"
    features = {condition.feature for condition in certificate.rule.antecedent}
    assert 3 in features
    assert features & {0, 1, 2}
    assert find_violation(cells, certificate.rule, [0]).status == "proven"
    number_only = y * 0 + (X[:, 3] > 0)
    free = certify(RandomForestClassifier(25, random_state=0).fit(X, number_only), x, [0], groups=[[0, 1, 2]])
    assert [condition.feature for condition in free.rule.antecedent] == [3]


def test_coverage_takes_in_more_rows():
    rng = np.random.default_rng(1)
    X = rng.integers(0, 6, (80, 5)).astype(float)
    y = (X.sum(axis=1) + rng.normal(0, 2, 80) > 12).astype(int)
    cells = ForestCells.of(RandomForestClassifier(25, max_depth=5, random_state=0).fit(X, y))
    positive = X[cells.forest.margins(X)[:, 0] > 0.4][:12]
    n_covered = {
        prefer: sum(certify(cells, x, [0], prefer=prefer, rows=X).rule.covers(X).sum() for x in positive)
        for prefer in ("short", "coverage")
    }
    assert n_covered["coverage"] > n_covered["short"]


def test_budget_used_up_is_said():
    rng = np.random.default_rng(0)
    X, y = rng.random((300, 8)), rng.integers(0, 2, 300)
    cells = ForestCells.of(RandomForestClassifier(60, max_depth=6, random_state=0).fit(X, y))
    x = X[cells.forest.margins(X)[:, 0].argmax()]
    certificate = certify(cells, x, [0], budget=1)
    assert certificate.status == "certified"
    assert set(certificate.undecided) <= {condition.feature for condition in certificate.rule.antecedent}
    assert len(certificate.rule) >= len(certify(cells, x, [0]).rule)
    assert find_violation(cells, certificate.rule, [0]).status == "proven"


# Inputs that explanations of forests often get wrong.


def test_row_on_a_tie():
    model = RandomForestClassifier(n_estimators=2, random_state=0).fit(LADDER, LADDER_LABELS)
    for guarantee, labels in (("labels", [0]), ("labelset", [])):
        certificate = certify(model, [2.0], labels, guarantee)
        assert (certificate.status, certificate.rule, certificate.margin) == ("tie", None, 0)


def test_constant_label_needs_no_condition():
    X, Y = [[0.0], [1.0], [2.0], [3.0]], [[0, 1, 0], [0, 1, 0], [0, 1, 1], [0, 1, 1]]
    model = RandomForestClassifier(n_estimators=3, random_state=0).fit(X, Y)
    certificate = certify(model, [3.0], [1])
    assert (certificate.rule.antecedent, certificate.margin) == ((), 1)
    assert len(certify(model, [3.0], [1, 2], "labelset").rule) == 1


def test_empty_prediction_is_explained_as_a_labelset():
    X, Y = [[0.0], [1.0], [2.0], [3.0]], [[0, 0], [0, 0], [1, 0], [0, 1]]
    model = RandomForestClassifier(n_estimators=5, random_state=0).fit(X, Y)
    certificate = certify(model, [0.0], [], "labelset")
    assert certificate.rule.consequent == ()
    assert len(certificate.rule) == 1
    values = np.linspace(-5, 5, 1001, dtype=np.float32)[:, None]
    assert (model.predict(values[certificate.rule.covers(values)]) == 0).all()


def test_one_row_of_training():
    model = RandomForestClassifier(n_estimators=3, random_state=0).fit([[0.0, 1.0]], [[0, 1]])
    certificate = certify(model, [5.0, 5.0], [1])
    assert (certificate.status, certificate.rule.antecedent) == ("certified-irreducible", ())


def test_bounds_are_scikit_learns_thresholds():
    model = RandomForestClassifier(3, bootstrap=False, random_state=0).fit([[0.1], [0.5]], [[0, 1], [1, 0]])
    certificate = certify(model, [0.3], [0])
    assert certificate.rule.dtype == "float32"
    assert certificate.rule.covers([[0.3]]).all()
    assert certificate.rule.antecedent == (Condition(0, lower=model.estimators_[0].tree_.threshold[0]),)
    tiny = RandomForestClassifier(3, bootstrap=False, random_state=0).fit([[1e-6], [3e-6]], [[0, 1], [1, 0]])
    assert certify(tiny, [2.5e-6], [0]).rule.covers([[1e-6], [2.5e-6]]).tolist() == [False, True]


def test_row_outside_the_training_range():
    model = RandomForestClassifier(n_estimators=3, random_state=0).fit(LADDER, LADDER_LABELS)
    assert model.predict([[100.0]]).tolist() == [[1, 1]]
    (condition,) = certify(model, [100.0], [0, 1]).rule.antecedent
    assert condition.upper == np.inf
    assert condition.lower > 0


def test_single_leaf_trees_and_single_trees():
    Y = [[0, 1], [1, 0], [0, 1], [1, 1]]
    model = RandomForestClassifier(n_estimators=3, random_state=0).fit(np.ones((4, 2)), Y)
    assert certify(model, [1.0, 1.0], [0, 1]).rule.antecedent == ()
    for one_tree in (RandomForestClassifier(1, random_state=0), ExtraTreesClassifier(1, random_state=0)):
        certificate = certify(one_tree.fit(LADDER, LADDER_LABELS), [5.0], [0, 1])
        assert certificate.rule.covers([[5.0], [0.0]]).tolist() == [True, False]


def test_missing_value_of_the_row_is_named():
    model = RandomForestClassifier(3, bootstrap=False, random_state=0)
    model.fit([[1.0], [2.0], [3.0], [4.0], [12.0]], [[0, 1]] * 4 + [[1, 0]])
    certificate = certify(model, [np.nan], [1])
    assert certificate.rule.covers([[np.nan], [12.0]]).tolist() == [True, False]
    assert certificate.rule.antecedent == (Condition(0, upper=8.0, missing=True),)


def test_pipeline_gives_bounds_of_original_columns():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(20, 5, (40, 3)).round(1), columns=["a", "b b", "c"])
    model = make_pipeline(StandardScaler(), RandomForestClassifier(9, random_state=0))
    model.fit(frame, (frame.to_numpy() > 20).astype(int))
    cells = ForestCells.of(model)
    n_explained = 0
    for k in range(10):
        labels = np.flatnonzero(cells.forest.predict_labels(frame.iloc[[k]])[0])
        if labels.size:
            certificate = certify(cells, frame.iloc[k], labels)
            covered = certificate.rule.covers(frame)
            assert covered[k]
            assert cells.forest.predict_labels(frame)[covered][:, labels].all()
            for end in (certificate.box.lower, certificate.box.upper):
                point = cells.point(end, certificate.rule)
                assert model.predict(pd.DataFrame(point[None], columns=frame.columns))[0, labels].all()
            n_explained += 1
    assert n_explained > 5


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"labels": [0]}, r"label 0 must be present for x, but the forest predicts \[\]"),
        ({"labels": [1], "guarantee": "labelset"}, "label 1 must be present"),
        ({"labels": [], "guarantee": "labelset", "prefer": "long"}, "prefer must be one of .*'long'"),
        ({"labels": [], "guarantee": "labelset", "groups": [[1]]}, "columns from 0 to 0, got 1"),
        ({"labels": [], "guarantee": "labelset", "groups": [[0], [0]]}, "column 0 comes twice"),
        ({"labels": [], "guarantee": "labelset", "budget": -1}, "budget must be a whole number from 1, got -1"),
    ],
)
def test_wrong_arguments_are_named(options, message):
    model = RandomForestClassifier(n_estimators=5, random_state=0).fit(LADDER, LADDER_LABELS)
    with pytest.raises(ValueError, match=message):
        certify(model, [0.0], **options)


def test_threshold_that_is_no_number_sends_known_values_right():
    """Such a split of missing from known was proven the wrong way round."""
    nan = np.nan
    model = RandomForestClassifier(1, bootstrap=False, random_state=108).fit(
        [[nan, nan], [0.0, 0.0], [0.0, 0.0]], [1, 1, 0]
    )
    for x in ([nan, nan], [0.0, 0.0], [nan, 0.0], [0.0, nan]):
        present = bool(model.predict([x])[0])
        rule = certify(model, x, [0] if present else [], "labelset").rule
        for other in ([nan, nan], [0.0, 0.0], [5.0, -5.0], [-5.0, 5.0], [nan, 0.0], [0.0, nan]):
            if (np.isnan(other) & ~np.isnan(x)).any():
                continue  # a rule speaks of known values where the row has one
            if rule is not None and rule.covers(np.array([other], dtype=np.float32))[0]:
                assert model.predict([other])[0] == present


def test_coverage_and_fewest_features_exclude_each_other():
    # The wish for the fewest features was passed over without a word.
    model = RandomForestClassifier(5, random_state=0).fit(LADDER, LADDER_LABELS)
    with pytest.raises(ValueError, match="smallest=True needs prefer='short', got prefer='coverage'"):
        certify(model, [5.0], [0], prefer="coverage", smallest=True)
