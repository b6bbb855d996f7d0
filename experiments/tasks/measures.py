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
    better : {"higher", "lower", None}
        None for sizes and counts, which are neither good nor bad.
    """

    title: str
    digits: int = 3
    better: str | None = "higher"


OF_PREDICTIONS = {
    "micro_f1": Measure("micro-F1"),
    "macro_f1": Measure("macro-F1"),
    "samples_f1": Measure("samples-F1"),
    "hamming_accuracy": Measure("Hamming accuracy"),
    "subset_accuracy": Measure("subset accuracy"),
    "coverage": Measure("coverage"),
    "recovery": Measure("rule recovery"),
    "recovered": Measure("rules recovered exactly"),
    "diversity": Measure("diversity", 4),
    "n_rules": Measure("rules", 1, None),
    "n_conditions": Measure("conditions", 1, None),
}
OF_EXPLANATIONS = {
    "length": Measure("length L", 2, "lower"),
    "n_columns": Measure("length, each column of a category counted", 2, "lower"),
    "seconds": Measure("CPU seconds T", 3, "lower"),
    "n_rules": OF_PREDICTIONS["n_rules"],
    "rule_coverage": Measure("coverage C"),
    "coverage_of_others": Measure("coverage of other rows"),
    "coded_precision": Measure("precision P as coded (micro recall)"),
    "precision": Measure("precision"),
    "exact_precision": Measure("precision, exact label set"),
    "label_precision": Measure("precision per label"),
    "own_row": Measure("covers its own row"),
    "own_labels": Measure("label set is the forest's"),
    "proven": Measure("proven"),
    "audited_proven": Measure("found conclusive"),
    "audited_refuted": Measure("refuted by a counterexample", 3, "lower"),
    "audited_undecided": Measure("neither within the budget", 3, "lower"),
    "not_audited": Measure("no rule, no label or nothing covered", 3, "lower"),
    "fidelity": Measure("fidelity by its own account"),
    "is_precise": Measure("precise by its own account"),
    "is_empty": Measure("empty rules", 3, None),
    "is_out_of_time": Measure("out of time", 3, "lower"),
    "n_covering_none": Measure("rules that cover no row", 1, None),
    "n_explained": Measure("rows explained", 1, None),
    "n_empty": Measure("rows without a predicted label", 1, None),
}
OF_COPIES = {
    "cell_fidelity": Measure("labels as the forest's"),
    "f1_fidelity": Measure("micro-F1 against the forest"),
    "set_fidelity": Measure("label sets as the forest's"),
    "n_rules": OF_PREDICTIONS["n_rules"],
    "n_conditions": OF_PREDICTIONS["n_conditions"],
}
OF_SAMPLES = {
    "log_rows": Measure("ln rows with all of it", 2),
    "log_covered": Measure("ln rows with the antecedent", 2),
    "log_area": Measure("ln area", 2),
    "log_item_area": Measure("ln area of antecedent", 2),
    "edge_probability": Measure("edge probability"),
    "single_row": Measure("one row at most", 3, "lower"),
    "confidence": Measure("confidence"),
    "discriminativity": Measure("pairs told apart"),
    "n_labels_of_rule": Measure("labels of a consequent", 2, None),
    "n_items": Measure("items of an antecedent", 2, None),
    "n_distinct": Measure("distinct sets", 1, None),
    "log_horizon": Measure("ln N of draws", 2, "lower"),
    "exact_log_horizon": Measure("ln N, exact mean", 2, "lower"),
    "out_of_reach": Measure("consequents out of reach", 3, "lower"),
}
OF_DATA = {
    "n_rows": Measure("rows", 0, None),
    "n_train": Measure("training rows", 0, None),
    "n_features": Measure("features", 0, None),
    "n_labels": Measure("labels", 0, None),
    "cardinality": Measure("labels a row", 2, None),
    "density": Measure("label density", 3, None),
    "n_label_sets": Measure("distinct label sets", 0, None),
    "n_occurrences": Measure("label occurrences", 0, None),
    "items_a_row": Measure("items a row", 1, None),
}
MEASURES = OF_PREDICTIONS | OF_COPIES | OF_EXPLANATIONS | OF_SAMPLES | OF_DATA
