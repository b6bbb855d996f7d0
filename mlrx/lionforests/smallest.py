"""The smallest set of features: hitting sets of counterexamples, with the exact oracle.

Every point at which a target is lost differs from the explained row in some units; a conclusive rule keeps at least
one of them. The smallest set that hits all counterexamples known so far is a lower bound; once the oracle proves it,
it is the smallest rule.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import reduce
from operator import and_

import numpy as np

from .cells import Box, ForestCells
from .drop import Left
from .oracle import ABOVE, FOUND, find_lost_target, meeting_leaves
from .walk import Walker

# Hitting sets that are tried, and choices looked at for each: next to all rows of forests with some twenty features
# need fewer.
FEW_ROUNDS, MAX_ROUNDS = 40, 500
MAX_CHOICES = 20_000
# The oracle is asked so rarely here that each question may cost some times as much as one while dropping.
BUDGET_FACTOR = 4


def smallest_units(
    cells: ForestCells,
    box: Box,
    units: Sequence[Sequence[int]],
    margins: Sequence[np.ndarray],
    budget: int,
    n_rounds: int = MAX_ROUNDS,
) -> Left:
    """Find the fewest units that must stay at the row's cells.

    Parameters
    ----------
    cells : ForestCells
    box : Box
        The row's cell; a missing value is allowed where the row has one.
    units : sequence of sequence of int
        Disjoint sets of all columns.
    margins : sequence of ndarray of int64 of shape (n_leaves,)
        Margins of each target.
    budget : int
        Boxes that the oracle may look at while dropping; here it may look at four times as many for each target.
    n_rounds : int, default=500
        Number of hitting sets that are tried.

    Returns
    -------
    Left
        All of it kept, and not `is_smallest`, where the search was given up.

    Notes
    -----
    Exponential in the number of units at worst; given up after `n_rounds`, when the oracle cannot decide, or when a
    hitting set takes too long. Walks find nearly all counterexamples, so that the oracle is mostly asked once.
    """
    hits, n_boxes, size = _Hits(cells, np.where(box.missing, -1, box.lower), units, margins), 0, 0
    for _ in range(n_rounds):
        choices = [MAX_CHOICES]
        while (kept := hitting_set(hits.masks, size, choices)) is None and choices[0] > 0:
            size += 1
        if kept is None:
            break
        if hits.walk(kept):
            continue
        smaller = hits.box_keeping(kept)
        answer = find_lost_target(cells, smaller, meeting_leaves(cells, smaller), margins, BUDGET_FACTOR * budget)
        n_boxes += answer.n_boxes
        if answer.status == ABOVE:
            left = [unit for unit in range(len(units)) if kept >> unit & 1]
            for unit in left:
                hits.walk(kept & ~(1 << unit))  # the nearest counterexamples tell how far the unit can be widened
            return Left(smaller, left, [], hits.counterexamples, n_boxes, is_smallest=True)
        if answer.status != FOUND:
            break
        hits.learn(answer.cells)
    return Left(box, list(range(len(units))), [], hits.counterexamples, n_boxes)


class _Hits:
    """Counterexamples, and sets of units that must be hit, bit by bit, none inside another."""

    def __init__(
        self, cells: ForestCells, place: np.ndarray, units: Sequence[Sequence[int]], margins: Sequence[np.ndarray]
    ) -> None:
        self.cells, self.place, self.masks, self.counterexamples = cells, place, [], []
        self.unit_of = np.empty(place.size, dtype=np.int64)
        for unit, columns in enumerate(units):
            self.unit_of[columns] = unit
        self._walker = Walker(cells, place, margins)

    def learn(self, point: np.ndarray) -> int:
        """Take over what a counterexample says, units being set back from the first and from the last; return these."""
        named, differs = 0, point != self.place
        units = [np.flatnonzero((self.unit_of == unit) & differs) for unit in np.unique(self.unit_of[differs])]
        for order in (units, units[::-1]):
            near = self._walker.set_back(point, order)
            new = sum(1 << int(unit) for unit in set(self.unit_of[near != self.place]))
            named |= new
            if not any(new & old == old for old in self.masks):
                self.masks = [old for old in self.masks if new & old != new] + [new]
                self.counterexamples.append(near)
        return named

    def walk(self, kept: int) -> bool:
        """Learn from walks that change no kept unit, nor one that a walk before named; tell whether there was any."""
        is_first = True
        while True:
            point = self._walker.walk(~self._is_kept(kept))
            if point is None:
                return not is_first
            kept, is_first = kept | self.learn(point), False

    def box_keeping(self, kept: int) -> Box:
        """Return the box of the row's cells in the kept units."""
        whole, is_kept, is_missing = self.cells.whole(), self._is_kept(kept), self.place < 0
        lower = np.where(is_kept, np.where(is_missing, self.cells.n_cells, self.place), whole.lower)
        upper = np.where(is_kept, np.where(is_missing, -1, self.place), whole.upper)
        return replace(whole, lower=lower, upper=upper, missing=is_missing)

    def _is_kept(self, kept: int) -> np.ndarray:
        return np.array([kept >> unit & 1 for unit in self.unit_of.tolist()], dtype=bool)


def hitting_set(sets: Sequence[int], most: int, choices: list[int]) -> int | None:
    """Return a set of a few numbers that has one in common with each of several sets.

    Parameters
    ----------
    sets : sequence of int
        Each a set of numbers, bit k for number k; none is empty.
    most : int
        How many numbers there may be.
    choices : list of int
        How many choices may be looked at; counted down.

    Returns
    -------
    int or None
        None when there is none so small, or no choice is left.

    Notes
    -----
    Branches on the numbers of a smallest set that is not hit; sets that have nothing in common need a number each.

    Examples
    --------
    >>> bin(hitting_set([0b011, 0b110], 1, [100]))
    '0b10'
    """
    choices[0] -= 1
    if not sets:
        return 0
    if most == 1:
        common = reduce(and_, sets)
        return common & -common or None
    apart, n_apart = 0, 0
    for s in sets:
        if not s & apart:
            apart |= s
            n_apart += 1
    if n_apart > most or choices[0] <= 0:
        return None
    least = min(sets, key=int.bit_count)
    for k in range(least.bit_length()):
        if least >> k & 1:
            found = hitting_set([s for s in sets if not s >> k & 1], most - 1, choices)
            if found is not None:
                return found | 1 << k
    return None
