"""The search for an anchor: a beam over sets of predicates, each compared by rows drawn under it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from math import log

import numpy as np

from .anchor_rows import AnchorRows
from .deadline import Deadline, OutOfTimeError

# The settings of the published studies, which are anchor-exp's own for tables.
DELTA = 0.1
GAP = 0.15
STOPPING_GAP = 0.05
BATCH = 100
COVERAGE_ROWS = 10_000


@dataclass(frozen=True)
class Anchor:
    """What the search found.

    Parameters
    ----------
    numbers : tuple of int
        Of the predicates, in the order of choice.
    precision : float
        Share of the rows drawn under the predicates that the forest treats alike.
    coverage : float
        Share of drawn training rows that satisfy the predicates.
    is_precise : bool
        Whether the precision was found to reach the threshold.
    """

    numbers: tuple[int, ...]
    precision: float
    coverage: float
    is_precise: bool


@dataclass(eq=False)
class Candidate:
    """A set of predicates, and what the forest said of the rows drawn under it, its own or a parent's."""

    numbers: tuple[int, ...]
    order: tuple[int, ...]
    covered: np.ndarray
    coverage: float
    bins: list[np.ndarray] = field(default_factory=list)
    alike: list[np.ndarray] = field(default_factory=list)
    n: float = 0.0
    n_alike: float = 0.0

    def add(self, bins: np.ndarray, alike: np.ndarray) -> None:
        """Take over some rows."""
        self.bins.append(bins)
        self.alike.append(alike)
        self.n += alike.size
        self.n_alike += alike.sum()

    @property
    def precision(self) -> float:
        """Share of the rows that are treated alike; NaN without rows."""
        return self.n_alike / self.n if self.n else np.nan


