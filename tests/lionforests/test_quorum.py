"""Reductions of paths: the paper's running example, and that what is kept decides."""

import numpy as np
import pytest

from mlrx.lionforests.cells import MARGIN_UNIT, TIE_TOLERANCE, ForestCells
from mlrx.lionforests.paths import Paths
from mlrx.lionforests.quorum import REDUCTIONS, reduce_paths
from mlrx.lionforests.violation import Target, targets_of

from .paper_example import example_paths
from .small_forests import small_forest


@pytest.mark.parametrize(
    ("labels", "kept", "sizes"),
    [
        ([1, 3, 4], [0, 1, 2, 3, 4], (6, 6, 5, 5)),  # LF-a: rules would leave 4 paths, less than the quorum
        ([3], [0, 1, 2, 3, 4], (8, 6, 5, 5)),  # LF-l: rules leave out the paths with column D
        ([4], [0, 1, 2, 4, 5], (7, 7, 5, 5)),  # LF-l: rules would leave 4 paths here too
        ([1, 3], [0, 1, 2, 3, 4], (7, 6, 5, 5)),  # LF-p
    ],
)
def test_example(labels, kept, sizes):
    reduced = reduce_paths(example_paths(), targets_of(labels, "labels", 5))
    assert (reduced.trees.tolist(), reduced.sizes, reduced.is_fallback) == (kept, sizes, False)


@pytest.mark.parametrize(
    ("reductions", "sizes"),
    [((), (8,)), (("association",), (8, 6)), (("random",), (8, 5)), (("clustering", "association"), (8, 5, 5))],
)
def test_reductions_are_chosen_and_ordered(reductions, sizes):
    assert reduce_paths(example_paths(), [Target(3, True)], reductions).sizes == sizes


def test_all_paths_are_kept_when_those_that_vote_for_the_labels_do_not_decide():
    reduced = reduce_paths(example_paths(), targets_of([0, 3], "labels", 5))
    assert (reduced.trees.tolist(), reduced.sizes, reduced.is_fallback) == (list(range(9)), (0,), True)


def test_absent_labels_are_decided_with_the_labelset_guarantee_alone():
    paths = example_paths()
    for seed in range(20):
        reduced = reduce_paths(paths, targets_of([1, 3, 4], "labelset", 5), random_state=seed)
        assert not reduced.is_fallback
        # Tree 2 votes for label 2: five paths with it do not decide that it is absent.
        assert reduced.trees.size == (6 if 2 in reduced.trees else 5)
    assert 2 in reduce_paths(paths, targets_of([1, 3, 4], "labels", 5)).trees


def test_votes_against_absent_labels_of_the_example():
    """Of nine trees, the five kept ones decide that label 0 is absent, and not that label 2 is."""
    kept = example_paths().probabilities[[0, 1, 2, 3, 4]]
    assert (1 - kept)[:, [0, 2]].sum(axis=0).tolist() == [5, 4]
    assert 4 < 9 / 2 < 5


def test_no_label_is_explained_by_the_paths_that_decide_against_all():
    paths = example_paths()
    absent = [Target(0, False), Target(2, False)]
    reduced = reduce_paths(paths, absent)
    assert (reduced.sizes[0], reduced.is_fallback) == (9, False)
    for target in absent:
        assert (paths.probabilities[reduced.trees, target.label] == 0).sum() >= 5
    assert reduced.trees.size < 9


def test_half_of_the_probability_does_not_decide():
    """The authors' code takes a tie, which the forest gives to absence."""
    paths = example_paths()
    even = Paths(
        paths.cells, paths.ranges, *(part[:8] for part in (paths.lower, paths.upper, paths.missing, paths.used)),
        np.array([[[1] * 4 + [-1] * 4], [[-1] * 4 + [1] * 4]]) * MARGIN_UNIT,
    )  # fmt: skip
    assert reduce_paths(even, [Target(0, True)]).is_fallback
    assert reduce_paths(even, [Target(0, False)]).is_fallback


def test_a_quorum_of_trees_is_not_enough():
    """Two of three trees vote for the label, and the forest does not predict it."""
    paths = example_paths()
    margins = np.array([[[0.2, 0.6, -1.0]], [[-0.2, -0.6, 1.0]]]) * MARGIN_UNIT
    three = Paths(
        paths.cells, paths.ranges, *(part[:3] for part in (paths.lower, paths.upper, paths.missing, paths.used)),
        margins.astype(np.int64),
    )  # fmt: skip
    reduced = reduce_paths(three, [Target(0, True)])
    assert (reduced.trees.tolist(), reduced.sizes, reduced.is_fallback) == ([0, 1, 2], (2,), True)


@pytest.mark.parametrize("guarantee", ["labels", "labelset"])
@pytest.mark.parametrize("seed", range(25))
def test_kept_paths_decide_and_none_is_too_many(seed, guarantee):
    rng = np.random.default_rng(seed)
    cells = ForestCells.of(small_forest(seed))
    n_trees, n_features = cells.forest.n_trees, cells.forest.n_features
    for row in rng.integers(0, 5, (4, n_features)).astype(float):
        paths = Paths.of(cells, cells.locate([row])[0], [[0.0] * n_features, [4.0] * n_features])
        labels = np.flatnonzero(cells.forest.predict_labels([row])[0])
        if guarantee == "labels" and not labels.size:
            continue
        targets = targets_of(labels, guarantee, cells.forest.n_labels)
        p = np.column_stack([np.abs((not t.is_present) - paths.probabilities[:, t.label]) for t in targets])
        reduced = reduce_paths(paths, targets, random_state=seed)
        decides = (p[reduced.trees].sum(axis=0) > n_trees / 2).all()
        if reduced.is_fallback:
            voting = (p[:, [t.is_present for t in targets]] > 0.5).all(axis=1)
            assert (reduced.trees.size, reduced.sizes) == (n_trees, (voting.sum(),))
            assert (p[voting].sum(axis=0) <= n_trees * (0.5 + TIE_TOLERANCE)).any()
        else:
            assert decides
            assert reduced.trees.size >= n_trees // 2 + 1
            assert list(reduced.sizes) == sorted(reduced.sizes, reverse=True)
            assert reduced.trees.size == reduced.sizes[-1]


def test_seeds():
    paths = example_paths()
    found = {tuple(reduce_paths(paths, [Target(3, True)], random_state=seed).trees) for seed in range(10)}
    assert len(found) > 1
    for seed in range(3):
        again = [reduce_paths(paths, [Target(3, True)], random_state=seed).trees.tolist() for _ in range(2)]
        assert again[0] == again[1]


def test_unknown_reductions_are_named():
    with pytest.raises(ValueError, match=r"reductions must be of .*'rules'"):
        reduce_paths(example_paths(), [Target(3, True)], ["random", "rules"])
    assert REDUCTIONS == ("association", "clustering", "random")
