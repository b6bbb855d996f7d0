"""How CHIRPS makes a rule of patterns: score them, merge them while the rule gets more stable, prune it."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass

import numpy as np

from mlrx.rules import BINARY_CUT

from .chirps_patterns import Item, Side, Terms, is_tighter, tighten

N_CLASSES = 2
# A step must be better in so large a share of the bootstrap samples.
SURE_SHARE = 0.95
# In place of a probability of 0.
SMALLEST = 1e-7


@dataclass(frozen=True, eq=False)
class Evidence:
    """Training rows by which rules are judged.

    Parameters
    ----------
    X : ndarray of float64 of shape (n_samples, n_features)
    y : ndarray of bool of shape (n_samples,)
        Whether the forest gives a row the label.
    """

    X: np.ndarray
    y: np.ndarray

    def covers(self, terms: Terms | tuple[Item, ...]) -> np.ndarray:
        """Tell which rows satisfy all terms, of shape (n_samples,)."""
        covered = np.ones(len(self.X), dtype=bool)
        for (f, is_lower), bound in terms.items() if isinstance(terms, dict) else terms:
            covered &= (self.X[:, f] > bound) == is_lower
        return covered

    def precision(self, terms: Terms) -> float:
        """Return the share of the covered rows that have the label; NaN where none is covered."""
        among = self.y[self.covers(terms)]
        return float(among.mean()) if among.size else np.nan


@dataclass(frozen=True, eq=False)
class Stability:
    """The stability of rules, on all rows or on bootstrap samples.

    Parameters
    ----------
    evidence : Evidence
    drawn : ndarray of float64 of shape (n_boots, n_samples)
        How often each sample holds each row; no samples mean all rows, once.
    """

    evidence: Evidence
    drawn: np.ndarray

    def of(self, terms: Terms) -> np.ndarray:
        """Return the stability in each sample, of shape (max(n_boots, 1),)."""
        covered = self.evidence.covers(terms)
        correct = covered & self.evidence.y
        if not len(self.drawn):
            return np.array([(correct.sum() + 1) / (covered.sum() + N_CLASSES + 1)])
        return (self.drawn @ correct) / (self.drawn @ covered + N_CLASSES + 1)

    def is_better(self, new: np.ndarray, old: np.ndarray) -> bool:
        """Tell whether one rule is surely more stable than another."""
        return bool((new > old).sum() > (SURE_SHARE * len(self.drawn) if len(self.drawn) else 0))

    def can_lose(self, turned: np.ndarray, bound: float) -> bool:
        """Tell whether a rule with a term turned round is so stable that the term may go.

        Without bootstrap samples, when it is above the bound; else unless it is below in nearly all samples.
        """
        if not len(self.drawn):
            return bool(turned[0] > bound)
        return bool((turned < bound).sum() < SURE_SHARE * len(self.drawn))


def rank_patterns(
    patterns: dict[tuple, float], evidence: Evidence, weighting: str, is_paper: bool
) -> list[tuple[Item, ...]]:
    """Return the patterns by their scores, descending; ties in their order."""
    scores, names = score_patterns(patterns, evidence, weighting, is_paper), list(patterns)
    return [names[k] for k in np.argsort(-scores, kind="stable")]


def score_patterns(patterns: dict[tuple, float], evidence: Evidence, weighting: str, is_paper: bool) -> np.ndarray:
    """Return the mean of each pattern's support and weight, of shape (n_patterns,)."""
    weigh = {"kldiv": divergence, "chisq": swapped_association if is_paper else association}[weighting]
    weights = np.array([weigh(evidence.covers(pattern), evidence.y) for pattern in patterns])
    return (scale_weights(weights) + np.array(list(patterns.values()))) / 2


def scale_weights(weights: np.ndarray) -> np.ndarray:
    """Bring weights to the range from 0 to 1; undefined ones become 0, and so do equal ones."""
    known = weights[~np.isnan(weights)]
    if not known.size or known.max() == known.min():
        return np.zeros(weights.shape)
    return np.nan_to_num((weights - known.min()) / (known.max() - known.min()), nan=0.0)


def divergence(covered: np.ndarray, y: np.ndarray) -> float:
    """Return the Kullback-Leibler divergence of the label among the covered rows from that among all."""
    if not covered.any():
        return np.nan
    p, q = (np.clip([share, 1 - share], SMALLEST, None) for share in (y[covered].mean(), y.mean()))
    return float((p * np.log(p / q)).sum())


