"""Leaving out columns of a proven box, the least harmful first, while the proof holds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from .cells import Box, ForestCells
from .oracle import ABOVE, FOUND, find_lost_target
from .reach import Reach


@dataclass
class Dropped:
    """What is left after dropping.

    Parameters
    ----------
    box : Box
    kept : list of int
        Units that are left.
    undecided : list of int
        Those of them for which the budget did not suffice.
    counterexamples : list of ndarray
        Cells at which a target is lost, one for each other unit that is left.
    n_boxes : int
        Boxes that the oracle looked at.
    """

    box: Box
    kept: list[int]
    undecided: list[int] = field(default_factory=list)
    counterexamples: list[np.ndarray] = field(default_factory=list)
    n_boxes: int = 0


def drop(
    cells: ForestCells, box: Box, units: Sequence[Sequence[int]], margins: Sequence[np.ndarray], budget: int
) -> Dropped:
    """Leave out units of columns, as long as all targets are proven.

    The unit that leaves the highest additive bound goes first. A unit whose dropping was refuted stays for good: in a
    larger box the same counterexample is still there. Columns of a kept unit are then left out one by one.
    """
    reach, left = Reach(cells, box, units), Dropped(box, list(range(len(units))))
    _drop_from(reach, left, margins, budget)
    wide = [unit for unit in left.kept if len(units[unit]) > 1]
    if wide:
        columns = [[f] for unit in wide for f in units[unit]]
        inner = Dropped(reach.box, list(range(len(columns))))
        reach = Reach(cells, reach.box, columns)
        _drop_from(reach, inner, margins, budget)
        left.n_boxes += inner.n_boxes
    left.box = reach.box
    return left


def _drop_from(reach: Reach, left: Dropped, margins: Sequence[np.ndarray], budget: int) -> None:
    """Drop units of a reach until every one that is kept was asked about."""
    open_units = set(left.kept)
    while open_units:
        bounds = np.min([reach.bounds_when_freed(target) for target in margins], axis=0)
        for unit in sorted(open_units, key=lambda unit: (-bounds[unit], unit)):
            box = reach.freed(unit)
            if bounds[unit] <= reach.cells.tie_bound:
                answer = find_lost_target(reach.cells, box, reach.with_unit(unit, box), margins, budget)
                left.n_boxes += answer.n_boxes
                if answer.status == FOUND:
                    left.counterexamples.append(answer.cells)
                elif answer.status != ABOVE:
                    left.undecided.append(unit)
                if answer.status != ABOVE:
                    open_units.discard(unit)
                    continue
            reach.grow(unit, box)
            open_units.discard(unit)
            left.kept.remove(unit)
            break
