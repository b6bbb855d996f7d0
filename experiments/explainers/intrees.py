"""inTrees: rules taken from the trees of a forest, pruned, and put in order, label by label."""

from __future__ import annotations

import functools
from numbers import Integral
from typing import Any

import numpy as np
from numba import njit
from sklearn.utils._param_validation import Interval

from mlrx.lionforests import Box, FlatForest, ForestCells
from mlrx.rules import Rule

from ..forests import Fold
from .deadline import Deadline
from .explainer import Explainer, FittedExplainer, parameter_check
from .label_rules import RuleLists, constant, fit_model

# The relative increase of the error below which a condition is dropped, and the error that it is at least relative to.
MAX_DECAY, LEAST_ERROR = 0.05, 0.001
# Rules that cover a smaller share of the training rows are no candidates.
LEAST_FREQUENCY = 0.01
N_TREES, MAX_RULES = 100, 2000
CONSTRAINTS = {
    "n_trees": [Interval(Integral, 1, None, closed="left")],
    "max_rules": [Interval(Integral, 1, None, closed="left")],
}


def fit(fold: Fold, seed: int, parameters: dict[str, Any]) -> FittedExplainer:
    """Learn an ordered rule list for each label from the leaves of the forest.

    The rules of the leaves of the first `n_trees` trees (default 100), at most `max_rules` (2000) of them, drawn by
    `seed`, are pruned and put in order [1]_ with the forest's labels of the training rows as the truth. The local
    rule is the first one that covers the row.

    Notes
    -----
    From a path's last condition to its first, a condition is dropped where the error without it is above that with it
    by less than 5 %. Then, again and again, the rule of least error on the training rows left (most rows covered,
    fewest conditions) is taken, until the label's majority errs less or no row is left. Other than in the R package,
    paths are not cut off at depth 6, and no selection by a regularised forest comes in between.

    O(n_labels * (n_rules * depth + n_chosen * n_rules) * n_samples).

    References
    ----------
    .. [1] H. Deng. Interpreting tree ensembles with inTrees. International Journal of Data Science and Analytics 7,
       277-287, 2019. doi:10.1007/s41060-018-0144-8
    """
    _compile()
    return fit_model(_learn, fold, seed, parameters)


def _learn(fold: Fold, truth: np.ndarray, seed: int, parameters: dict[str, Any], deadline: Deadline) -> RuleLists:
    cells, rng = ForestCells.of(fold.forest), np.random.default_rng(seed)
    n_trees = min(parameters.get("n_trees", N_TREES), fold.forest.n_trees)
    leaves = np.arange(fold.forest.leaf_start[n_trees])
    if leaves.size > (wanted := parameters.get("max_rules", MAX_RULES)):
        leaves = np.sort(rng.choice(leaves, wanted, replace=False))
    paths = path_sides(fold.forest, leaves)
    rows = cells.locate(fold.X_train)
    labels = deadline.each(range(truth.shape[1]))
    return RuleLists([_list_of_label(cells, leaves, paths, rows, truth[:, k], k) for k in labels])


def path_sides(forest: FlatForest, leaves: np.ndarray) -> np.ndarray:
    """Return the conditions on the way to each leaf, the last one first.

    Returns
    -------
    ndarray of int64 of shape (n_leaves, depth)
        ``2 * column`` where the path goes left, ``2 * column + 1`` where it goes right, each once; padded by -1.
    """
    nodes = np.arange(forest.left.size)
    above = {}
    for side, children in enumerate((forest.left, forest.right)):
        above |= dict(zip(children.tolist(), zip(nodes.tolist(), (2 * forest.feature + side).tolist())))
    paths = []
    for leaf in leaves.tolist():
        sides, child = {}, ~leaf
        while child in above:
            child, side = above[child]
            sides[side] = True
        paths.append(list(sides))
    table = np.full((len(paths), max(map(len, paths))), -1)
    for row, sides in zip(table, paths, strict=True):
        row[: len(sides)] = sides
    return table


