"""What CHIRPS builds a rule of: splits on the paths of a row, their bounds merged to few, and sets that recur."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from mlrx.lionforests import FlatForest

from .deadline import Deadline

# A side of a column, and the bound there: values above it for a lower side, else values up to it.
Side = tuple[int, bool]
Item = tuple[Side, float]
Terms = dict[Side, float]


def node_bounds(forest: FlatForest) -> np.ndarray:
    """Return for each node the greatest original value that goes left, float64 of shape (n_nodes,)."""
    if not forest.feature.size:
        return np.empty(0)
    order = np.argsort(forest.feature, kind="stable")
    features = forest.feature[order]
    places = np.arange(order.size) - np.searchsorted(features, features)
    table = np.full((places.max() + 1, forest.n_features), np.float32(np.inf))
    table[places, features] = forest.threshold[order]
    bounds = np.empty(order.size)
    bounds[order] = forest.scaling.cuts(table)[places, features]
    return bounds


def splits_on_paths(forest: FlatForest, bounds: np.ndarray, x: np.ndarray) -> tuple[list[list[Item]], np.ndarray]:
    """Follow a row through all trees.

    Parameters
    ----------
    forest : FlatForest
    bounds : ndarray of shape (n_nodes,)
        See `node_bounds`.
    x : ndarray of shape (n_features,)
        Without missing values.

    Returns
    -------
    splits : list of list of Item
        For each tree the splits on the path, from the root on, turned as they hold for the row.
    votes : ndarray of bool of shape (n_trees, n_labels)
        Whether the tree gives each label a probability above 1/2.
    """
    nodes, splits = forest.roots.copy(), [[] for _ in forest.roots]
    values = forest.scaling.transform(forest.rows(x[None]))[0]
    while (nodes >= 0).any():
        trees = np.flatnonzero(nodes >= 0)
        at = nodes[trees]
        features = forest.feature[at]
        is_left = values[features] <= forest.threshold[at]
        nodes[trees] = np.where(is_left, forest.left[at], forest.right[at])
        for tree, *side, bound in zip(trees, features.tolist(), (~is_left).tolist(), bounds[at].tolist(), strict=True):
            splits[tree].append((tuple(side), bound))
    leaves = ~nodes
    present = np.where(forest.is_constant, forest.is_present, forest.votes[leaves, :, 1] > 0.5)
    return splits, present


def merge_bounds(paths: Sequence[Sequence[Item]], n_bins: int, is_paper: bool = False) -> list[set[Item]]:
    """Replace the bounds of each side by the means of their equal-width bins.

    Parameters
    ----------
    paths : sequence of sequence of Item
    n_bins : int
    is_paper : bool, default=False
        Look lower bounds up in bins that end inclusively, whose means are those of bins that start so, or the middle
        of a bin without a mean: a bound on an edge may be moved to where it does not hold for the row.

    Returns
    -------
    list of set of Item
        One a path, items that became equal once.
    """
    found: dict[Side, list[float]] = {}
    for side, bound in (item for path in paths for item in path):
        found.setdefault(side, []).append(bound)
    means = {
        side: _bin_means(np.array(bounds), n_bins, is_paper and side[1], is_paper) for side, bounds in found.items()
    }
    return [{(side, means[side][bound]) for side, bound in path} for path in paths]


def _bin_means(values: np.ndarray, n_bins: int, ends_inclusively: bool, is_paper: bool) -> dict[float, float]:
    """Return for each value the mean of its bin."""
    if values.min() == values.max():
        return {float(values[0]): float(values[0])}
    edges = np.linspace(values.min(), values.max(), n_bins + 1)
    bins = np.clip(np.searchsorted(edges, values, side="right") - 1, 0, n_bins - 1)
    looked_up = np.clip(np.searchsorted(edges, values, side="left") - 1, 0, n_bins - 1) if ends_inclusively else bins
    means = (edges[:-1] + edges[1:]) / 2
    for k in np.unique(bins):
        inside = values[bins == k]
        # Rounding must not take the mean out of its values: it holds for a row that all of them hold for.
        means[k] = np.clip(inside.mean(), inside.min(), inside.max())
    return dict(zip(values.tolist(), means[looked_up].tolist(), strict=True))


def frequent_sets(transactions: Sequence[Iterable[Item]], min_count: int, deadline: Deadline) -> dict[tuple, int]:
    """Return all sets of items that enough transactions hold, ascending tuples, and how many hold them.

    Notes
    -----
    Depth first over the sets of transactions, as whole numbers bit by bit. O(number of frequent sets * items).
    """
    holders: dict[Item, int] = {}
    for k, transaction in enumerate(transactions):
        for item in transaction:
            holders[item] = holders.get(item, 0) | 1 << k
    start = [(item, holders[item]) for item in sorted(holders) if holders[item].bit_count() >= min_count]
    found: dict[tuple, int] = {}
    pending = [((), start)]
    while pending:
        deadline.check()
        prefix, extensions = pending.pop()
        for k, (item, held) in enumerate(extensions):
            found[(*prefix, item)] = held.bit_count()
            common = ((other, held & theirs) for other, theirs in extensions[k + 1 :])
            longer = [(other, both) for other, both in common if both.bit_count() >= min_count]
            if longer:
                pending.append(((*prefix, item), longer))
    return found


def mine_patterns(transactions: Sequence[Iterable[Item]], support: float, deadline: Deadline) -> dict[tuple, float]:
    """Return recurring sets of items, each side reduced to its tightest bound, and their supports.

    Parameters
    ----------
    transactions : sequence of iterable of Item
        At least one.
    support : float
        Share of transactions that must hold a set; lowered by a tenth of itself until there is a set.
    deadline : Deadline

    Returns
    -------
    dict of tuple of Item to float
        Supports of sets that became equal are added up.
    """
    n = len(transactions)
    if not any(transactions):
        return {}
    for tenths in range(10, -1, -1):
        found = frequent_sets(transactions, max(1, round(support * tenths / 10 * n)), deadline)
        if found:
            break
    patterns: dict[tuple, float] = {}
    for items, count in found.items():
        reduced = tuple(tighten({}, items).items())
        patterns[reduced] = patterns.get(reduced, 0.0) + count / n
    return patterns


def is_tighter(side: Side, bound: float, other: float) -> bool:
    """Tell whether a bound of a side allows fewer values than another."""
    return bound > other if side[1] else bound < other


def tighten(terms: Terms, items: Iterable[Item]) -> Terms:
    """Return terms with those items added that are tighter; a side keeps its place."""
    tightened = dict(terms)
    for side, bound in items:
        if side not in tightened or is_tighter(side, bound, tightened[side]):
            tightened[side] = bound
    return tightened
