"""The greedy selector: from a pool, the rule with the best mix of quality and diversity.

References
----------
CORSET paper, Problem 1 and Algorithm 1; the second round follows the released code.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numba import njit

from ..bits import popcount
from .cliques import ColumnSets
from .objective import distance, n_shared, uncovered_area
from .pool import Pool

# A pool without a rule worth adding may be bad luck; so many in a row are taken for the end.
MAX_EMPTY_POOLS = 3


@dataclass(frozen=True)
class Criteria:
    """What the selector optimises and when it stops; see `CorsetClassifier` for what each means."""

    n_rules: int
    diversity_weight: float
    quality_weight: float
    tolerance: float


@dataclass(frozen=True)
class Chosen:
    """A selected rule in terms of binary items, and what its choice looked like.

    Attributes
    ----------
    items, consequent : ndarray of int
        Its antecedent, and its labels.
    matched : ndarray of uint64 of shape (n_words,)
        Rows that match the whole rule, packed.
    n_covered, n_correct : int
        Rows that match the antecedent, and those that match the whole rule.
    quality, diversity : float
        q(R; rules selected before), and the sum of distances to them.
    n_new : int
        Label occurrences that it is the first to cover.
    n_candidates, n_useful, n_trials : int
        Size of its pool, candidates in it that would add anything, and proposals of pairs the pool took.
    seconds : float
        From the choice before to this one.
    """

    items: np.ndarray
    consequent: np.ndarray
    matched: np.ndarray
    n_covered: int
    n_correct: int
    quality: float
    diversity: float
    n_new: int
    n_candidates: int
    n_useful: int
    n_trials: int
    seconds: float


@dataclass(frozen=True)
class Selection:
    """The outcome of one round.

    Attributes
    ----------
    chosen : tuple of Chosen
        In the order of choice.
    objective : float
        f of Problem 1: the qualities in that order, plus `diversity_weight` times the sum of all pairwise distances.
    stop_reason : str
        Why the round ended.
    """

    chosen: tuple[Chosen, ...]
    objective: float
    stop_reason: str


class Selector:
    """Chooses one rule after the other.

    Parameters
    ----------
    uncovered : ndarray of uint64 of shape (n_labels, n_words)
        Uncovered label occurrences, all of them at first. Whoever owns the array takes in each chosen rule.
    criteria : Criteria
    """

    def __init__(self, uncovered: np.ndarray, criteria: Criteria) -> None:
        self.uncovered, self.criteria = uncovered, criteria
        self.chosen: list[Chosen] = []
        self._n_occurrences = int(popcount(uncovered).sum())
        self._since = time.perf_counter()

    @property
    def is_complete(self) -> bool:
        """Whether as many rules are chosen as were asked for."""
        return len(self.chosen) >= self.criteria.n_rules

    def choose(self, pool: Pool, diversity: np.ndarray) -> Chosen | None:
        """Choose the candidate that maximises ``quality_weight * q + diversity_weight * sum of distances``.

        A candidate without adjusted accuracy or without a new label occurrence is never chosen. As a rule covers the
        same occurrences each time, none is chosen twice either.

        Parameters
        ----------
        pool : Pool
        diversity : ndarray of float
            For each candidate the sum of distances to the rules chosen so far.

        Returns
        -------
        Chosen or None
            None when no candidate adds anything.
        """
        areas = uncovered_areas(pool, self.uncovered)
        quality = areas * pool.accuracy
        useful = np.flatnonzero(quality > 0)
        if useful.size == 0:
            return None
        score = self.criteria.quality_weight * quality + self.criteria.diversity_weight * diversity
        best = useful[np.argmax(score[useful])]
        now = time.perf_counter()
        rule = Chosen(
            items=pool.antecedents[best, : pool.lengths[best]].copy(),
            consequent=pool.consequent(best).copy(),
            matched=pool.matched[best].copy(),
            n_covered=int(pool.n_covered[best]),
            n_correct=int(pool.n_correct[best]),
            quality=float(quality[best]),
            diversity=float(diversity[best]),
            n_new=int(areas[best]),
            n_candidates=len(pool),
            n_useful=useful.size,
            n_trials=pool.n_trials,
            seconds=now - self._since,
        )
        self._since = now
        return rule

    def adds_enough(self, rule: Chosen) -> bool:
        """Whether the rule's new share of all label occurrences exceeds the tolerance."""
        return rule.n_new > self.criteria.tolerance * self._n_occurrences

    def finish(self, stop_reason: str) -> Selection:
        """Return the outcome."""
        quality = sum(rule.quality for rule in self.chosen)
        distances = sum(rule.diversity for rule in self.chosen)
        objective = quality + self.criteria.diversity_weight * distances
        return Selection(tuple(self.chosen), objective, stop_reason)


