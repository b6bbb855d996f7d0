"""Growing a rule set: of the best rule of each label, the best one, again and again."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from ..bits import popcount
from ..table import BinaryTable
from .antecedents import Items
from .gain import Labels, Price
from .optimise import Search, covered_by, optimise_rule, predict_too

# The first rules are held to a stricter F, which falls from 1 to the one aimed at in this many steps of so many rules.
STEPS, RULES_A_STEP = 3, 3
# Items are held as a table, too, where more than one in so many is set.
_DENSE = 12


@dataclass(frozen=True)
class FoundRule:
    """A rule in terms of items.

    Attributes
    ----------
    literals, consequent : ndarray of int
    rows : ndarray of uint64 of shape (n_words,)
        Training rows that it covers, packed.
    gain : float
        By the F that was aimed at when it was chosen.
    target_f1 : float
        That F.
    """

    literals: np.ndarray
    consequent: np.ndarray
    rows: np.ndarray
    gain: float
    target_f1: float


@dataclass(frozen=True)
class Rows:
    """Rows to learn or to score rules on.

    Attributes
    ----------
    items : Items
    labels : Labels
    n_rows : int
    """

    items: Items
    labels: Labels
    n_rows: int

    @classmethod
    def from_matrices(cls, items, positives) -> Rows:
        """Build from two CSR arrays, of shapes (n_rows, n_items) and (n_rows, n_labels)."""
        table, labels = BinaryTable.from_matrix(items), BinaryTable.from_matrix(positives)
        is_dense = _DENSE * table.n_ones > table.n_rows * table.n_columns
        dense = items.toarray().astype(np.uint8, copy=False) if is_dense else np.empty((0, table.n_columns), np.uint8)
        return cls(
            Items(table.indptr, table.indices, table.bits, table.frequencies, dense),
            Labels(labels.indptr, labels.indices, labels.bits),
            table.n_rows,
        )


class _Queue:
    """The best rule that starts from each label, found anew only when it may have changed.

    A rule depends on the labels it predicts, and on the one it starts from. What it gains is known until a rule with
    one of these labels is chosen; from then on it is found again when it comes first.
    """

    def __init__(self, rows: Rows, predicted: np.ndarray, price: Price, search: Search) -> None:
        self.arguments = rows.items, rows.labels, predicted
        self.price, self.search = price, search
        n_labels = predicted.shape[0]
        self.found = [None] * n_labels
        # The most that a rule for this label alone can gain.
        self.gains = (2 - price.target_f1) * popcount(rows.labels.bits & ~predicted)
        self.is_stale = np.ones(n_labels, dtype=bool)
        self.uses = np.zeros((n_labels, n_labels), dtype=bool)

    def _find(self, label: int) -> None:
        found = optimise_rule(*self.arguments, np.array([label]), self.price, self.search)
        self.found[label], self.gains[label], self.is_stale[label] = found, found[2], False
        self.uses[label] = False
        self.uses[label, label] = self.uses[label, found[1]] = True

    def pop(self) -> tuple[np.ndarray, np.ndarray, float] | None:
        """Return literals, consequent and gain of the best rule; None when no rule gains anything."""
        while self.gains.size:
            label = int(np.argmax(self.gains))
            if self.gains[label] <= 0:
                return None
            if not self.is_stale[label]:
                found = self.found[label]
                self.is_stale |= self.uses[:, found[1]].any(axis=1)
                return found
            self._find(label)
        return None


def targets_on_the_way(target_f1: float) -> list[float]:
    """Return the F of each step, of which the last is the one aimed at.

    Notes
    -----
    A union takes nothing back. Rules that come first predict what no other rule does yet, which makes broad ones look
    good that later, narrower ones would have spared.
    """
    if target_f1 >= 1:
        return [target_f1]
    return [1 - (1 - target_f1) * step / STEPS for step in range(STEPS)] + [target_f1]


def grow_rules(rows: Rows, price: Price, search: Search) -> Iterator[FoundRule]:
    """Yield rules in the order of choice, until none gains anything.

    Parameters
    ----------
    rows : Rows
    price : Price
    search : Search

    Notes
    -----
    The first rules are those that any larger set begins with: one run serves all numbers of rules.
    """
    predicted = np.zeros_like(rows.labels.bits)
    targets = targets_on_the_way(price.target_f1)
    for target_f1 in targets:
        queue = _Queue(rows, predicted, Price(target_f1, price.size_price), search)
        n_chosen = 0
        while target_f1 == targets[-1] or n_chosen < RULES_A_STEP:
            found = queue.pop()
            if found is None:
                break
            literals, consequent, gain = found
            covered = covered_by(literals, rows.items.bits, rows.n_rows)
            predict_too(covered, consequent, predicted)
            n_chosen += 1
            yield FoundRule(literals, consequent, covered, gain, target_f1)