def association(covered: np.ndarray, y: np.ndarray) -> float:
    """Return the root of the chi-square statistic of label and coverage, from counts, without a correction."""
    counts = np.array([[(covered & y).sum(), (covered & ~y).sum()], [(~covered & y).sum(), (~covered & ~y).sum()]])
    margins = np.outer(counts.sum(axis=1), counts.sum(axis=0)).astype(float)
    if not margins.all():
        return np.nan
    expected = margins / counts.sum()
    return float(np.sqrt(((counts - expected) ** 2 / expected).sum()))


def swapped_association(covered: np.ndarray, y: np.ndarray) -> float:
    """Return what the published code took for a chi-square statistic: it is the smaller, the more a pattern tells.

    Shares stand where counts belong, covered rows over all rows, and Yates' correction of 1/2 exceeds every difference.
    """
    if not covered.any():
        return np.nan
    shares = np.array([[share, 1 - share] for share in (y[covered].mean(), y.mean())])
    expected = np.tile(shares.mean(axis=0), (2, 1))
    if not expected.all():
        return np.nan
    corrected = shares + 0.5 * np.sign(expected - shares)
    return float(np.sqrt(((corrected - expected) ** 2 / expected).sum()))


def merge_patterns(
    ranked: list[tuple[Item, ...]], stability: Stability, precision: float, is_paper: bool = False
) -> Terms:
    """Add patterns to an empty rule, best first, each where the rule becomes surely more stable.

    Parameters
    ----------
    ranked : list of tuple of Item
    stability : Stability
    precision : float
        The rule is done when it is that stable; it stays empty when so large a share of all rows have the label.
    is_paper : bool, default=False
        Let a pattern that is turned down, too, end the search.
    """
    terms: Terms = {}
    current = stability.of(terms)
    reached = float(stability.evidence.y.mean())
    remaining = deque(ranked)
    while 0 < reached < precision and remaining:
        candidate = tighten(terms, remaining.popleft())
        found = stability.of(candidate)
        is_accepted = stability.is_better(found, current)
        if is_accepted or is_paper:
            reached = float(found.mean())
        if is_accepted:
            terms, current = candidate, found
        remaining = deque(pattern for pattern in remaining if _adds(pattern, terms, candidate))
    return terms


def _adds(pattern: tuple[Item, ...], terms: Terms, tried: Terms) -> bool:
    """Tell whether a pattern, without what the rule says already, is more than a part of what was just tried."""
    new = [(s, bound) for s, bound in pattern if s not in terms or is_tighter(s, bound, terms[s])]
    return any(tried.get(side) != bound for side, bound in new)


def prune_terms(terms: Terms, stability: Stability, bound: float) -> Terms:
    """Take away terms without which the rule would be nearly as stable: those that may as well be turned round.

    At least one term stays.
    """
    terms = dict(terms)
    while len(terms) > 1:
        turned = {side: stability.of(_turn(terms, side)) for side in terms}
        side = max(turned, key=lambda side: turned[side].mean())
        if not stability.can_lose(turned[side], bound):
            break
        del terms[side]
    return terms


def _turn(terms: Terms, side: Side) -> tuple[Item, ...]:
    """Return the terms, one of them turned into its complement; the column may have another on that side."""
    others = tuple((other, bound) for other, bound in terms.items() if other != side)
    return (*others, ((side[0], not side[1]), terms[side]))


def simplify_groups(terms: Terms, groups: dict[str, tuple[int, ...]]) -> Terms:
    """Say of columns that were one category what is needed: the one that is present, or some that are absent.

    Parameters
    ----------
    terms : dict
    groups : dict of str to tuple of int
        Columns of which one is 1 and the others 0.
    """
    terms = dict(terms)
    for columns in groups.values():
        present = [f for f in columns if (f, True) in terms]
        absent = [f for f in columns if (f, False) in terms]
        if not present and len(absent) == len(columns) - 1:
            (last,) = set(columns) - set(absent)
            terms[last, True], present = BINARY_CUT, [last]
        if present:
            terms = {side: bound for side, bound in terms.items() if side not in {(f, False) for f in absent}}
    return terms