def select_from_pools(
    draw_pool: Callable[[], Pool | None],
    cover: Callable[[np.ndarray, np.ndarray], None],
    selector: Selector,
    on_chosen: Callable[[Chosen], None],
) -> Selection:
    """Choose rules one by one, each from a pool sampled given those chosen so far (Algorithm 1).

    Parameters
    ----------
    draw_pool : callable
        Samples a pool given the current coverage; None when nothing can be drawn any more.
    cover : callable
        Takes in a chosen rule, ``cover(matched, consequent)``, and updates the selector's `uncovered`.
    selector : Selector
    on_chosen : callable
        Called after each choice.
    """
    n_empty = 0
    while not selector.is_complete:
        pool = draw_pool()
        if pool is None:
            return selector.finish("every label occurrence is covered")
        diversity = np.zeros(len(pool))
        for earlier in selector.chosen:
            add_distances(pool, earlier, diversity)
        rule = selector.choose(pool, diversity)
        if rule is None:
            n_empty += 1
            if n_empty == MAX_EMPTY_POOLS:
                return selector.finish(f"{n_empty} pools in a row held no rule that adds anything")
            continue
        if not selector.adds_enough(rule):
            return selector.finish("the best rule covers too few new label occurrences for the tolerance")
        n_empty = 0
        selector.chosen.append(rule)
        cover(rule.matched, rule.consequent)
        on_chosen(rule)
    return selector.finish("as many rules as asked for")


def select_again(pools: Sequence[Pool], selector: Selector) -> Selection:
    """Choose rules from all candidates of the first round at once (the second round).

    Notes
    -----
    O(n_rules * n_candidates * n_words): distances accumulate, only that to the last chosen rule is added.
    The pools are held in memory: n_candidates * n_rows / 8 bytes.
    """
    pool = join_pools(pools)
    diversity = np.zeros(len(pool))
    while not selector.is_complete:
        rule = selector.choose(pool, diversity)
        if rule is None or not selector.adds_enough(rule):
            return selector.finish("no candidate of the first round adds enough")
        selector.chosen.append(rule)
        add_distances(pool, rule, diversity)
        selector.uncovered[rule.consequent] &= ~rule.matched
    return selector.finish("as many rules as asked for")


def keep_useful(pool: Pool) -> Pool:
    """Return the pool without candidates of no adjusted accuracy and without repeated ones."""
    seen: set[tuple] = set()
    kept = []
    for k in np.flatnonzero(pool.accuracy > 0):
        items = tuple(np.sort(pool.antecedents[k, : pool.lengths[k]]).tolist())
        rule = (items, int(pool.groups[k]))
        if rule not in seen:
            seen.add(rule)
            kept.append(k)
    return _take(pool, np.array(kept, dtype=np.int64))


def _take(pool: Pool, kept: np.ndarray) -> Pool:
    return Pool(
        pool.antecedents[kept],
        pool.lengths[kept],
        pool.consequents,
        pool.groups[kept],
        pool.matched[kept],
        pool.n_covered[kept],
        pool.n_correct[kept],
        pool.accuracy[kept],
        pool.n_trials,
    )


def join_pools(pools: Sequence[Pool]) -> Pool:
    """Return one pool of the distinct candidates of all pools, which share one width and one set of labels."""
    places: dict[tuple[int, ...], int] = {}
    groups = [np.zeros(0, dtype=np.int64)]
    for pool in pools:
        place = [places.setdefault(pool.consequents[g], len(places)) for g in range(len(pool.consequents))]
        groups.append(np.array(place, dtype=np.int64)[pool.groups])
    joined = Pool(
        np.concatenate([pool.antecedents for pool in pools]),
        np.concatenate([pool.lengths for pool in pools]),
        ColumnSets.from_tuples(list(places)),
        np.concatenate(groups),
        np.concatenate([pool.matched for pool in pools]),
        np.concatenate([pool.n_covered for pool in pools]),
        np.concatenate([pool.n_correct for pool in pools]),
        np.concatenate([pool.accuracy for pool in pools]),
        sum(pool.n_trials for pool in pools),
    )
    return keep_useful(joined)


def uncovered_areas(pool: Pool, uncovered: np.ndarray) -> np.ndarray:
    """Return area(R; selected) of each candidate."""
    areas = np.zeros(len(pool), dtype=np.int64)
    _uncovered_areas(
        pool.consequents.indptr, pool.consequents.indices, pool.groups, pool.matched, pool.accuracy, uncovered, areas
    )
    return areas


@njit(cache=True, nogil=True)
def _uncovered_areas(label_ptr, label_of, groups, matched, accuracy, uncovered, areas):
    for k in range(groups.size):
        if accuracy[k] > 0.0:
            consequent = label_of[label_ptr[groups[k]] : label_ptr[groups[k] + 1]]
            areas[k] = uncovered_area(matched[k], consequent, uncovered)


def add_distances(pool: Pool, rule: Chosen, diversity: np.ndarray) -> None:
    """Add to each candidate's diversity its distance to a chosen rule."""
    _add_distances(
        pool.consequents.indptr, pool.consequents.indices, pool.groups, pool.matched, pool.n_correct, pool.accuracy,
        rule.matched, rule.n_correct, rule.consequent, diversity,
    )  # fmt: skip


@njit(cache=True, nogil=True)
def _add_distances(
    label_ptr, label_of, groups, matched, n_correct, accuracy, other, n_other, other_labels, diversity
):  # fmt: skip
    n_groups = label_ptr.size - 1
    shared = np.empty(n_groups, dtype=np.int64)
    for g in range(n_groups):
        shared[g] = n_shared(label_of[label_ptr[g] : label_ptr[g + 1]], other_labels)
    for k in range(groups.size):
        if accuracy[k] > 0.0:
            g = groups[k]
            n_labels = label_ptr[g + 1] - label_ptr[g]
            diversity[k] += distance(matched[k], n_correct[k], n_labels, other, n_other, other_labels.size, shared[g])
