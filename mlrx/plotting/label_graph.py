"""Which labels belong together: the graph of labels that occur together, and its likely cliques."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import matplotlib.pyplot as plt
import numpy as np
import scipy.sparse as sp
from matplotlib.collections import LineCollection
from matplotlib.lines import Line2D
from scipy.cluster.hierarchy import leaves_list, linkage, optimal_leaf_ordering
from scipy.spatial.distance import squareform

from ..bits import intersect, popcount
from ..corset.cliques import edge_probabilities, likely_cliques
from ..corset.consequents import MAX_LABEL_SETS
from ..table import BinaryTable
from .style import COLOURS, QUIET, SMALL, wrap

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

NAME_WIDTH = 30  # characters in a line
N_ARC_POINTS = 25
LEAST_COLUMNS = 8  # of the cliques' axes, whose title needs as much room


@dataclass(frozen=True, eq=False)
class LabelGraph:
    """Labels in the order in which they are drawn, their edges, and cliques.

    Parameters
    ----------
    labels : ndarray of int of shape (n_shown,)
        Columns of Y, so ordered that labels which belong together stand together.
    counts : ndarray of int of shape (n_shown,)
        Rows that have each label.
    probabilities : ndarray of shape (n_shown, n_shown)
        Of the undirected edges; 0 where two labels never occur together.
    cliques : tuple of tuple of int
        Likely cliques of two and more that no larger one holds, as places in `labels`.
    clique_counts : ndarray of int of shape (n_cliques,)
        Rows that have all labels of each.
    is_capped : bool
        Whether larger cliques were left out for their number.
    """

    labels: np.ndarray
    counts: np.ndarray
    probabilities: np.ndarray
    cliques: tuple[tuple[int, ...], ...]
    clique_counts: np.ndarray
    is_capped: bool

    @classmethod
    def of(cls, Y: sp.csc_array, min_clique_probability: float, n_labels: int) -> LabelGraph:
        """Choose labels, those with likely partners first and then the most frequent, and find their cliques."""
        table = BinaryTable.from_matrix(Y)
        edges = edge_probabilities(table)
        has_partner = np.bincount(sp.coo_array(edges >= min_clique_probability).coords[0], minlength=Y.shape[1]) > 0
        ranked = np.lexsort((np.arange(Y.shape[1]), -table.frequencies, ~has_partner))
        chosen = ranked[: min(n_labels, int((table.frequencies > 0).sum()))]
        labels = chosen[_order(edges[chosen][:, chosen].toarray())]
        shown = BinaryTable.from_matrix(Y[:, labels])
        found = likely_cliques(shown, min_clique_probability, MAX_LABEL_SETS)
        cliques = _maximal([found[k] for k in range(len(found))])
        counts = [int(popcount(intersect(shown.bits, clique, shown.n_rows))) for clique in cliques]
        ranks = sorted(range(len(cliques)), key=lambda k: (-counts[k] * len(cliques[k]), cliques[k]))
        return cls(
            labels,
            shown.frequencies,
            edge_probabilities(shown).toarray(),
            tuple(cliques[k] for k in ranks),
            np.array([counts[k] for k in ranks], dtype=int),
            found.is_capped,
        )


def plot_label_graph(
    Y: Any,
    label_names: Sequence[str],
    *,
    min_clique_probability: float = 0.8,
    n_labels: int = 40,
    n_cliques: int = 24,
) -> Figure:
    """Draw which labels occur together, and the likely cliques that CORSET samples label sets from.

    Parameters
    ----------
    Y : array-like or sparse matrix of shape (n_samples, n_labels)
        Zeros and ones.
    label_names : sequence of str
    min_clique_probability : float, default=0.8
        Threshold on the product of edge probabilities, as in `CorsetClassifier`.
    n_labels : int, default=40
        Labels that are shown: first those with a partner above the threshold, then the most frequent.
    n_cliques : int, default=24
        Cliques that are shown, those with the most label occurrences.

    Returns
    -------
    Figure
        Its axes are the arcs between labels and the cliques. An arc is an edge: dark where its probability reaches the
        threshold. A column is a clique that no larger one holds; above it stands the number of rows that have it whole.

    Raises
    ------
    ValueError
        When Y has another number of columns than there are names, or no row has a label.

    Notes
    -----
    O(sum of squared numbers of labels a row) for the graph; see `likely_cliques` for the cliques, which are those of
    the labels shown.
    """
    Y = sp.csc_array(Y if sp.issparse(Y) else np.asarray(Y))
    if Y.shape[1] != len(label_names):
        raise ValueError(f"label_names has {len(label_names)} names, but Y has {Y.shape[1]} columns")
    graph = LabelGraph.of(Y, min_clique_probability, n_labels)
    if not graph.labels.size:
        raise ValueError("Y must have a row with a label")
    names = [wrap(label_names[label], NAME_WIDTH) for label in graph.labels]
    n_lines = np.array([name.count("\n") + 1 for name in names])
    # A label is as high as its name has lines.
    heights = np.cumsum(n_lines) - n_lines / 2
    n_columns = min(n_cliques, len(graph.cliques))
    widths = (2.6, 0.5 + 0.22 * max(n_columns, LEAST_COLUMNS))
    size = (sum(widths) + 2.4, 1.5 + 0.17 * n_lines.sum())
    grid = {"width_ratios": widths, "sharey": True, "layout": "constrained"}
    figure, (left, right) = plt.subplots(1, 2, figsize=size, **grid)
    _draw_arcs(left, graph, heights, min_clique_probability)
    _draw_cliques(right, graph, heights, n_columns)
    right.set_yticks(heights, names, fontsize=SMALL)
    right.set_ylim(n_lines.sum() + 0.3, -0.3)
    told = f"{len(names)} of {len(label_names)} labels" if len(names) < len(label_names) else f"{len(names)} labels"
    figure.suptitle(f"Labels that occur together: {told}", fontsize=SMALL + 2)
    return figure


def _order(probabilities: np.ndarray) -> np.ndarray:
    """Return the labels so that neighbours have likely edges."""
    if len(probabilities) < 3:
        return np.arange(len(probabilities))
    distances = squareform(1.0 - probabilities, checks=False)
    return leaves_list(optimal_leaf_ordering(linkage(distances, "average"), distances))


def _maximal(sets: list[tuple[int, ...]]) -> list[tuple[int, ...]]:
    """Return the sets of two and more that no other set holds; all subsets of a set must be among them."""
    smaller = {s[:k] + s[k + 1 :] for s in sets for k in range(len(s))}
    return [s for s in sets if len(s) > 1 and s not in smaller]


def _draw_arcs(ax: Axes, graph: LabelGraph, heights: np.ndarray, threshold: float) -> None:
    """Draw the edges as half ellipses that open to the right, the likely ones over the others, and a dot a label."""
    u, v = np.nonzero(np.triu(graph.probabilities))
    probability = graph.probabilities[u, v]
    order = np.argsort(probability, kind="stable")
    u, v, probability = u[order], v[order], probability[order]
    angle = np.linspace(0, np.pi, N_ARC_POINTS)
    middle, radius = (heights[u] + heights[v]) / 2, np.abs(heights[v] - heights[u]) / 2
    ys = middle[:, None] + radius[:, None] * np.cos(angle)
    xs = -radius[:, None] * np.sin(angle)
    is_likely = probability >= threshold
    likely, less_likely = {"color": COLOURS[0], "alpha": 0.8}, {"color": QUIET, "alpha": 0.4}
    for group, style, width in ((~is_likely, less_likely, 0.5), (is_likely, likely, 1.0)):
        ax.add_collection(LineCollection(np.stack([xs[group], ys[group]], axis=-1), linewidths=width, **style))
    shares = graph.counts / graph.counts.max()
    ax.scatter(np.zeros(len(heights)), heights, s=6 + 60 * shares, color=COLOURS[1], zorder=3, clip_on=False)
    handles = [
        Line2D([], [], **likely, label=f"probability ≥ {threshold:g} ({is_likely.sum()})"),
        Line2D([], [], **less_likely, label=f"less likely ({(~is_likely).sum()})"),
        Line2D([], [], color=COLOURS[1], marker="o", linestyle="", label=f"label, at most {graph.counts.max()} rows"),
    ]
    ax.legend(handles=handles, loc="upper center", bbox_to_anchor=(0.5, -0.01), fontsize=SMALL, frameon=False)
    ax.set_xlim(-max(1.0, radius.max(initial=0.0)) * 1.05, 0.02)
    ax.tick_params(left=False, labelleft=False, bottom=False, labelbottom=False)
    ax.spines[:].set_visible(False)


def _draw_cliques(ax: Axes, graph: LabelGraph, heights: np.ndarray, n_columns: int) -> None:
    """Draw a column a clique: a dot at each of its labels, joined by a line, and above it the number of rows."""
    ax.hlines(heights, -0.5, max(n_columns, LEAST_COLUMNS) - 0.5, color=QUIET, alpha=0.3, linewidth=0.6)
    for k, clique in enumerate(graph.cliques[:n_columns]):
        ys = heights[list(clique)]
        ax.plot([k, k], [ys.min(), ys.max()], color=COLOURS[0], linewidth=1.2, zorder=2)
        ax.plot([k] * len(ys), ys, color=COLOURS[0], marker="o", linestyle="", markersize=4, zorder=3)
    ax.set_xticks(range(n_columns), graph.clique_counts[:n_columns].astype(str), rotation=90, fontsize=SMALL)
    ax.xaxis.tick_top()
    n_all = len(graph.cliques)
    told = f"{n_columns} of {n_all} cliques" if n_columns < n_all else f"{n_all} likely cliques" if n_all else ""
    notes = [told or "no two labels make a likely clique", "rows that have each whole" if n_all else ""]
    if graph.is_capped:
        notes[0] += f" (of up to {max(map(len, graph.cliques), default=1)} labels)"
    ax.set_title("\n".join(note for note in notes if note), fontsize=SMALL, color=QUIET)
    ax.set_xlim(-0.6, max(n_columns, LEAST_COLUMNS) - 0.4)
    ax.tick_params(length=0, labelleft=True)
    ax.spines[:].set_visible(False)
