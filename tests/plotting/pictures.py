"""Every picture of one data set, cheaply: made-up rules and scores and a small forest, with names from elsewhere."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pandas as pd
from sklearn.ensemble import RandomForestClassifier

from mlrx import Condition, Rule, RuleSet, plotting

METHODS = ("CORSET", "BOOMER, micro-F1 by a chosen threshold", "rules that vote", "RIPPER, label by label", "SeCo", "e",
           "rules guided by the F1 that each adds", "a decision tree", "level")  # fmt: skip


@dataclass(frozen=True)
class Pictures:
    """What is drawn of one data set.

    Parameters
    ----------
    features, labels : tuple of str
    """

    features: tuple[str, ...]
    labels: tuple[str, ...]

    @cached_property
    def rows(self):
        """X of 40 rows, and Y, where labels come in pairs."""
        rng = np.random.default_rng(1)
        X = rng.normal(size=(40, len(self.features))) * 10.0 ** rng.integers(-3, 5, len(self.features))
        X[:, ::3] = X[:, ::3] > 0
        pairs = (X[:, rng.integers(0, X.shape[1], -(-len(self.labels) // 2))] > 0).repeat(2, axis=1)
        return X, (pairs[:, : len(self.labels)] ^ (rng.random((40, len(self.labels))) < 0.05)).astype(int)

    @cached_property
    def rules(self):
        """Six rules with three conditions and two labels each."""
        rng = np.random.default_rng(2)
        X, Y = self.rows
        found = []
        for _ in range(6):
            chosen = rng.choice(min(len(self.features), 30), 3, replace=False).tolist()
            conditions = [Condition(f, lower=float(np.median(X[:, f])) - 1e-9) for f in sorted(chosen)]
            found.append(Rule(conditions, sorted(rng.choice(Y.shape[1], 2, replace=False).tolist()), 9, 7))
        return RuleSet(found, self.features, self.labels)

    @cached_property
    def forest(self):
        return RandomForestClassifier(6, max_depth=5, random_state=0).fit(*self.rows)

    @cached_property
    def deep_forest(self):
        """A forest whose trees are as deep as they come."""
        X, _ = self.rows
        return RandomForestClassifier(6, max_features=1, random_state=0).fit(X, np.arange(40) % 7 < 3)

    @cached_property
    def row(self):
        X, _ = self.rows
        return plotting.RowPaths.of(self.forest, X[3], X, self.features, self.labels, layout="mds", n_groups=2)

    @cached_property
    def scores(self):
        rng = np.random.default_rng(3)
        rows = [
            {"method": method, "asked": asked, "n_rules": asked, "micro_f1": rng.random(), "set": name, "λ": weight}
            for method in METHODS for asked in ([None] if method == "level" else [10, 100])
            for name in ("flags", "CAL500") for weight in ("0.01", "1.0", "100.0")
        ]  # fmt: skip
        return pd.DataFrame(rows).astype({"asked": "Int64"})

    def on_axes(self):
        """Return what draws each picture on given axes, by name, and how many inches high it is in a column."""
        X, Y = self.rows
        row, label = self.row, len(self.labels) - 1
        n, instances = min(8, len(self.features)), (self.forest, X, Y, self.labels)
        rule = Rule([Condition(f, -0.123456789012, 0.234567890123) for f in range(1, n, 2)], [0])
        table = pd.DataFrame(X[:, :n], columns=self.features[:n])
        history = pd.DataFrame({"n_new": np.arange(12, 0, -1)})
        return {
            "plot_paths": (lambda **on: plotting.plot_paths(row, **on), 3.4),
            "plot_paths of a label": (lambda **on: plotting.plot_paths(row, label=label, **on), 3.4),
            "plot_instances": (lambda **on: plotting.plot_instances(*instances, label=label, layout="mds", **on), 3.4),
            "plot_coverage_growth": (lambda **on: plotting.plot_coverage_growth(history, Y, **on), 2.8),
            "plot_path_flow": (lambda **on: plotting.plot_path_flow(row, **on), 4.2),
            "plot_feature_summary": (lambda **on: plotting.plot_feature_summary(row, group=0, **on), 9.0),
            "plot_intervals": (lambda **on: plotting.plot_intervals(rule, X[3, :n], table, title="proven", **on), 6.0),
        }  # fmt: skip

    def of_figures(self):
        """Return what draws each picture into a given figure, by name."""
        X, _ = self.rows
        label = len(self.labels) - 1
        return {
            "plot_rule_matrix": lambda **on: plotting.plot_rule_matrix(self.rules, X, **on),
            "plot_forest_matrix": lambda **on: plotting.plot_forest_matrix(
                self.forest, X, self.features, self.labels, n_rules=6, **on
            ),
            "plot_used_paths": lambda **on: plotting.plot_used_paths(self.row, label=label, **on),
            "plot_closest_paths": lambda **on: plotting.plot_closest_paths(self.row, n_rules=6, **on),
            "plot_partial_dependence": lambda **on: plotting.plot_partial_dependence(
                self.row, label, n_features=3, **on
            ),
        }

    def of_scores(self):
        """Return what draws each picture of scores on given axes, by name, and how high it is in a column."""
        one = self.scores[self.scores["set"] == "flags"]
        numbers = one.assign(**{"λ": one["λ"].astype(float)})
        name = "features in the rules of a row, summed, one dot a row"
        return {
            "plot_methods": (lambda **on: plotting.plot_methods(one, "micro_f1", label=name, **on), 4.0),
            "plot_against_rules": (
                lambda **on: plotting.plot_against_rules(one, "micro_f1", true_number=30, **on),
                4.6,
            ),
            "plot_against_parameter": (
                lambda **on: plotting.plot_against_parameter(numbers, "λ", "micro_f1", **on),
                2.8,
            ),
        }

    def of_pages(self):
        """Return what draws the pictures that always make their own figure, by name."""
        ranks = self.scores.groupby(["set", "method"])["micro_f1"].mean().unstack("method")
        maps = (
            self.scores.dropna(subset="n_rules")
            .astype({"n_rules": int})
            .assign(rules=lambda one: one["n_rules"].astype(str))
        )
        order = {"λ": ["0.01", "1.0", "100.0"], "rules": ["10", "100"], "set": ["flags", "CAL500"]}
        return {
            "plot_trade_off": lambda: plotting.plot_trade_off(self.scores, "n_rules", "micro_f1", "set"),
            "plot_critical_difference": lambda: plotting.plot_critical_difference(ranks).figure,
            "plot_heat_maps": lambda: plotting.plot_heat_maps(maps, "λ", "rules", "set", ["micro_f1"], order=order),
        }
