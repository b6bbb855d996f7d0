"""The fewest paths that decide a prediction: the paper's reductions, each kept only where a strict majority stays."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from sklearn.utils import check_random_state

from .association import rank_by_association
from .cells import MARGIN_UNIT
from .clustering import n_clusters, rank_by_clusters
from .paths import Paths
from .violation import Target

REDUCTIONS = ("association", "clustering", "random")


@dataclass(frozen=True, eq=False)
class Reduced:
    """The paths that decide a prediction.

    Parameters
    ----------
    trees : ndarray of int of shape (n_kept,)
        Trees whose paths are kept, ascending.
    sizes : tuple of int
        Number of paths that vote for the labels, and, without the fallback, that are left after each reduction.
    is_fallback : bool
        Whether those that vote for the labels are no strict majority, so that the paths of all trees are kept.
    """

    trees: np.ndarray
    sizes: tuple[int, ...]
    is_fallback: bool


def reduce_paths(
    paths: Paths,
    targets: Sequence[Target],
    reductions: Sequence[str] = REDUCTIONS,
    random_state: int | np.random.RandomState | None = 0,
) -> Reduced:
    """Find few paths that decide a prediction, whatever the other trees vote.

    Starts from the paths that vote for every label that must be present, and goes through the reductions one by one.

    Parameters
    ----------
    paths : Paths
    targets : sequence of Target
        What must be predicted; see `targets_of`.
    reductions : sequence of {"association", "clustering", "random"}
        Reductions, in their order.
    random_state : int, RandomState or None, default=0

    Returns
    -------
    Reduced

    Raises
    ------
    ValueError
        When a reduction is unknown, or `random_state` is no seed.

    Notes
    -----
    Sections 3 and 4 of [1]_. Departures, all for soundness:

    - Kept paths decide a target if it wins even where all other trees are wholly against it: the sum of its margins
      over the kept paths is greater than the number of the others, by what rounding can do. A count of the paths that
      vote for it, which the paper compares with the quorum ``n_trees // 2 + 1``, is not enough, since forests average
      probabilities; and it is not needed beside the sum, since no path has a margin above 1 (`FlatForest.read` refuses
      leaves that hold no probabilities). The authors' code takes exact ties, which the forest gives to absence.
    - Where the voting paths do not decide, the paths of all trees are kept. The paper does so only where they are
      fewer than the quorum, and the code where they are no more than it.
    - Targets that must be absent have to be decided as well. No path is left out for voting against them.
    - Labels with one class are decided by no path at all; the code fails on them.
    - Paths and their votes are shuffled together. The code shuffles the paths alone.
    """
    check_reductions(reductions)
    rng = check_random_state(random_state)
    if all(paths.cells.forest.is_constant[target.label] for target in targets):
        return Reduced(np.arange(0), (0,), is_fallback=False)
    margins = np.array([paths.margins[0 if target.is_present else 1, target.label] for target in targets])
    is_voting = (margins[[target.is_present for target in targets]] > 0).all(axis=0)
    kept = np.flatnonzero(is_voting)
    # Twice the probability of each target, so that undecided trees add nothing.
    masses = margins.T + MARGIN_UNIT
    needed = paths.n_trees * MARGIN_UNIT + paths.cells.tie_bound
    if not (masses[kept].sum(axis=0) > needed).all():
        return Reduced(np.arange(paths.n_trees), (kept.size,), is_fallback=True)
    sizes = [kept.size]
    for reduction in reductions:
        rank = _rank(reduction, paths, kept, rng)
        kept = kept[rank <= _last_rank(rank, masses[kept], needed)]
        sizes.append(kept.size)
    return Reduced(kept, tuple(sizes), is_fallback=False)


def check_reductions(reductions: Sequence[str]) -> None:
    """Raise ValueError when a reduction is unknown."""
    for reduction in reductions:
        if reduction not in REDUCTIONS:
            raise ValueError(f"reductions must be of {REDUCTIONS}, got {reduction!r}")


def _rank(reduction: str, paths: Paths, kept: np.ndarray, rng: np.random.RandomState) -> np.ndarray:
    """Return in which step each of the kept paths is taken up again, from 0."""
    if reduction == "association":
        return rank_by_association(paths.used[kept])
    if reduction == "clustering":
        return rank_by_clusters(paths.distances(kept), n_clusters(paths.n_trees), rng)
    return rng.permutation(kept.size)


def _last_rank(rank: np.ndarray, masses: np.ndarray, needed: int) -> int:
    """Return the first rank up to which the paths decide all targets."""
    by_rank = np.zeros((rank.max() + 1, masses.shape[1]), dtype=np.int64)
    np.add.at(by_rank, rank, masses)
    return int((by_rank.cumsum(axis=0) > needed).all(axis=1).argmax())