class AnchorSearch:
    """KL-LUCB beam search of [1]_; with one seed, the rows drawn and the anchor found are those of anchor-exp.

    Parameters
    ----------
    rows : AnchorRows
    is_alike : callable
        Tells for rows of shape (n, n_features) whether the forest treats them as the one explained.
    precision : float
        The threshold.
    beam_size : int
        Sets of predicates kept of each size.
    n_steps : int
        Bisection steps of the confidence bounds.
    deadline : Deadline

    Attributes
    ----------
    n_asked : int
        Rows that the forest was asked about.
    is_out_of_time : bool
        Whether the deadline ended the search.

    Notes
    -----
    Compared with anchor-exp: rows are kept as bins beside the sets they belong to, not in a table preallocated for a
    million rows; coverage is told by how often a training row was drawn; single rows, and the two batches of a round,
    go to the forest together; bounds of all sets are computed at once.
    O(rows asked * cost of a prediction + rounds * predicates).

    References
    ----------
    .. [1] M. T. Ribeiro, S. Singh, C. Guestrin. Anchors: high-precision model-agnostic explanations. AAAI 2018.
    """

    def __init__(
        self,
        rows: AnchorRows,
        is_alike: Callable[[np.ndarray], np.ndarray],
        precision: float,
        beam_size: int = 1,
        n_steps: int = 16,
        deadline: Deadline | None = None,
    ) -> None:
        self.rows, self.precision, self.beam_size = rows, precision, beam_size
        self._is_alike, self._n_steps, self._deadline = is_alike, n_steps, deadline or Deadline()
        self.n_asked, self.is_out_of_time = 0, False

    def find(self) -> Anchor | None:
        """Return the precise anchor with the largest coverage, else the most precise of all, which says so.

        When time runs out: the best precise one until then, else None.
        """
        best, of_sizes = None, []
        try:
            whole = self._start()
            if self._bound(whole, log(1 / DELTA), -1) > self.precision:
                return self._report(whole, True)
            of_sizes.append([whole])
            while len(of_sizes) <= len(self.rows.predicates):
                coverage = best.coverage if best else -1.0
                candidates = [c for c in self._extend(of_sizes[-1]) if c.coverage > coverage]
                if not candidates:
                    break
                of_sizes.append(self._most_precise(candidates, min(self.beam_size, len(candidates))))
                for candidate in of_sizes[-1]:
                    if self._verify(candidate) and (best is None or candidate.coverage > best.coverage):
                        best = candidate
                if best is not None and best.coverage == 1:
                    break
            if best is None:
                (candidate,) = self._most_precise([c for kept in of_sizes[1:] for c in kept], 1)
                return self._report(candidate, False)
        except OutOfTimeError:
            self.is_out_of_time = True
        return None if best is None else self._report(best, True)

    def _start(self) -> Candidate:
        """Draw rows without any predicate, more of them where the empty anchor may be precise."""
        self._counts = self.rows.count_training_rows(COVERAGE_ROWS)
        whole = Candidate((), (), np.ones(self._counts.size, dtype=bool), 1.0)
        self._ask([(whole, 1)])
        while whole.precision > self.precision and self._bound(whole, log(1 / DELTA), -1) < self.precision - GAP:
            self._ask([(whole, BATCH)])
        return whole

    def _extend(self, parents: Sequence[Candidate]) -> list[Candidate]:
        """Add a predicate to each of some sets, which takes over the rows that satisfy it."""
        found: dict[tuple[int, ...], Candidate] = {}
        order = set()
        for number in range(len(self.rows.predicates)):
            for parent in parents:
                numbers = tuple(sorted({*parent.numbers, number}))
                if len(numbers) == len(parent.numbers) or numbers in found:
                    continue
                order.add(numbers)
                found[numbers] = self._child(parent, number, numbers)
        # The order decides between equals; sets of two and more come as anchor-exp's set of tuples yields them.
        return [found[numbers] for numbers in (order if parents[0].numbers else found)]

    def _child(self, parent: Candidate, number: int, numbers: tuple[int, ...]) -> Candidate:
        covered = parent.covered & self.rows.holds(number, self.rows.quartiles.bins)
        coverage = int(self._counts[covered].sum()) / COVERAGE_ROWS
        child = Candidate(numbers, (*parent.order, number), covered, coverage)
        if len(parent.bins) > 1:
            parent.bins, parent.alike = [np.concatenate(parent.bins)], [np.concatenate(parent.alike)]
        kept = self.rows.holds(number, parent.bins[0])
        child.add(parent.bins[0][kept], parent.alike[0][kept])
        return child

    def _most_precise(self, candidates: list[Candidate], n: int) -> list[Candidate]:
        """Return the n most precise sets, surely so but for a gap, least precise first."""
        self._ask([(candidate, 1) for candidate in candidates if candidate.n == 0])
        if n == len(candidates):
            return candidates
        counts = np.array([candidate.n for candidate in candidates])
        alike = np.array([candidate.n_alike for candidate in candidates])
        n_rounds = 1
        while True:
            precisions = alike / counts
            order = np.argsort(precisions)
            last, first = order[:-n], order[-n:]
            level = exploration(len(candidates), n_rounds) / counts
            upper = bernoulli_bound(precisions[last], level[last], 1, self._n_steps)
            lower = bernoulli_bound(precisions[first], level[first], -1, self._n_steps)
            challenger, weakest = last[np.argmax(upper)], first[np.argmin(lower)]
            if not upper.max() - lower.min() > GAP:
                return [candidates[k] for k in first]
            self._ask([(candidates[challenger], BATCH), (candidates[weakest], BATCH)])
            for k in (challenger, weakest):
                counts[k], alike[k] = candidates[k].n, candidates[k].n_alike
            n_rounds += 1

    def _verify(self, candidate: Candidate) -> bool:
        """Draw rows until it is clear whether a set is precise."""
        level = log(1 / (DELTA / (1 + (self.beam_size - 1) * len(self.rows.predicates))))
        while True:
            lower, upper = (self._bound(candidate, level, side) for side in (-1, 1))
            reaches = candidate.precision >= self.precision
            is_open = lower < self.precision - STOPPING_GAP if reaches else upper >= self.precision + STOPPING_GAP
            if not is_open:
                return reaches and lower > self.precision - STOPPING_GAP
            self._ask([(candidate, BATCH)])

    def _bound(self, candidate: Candidate, level: float, side: int) -> float:
        return float(bernoulli_bound(candidate.precision, level / candidate.n, side, self._n_steps))

    def _ask(self, wanted: Sequence[tuple[Candidate, int]]) -> None:
        """Draw rows for some sets, in their order, and ask the forest about all of them at once."""
        self._deadline.check()
        if not wanted:
            return
        drawn = [self.rows.draw(candidate.numbers, n) for candidate, n in wanted]
        alike = self._is_alike(np.concatenate([X for X, _ in drawn]))
        self.n_asked += alike.size
        ends = np.cumsum([n for _, n in wanted])[:-1]
        for (candidate, _), (_, bins), said in zip(wanted, drawn, np.split(alike, ends), strict=True):
            candidate.add(bins, said)

    def _report(self, candidate: Candidate, is_precise: bool) -> Anchor:
        numbers, precision = candidate.order, float(candidate.precision)
        return Anchor(numbers, precision, candidate.coverage, is_precise)


def exploration(n_candidates: int, n_rounds: int) -> float:
    """Return the exploration rate of KL-LUCB in a round, counted from 1."""
    rate = log(405.5 * n_candidates * n_rounds**1.1 / DELTA)
    return rate + log(rate)


def bernoulli_bound(mean: np.ndarray | float, level: np.ndarray | float, side: int, n_steps: int) -> np.ndarray:
    """Return the bound of a probability whose divergence from the observed mean is a level.

    Parameters
    ----------
    mean, level : float or ndarray of one shape
        Observed share; bound of the Kullback-Leibler divergence.
    side : {-1, 1}
        The lower or the upper bound.
    n_steps : int
        Bisection steps, from the mean and Pinsker's bound; the outer end is returned.

    Examples
    --------
    >>> [round(float(bernoulli_bound(0.95, np.log(10) / 100, -1, steps)), 4) for steps in (1, 16)]
    [0.8427, 0.8892]
    """
    mean = np.asarray(mean, dtype=np.float64)
    inner, outer = mean, np.clip(mean + side * np.sqrt(level / 2), 0, 1)
    for _ in range(n_steps):
        middle = (inner + outer) / 2
        is_beyond = divergence(mean, middle) > level
        inner, outer = np.where(is_beyond, inner, middle), np.where(is_beyond, middle, outer)
    return outer


def divergence(p: np.ndarray, q: np.ndarray) -> np.ndarray:
    """Return the Kullback-Leibler divergence of two Bernoulli distributions."""
    p, q = (np.clip(value, 1e-7, 1 - 1e-16) for value in (p, q))
    return p * np.log(p / q) + (1 - p) * np.log((1 - p) / (1 - q))