@njit(cache=True, nogil=True)
def prune(sides, lower, upper, rows, present):
    """Tell which conditions of a rule stay.

    Parameters
    ----------
    sides : ndarray of int64 of shape (depth,)
        See `path_sides`.
    lower, upper : ndarray of int of shape (n_features,)
        First and last cell of each column.
    rows : ndarray of int64 of shape (n_samples, n_features)
        The cells of the training rows.
    present : ndarray of bool of shape (n_samples,)
        Whether they have the label.

    Returns
    -------
    ndarray of bool of shape (depth,)

    Notes
    -----
    The rule says what most of the rows have that it covers with all its conditions. O(depth * n_samples).
    """
    n_rows = rows.shape[0]
    fails = np.zeros((sides.size, n_rows), np.bool_)
    n_fails = np.zeros(n_rows, np.int64)
    keep = sides >= 0
    for i in range(sides.size):
        if keep[i]:
            f = sides[i] // 2
            for r in range(n_rows):
                fails[i, r] = rows[r, f] < lower[f] if sides[i] % 2 else rows[r, f] > upper[f]
                n_fails[r] += fails[i, r]
    n_covered, n_present = 0, 0
    for r in range(n_rows):
        if n_fails[r] == 0:
            n_covered += 1
            n_present += present[r]
    says = 2 * n_present > n_covered
    error = (n_covered - n_present if says else n_present) / max(n_covered, 1)
    for i in range(sides.size):
        if not keep[i]:
            continue
        n_covered, n_wrong = 0, 0
        for r in range(n_rows):
            if n_fails[r] - fails[i, r] == 0:
                n_covered += 1
                n_wrong += present[r] != says
        without = n_wrong / max(n_covered, 1)
        if (without - error) / max(error, LEAST_ERROR) < MAX_DECAY:
            keep[i], error = False, without
            n_fails -= fails[i]
    return keep


def order(covered: np.ndarray, n_conditions: np.ndarray, present: np.ndarray) -> tuple[list[tuple[int, bool]], bool]:
    """Put rules in order, greedily.

    Parameters
    ----------
    covered : ndarray of bool of shape (n_rules, n_samples)
    n_conditions : ndarray of int of shape (n_rules,)
    present : ndarray of bool of shape (n_samples,)

    Returns
    -------
    chosen : list of (int, bool)
        Rules, in order, and what each says.
    default : bool
        What holds for all other rows.
    """
    chosen, left, table = [], np.ones(present.size, dtype=bool), covered.astype(np.float32)
    while left.any():
        default = 2 * present[left].sum() > left.sum()
        least = np.where(default, ~present[left], present[left]).mean()
        n_covered, n_present = (table @ np.stack([left, left & present], axis=1).astype(np.float32)).T
        frequent = (n_covered > 0) & (n_covered >= LEAST_FREQUENCY * present.size)
        error = np.minimum(n_present, n_covered - n_present) / np.maximum(n_covered, 1)
        error[~frequent] = np.inf
        best = np.lexsort((n_conditions, -n_covered, error))[0] if error.size else None
        if best is None or error[best] >= least:
            return chosen, bool(default)
        chosen.append((int(best), bool(2 * n_present[best] > n_covered[best])))
        left &= ~covered[best]
    return chosen, bool(2 * present.sum() > present.size)


def _list_of_label(
    cells: ForestCells, leaves: np.ndarray, paths: np.ndarray, rows: np.ndarray, present: np.ndarray, label: int
) -> list[Rule]:
    boxes: dict[bytes, tuple[Box, int]] = {}
    for leaf, sides in zip(leaves, paths, strict=True):
        kept = sides[prune(sides, cells.lower[leaf], cells.upper[leaf], rows, present)]
        box = cells.whole()
        above, below = kept[kept % 2 == 1] // 2, kept[kept % 2 == 0] // 2
        box.lower[above], box.upper[below] = cells.lower[leaf, above], cells.upper[leaf, below]
        boxes.setdefault(box.lower.tobytes() + box.upper.tobytes(), (box, kept.size))
    candidates = list(boxes.values())
    covered = np.array([box.holds(rows) for box, _ in candidates])
    chosen, default = order(covered, np.array([n_conditions for _, n_conditions in candidates]), present)
    found = [cells.rule_of_box(candidates[k][0], (label,) if says else ()) for k, says in chosen]
    return [*found, constant(label, default)]


@functools.cache
def _compile() -> None:
    """Prune a small rule, so that compilation is in nobody's time."""
    for small in (np.int16, np.int32):
        prune(
            np.zeros(1, np.int64), np.zeros(1, small), np.zeros(1, small), np.zeros((1, 1), np.int64), np.ones(1, bool)
        )


check = parameter_check("intrees", CONSTRAINTS)
EXPLAINER = Explainer(fit, check, ("all", "each"))
