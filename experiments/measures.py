"""What a config may list under `metrics`: names, and how tables write them."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Measure:
    """A column of a table.

    Parameters
    ----------
    title : str
    digits : int
        Digits after the point in tables.
    higher_is_better : bool
        False for sizes, which are neither good nor bad.
    """

    title: str
    digits: int = 3
    higher_is_better: bool = True


MEASURES = {
    "micro_f1": Measure("micro-F1"),
    "macro_f1": Measure("macro-F1"),
    "samples_f1": Measure("samples-F1"),
    "hamming_accuracy": Measure("Hamming accuracy"),
    "subset_accuracy": Measure("subset accuracy"),
    "coverage": Measure("coverage"),
    "recovery": Measure("rule recovery"),
    "recovered": Measure("rules recovered exactly"),
    "n_rules": Measure("rules", 1, False),
    "n_conditions": Measure("conditions", 1, False),
}
