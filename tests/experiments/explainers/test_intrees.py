import numpy as np

from experiments.explainers.intrees import LEAST_ERROR, MAX_DECAY, order, path_sides, prune
from mlrx.lionforests import ForestCells


def naive_prune(conditions, present):
    """Conditions as Boolean rows of coverage, the last one first."""
    kept = list(range(len(conditions)))

    def wrong(chosen):
        covered = np.logical_and.reduce([conditions[i] for i in chosen] + [np.ones(present.size, dtype=bool)])
        return (present[covered] != says).mean() if covered.any() else 0.0

    covered = np.logical_and.reduce(conditions)
    says = 2 * present[covered].sum() > covered.sum()
    error = wrong(kept)
    for i in range(len(conditions)):
        without = wrong([j for j in kept if j != i])
        if (without - error) / max(error, LEAST_ERROR) < MAX_DECAY:
            kept.remove(i)
            error = without
    return kept


def test_condition_without_which_the_rule_errs_no_more_is_dropped():
    # Columns 0 and 1 have cells 0 to 3; the label is "column 0 in cells 2 and 3".
    rows = np.array([[a, b] for a in range(4) for b in range(4)])
    sides, lower, upper = np.array([3, 1, 0, -1]), np.array([2, 1]), np.array([2, 3])
    kept = prune(sides, lower, upper, rows, rows[:, 0] >= 2)
    assert kept.tolist() == [False, True, False, False]


def test_pruning_equals_the_naive_way(surrogate_fold):
    cells = ForestCells.of(surrogate_fold.forest)
    rows = cells.locate(surrogate_fold.X_train)
    truth = surrogate_fold.forest.predict_labels(surrogate_fold.X_train)
    leaves = np.arange(60)
    n_dropped = 0
    for leaf, sides in zip(leaves, path_sides(surrogate_fold.forest, leaves), strict=True):
        real = sides[sides >= 0]
        holds = [
            rows[:, s // 2] >= cells.lower[leaf, s // 2] if s % 2 else rows[:, s // 2] <= cells.upper[leaf, s // 2]
            for s in real
        ]
        for present in truth.T:
            kept = prune(sides, cells.lower[leaf], cells.upper[leaf], rows, present)
            assert np.flatnonzero(kept).tolist() == naive_prune(holds, present)
            n_dropped += real.size - kept.sum()
    assert n_dropped > 100


def test_sides_are_those_of_the_path_last_first(surrogate_fold):
    forest = surrogate_fold.forest
    cells = ForestCells.of(forest)
    leaves = np.arange(forest.leaf_start[3])
    for leaf, sides in zip(leaves, path_sides(forest, leaves), strict=True):
        bounded = {2 * f for f in np.flatnonzero(cells.upper[leaf] < cells.n_cells - 1)}
        bounded |= {2 * f + 1 for f in np.flatnonzero(cells.lower[leaf] > 0)}
        assert set(sides[sides >= 0].tolist()) == bounded
    # The last condition of the leftmost leaf is that of its own parent.
    parent = int(np.flatnonzero(forest.left == ~0)[0])
    assert path_sides(forest, np.array([0]))[0, 0] == 2 * forest.feature[parent]


def test_least_error_then_most_rows_then_fewest_conditions_comes_first():
    present = np.array([1, 1, 1, 1, 0, 0, 0, 0, 0, 0], dtype=bool)
    covered = np.array(
        [
            [1, 1, 0, 0, 0, 0, 0, 0, 0, 0],  # right, two rows
            [1, 1, 1, 0, 0, 0, 0, 0, 0, 0],  # right, three rows, two conditions
            [1, 1, 1, 0, 0, 0, 0, 0, 0, 0],  # the same with one condition
            [0, 0, 0, 1, 1, 0, 0, 0, 0, 0],  # no better than a guess, until the others are taken
        ],
        dtype=bool,
    )
    chosen, default = order(covered, np.array([1, 2, 1, 1]), present)
    # Of the seven rows then left one has the label: the majority errs in 1/7, less than rule 3.
    assert (chosen, default) == ([(2, True)], False)


def test_rare_rules_are_no_candidates_and_the_default_is_the_majority_of_all_rows():
    present = np.repeat([True, False], [150, 50])
    rare, common = np.zeros((2, 200), dtype=bool)
    rare[150], common[:] = True, True
    common[150:] = False
    chosen, default = order(np.stack([rare, common, ~common]), np.ones(3, dtype=int), present)
    assert (chosen, default) == ([(1, True)], False)
    assert order(np.zeros((0, 200), dtype=bool), np.zeros(0, dtype=int), present) == ([], True)
