"""The samplers of Boley et al. by support, area and discriminativity, beside which the sampling of CORSET is studied.

References
----------
.. [1] M. Boley, C. Lucchese, D. Paurat, T. Gärtner. Direct local pattern sampling by efficient two-step random
   procedures. KDD 2011. doi:10.1145/2020408.2020500
.. [2] M. Boley, S. Moens, T. Gärtner. Linear space direct pattern sampling using coupling from the past. KDD 2012.
   doi:10.1145/2339530.2339545
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
import scipy.sparse as sp

from mlrx.bits import intersect, pack, popcount
from mlrx.corset.antecedents import DIFFERENCE, Growth, draw_subset
from mlrx.corset.cliques import ColumnSets, edge_probabilities, likely_cliques
from mlrx.corset.consequents import MAX_LABEL_SETS, CliqueConsequents, Drawn, FullConsequents
from mlrx.corset.pairs import BOLEY, SIZE, SUBSETS, TIGHT, PairLaw, draw_pair_by_coupling, pair_rows, without_idle
from mlrx.corset.pool import MAX_ITEM_SETS, Pool, PoolSampler, membership
from mlrx.table import BinaryTable

PROPOSALS = {"boley": BOLEY, "tight": TIGHT}
TARGETS = ("support", "area")
# Positive rows whose pairs with all negative rows are weighed together.
BLOCK_ROWS = 512


def draw_sets(
    rng: np.random.Generator,
    table: BinaryTable,
    size: int,
    target: str,
    min_clique_probability: float | None = None,
) -> ColumnSets:
    """Draw column sets, none of them empty, by the number of rows that contain them or by that of their ones.

    Parameters
    ----------
    rng : numpy.random.Generator
    table : BinaryTable
    size : int
        Number of draws, with replacement.
    target : {"support", "area"}
        A set F is drawn in proportion to its number of rows ``|D[F]|``, or to ``|F| |D[F]|``.
    min_clique_probability : float or None, default=None
        None draws among all sets; a threshold, among the likely cliques alone (see `likely_cliques`).

    Returns
    -------
    ColumnSets
        `size` sets, in no meaningful order.

    Raises
    ------
    ValueError
        When `target` is unknown, or the table has no one.

    Notes
    -----
    The two steps of [1]_: a row by the total weight of its sets, ``2 ** |D| - 1`` or ``|D| 2 ** (|D| - 1)``, then a
    set of it by its weight. O(n_rows + size * row size). [1]_ counts the empty set too; here it is left out.
    """
    if target not in TARGETS:
        raise ValueError(f"target must be one of {TARGETS}, got {target!r}")
    if table.n_ones == 0:
        raise ValueError("table must have a one: there is no set to draw")
    if target == "area":
        drawn = consequent_sampler(table, min_clique_probability).draw(rng, size)
        return drawn.sets.take(np.repeat(np.arange(len(drawn.sets)), drawn.times))
    if min_clique_probability is None:
        return _draw_by_support(rng, table, size)
    sets = likely_cliques(table, min_clique_probability, MAX_LABEL_SETS)
    weights = popcount(match_rows(table, sets)).astype(float)
    return sets.take(rng.choice(len(sets), size=size, p=weights / weights.sum()))


def _draw_by_support(rng: np.random.Generator, table: BinaryTable, size: int) -> ColumnSets:
    sizes = np.diff(table.indptr)
    # In parts of the largest power of two, since 2 ** 1100 is no float.
    weights = np.exp2(sizes - sizes.max()) - np.exp2(-float(sizes.max()))
    drawn = []
    for row in rng.choice(sizes.size, size=size, p=weights / weights.sum()):
        columns = table.indices[table.indptr[row] : table.indptr[row + 1]]
        chosen = columns[:0]
        while chosen.size == 0:
            chosen = columns[rng.random(columns.size) < 0.5]
        drawn.append(tuple(chosen.tolist()))
    return ColumnSets.from_tuples(drawn)


def describe_sets(table: BinaryTable, sets: ColumnSets) -> pd.DataFrame:
    """Return what the study compares of column sets.

    Returns
    -------
    DataFrame
        One row a set: ``n_columns``, ``n_rows`` that contain it, ``area`` (their product), and
        ``edge_probability``, the mean over its pairs of columns; NaN for a single column.

    Notes
    -----
    O(n_sets * set size * (n_rows / 64 + neighbours of a column)).
    """
    n_columns, n_rows = np.diff(sets.indptr), popcount(match_rows(table, sets))
    member = sp.csr_array((np.ones(sets.indices.size), sets.indices, sets.indptr), (len(sets), table.n_columns))
    # Edges are symmetric and have no diagonal: every pair is there twice.
    totals = (member @ edge_probabilities(table)).multiply(member).sum(axis=1)
    n_pairs = n_columns * (n_columns - 1)
    means = np.divide(totals, n_pairs, out=np.full(len(sets), math.nan), where=n_pairs > 0)
    return pd.DataFrame(
        {"n_columns": n_columns, "n_rows": n_rows, "area": n_columns * n_rows, "edge_probability": means}
    )


def match_rows(table: BinaryTable, sets: ColumnSets) -> np.ndarray:
    """Return the rows that contain each set, packed: uint64 of shape (n_sets, n_words)."""
    rows = [intersect(table.bits, sets[k], table.n_rows) for k in range(len(sets))]
    return np.array(rows, dtype=np.uint64).reshape(len(sets), table.bits.shape[1])


def consequent_sampler(
    labels: BinaryTable, min_clique_probability: float | None
) -> FullConsequents | CliqueConsequents:
    """Return what draws label sets by area: all of them where the threshold is None, else the likely cliques."""
    if min_clique_probability is None:
        return FullConsequents(labels)
    return CliqueConsequents(labels, min_clique_probability)


def draw_pool(
    rng: np.random.Generator,
    items: BinaryTable,
    labels: BinaryTable,
    drawn: Drawn,
    method: str,
    min_clique_probability: float = 1.0,
) -> Pool:
    """Draw antecedents for given consequents, as CORSET does before it chooses any rule.

    Parameters
    ----------
    rng : numpy.random.Generator
    items, labels : BinaryTable
    drawn : Drawn
        The consequents, and how many antecedents each of them gets.
    method : {"rejection", "cliques", "greedy"}
        By discriminativity among all item sets, or among the likely cliques; or grown greedily from a pair of rows
        with the classifier's default settings.
    min_clique_probability : float, default=1.0
        Threshold for ``method="cliques"``.

    Raises
    ------
    ValueError
        When more than `MAX_ITEM_SETS` item sets reach the threshold.
    """
    law = PairLaw(SUBSETS if method == "rejection" else SIZE, 1, TIGHT, items.n_columns)
    growth = Growth(1.0, False, 1, 10, 0.0)
    pools = PoolSampler(items, labels, method, law, growth, DIFFERENCE, False, min_clique_probability)
    return pools.draw(rng, drawn, labels.bits)


@dataclass(frozen=True)
class Coupled:
    """Antecedents drawn by coupling from the past.

    Parameters
    ----------
    sets : list of tuple of int
        Their items; an empty tuple where the draw was given up.
    horizons : ndarray of int
        How far into the past each draw had to go, a power of two; 0 where it was given up.
    """

    sets: list[tuple[int, ...]]
    horizons: np.ndarray


def draw_antecedents(
    rng: np.random.Generator,
    items: BinaryTable,
    positive: Any,
    size: int,
    law: PairLaw,
    max_steps: int = 1 << 16,
) -> Coupled:
    """Draw item sets by discriminativity ``|D+[H]| (|D-| - |D-[H]|)``, by coupling from the past.

    Parameters
    ----------
    rng : numpy.random.Generator
    items : BinaryTable
    positive : array-like of bool of shape (n_rows,)
        Which rows carry the consequent.
    size : int
        Number of draws.
    law : PairLaw
        See `pair_law` and `reduced_space`; its proposal decides how many steps a draw takes.
    max_steps : int, default=65536
        A draw that goes further into the past is given up. Those that are left then no longer follow the law.

    Notes
    -----
    [2]_ for ``proposal="boley"``; equation (13) of the CORSET paper for "tight". Nothing is drawn where no pair of
    rows has a weight: then all draws are given up.
    """
    positive_bits = pack(np.asarray(positive, dtype=bool)[:, None])[0]
    rows = pair_rows(items.indptr, positive_bits, law)
    rows = without_idle(items.indptr, items.indices, items.frequencies, rows, law)
    room = int(np.diff(items.indptr).max(initial=0)) + 1
    different, chosen = np.empty(room, dtype=np.int32), np.empty(room, dtype=np.int32)
    sets, horizons = [()] * size, np.zeros(size, dtype=np.int64)
    if rows.positives.size == 0:
        return Coupled(sets, horizons)
    for k in range(size):
        table = items.indptr, items.indices
        i, _, n_different, horizon = draw_pair_by_coupling(rng, *table, items.bits, rows, law, different, max_steps)
        if i < 0:
            continue
        if law.weight == SIZE:
            chosen[0], n = different[int(rng.random() * n_different)], 1
        else:
            n = draw_subset(rng, *table, i, different, n_different, law.min_items, chosen)
        sets[k], horizons[k] = tuple(chosen[:n].tolist()), horizon
    return Coupled(sets, horizons)


def pair_law(proposal: str, items: BinaryTable, min_items: int = 1) -> PairLaw:
    """Return the law of the pairs of rows that antecedents of any items are drawn from.

    Parameters
    ----------
    proposal : {"boley", "tight"}
        ``sqrt(w1(D+) w2(D-))``, or ``w1(D+)`` alone, the tight upper bound.
    items : BinaryTable
    min_items : {1, 2}, default=1
        Least number of items of an antecedent.
    """
    return PairLaw(SUBSETS, min_items, _proposal(proposal), items.n_columns)


def reduced_space(
    items: BinaryTable, min_clique_probability: float, proposal: str
) -> tuple[ColumnSets, BinaryTable, PairLaw]:
    """Return the likely cliques of items, which row contains which of them, and the law that draws one of them.

    Given the table and the law, `draw_antecedents` draws antecedents of one column: the number of an item set.

    Parameters
    ----------
    items : BinaryTable
    min_clique_probability : float
    proposal : {"boley", "tight"}

    Raises
    ------
    ValueError
        When there are more than `MAX_ITEM_SETS` such sets.
    """
    law = PairLaw(SIZE, 1, _proposal(proposal), 0)
    sets = likely_cliques(items, min_clique_probability, MAX_ITEM_SETS)
    if sets.is_capped:
        raise ValueError(f"more than {MAX_ITEM_SETS} sets reach min_clique_probability={min_clique_probability:g}")
    return sets, membership(items, sets), law._replace(n_columns=len(sets))


def _proposal(name: str) -> int:
    if name not in PROPOSALS:
        raise ValueError(f"proposal must be one of {tuple(PROPOSALS)}, got {name!r}")
    return PROPOSALS[name]


def log_acceptance(items: BinaryTable, positive: Any, law: PairLaw) -> float:
    """Return the exact log2 of the probability that a proposed pair is accepted from whatever state.

    That is ``E[w / w_bar]`` over the proposals; -inf where no pair of rows has a weight. It tells what a draw costs
    also where it would take more steps than there is time for.

    Notes
    -----
    O(n_positive * n_negative + the common ones of all such pairs), in blocks of positive rows.
    """
    positive = np.asarray(positive, dtype=bool)
    matrix = sp.csr_array((np.ones(items.n_ones), items.indices, items.indptr), (items.n_rows, items.n_columns))
    plus, minus = matrix[np.flatnonzero(positive)], sp.csc_array(matrix[np.flatnonzero(~positive)].T)
    n_plus, n_minus = np.diff(plus.indptr), np.diff(minus.indptr)
    useful = n_plus >= law.min_items
    plus, n_plus = plus[np.flatnonzero(useful)], n_plus[useful]
    if not n_plus.size or not n_minus.size:
        return -math.inf
    totals = []
    for start in range(0, n_plus.size, BLOCK_ROWS):
        sizes = n_plus[start : start + BLOCK_ROWS, None].astype(float)
        common = (plus[start : start + BLOCK_ROWS] @ minus).toarray()
        totals.append(_log_sum(_log_weights(sizes, sizes - common, law)))
    total = _log_sum(np.array(totals))
    if total == -math.inf:
        return total
    n_plus = n_plus.astype(float)
    plus_logs = _log_weights(n_plus, n_plus, law)
    if law.proposal == TIGHT:
        return total - _log_sum(plus_logs) - math.log2(n_minus.size)
    all_columns = np.full(n_minus.size, float(law.n_columns))
    minus_logs = _log_weights(all_columns, all_columns - n_minus, law)
    return total - _log_sum(plus_logs / 2) - _log_sum(minus_logs / 2)


def _log_weights(sizes: np.ndarray, different: np.ndarray, law: PairLaw) -> np.ndarray:
    """Return the log2 of the number of sets in so many columns that are not within those that do not differ."""
    with np.errstate(divide="ignore"):
        if law.weight == SIZE:
            return np.log2(different)
        share = 1 - np.exp2(-different)
        if law.min_items == 2:
            share -= different * np.exp2(-sizes)
        return sizes + np.log2(np.where(different > 0, np.maximum(share, 0.0), 0.0))


def mean_log_horizon(log_acceptance: float) -> float:
    """Return the exact mean of ln(horizon) of coupling from the past.

    The first step that is accepted from whatever state has a geometric law, and the horizon is the next power of two:
    ``E[ln N] = ln 2 * sum over k >= 0 of (1 - p) ** (2 ** k)``.

    Parameters
    ----------
    log_acceptance : float
        log2 of p; see `log_acceptance`. inf is returned for -inf.
    """
    if log_acceptance == -math.inf:
        return math.inf
    p = 2.0**log_acceptance
    if p >= 1:
        return 0.0
    # log2(-log(1 - p)), also where 1 - p is 1 in floating point.
    log_rate = math.log2(-math.log1p(-p)) if p > 1e-12 else log_acceptance + p / 2
    k = np.arange(max(0, math.ceil(-log_rate)) + 8)
    return float(math.log(2) * np.exp(-np.exp2(k + log_rate)).sum())


def _log_sum(logs: np.ndarray) -> float:
    """Return the log2 of the sum of numbers that are given by their log2."""
    return float(np.logaddexp2.reduce(logs, axis=None))
