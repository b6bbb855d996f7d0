"""Rules as the LionForests paper builds them: what the paths that decide a prediction have in common."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from .cells import Box
from .paths import Paths
from .quorum import REDUCTIONS, Reduced, reduce_paths
from .violation import Target


@dataclass(frozen=True, eq=False)
class PaperRule:
    """A rule for one row.

    Parameters
    ----------
    box : Box
        What the rule covers, in cells.
    reduced : Reduced
        The paths that it is made of.
    """

    box: Box
    reduced: Reduced


def paper_box(
    paths: Paths,
    targets: Sequence[Target],
    reductions: Sequence[str] = REDUCTIONS,
    random_state: int | np.random.RandomState | None = 0,
) -> PaperRule:
    """Find the region that the paths which decide a prediction have in common: the paper's feature aggregation.

    Parameters
    ----------
    paths : Paths
        The paths of the row; made once a row, whatever the number of targets asked about.
    targets : sequence of Target
        What must be predicted; see `targets_of`.
    reductions : sequence of {"association", "clustering", "random"}
        Reductions of the paths, in their order.
    random_state : int, RandomState or None, default=0

    Returns
    -------
    PaperRule

    Notes
    -----
    Sections 3 and 4 of [1]_. Every row of the box takes each kept path, so the box is conclusive for what they decide,
    and, where all paths are kept, the forest gives all its rows one prediction. Departures, besides those of
    `reduce_paths`:

    - A side without a bound stays open. The authors' code closes it at the training values, and so excludes rows
      outside of them, even the explained one.
    - A category is a column of zeros and ones, and the box holds it like any other: "is" where the row's own category
      is among the columns of kept paths, and "is not" for other categories there. The paper's two kinds of terms are
      nothing else. The code neither prints nor enforces "is not"; and where "is" stands, the paper leaves "is not"
      out, which follows from it only in rows with one category each. The box keeps both: it holds for every row.

    Examples
    --------
    >>> from sklearn.ensemble import RandomForestClassifier
    >>> from mlrx.lionforests import ForestCells, Target
    >>> X = [[0.0, 7.0], [1.0, 7.0], [2.0, 7.0], [3.0, 7.0]]
    >>> model = RandomForestClassifier(9, bootstrap=False, random_state=0).fit(X, [0, 0, 1, 1])
    >>> cells = ForestCells.of(model)
    >>> paths = Paths.of(cells, cells.locate([[3.0, 5.0]])[0], [[0.0, 7.0], [3.0, 7.0]])
    >>> found = paper_box(paths, [Target(0, True)])
    >>> found.reduced.trees.size, found.box.lower.tolist()
    (5, [1, 0])
    """
    reduced = reduce_paths(paths, targets, reductions, random_state)
    return PaperRule(_shared_box(paths, reduced.trees), reduced)


def _shared_box(paths: Paths, trees: np.ndarray) -> Box:
    """Return the box of the rows that take all paths of some trees."""
    whole = paths.cells.whole()
    lower = np.vstack([whole.lower, paths.lower[trees]]).max(axis=0)
    upper = np.vstack([whole.upper, paths.upper[trees]]).min(axis=0)
    no_known = lower > upper
    return Box(
        np.where(no_known, paths.cells.n_cells, lower),
        np.where(no_known, -1, upper),
        paths.missing[trees].all(axis=0) & paths.cells.forest.allows_missing,
    )
