"""Fewer features than dropping leaves: hitting sets of counterexamples, with the exact oracle.

Every point at which a target is lost differs from the explained row in some units; a conclusive rule keeps at least
one of them. The smallest set that hits all counterexamples known so far is a lower bound; once the oracle proves it,
it is the smallest rule.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import reduce
from operator import and_

import numpy as np

from .cells import Box, ForestCells
from .drop import Dropped
from .oracle import ABOVE, FOUND, find_lost_target, meeting_leaves
from .walk import needed_differences, walk

# Hitting sets that are tried; most rules that dropping finds are proven to be smallest, or become so, within a few.
import os
FEW_ROUNDS, MAX_ROUNDS = int(os.environ.get('FR','20')), 500


@dataclass(frozen=True)
class Smallest:
    """The smallest box found, whether no other has fewer units, and how many boxes the oracle looked at."""

    box: Box
    is_proven: bool
    n_boxes: int


def smallest_units(
    cells: ForestCells,
    place: np.ndarray,
    units: Sequence[Sequence[int]],
    margins: Sequence[np.ndarray],
    dropped: Dropped,
    budget: int,
    n_rounds: int = MAX_ROUNDS,
) -> Smallest:
    """Find the fewest units that must stay at the row's cells.

    Parameters
    ----------
    cells : ForestCells
    place : ndarray of int64 of shape (n_features,)
        The row's cells.
    units : sequence of sequence of int
    margins : sequence of ndarray of int64 of shape (n_leaves,)
        Margins of each target.
    dropped : Dropped
        What greedy dropping left; its counterexamples are the first to be hit, and its box is returned when nothing
        smaller is found.
    budget : int
    n_rounds : int, default=500
        Number of hitting sets that are tried.

    Notes
    -----
    Exponential in the number of units at worst; given up after `n_rounds` or when the oracle cannot decide.
    """
    search = _Hits(cells, place, units, margins)
    for point in dropped.counterexamples:
        search.learn(point, search.leaves_differing(point))
    n_boxes, size = 0, 0
    for _ in range(n_rounds):
        kept = None
        while kept is None:
            kept = hitting_set(search.hits, size)
            if kept is None:
                size += 1
                if size == len(dropped.kept):
                    return Smallest(dropped.box, True, n_boxes)
        if search.walks(kept):
            continue
        box, leaves = search.box_keeping(kept)
        answer = find_lost_target(cells, box, leaves, margins, budget)
        n_boxes += answer.n_boxes
        if answer.status == ABOVE:
            return Smallest(box, True, n_boxes)
        if answer.status != FOUND:
            break
        search.learn(answer.cells, leaves)
    return Smallest(dropped.box, False, n_boxes)


class _Hits:
    """Sets of units that must be hit, bit by bit, none inside another."""

    def __init__(
        self, cells: ForestCells, place: np.ndarray, units: Sequence[Sequence[int]], margins: Sequence[np.ndarray]
    ) -> None:
        self.cells, self.place, self.margins, self.hits = cells, place, margins, []
        self.unit_of = np.empty(place.size, dtype=np.int64)
        for unit, columns in enumerate(units):
            self.unit_of[columns] = unit

    def learn(self, point: np.ndarray, leaves: np.ndarray) -> int:
        """Take over what a counterexample says; return the units it names."""
        named = 0
        for needed in needed_differences(self.cells, self.unit_of, self.place, point, leaves, self.margins):
            new = sum(1 << int(unit) for unit in needed)
            named |= new
            if not any(new & old == old for old in self.hits):
                self.hits = [old for old in self.hits if new & old != new] + [new]
        return named

    def walks(self, kept: int) -> bool:
        """Learn from walks that change no kept unit, nor one that a walk before named; tell whether there was any."""
        n_walks = 0
        while True:
            _, leaves = self.box_keeping(kept)
            free = np.flatnonzero(~self.is_kept(kept))
            point = walk(self.cells, self.place, free, leaves, self.margins)
            if point is None:
                return n_walks > 0
            kept |= self.learn(point, leaves)
            n_walks += 1

    def is_kept(self, kept: int) -> np.ndarray:
        """Return which columns are of the kept units."""
        return np.array([kept >> int(unit) & 1 for unit in self.unit_of], dtype=bool)

    def box_keeping(self, kept: int) -> tuple[Box, np.ndarray]:
        """Return the box of the row's cells in the kept units, and the leaves that meet it."""
        whole, is_kept, is_missing = self.cells.whole(), self.is_kept(kept), self.place < 0
        lower = np.where(is_kept, np.where(is_missing, self.cells.n_cells, self.place), whole.lower)
        upper = np.where(is_kept, np.where(is_missing, -1, self.place), whole.upper)
        box = replace(whole, lower=lower, upper=upper, missing=is_missing)
        return box, meeting_leaves(self.cells, box)

    def leaves_differing(self, point: np.ndarray) -> np.ndarray:
        """Return the leaves that meet the row in all columns in which a point is like it."""
        return self.box_keeping(sum(1 << int(unit) for unit in set(self.unit_of[point == self.place])))[1]


def hitting_set(sets: Sequence[int], most: int) -> int | None:
    """Return a set of a few numbers that has one in common with each of several sets.

    Parameters
    ----------
    sets : sequence of int
        Each a set of numbers, bit k for number k; none is empty.
    most : int
        How many numbers there may be.

    Returns
    -------
    int or None
        None when there is none so small.

    Notes
    -----
    Branches on the numbers of a smallest set that is not hit; sets that have nothing in common need a number each.

    Examples
    --------
    >>> bin(hitting_set([0b011, 0b110], 1))
    '0b10'
    """
    if not sets:
        return 0
    if most == 1:
        common = reduce(and_, sets)
        return common & -common or None
    apart, n_apart, least = 0, 0, min(sets, key=int.bit_count)
    for s in sets:
        if not s & apart:
            apart |= s
            n_apart += 1
    if n_apart > most:
        return None
    choices = [1 << k for k in range(least.bit_length()) if least >> k & 1]
    for choice in choices:
        found = hitting_set([s for s in sets if not s & choice], most - 1)
        if found is not None:
            return found | choice
    return None
