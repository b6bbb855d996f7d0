"""CorsetClassifier as a user meets it: scikit-learn's checks, containers, hard inputs."""

import logging
import time
import tracemalloc

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn import config_context
from sklearn.base import clone
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MaxAbsScaler

from mlrx import CorsetClassifier, FeatureBinarizer, RuleSet
from mlrx.datasets import read_arff, read_csv
from mlrx.metrics import score_table
from mlrx.rules import parse_rule
from tests.estimator_checks import all_checks


@all_checks(CorsetClassifier(), CorsetClassifier(n_rules=5, antecedents="rejection", refine=True))
def test_scikit_learn_checks(estimator, check):
    check(estimator)


def five_rows():
    """Return a constant column, a column and its copy, another one, and one label that the column decides."""
    X = pd.DataFrame(
        [[1, 1, 1, 0], [1, 1, 1, 0], [1, 0, 0, 1], [1, 0, 0, 0], [1, 0, 0, 0]],
        columns=["f_const", "f1", "f1copy", "f2"],
    )
    return X, pd.DataFrame({"L1": [1, 1, 0, 0, 0]})


def rule_data(n=300, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.random((n, 10)) < 0.4
    Y = np.column_stack([X[:, 0] & X[:, 1], X[:, 2], X[:, 3] & X[:, 4], X[:, 5]]) ^ (rng.random((n, 4)) < 0.03)
    return X.astype(int), Y.astype(int)


@pytest.mark.parametrize("antecedents", ["greedy", "coupling", "rejection", "cliques"])
@pytest.mark.parametrize("consequents", ["cliques", "full"])
def test_constant_and_copied_columns(antecedents, consequents):
    X, Y = five_rows()
    model = CorsetClassifier(antecedents=antecedents, consequents=consequents, random_state=0).fit(X, Y)
    (rule,) = model.rules_
    names = [X.columns[c.feature] for c in rule.antecedent]
    assert names in (["f1"], ["f1copy"])
    assert (rule.n_covered, rule.n_correct, rule.confidence) == (2, 2, 1.0)
    assert model.rules_.to_frame()["coverage"].tolist() == [2 / 5]
    np.testing.assert_array_equal(model.predict(X), Y)
    assert "covered" in model.stop_reason_


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("diversity_weight", -1), ("diversity_weight", float("nan")), ("diversity_weight", float("inf")),
        ("pool_size", 0), ("n_rules", 0), ("n_rules", 2.5), ("min_clique_probability", 0.0),
        ("consequents", "labels"), ("antecedents", "exact"), ("negative_weight", -0.1), ("min_conditions", 3),
        ("random_state", -1), ("random_state", 2**32), ("random_state", "3"),
        ("random_state", np.random.default_rng(3)),
    ],
)  # fmt: skip
def test_parameters_out_of_their_domain_are_named(name, value):
    with pytest.raises(ValueError, match=name):
        CorsetClassifier(**{name: value}).fit(*five_rows())


@pytest.mark.parametrize(
    "options", [{"diversity_weight": 0}, {"diversity_weight": 1e9}, {"pool_size": 1}, {"pool_size": 10**6}]
)
def test_parameters_at_the_ends_of_their_domain_run(options):
    model = CorsetClassifier(**options, random_state=0).fit(*five_rows())
    assert len(model.rules_) == 1


def test_fewer_rules_than_asked_is_a_note(caplog):
    with caplog.at_level(logging.WARNING, logger="mlrx"):
        model = CorsetClassifier(n_rules=500, random_state=0).fit(*five_rows())
    assert len(model.rules_) == 1
    assert "1 of 500 rules" in caplog.text
    assert model.stop_reason_ in caplog.text


def one_long_row():
    """Return 30 rows, the first with forty labels and the others with two each."""
    Y = np.zeros((30, 60), dtype=int)
    Y[0, :40] = 1
    for i in range(1, 30):
        Y[i, [i % 40, 40 + i % 20]] = 1
    X = np.random.default_rng(0).integers(0, 2, (30, 8))
    return X, Y


