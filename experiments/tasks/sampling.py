"""The task "sample": what the samplers of CORSET and of Boley et al. draw, and what a draw costs."""

from __future__ import annotations

import math
from dataclasses import dataclass, fields

import numpy as np

from mlrx.binarize import FeatureBinarizer
from mlrx.bits import popcount, unpack
from mlrx.corset.consequents import Drawn
from mlrx.corset.pairs import PairLaw
from mlrx.table import BinaryTable

from ..splits import Split
from .measures import OF_SAMPLES
from .observing import make_task
from .samplers import (
    PROPOSALS,
    TARGETS,
    consequent_sampler,
    describe_sets,
    draw_antecedents,
    draw_pool,
    draw_sets,
    log_acceptance,
    match_rows,
    mean_log_horizon,
    pair_law,
    reduced_space,
)

# What antecedents are drawn by, besides the targets of Boley et al., and how a pool calls it in all and reduced sets.
METHODS = {"discriminativity": ("rejection", "cliques"), "greedy": ("greedy", "greedy")}
# Coupling that goes further into the past than this on average is not done.
MAX_STEPS = 1 << 16


class Draws:
    """Checks that all samplers share: counts are at least 1, probabilities are above 0 and at most 1."""

    def __post_init__(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            if isinstance(value, int) and value < 1:
                raise ValueError(f"{field.name} must be at least 1, got {value}")
            if isinstance(value, float) and not 0 < value <= 1:
                raise ValueError(f"{field.name} must be above 0 and at most 1, got {value:g}")


@dataclass(frozen=True)
class ConsequentDraws(Draws):
    """Consequents drawn by area, before any rule is chosen.

    Parameters
    ----------
    n_draws : int
    min_clique_probability : float or None, default=None
        None draws among all label sets; a threshold, among the likely cliques.
    """

    n_draws: int
    min_clique_probability: float | None = None

    def observe(self, split: Split, rng: np.random.Generator) -> dict[str, float]:
        """Return the means over the draws; that of the edge probability over those of two labels or more."""
        table = BinaryTable.from_matrix(split.train.Y)
        sets = draw_sets(rng, table, self.n_draws, "area", self.min_clique_probability)
        described = describe_sets(table, sets)
        scores = {
            "n_labels_of_rule": described["n_columns"].mean(),
            "n_distinct": len({sets[k] for k in range(len(sets))}),
            "log_rows": np.log(described["n_rows"]).mean(),
            "log_area": np.log(described["area"]).mean(),
            "single_row": (described["n_rows"] == 1).mean(),
        }
        edges = described["edge_probability"].dropna()
        if edges.size:
            scores["edge_probability"] = edges.mean()
        return {name: float(score) for name, score in scores.items()}


@dataclass(frozen=True)
class RuleDraws(Draws):
    """Rules drawn before any is chosen: consequents by area, and antecedents for each of them.

    Parameters
    ----------
    n_consequents, n_draws : int
        Consequents, and antecedents for each of them.
    target : {"support", "area", "discriminativity", "greedy"}
        Antecedents by their number of rows, whatever the consequent; by that of their ones; by discriminativity; or
        grown greedily from a pair of rows.
    min_label_probability, min_item_probability : float or None, default=None
        None draws among all sets of labels, or of items; a threshold, among the likely cliques.
    """

    n_consequents: int
    n_draws: int
    target: str
    min_label_probability: float | None = None
    min_item_probability: float | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        allowed = *TARGETS, *METHODS
        if self.target not in allowed:
            raise ValueError(f"target must be one of {', '.join(allowed)}, got {self.target!r}")
        if self.target == "greedy" and self.min_item_probability is not None:
            raise ValueError(f"min_item_probability: greedy antecedents need none, got {self.min_item_probability:g}")

    def observe(self, split: Split, rng: np.random.Generator) -> dict[str, float]:
        """Return means over the rules drawn, and the share of them that hold for a single row or none.

        Those of the logarithms of rows that match a whole rule have no value where some rule matches none.
        """
        items, labels = read_tables(split)
        drawn = draw_consequents(rng, labels, self.n_consequents, self.min_label_probability)
        n_items, n_labels, n_covered, n_correct, n_positive = self._draw(rng, items, labels, drawn)
        if not n_items.size:
            return {}
        told = discriminativity(n_covered, n_correct, n_positive, items.n_rows)
        scores = {
            "n_items": n_items,
            "n_labels_of_rule": n_labels,
            "log_covered": np.log(n_covered),
            "log_item_area": np.log(n_items * n_covered),
            "confidence": n_correct / n_covered,
            "discriminativity": told,
            "single_row": n_correct <= 1,
        }
        if n_correct.all():
            scores |= {"log_rows": np.log(n_correct), "log_area": np.log(n_labels * n_correct)}
        return {name: float(values.mean()) for name, values in scores.items()}

    def _draw(
        self, rng: np.random.Generator, items: BinaryTable, labels: BinaryTable, drawn: Drawn
    ) -> tuple[np.ndarray, ...]:
        """Return for each rule: items, labels, rows of the antecedent, of the rule, and of the consequent."""
        times = drawn.times * self.n_draws
        n_labels, positive = np.diff(drawn.sets.indptr), match_rows(labels, drawn.sets)
        n_positive = popcount(positive)
        if self.target in METHODS:
            method = METHODS[self.target][self.min_item_probability is not None]
            more = Drawn(drawn.sets, times, drawn.numbers)
            pool = draw_pool(rng, items, labels, more, method, self.min_item_probability or 1.0)
            groups, found = pool.groups, pool.lengths > 0
            counts = pool.lengths, n_labels[groups], pool.n_covered, pool.n_correct, n_positive[groups]
            return tuple(count[found] for count in counts)
        groups = np.repeat(np.arange(len(drawn.sets)), times)
        sets = draw_sets(rng, items, groups.size, self.target, self.min_item_probability)
        covered = match_rows(items, sets)
        n_correct = popcount(covered & positive[groups])
        return np.diff(sets.indptr), n_labels[groups], popcount(covered), n_correct, n_positive[groups]


@dataclass(frozen=True)
class CouplingDraws(Draws):
    """What coupling from the past costs by a proposal, for consequents drawn by area among the likely cliques.

    Parameters
    ----------
    n_consequents, n_draws : int
        Consequents, and antecedents for each of them.
    proposal : {"boley", "tight"}
    min_label_probability : float
        Threshold on the cliques of labels.
    min_item_probability : float or None, default=None
        None draws among all item sets; a threshold, among the likely cliques of items.
    """

    n_consequents: int
    n_draws: int
    proposal: str
    min_label_probability: float
    min_item_probability: float | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.proposal not in PROPOSALS:
            raise ValueError(f"proposal must be one of {', '.join(PROPOSALS)}, got {self.proposal!r}")

    def observe(self, split: Split, rng: np.random.Generator) -> dict[str, float]:
        """Return mean ln N, exact and of the draws, and the share of the consequents that are out of reach.

        Consequents that no antecedent tells from the other rows are left out. Nothing is drawn where some consequent
        would take more than `MAX_STEPS` steps on average.

        Notes
        -----
        The exact mean is that over all pairs of rows; the draws leave out rows that can be in no accepted pair, and
        may take fewer steps.
        """
        items, labels = read_tables(split)
        drawn = draw_consequents(rng, labels, self.n_consequents, self.min_label_probability)
        table, law = self._space(items)
        positives = unpack(match_rows(labels, drawn.sets), labels.n_rows)
        costs = np.array([mean_log_horizon(log_acceptance(table, positive, law)) for positive in positives])
        possible = np.isfinite(costs)
        if not possible.any():
            return {}
        costs, times = costs[possible], drawn.times[possible]
        is_far = costs > math.log(MAX_STEPS)
        means = (float(np.average(values, weights=times)) for values in (costs, is_far))
        scores = dict(zip(("exact_log_horizon", "out_of_reach"), means))
        if not is_far.any():
            sizes = (times * self.n_draws).tolist()
            # Room for draws far above the mean; one that is given up all the same has the horizon 0.
            draws = [
                draw_antecedents(rng, table, positive, size, law, MAX_STEPS << 4)
                for positive, size in zip(positives[possible], sizes)
            ]
            horizons = np.concatenate([found.horizons for found in draws])
            if horizons.all():
                scores["log_horizon"] = float(np.log(horizons).mean())
        return scores

    def _space(self, items: BinaryTable) -> tuple[BinaryTable, PairLaw]:
        if self.min_item_probability is None:
            return items, pair_law(self.proposal, items)
        return reduced_space(items, self.min_item_probability, self.proposal)[1:]


def read_tables(split: Split) -> tuple[BinaryTable, BinaryTable]:
    """Return the binary items of the training rows, numeric columns cut as `CorsetClassifier` does, and their labels.

    Returns
    -------
    items, labels : BinaryTable
    """
    items = FeatureBinarizer().fit_transform(split.train.X)
    return BinaryTable.from_matrix(items), BinaryTable.from_matrix(split.train.Y)


def draw_consequents(
    rng: np.random.Generator, labels: BinaryTable, size: int, min_clique_probability: float | None
) -> Drawn:
    """Draw consequents by area, before any rule is chosen; from all label sets where the threshold is None."""
    if labels.n_ones == 0:
        raise ValueError("no training row has a label: there is no consequent to draw")
    return consequent_sampler(labels, min_clique_probability).draw(rng, size)


def discriminativity(n_covered: np.ndarray, n_correct: np.ndarray, n_positive: np.ndarray, n_rows: int) -> np.ndarray:
    """Return the share of the pairs of a positive and a negative row that an antecedent tells apart.

    That is equation (6) of the CORSET paper, ``|D+[H]| (|D-| - |D-[H]|)``, divided by ``|D+| |D-|``; 0 where there is
    no such pair.

    Examples
    --------
    >>> discriminativity(np.array([3]), np.array([2]), np.array([4]), 10)  # 2 of 4, and 5 of 6
    array([0.41666667])
    """
    n_negative = n_rows - n_positive
    n_pairs = n_positive * n_negative
    told = n_correct * (n_negative - (n_covered - n_correct))
    return np.divide(told, n_pairs, out=np.zeros(n_pairs.shape), where=n_pairs > 0)


TASK = make_task({"consequents": ConsequentDraws, "rules": RuleDraws, "coupling": CouplingDraws}, OF_SAMPLES)
