"""Backfitting: each rule found again, now that all others are there."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from ..bits import popcount
from .gain import Price, gain
from .growing import FoundRule, Rows
from .optimise import Search, covered_by, optimise_rule, predict_too


def backfit(found: Sequence[FoundRule], rows: Rows, price: Price, search: Search) -> list[FoundRule]:
    """Take each rule out once, and put back the best one from its consequent if that gains more.

    Parameters
    ----------
    found : sequence of FoundRule
    rows : Rows
    price : Price
        Now with the F aimed at for all rules, the first ones too.
    search : Search

    Returns
    -------
    list of FoundRule
        In the same order. A rule that gains nothing beside the others, nor can be made to, is left out.

    Notes
    -----
    The sum over all cells that the rules predict never gets worse: a rule is replaced only by a better one.
    O(rules) searches, and O(rules ** 2 * n_words) word operations.
    """
    rules: list[FoundRule | None] = list(found)
    for k, rule in enumerate(found):
        others = np.zeros_like(rows.labels.bits)
        for other in rules[:k] + rules[k + 1 :]:
            if other is not None:
                predict_too(other.rows, other.consequent, others)
        value = _gain_beside(rule, rows, others, price)
        literals, consequent, better = optimise_rule(rows.items, rows.labels, others, rule.consequent, price, search)
        if better > max(value, 0.0):
            covered = covered_by(literals, rows.items.bits, rows.n_rows)
            rules[k] = FoundRule(literals, consequent, covered, better, price.target_f1)
        else:
            rules[k] = replace(rule, gain=value, target_f1=price.target_f1) if value > 0 else None
    return [rule for rule in rules if rule is not None]


def _gain_beside(rule: FoundRule, rows: Rows, others: np.ndarray, price: Price) -> float:
    """Return what a rule gains over the cells that no other one predicts."""
    new = rule.rows & ~others[rule.consequent]
    n_true = int(popcount(new & rows.labels.bits[rule.consequent]).sum())
    return gain(n_true, int(popcount(new).sum()) - n_true, price)
