import numpy as np
import pandas as pd
import pytest

from experiments.forests import Fold
from mlrx.datasets import MultilabelData


@pytest.fixture(scope="session")
def surrogate_fold() -> Fold:
    """90 training rows: a forest of 20 trees, two numbers and three categories, three labels and two constant ones."""
    rng = np.random.default_rng(3)
    category = rng.integers(3, size=120)
    columns = {"a": rng.normal(size=120), "b": 100 * rng.normal(size=120)}
    columns |= {f"c={k}": (category == k).astype(float) for k in range(3)}
    a, b = columns["a"], columns["b"]
    Y = np.column_stack([a > 0, (b > 50) & (category != 1), (a > 0.5) ^ (b > 0), np.ones(120), np.zeros(120)])
    names, labels = list(columns), [f"l{k}" for k in range(5)]
    kinds = ["numeric"] * 2 + ["binary"] * 3

    def part(rows: slice) -> MultilabelData:
        return MultilabelData(pd.DataFrame(columns)[rows], Y[rows].astype(np.uint8), names, labels, kinds, "drawn")

    parameters = {"n_estimators": 20, "max_depth": 6}
    return Fold("drawn", part(slice(90)), part(slice(90, None)), "", parameters, {"c": (2, 3, 4)})
