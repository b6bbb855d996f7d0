"""Cross-validation, against fits of one number of rules at a time."""

from itertools import islice

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.model_selection import KFold

from mlrx.guided.gain import Price
from mlrx.guided.growing import grow_rules
from mlrx.guided.optimise import Search
from mlrx.guided.tuning import METRICS, Tally, cross_validate
from mlrx.metrics import score_table
from tests.guided.problems import as_rows, covers, random_problem

SEARCH = Search(2, 2, 4)


def predict(X, rules, n_labels):
    predicted = np.zeros((len(X), n_labels), dtype=bool)
    for rule in rules:
        predicted[np.ix_(covers(X, rule.literals), rule.consequent)] = True
    return predicted


@pytest.mark.parametrize("metric", METRICS)
def test_scores_are_those_of_the_predictions(metric):
    X, Y, _ = random_problem(np.random.default_rng(0), 120, 6, 4)
    items, positives = sp.csr_array(X.astype(np.uint8)), sp.csr_array(Y.astype(np.uint8))
    options = {"search": SEARCH, "metric": metric, "n_folds": 3, "seed": 5}
    table = cross_validate(items, positives, [0.6, 1.0], [0.5], 12, **options)
    assert table["n_rules"].tolist() == [*range(13)] * 2
    splits = list(KFold(3, shuffle=True, random_state=5).split(X))
    for target, k in [(0.6, 0), (0.6, 1), (0.6, 4), (0.6, 12), (1.0, 3), (1.0, 12)]:
        predicted = np.zeros_like(Y)
        for learned, held_out in splits:
            rules = list(islice(grow_rules(as_rows(X[learned], Y[learned]), Price(target, 0.5), SEARCH), k))
            predicted[held_out] = predict(X[held_out], rules, 4)
        expected = score_table(Y, predicted, zero_division=0)[metric]
        row = table[(table["target_f1"] == target) & (table["n_rules"] == k)]
        assert row["score"].item() == pytest.approx(expected)


def test_a_tally_by_hand():
    """The second rule predicts nothing new; sets larger than the last rule stay as they are."""
    X = np.array([[1], [1], [0]], dtype=bool)
    Y = np.array([[1, 0], [0, 0], [0, 1]], dtype=bool)
    rows = as_rows(X, Y)
    rules = list(grow_rules(rows, Price(0.5, 0.0), SEARCH))
    first = next(rule for rule in rules if rule.consequent.tolist() == [0])
    tally = Tally(3, 2)
    tally.add(iter([first, first]), rows)
    assert tally.n_true.tolist() == [[0, 0], [1, 0], [1, 0], [1, 0]]
    assert tally.n_false.tolist() == [[0, 0], [1, 0], [1, 0], [1, 0]]
    assert tally.n_exact.tolist() == [1, 1, 1, 1]
    n_positive = np.array([1, 1])
    assert tally.scores("micro_f1", n_positive, 3).tolist() == [0.0, 0.5, 0.5, 0.5]
    assert tally.scores("macro_f1", n_positive, 3).tolist() == [0.0, 1 / 3, 1 / 3, 1 / 3]
    assert tally.scores("hamming_accuracy", n_positive, 3).tolist() == pytest.approx([4 / 6] * 4)


def test_sets_of_a_million_rules_cost_what_there_are_rules():
    """A million rules took minutes, a million millions all memory."""
    X = np.array([[1, 0], [1, 0], [0, 1], [0, 0]] * 5, dtype=bool)
    tables = []
    for n_most in (4, 10**12):
        tables.append(
            cross_validate(
                sp.csr_array(X.astype(np.uint8)),
                sp.csr_array(X[:, :1].astype(np.uint8)),
                [0.5],
                [0.5],
                n_most,
                search=SEARCH,
                metric="micro_f1",
                n_folds=5,
                seed=0,
            )
        )
    few, many = tables
    assert many["n_rules"].max() == 10  # rows with the label: each rule gives one of them at least
    assert many["score"][:5].tolist() == few["score"].tolist()
    assert set(many["score"][4:]) == {few["score"].iloc[-1]}


def test_one_row_cannot_be_held_out():
    X, Y = sp.csr_array([[1]], dtype=np.uint8), sp.csr_array([[1]], dtype=np.uint8)
    with pytest.raises(ValueError, match="n_samples=1"):
        cross_validate(X, Y, [0.5], [0.5], 3, search=SEARCH, metric="micro_f1", n_folds=5, seed=0)
