"""What every set of rules can tell, whatever its rules conclude: how many there are, and which rows they cover."""

from __future__ import annotations

from typing import Any

import numpy as np

from .columns import TableColumns
from .condition import covered_rows


class CoveringRules:
    """Rules with antecedents, and the names of the columns that these speak of.

    A subclass has `rules` and `feature_names`, and says itself as `to_text`.
    """

    def __len__(self) -> int:
        return len(self.rules)

    def __str__(self) -> str:
        return self.to_text()

    @property
    def n_conditions(self) -> int:
        """Total number of conditions over all rules."""
        return sum(len(rule) for rule in self.rules)

    def covers(self, X: Any) -> np.ndarray:
        """Tell which rule covers which row.

        Parameters
        ----------
        X : ndarray, sparse matrix or DataFrame of shape (n_samples, n_features)
            Original columns; those of a DataFrame with text names are found by name.

        Returns
        -------
        ndarray of bool of shape (n_samples, n_rules)
        """
        return covered_rows(self.rules, TableColumns(X, self.feature_names))
