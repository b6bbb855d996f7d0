"""Leaving out columns of a proven box, the least harmful first, while the proof holds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from .cells import Box, ForestCells
from .oracle import ABOVE, FOUND, find_lost_target
from .reach import Reach


@dataclass(frozen=True)
class Left:
    """What is left after leaving out columns.

    Parameters
    ----------
    box : Box
    kept : list of int
        Units that are left.
    undecided : list of int
        Those of them for which the budget did not suffice.
    counterexamples : list of ndarray
        Cells at which a target is lost.
    is_smallest : bool
        Whether no other proven box that keeps units at the row's cells has fewer.
    n_boxes : int
        Boxes that the oracle looked at.
    """

    box: Box
    kept: list[int]
    undecided: list[int]
    counterexamples: list[np.ndarray]
    n_boxes: int
    is_smallest: bool = False

    def after(self, before: Left) -> Left:
        """Return this, with the counterexamples and the work of what went before."""
        return replace(
            self,
            counterexamples=before.counterexamples + self.counterexamples,
            n_boxes=before.n_boxes + self.n_boxes,
        )


def drop(
    cells: ForestCells, box: Box, units: Sequence[Sequence[int]], margins: Sequence[np.ndarray], budget: int
) -> Left:
    """Leave out units of columns, as long as all targets are proven.

    The unit that leaves the highest additive bound goes first. A unit whose dropping was refuted stays for good: in a
    larger box the same counterexample is still there.
    """
    reach, kept, undecided, counterexamples, n_boxes = Reach(cells, box, units), set(range(len(units))), [], [], 0
    open_units = set(kept)
    while open_units:
        bounds = np.min([reach.bounds_when_freed(target) for target in margins], axis=0)
        for unit in sorted(open_units, key=lambda unit: (-bounds[unit], unit)):
            box = reach.freed(unit)
            if bounds[unit] <= reach.cells.tie_bound:
                answer = find_lost_target(reach.cells, box, reach.with_unit(unit, box), margins, budget)
                n_boxes += answer.n_boxes
                if answer.status == FOUND:
                    counterexamples.append(answer.cells)
                elif answer.status != ABOVE:
                    undecided.append(unit)
                if answer.status != ABOVE:
                    open_units.discard(unit)
                    continue
            reach.grow(unit, box)
            open_units.discard(unit)
            kept.discard(unit)
            break
    return Left(reach.box, sorted(kept), undecided, counterexamples, n_boxes)
