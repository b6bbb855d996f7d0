"""Nine trees, five labels, one row: the running example of the LionForests paper, with thresholds for its figure 1."""

from types import SimpleNamespace

import numpy as np

from mlrx.lionforests.cells import MARGIN_UNIT, Box
from mlrx.lionforests.paths import Paths

A, B, C, D = range(4)
# Of each tree: intervals of columns, and votes. Training values go from 0 to 10, cuts are at 1 to 9.
TREES = [
    ({A: (2, 10), B: (0, 7)}, "01011"),
    ({A: (3, 10), B: (0, 6)}, "01011"),
    ({A: (2, 8), B: (1, 10)}, "01111"),
    ({A: (1, 10), C: (0, 5)}, "01011"),
    ({A: (3, 9), B: (0, 8), C: (2, 10)}, "01011"),
    ({A: (0, 7), B: (2, 10)}, "01011"),
    ({C: (3, 10), D: (0, 4)}, "01010"),
    ({D: (1, 10)}, "00011"),
    ({B: (0, 9), D: (0, 6)}, "11000"),
]


def example_paths():
    """The paths of a row with the values 5, 4, 4 and 3."""
    lower, upper = np.zeros((9, 4), np.int16), np.full((9, 4), 9, np.int16)
    for t, (intervals, _) in enumerate(TREES):
        for f, (low, high) in intervals.items():
            lower[t, f], upper[t, f] = low, high - 1
    signs = np.array([[1 if vote == "1" else -1 for vote in votes] for _, votes in TREES], dtype=np.int64).T
    cells = SimpleNamespace(
        forest=SimpleNamespace(is_constant=np.zeros(5, bool), allows_missing=False),
        cuts=(np.arange(1.0, 10.0),) * 4,
        n_cells=np.full(4, 10),
        tie_bound=9,
        whole=lambda: Box(np.zeros(4, np.int64), np.full(4, 9), np.zeros(4, bool)),
    )
    used = (lower > 0) | (upper < 9)
    ranges = np.array([[0.0] * 4, [10.0] * 4])
    return Paths(cells, ranges, lower, upper, np.zeros((9, 4), bool), used, np.stack([signs, -signs]) * MARGIN_UNIT)
