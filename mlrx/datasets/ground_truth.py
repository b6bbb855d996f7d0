"""Synthetic data made from known rules."""

from __future__ import annotations

from collections.abc import Sequence
from math import comb
from numbers import Integral, Real

import numpy as np
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import Interval, StrOptions, validate_params

from .data import GeneratingRule, MultilabelData
from .load import binary_data

_COUNT = [Interval(Integral, 1, None, closed="left")]


@validate_params(
    {
        "n_samples": _COUNT,
        "n_features": [Interval(Integral, 3, None, closed="left")],
        "n_labels": [Interval(Integral, 2, None, closed="left")],
        "n_rules": _COUNT,
        "sizes": [StrOptions({"equal", "varied"})],
        "antecedent_size": _COUNT,
        "consequent_size": _COUNT,
        "supports": [StrOptions({"uniform", "skewed"})],
        "rules_per_row": [Interval(Real, 0, None, closed="neither")],
        "noise": [Interval(Real, 0, 1, closed="both")],
        "n_test": [*_COUNT, None],
        "random_state": ["random_state"],
    },
    prefer_skip_nested_validation=True,
)
def make_ground_truth(
    n_samples: int = 1000,
    n_features: int = 30,
    n_labels: int = 30,
    n_rules: int = 30,
    *,
    sizes: str = "equal",
    antecedent_size: int = 3,
    consequent_size: int = 3,
    supports: str = "uniform",
    rules_per_row: float = 1.0,
    noise: float = 0.001,
    n_test: int | None = None,
    random_state: int | np.random.RandomState | None = None,
) -> tuple[MultilabelData, MultilabelData]:
    """Make binary training and test data from generating rules, after Ciaperoni et al. [1]_.

    All cells start at 0. Each rule gets a support, a set of rows drawn uniformly, over which its features and its
    labels are set to 1. Then cells of X and Y are flipped as noise. Test rows come from the same rules in the same
    way.

    Parameters
    ----------
    n_samples, n_features, n_labels, n_rules : int
        Sizes; at least 3 features and 2 labels.
    sizes : "equal" or "varied"
        Whether every rule has ``antecedent_size`` features and ``consequent_size`` labels, as in the paper, or 2 to
        n_features - 1 features and 1 to n_labels - 1 labels, uniformly, as in the authors' generator.
    antecedent_size, consequent_size : int
        Features and labels of a rule when sizes are equal.
    supports : "uniform" or "skewed"
        Whether supports are equally large, or as 1, 1/2, 1/3, ..., so that few rules cover most rows.
    rules_per_row : float
        Sum of the supports as a multiple of the number of rows; no support exceeds all rows or is less than one.
    noise : float
        Probability that a cell is flipped.
    n_test : int, optional
        Number of test rows; by default ``n_samples``.
    random_state : int, RandomState or None
        Seed; one generator serves the whole call.

    Returns
    -------
    train, test : MultilabelData
        X a DataFrame of zeros and ones. The rules are ``generating_rules`` of both; no two antecedents are the same.

    Raises
    ------
    ValueError
        If a parameter is out of its range, or there are fewer antecedents of the size than rules.

    Notes
    -----
    The paper leaves open how large supports are and how skewed: ``rules_per_row`` and the harmonic sequence are chosen
    here. Cost: O((n_samples + n_test) (n_features + n_labels + n_rules)).

    References
    ----------
    .. [1] M. Ciaperoni, H. Xiao, A. Gionis, "Concise and interpretable multi-label rule sets", ICDM 2022.

    Examples
    --------
    >>> train, test = make_ground_truth(100, 8, 5, n_rules=2, consequent_size=1, noise=0.0, random_state=0)
    >>> train.generating_rules[0]
    GeneratingRule(antecedent=(1, 2, 6), consequent=(1,))
    >>> train.X.sum().astype(int).tolist(), train.Y.sum(axis=0).tolist()
    ([0, 50, 50, 50, 0, 0, 75, 50], [50, 50, 0, 0, 0])
    """
    rng = check_random_state(random_state)
    if sizes == "equal":
        antecedent_sizes, consequent_sizes = [antecedent_size], [consequent_size]
    else:
        antecedent_sizes, consequent_sizes = range(2, n_features), range(1, n_labels)
    _check_sizes(n_features, n_labels, n_rules, antecedent_sizes, consequent_sizes)
    rules = _draw_rules(n_features, n_labels, n_rules, antecedent_sizes, consequent_sizes, rng)
    weights = np.ones(n_rules) if supports == "uniform" else 1 / np.arange(1, n_rules + 1)
    shares = np.minimum(rules_per_row * weights / weights.sum(), 1.0)
    name = f"ground-truth-{n_samples}"
    splits = []
    for split, n_rows in (("train", n_samples), ("test", n_test or n_samples)):
        X, Y = _draw_rows(n_rows, n_features, n_labels, rules, shares, noise, rng)
        splits.append(binary_data(X, Y, rules, name, split))
    return splits[0], splits[1]


def _check_sizes(
    n_features: int, n_labels: int, n_rules: int, antecedent_sizes: Sequence[int], consequent_sizes: Sequence[int]
) -> None:
    if antecedent_sizes[-1] >= n_features:
        raise ValueError(f"antecedent_size={antecedent_sizes[-1]}: must be below n_features={n_features}")
    if consequent_sizes[-1] >= n_labels:
        raise ValueError(f"consequent_size={consequent_sizes[-1]}: must be below n_labels={n_labels}")
    n_antecedents = sum(comb(n_features, size) for size in antecedent_sizes)
    if n_rules > n_antecedents:
        raise ValueError(
            f"n_rules={n_rules}: {n_features} features have only {n_antecedents} antecedents of these sizes"
        )


def _draw_rules(
    n_features: int,
    n_labels: int,
    n_rules: int,
    antecedent_sizes: Sequence[int],
    consequent_sizes: Sequence[int],
    rng: np.random.RandomState,
) -> tuple[GeneratingRule, ...]:
    """Draw rules with distinct antecedents, each size as probable as the others."""
    consequents: dict[tuple[int, ...], tuple[int, ...]] = {}
    while len(consequents) < n_rules:
        antecedent = _draw_subset(n_features, rng.choice(antecedent_sizes), rng)
        if antecedent not in consequents:
            consequents[antecedent] = _draw_subset(n_labels, rng.choice(consequent_sizes), rng)
    return tuple(GeneratingRule(*rule) for rule in consequents.items())


def _draw_subset(n: int, size: int, rng: np.random.RandomState) -> tuple[int, ...]:
    return tuple(sorted(rng.choice(n, size, replace=False).tolist()))


def _draw_rows(
    n_rows: int,
    n_features: int,
    n_labels: int,
    rules: tuple[GeneratingRule, ...],
    shares: np.ndarray,
    noise: float,
    rng: np.random.RandomState,
) -> tuple[np.ndarray, np.ndarray]:
    X = np.zeros((n_rows, n_features), dtype=np.uint8)
    Y = np.zeros((n_rows, n_labels), dtype=np.uint8)
    for rule, share in zip(rules, shares):
        rows = rng.choice(n_rows, max(1, round(share * n_rows)), replace=False)
        X[np.ix_(rows, rule.antecedent)] = 1
        Y[np.ix_(rows, rule.consequent)] = 1
    for cells in (X, Y):
        cells ^= (rng.random_sample(cells.shape) < noise).astype(np.uint8)
    return X, Y
