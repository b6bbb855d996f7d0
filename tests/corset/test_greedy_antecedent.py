"""The greedy antecedent against a plain loop, for all of the paper's variants."""

from itertools import product

import numpy as np
import pytest

from mlrx.bits import pack
from mlrx.corset.antecedents import Growth, Work, forget, grow_greedily, merge_items
from mlrx.table import BinaryTable


def new_work(n_words, n_items, n_prefixes):
    """Return room for growth with so many remembered prefixes."""
    words, places = [np.empty(n_words, np.uint64) for _ in range(2)], [np.empty(n_words, np.int64) for _ in range(2)]
    counts, longer = np.empty((n_prefixes, 2, n_items), np.int32), np.empty((n_prefixes, n_items), np.int32)
    return Work(*words, *places, counts, longer, np.zeros(1, np.int64))


def plain_growth(X, candidates, counted, negative, growth):
    """Equation (14) and the stop rules, word by word; returns phi of each item in order and of the best prefix."""
    rows = np.ones(len(X), dtype=bool)
    phi = counted.sum() - growth.negative_weight * negative.sum()
    floor = max(2, growth.min_positive_share * counted.sum())
    chosen, values, stale = [], [], 0
    left = list(candidates)
    while len(chosen) < growth.max_conditions and (rows & negative).any():
        gains = {}
        for item in left:
            kept = rows & X[:, item]
            if (kept & counted).sum() >= floor:
                value = (kept & counted).sum() - growth.negative_weight * (kept & negative).sum()
                gains[item] = (value - phi) / (X[:, item].sum() if growth.normalize_gain else 1)
        if not gains:
            break
        top = max(gains.values())
        best = [item for item in gains if np.isclose(gains[item], top)]
        value = phi + gains[best[0]] * (X[:, best[0]].sum() if growth.normalize_gain else 1)
        stale = 0 if not values or value > max(values) + 1e-12 else stale + 1
        if stale >= growth.patience:
            break
        if len(best) > 1:
            return None  # a tie: the order decides, and the two ways need not agree
        chosen += best
        values.append(value)
        phi = value
        rows &= X[:, best[0]]
        left.remove(best[0])
    return chosen[: int(np.argmax(values)) + 1] if values else []


@pytest.mark.parametrize(
    ("negative_weight", "normalize_gain", "patience", "max_conditions", "min_positive_share"),
    [*product([1.0, 0.13], [False, True], [1, 3], [10], [0.0]), (0.31, False, 1, 2, 0.0), (0.31, False, 2, 10, 0.4)],
)
def test_growth_equals_the_plain_loop(negative_weight, normalize_gain, patience, max_conditions, min_positive_share):
    growth = Growth(negative_weight, normalize_gain, patience, max_conditions, min_positive_share)
    rng = np.random.default_rng(4)
    n_compared = n_long = 0
    for n_prefixes in np.tile([1, 3, 64], 40):
        positive = rng.random(int(rng.integers(20, 300))) < 0.4
        # Items that most positives have and many negatives too: several are needed to tell the two apart.
        shares = np.where(positive[:, None], rng.uniform(0.8, 1, 12), rng.uniform(0.2, 0.9, 12))
        X = rng.random((len(positive), 12)) < shares
        counted = positive & (rng.random(len(X)) < 0.8)
        candidates = np.flatnonzero(rng.random(12) < 0.8).astype(np.int32)
        expected = plain_growth(X, candidates, counted, ~positive, growth)
        if expected is None:
            continue
        table, chosen = BinaryTable.from_matrix(X), np.zeros(12, dtype=np.int32)
        work = new_work(table.bits.shape[1], 12, n_prefixes)
        forget(work)
        for _ in range(2):  # the second time from the remembered counts
            length = grow_greedily(
                candidates.copy(), table.bits, table.frequencies, pack(counted[:, None])[0],
                pack(~positive[:, None])[0], growth, work, chosen,
            )  # fmt: skip
            assert chosen[:length].tolist() == expected
        n_compared += 1
        n_long += length > 1
    assert n_compared > 30
    assert n_long > 5


def test_merged_items_are_the_union():
    rng = np.random.default_rng(0)
    X = rng.random((30, 20)) < 0.4
    table, merged = BinaryTable.from_matrix(X), np.zeros(20, dtype=np.int32)
    for i, j in rng.integers(0, 30, (40, 2)):
        n = merge_items(table.indptr, table.indices, i, j, merged)
        assert merged[:n].tolist() == np.flatnonzero(X[i] | X[j]).tolist()
