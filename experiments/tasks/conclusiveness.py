"""Are the rules of an explainer conclusive? A proof, a counterexample, or neither, for each of them."""

from __future__ import annotations

from mlrx.lionforests import ForestCells, find_violation

from ..explainers.explainer import Explained

NOT_AUDITED = "not_audited"
VERDICTS = {"proven": "audited_proven", "counterexample": "audited_refuted", "undecided": "audited_undecided"}


class Auditor:
    """Asks of every rule whether the forest predicts the labels that it claims for all rows that it covers.

    Parameters
    ----------
    cells : ForestCells
    budget : int
        Boxes that a search may look at, for each label.

    Notes
    -----
    See `find_violation`. A rule that occurs again, as those of global models do, is asked about once.
    """

    def __init__(self, cells: ForestCells, budget: int) -> None:
        self._cells, self._budget = cells, budget
        self._known: dict[tuple, str] = {}

    def verdict(self, explained: Explained) -> str:
        """Return one of `VERDICTS`; `NOT_AUDITED` where there is no rule, no label, or nothing that it can cover."""
        rule, labels = explained.rule, explained.labels
        if rule is None or not labels:
            return NOT_AUDITED
        key = rule.antecedent, rule.dtype, labels
        if key not in self._known:
            # Whatever one says of no rows is true.
            is_void = self._cells.box_of_rule(rule).is_empty
            self._known[key] = NOT_AUDITED if is_void else self._search(explained)
        return self._known[key]

    def _search(self, explained: Explained) -> str:
        return VERDICTS[find_violation(self._cells, explained.rule, explained.labels, budget=self._budget).status]

    def scores(self, explained: Explained) -> dict[str, float]:
        """Return the verdict as scores, 1 for what it is and 0 for all others."""
        verdict = self.verdict(explained)
        return {name: float(name == verdict) for name in (*VERDICTS.values(), NOT_AUDITED)}