def test_one_row_with_many_labels_finishes(caplog):
    """Forty labels that only co-occur in one row make 2 ** 40 cliques."""
    X, Y = one_long_row()
    started = time.perf_counter()
    model = CorsetClassifier(random_state=0).fit(X, Y)
    assert time.perf_counter() - started < 60
    assert "min_clique_probability" in caplog.text
    assert model.rules_.predict(X).shape == (30, 60)


@pytest.mark.parametrize("antecedents", ["coupling", "rejection", "cliques", "greedy"])
def test_one_row_with_many_labels_and_all_label_sets(antecedents):
    X, Y = one_long_row()
    model = CorsetClassifier(10, consequents="full", antecedents=antecedents, random_state=0).fit(X, Y)
    # All draws come from the one row; a greedy antecedent, which has to keep two rows, then finds nothing.
    assert len(model.rules_) == (0 if antecedents == "greedy" else 10)


def test_random_states():
    X, Y = rule_data()

    def rules(random_state, **options):
        return CorsetClassifier(5, pool_size=40, random_state=random_state, **options).fit(X, Y).rules_

    assert rules(3) == rules(np.int64(3)) == rules(3, n_jobs=2) == rules(3, n_jobs=-1)
    assert rules(np.random.RandomState(3)) == rules(np.random.RandomState(3)) == rules(3)
    assert rules(3) != rules(4)
    assert rules(None) != rules(None)


def test_containers_agree():
    X, Y = rule_data()
    model = CorsetClassifier(6, random_state=0).fit(X, Y)
    expected = model.predict(X)
    assert expected.dtype == Y.dtype
    assert 0 < expected.sum() < expected.size
    for make_X in (sp.csr_matrix, sp.csc_array, pd.DataFrame, lambda X: X.astype(bool), lambda X: X.astype(np.float32)):
        other = CorsetClassifier(6, random_state=0).fit(make_X(X), Y)
        assert [r.consequent for r in other.rules_] == [r.consequent for r in model.rules_]
        np.testing.assert_array_equal(other.predict(make_X(X)), expected)
    for make_Y in (sp.csr_matrix, sp.csc_array, lambda Y: pd.DataFrame(Y).astype(bool), lambda Y: Y.tolist()):
        other = CorsetClassifier(6, random_state=0).fit(X, make_Y(Y))
        predicted = other.predict(X)
        assert sp.issparse(predicted) == sp.issparse(make_Y(Y))
        np.testing.assert_array_equal(predicted.toarray() if sp.issparse(predicted) else predicted, expected)


def test_one_column_of_labels_stays_a_column(tmp_path):
    """Seen elsewhere: a single label became one-dimensional, and could be neither scored nor all zero."""
    X, Y = five_rows()
    path = tmp_path / "rows.csv"
    pd.concat([X, Y], axis=1).to_csv(path, index=False)
    data = read_csv(path, labels=1)
    model = CorsetClassifier(random_state=0).fit(data.X, data.Y, label_names=data.label_names)
    assert model.predict(data.X).tolist() == [[1], [1], [0], [0], [0]]
    assert score_table(data.Y, model.predict(data.X), zero_division=0)["micro_f1"] == 1.0
    nothing = CorsetClassifier(random_state=0).fit(data.X, 0 * data.Y)
    assert nothing.predict(data.X).tolist() == [[0]] * 5


@pytest.mark.parametrize("cuts", ["percentile", "supervised"])
def test_output_settings_of_scikit_learn_do_not_matter(cuts):
    X, Y = rule_data()
    frame = pd.DataFrame(X * 1.5, columns=[f"f{k}" for k in range(10)])
    binarizer = FeatureBinarizer(cuts=cuts).set_output(transform="pandas")
    with config_context(transform_output="pandas"):
        changed = CorsetClassifier(4, binarizer=binarizer, random_state=0).fit(frame, Y)
    plain = CorsetClassifier(4, binarizer=FeatureBinarizer(cuts=cuts), random_state=0).fit(frame, Y)
    assert changed.rules_ == plain.rules_


def test_frames_after_arrays_and_arrays_after_frames():
    X, Y = rule_data()
    frame = pd.DataFrame(X, columns=list("abcdefghij"))
    model = CorsetClassifier(4, random_state=0).fit(X, Y)
    with pytest.warns(UserWarning, match="feature names"):
        np.testing.assert_array_equal(model.predict(frame), model.predict(X))
    model.fit(frame, Y)
    assert model.feature_names_in_.tolist() == list("abcdefghij")
    model.fit(X, Y)
    assert not hasattr(model, "feature_names_in_")
    numbered = CorsetClassifier(4, random_state=0).fit(pd.DataFrame(X), Y)
    np.testing.assert_array_equal(numbered.predict(pd.DataFrame(X)), model.predict(X))


def test_a_numeric_column_alone_gives_rules():
    X = np.arange(20.0)[:, None]
    Y = np.column_stack([X[:, 0] > 11, X[:, 0] <= 11]).astype(int)
    model = CorsetClassifier(binarizer=FeatureBinarizer((60,), sides="both"), random_state=0).fit(X, Y)
    assert set(model.rules_.to_text(counts=False).splitlines()) == {"IF x0 > 11.5 THEN y0", "IF x0 <= 11.5 THEN y1"}


def test_missing_values_in_a_sparse_file(tmp_path):
    path = tmp_path / "sparse.arff"
    rows = ["{0 ?, 2 1}", "{0 3, 2 1}", "{0 3, 2 1}", "{1 1}", "{}", "{1 ?}"]
    header = ["@relation 'toy: -C -1'", "@attribute a numeric", "@attribute b numeric", "@attribute L {0,1}", "@data"]
    path.write_text("\n".join(header + rows))
    data = read_arff(path)
    model = CorsetClassifier(random_state=0, binarizer=FeatureBinarizer((60,))).fit(data.X, data.Y)
    assert str(model.rules_) == "IF x0 > 1.5 THEN y0  [confidence 1.00, 2 of 2]"
    assert model.predict(data.X).ravel().tolist() == [0, 1, 1, 0, 0, 0]


def test_explicit_zeros_in_sparse_labels():
    X, Y = rule_data()
    sparse = sp.csr_matrix(np.ones_like(Y))
    sparse.data = Y.ravel().copy()
    assert (
        CorsetClassifier(4, random_state=0).fit(X, sparse).rules_
        == CorsetClassifier(4, random_state=0).fit(X, Y).rules_
    )


@pytest.mark.parametrize(
    ("value", "text"), [(2, "column 1 holds 2"), (-1, "column 1 holds -1"), (np.nan, "column 1 holds nan")]
)
@pytest.mark.parametrize("container", [np.asarray, sp.csr_matrix, pd.DataFrame])
def test_labels_that_are_not_binary_are_named(container, value, text):
    X, Y = rule_data()
    Y = Y.astype(float)
    Y[7, 1] = value
    with pytest.raises(ValueError, match=text):
        CorsetClassifier().fit(X, container(Y))


def test_labels_everywhere_and_nowhere():
    X, Y = rule_data()
    Y[:, 1], Y[:, 3] = 1, 0
    model = CorsetClassifier(10, random_state=0).fit(X, Y)
    assert not any({1} == set(rule.consequent) or 3 in rule.consequent for rule in model.rules_)
    assert model.predict(X).shape == Y.shape
    nothing = CorsetClassifier(10, random_state=0).fit(X, 0 * Y)
    assert len(nothing.rules_) == 0
    assert nothing.predict(X).sum() == 0


def test_twenty_thousand_labels_stay_sparse():
    rows, columns = np.repeat(range(30), 3), (7919 * np.arange(90)) % 20_000
    Y = sp.csr_matrix((np.ones(90, dtype=int), (rows, columns)), shape=(30, 20_000))
    X = np.random.default_rng(0).integers(0, 2, (30, 6))
    CorsetClassifier(2, random_state=0).fit(X, Y)
    tracemalloc.start()
    model = CorsetClassifier(10, random_state=0, consequents="full").fit(X, Y)
    predicted = model.predict(X)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 50e6
    assert sp.issparse(predicted)
    assert predicted.shape == Y.shape
    # Supervised cuts see the labels that occur, 89 of them, and no dense table of all.
    supervised = CorsetClassifier(2, binarizer=FeatureBinarizer(cuts="supervised"), random_state=0)
    tracemalloc.start()
    supervised.fit(X + np.arange(30)[:, None], Y)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 50e6


def test_wide_and_narrow_data():
    rng = np.random.default_rng(0)
    Y = np.array([[1, 0], [1, 0], [1, 1], [0, 1], [0, 1]])
    wide = CorsetClassifier(random_state=0).fit(rng.integers(0, 2, (5, 400)), Y)
    assert len(wide.rules_) >= 1
    narrow = CorsetClassifier(random_state=0).fit(np.array([[1], [1], [1], [0], [0]]), Y)
    assert str(narrow.rules_) == "IF x0 present THEN y0  [confidence 1.00, 3 of 3]"


def test_categories_not_seen_in_training():
    X = pd.DataFrame({"city": ["a", "a", "b", "b"]})
    Y = pd.DataFrame({"L": [1, 1, 0, 0]})
    model = CorsetClassifier(random_state=0).fit(X, Y)
    assert model.rules_.to_text(counts=False) == "IF city = a THEN L"
    with pytest.warns(UserWarning, match="city=c") as warned:
        predicted = model.predict(pd.DataFrame({"city": ["c"]}))
    assert len(warned) == 1
    assert predicted.tolist() == [[0]]


def test_missing_values_match_no_condition():
    X = pd.DataFrame({"a": [1.0, 2.0, 3.0, np.nan], "b": [1, 0, 1, 0]})
    model = CorsetClassifier(random_state=0, binarizer=FeatureBinarizer((50,), sides="both")).fit(
        X, [[1, 0], [1, 0], [0, 1], [0, 1]]
    )
    assert model.predict(pd.DataFrame({"a": [np.nan], "b": [0]})).sum() == 0


HARD_NAMES = ["a <= 1 and b", "class", "x[0]", "größe", "1st", "", "Air temp [K]", "<b>", "AND", '"']


def test_names_change_nothing():
    X, Y = rule_data()
    plain = CorsetClassifier(6, random_state=0).fit(pd.DataFrame(X, columns=[f"f{k}" for k in range(10)]), Y)
    frame = pd.DataFrame(X, columns=HARD_NAMES)
    labels = ["", "THEN", "a, b", "<i>"]
    hard = CorsetClassifier(6, random_state=0).fit(frame, pd.DataFrame(Y, columns=labels))
    assert [(r.antecedent, r.consequent) for r in hard.rules_] == [(r.antecedent, r.consequent) for r in plain.rules_]
    np.testing.assert_array_equal(hard.predict(frame), plain.predict(pd.DataFrame(X, columns=plain.feature_names_in_)))
    np.testing.assert_array_equal(hard.predict(frame[HARD_NAMES[::-1]][HARD_NAMES]), hard.predict(frame))
    assert RuleSet.from_json(hard.rules_.to_json()) == hard.rules_
    for line, rule in zip(str(hard.rules_).splitlines(), hard.rules_, strict=True):
        read_back = parse_rule(line, HARD_NAMES, labels)
        assert (read_back.antecedent, read_back.consequent) == (rule.antecedent, rule.consequent)
        assert read_back.covers(X).sum() == rule.n_covered
    assert "<b>" not in hard.rules_._repr_html_().replace("<b>and</b>", "")
    with pytest.raises(ValueError, match="class"):
        hard.predict(frame.drop(columns="class"))


def test_names_can_be_given():
    X, Y = rule_data()
    model = CorsetClassifier(3, random_state=0).fit(
        sp.csr_matrix(X), Y, feature_names=[f"word{k}" for k in range(10)], label_names=list("abcd")
    )
    assert "word" in str(model.rules_)
    assert model.rules_.label_names == ("a", "b", "c", "d")
    np.testing.assert_array_equal(model.predict(sp.csr_matrix(X)), model.rules_.predict(X))
    with pytest.raises(ValueError, match="label_names has 1 names, but y has 4 labels"):
        CorsetClassifier().fit(X, Y, label_names=["a"])
    with pytest.raises(ValueError, match="feature_names"):
        CorsetClassifier().fit(pd.DataFrame(X), Y, feature_names=list("abcdefghij"))
    for names in (list("aabc"), "abcd"):
        with pytest.raises(ValueError, match="label_names must be distinct"):
            CorsetClassifier().fit(X, Y, label_names=names)


def test_rules_speak_of_original_columns():
    """Two items of one column become one interval, in the units of the column."""
    rng = np.random.default_rng(1)
    X = rng.normal(20, 5, (400, 3))
    Y = np.column_stack([(X[:, 0] > 18) & (X[:, 0] < 22), X[:, 1] > 24]).astype(int)
    binarizer = FeatureBinarizer(percentiles=(20, 40, 60, 80), sides="both")
    model = CorsetClassifier(10, candidates="union", binarizer=binarizer, random_state=0).fit(X, Y)
    assert all(len({c.feature for c in rule.antecedent}) == len(rule) for rule in model.rules_)
    assert any(np.isfinite([c.lower, c.upper]).all() for rule in model.rules_ for c in rule.antecedent)
    for rule in model.rules_:
        covered = rule.covers(X)
        assert covered.sum() == rule.n_covered
        assert Y[covered][:, rule.consequent].all(axis=1).sum() == rule.n_correct
    assert clone(model).binarizer is not binarizer
    assert not hasattr(binarizer, "items_")


def test_in_a_pipeline_with_progress(capsys):
    X, Y = rule_data()
    pipeline = make_pipeline(MaxAbsScaler(), CorsetClassifier(4, random_state=0, verbose=1)).fit(X, Y)
    assert pipeline.score(X, Y) > 0.5
    assert "4/4" in capsys.readouterr().out


def test_too_many_item_cliques_are_refused_by_name():
    X = np.ones((10, 24), dtype=int)
    X[5:] = 0
    Y = np.column_stack([X[:, 0], 1 - X[:, 0]])
    with pytest.raises(ValueError, match="min_clique_probability"):
        CorsetClassifier(antecedents="cliques", random_state=0).fit(X, Y)


@pytest.mark.parametrize(
    "options",
    [
        {"candidates": "union"}, {"candidates": "all"}, {"normalize_gain": True}, {"uncovered_only": True},
        {"patience": 3}, {"pair_weight": "subsets"}, {"min_positive_share": 0.2}, {"max_conditions": 1},
        {"antecedents": "rejection", "min_conditions": 2}, {"antecedents": "coupling", "min_conditions": 2},
    ],
)  # fmt: skip
def test_every_variant_learns(options):
    X, Y = rule_data()
    model = CorsetClassifier(8, random_state=0, **options).fit(X, Y)
    predicted = model.predict(X)
    assert 2 * (predicted & Y).sum() / (predicted.sum() + Y.sum()) > 0.6
    longest = max(len(rule) for rule in model.rules_)
    assert longest <= (1 if options.get("max_conditions") == 1 else 10)


def test_history_tells_of_each_rule():
    X, Y = rule_data()
    model = CorsetClassifier(6, pool_size=77, random_state=0).fit(X, Y)
    history = model.history_
    assert len(history) == len(model.rules_) == 6
    assert history["n_covered"].tolist() == [rule.n_covered for rule in model.rules_]
    assert (history["n_candidates"] == 77).all()
    assert history["n_new"].sum() == (Y * _explained(model, X, Y)).sum()
    assert history["diversity"].iloc[0] == 0
    assert (history["seconds"] >= 0).all()


def _explained(model, X, Y):
    """Return the label occurrences that some rule matches."""
    explained = np.zeros_like(Y)
    for rule in model.rules_:
        matched = rule.covers(X) & Y[:, rule.consequent].all(axis=1)
        explained[np.ix_(matched, rule.consequent)] = 1
    return explained
