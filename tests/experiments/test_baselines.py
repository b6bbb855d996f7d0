import os
import signal
import warnings

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

from experiments.baselines.boomer import Worker, WorkerDied
from experiments.baselines.encoding import make_encoder
from experiments.baselines.tree import leaf_lengths
from experiments.methods import METHODS
from experiments.splits import Split
from mlrx.datasets import MultilabelData

RNG = np.random.default_rng(0)
CELLS = (RNG.random((60, 4)) < 0.5).astype(float)
# l0 is f0; l1 is f1 and f2; l2 never occurs; l3 always does.
LABELS = np.column_stack([CELLS[:, 0], CELLS[:, 1] * CELLS[:, 2], np.zeros(60), np.ones(60)]).astype(np.uint8)


def data(X, Y=LABELS, kinds=("binary",) * 4) -> MultilabelData:
    names = tuple(f"f{k}" for k in range(X.shape[1])), tuple(f"l{k}" for k in range(Y.shape[1]))
    return MultilabelData(X, Y, *names, kinds, "toy")


@pytest.fixture(params=["table", "sparse"])
def split(request):
    X = pd.DataFrame(CELLS, columns=["f0", "f1", "f2", "f3"]) if request.param == "table" else sp.csr_array(CELLS)
    return Split("toy", data(X), data(X), "")


@pytest.mark.parametrize(
    ("kind", "n_rules", "parameters"),
    [("corset", 20, {"pool_size": 100}), ("boomer", 100, {}), ("svm", None, {}), ("tree", None, {})],
)
def test_every_method_learns_what_is_there(split, kind, n_rules, parameters):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        fitted = METHODS[kind].fit(split, n_rules, 1, parameters)
    predicted = fitted.predict(split.test.X)
    predicted = predicted.toarray() if sp.issparse(predicted) else predicted
    assert predicted.shape == LABELS.shape
    assert (predicted[:, :3] == LABELS[:, :3]).mean() > 0.95
    assert fitted.seconds > 0
    assert METHODS[kind].serves_prefixes == (fitted.rules is not None)


@pytest.mark.parametrize("kind", ["corset", "guided", "voting", "svm", "tree", "forest"])
def test_one_label_is_a_table_with_one_column(kind):
    """The machines and the tree returned one value a row, which broadcasts against a table with one column."""
    one = data(pd.DataFrame(CELLS, columns=["f0", "f1", "f2", "f3"]), LABELS[:, :1])
    fitted = METHODS[kind].fit(Split("one", one, one, ""), 3 if kind in ("corset", "guided", "voting") else None, 1, {})
    assert fitted.predict(one.X).tolist() == one.Y.tolist()


def test_rules_of_corset_speak_in_the_names_of_the_data(split):
    fitted = METHODS["corset"].fit(split, 2, 1, {"pool_size": 50, "binarizer": {"sides": "both"}})
    assert fitted.rules.feature_names == split.train.feature_names
    assert fitted.rules.label_names == split.train.label_names
    assert len(fitted.rule_seconds) == len(fitted.rules) == fitted.n_rules
    assert list(fitted.rule_seconds) == sorted(fitted.rule_seconds)


def test_generating_rules_are_asked_for_in_vain_where_there_are_none(split):
    with pytest.raises(ValueError, match="toy has no generating rules"):
        METHODS["ground-truth"].fit(split, None, 1, {})


def test_boomer_counts_its_rules_and_is_reproducible(split):
    fits = [METHODS["boomer"].fit(split, 7, seed, {"feature_sampling": "without-replacement"}) for seed in (3, 3)]
    assert [fitted.n_rules for fitted in fits] == [7, 7]
    assert fits[0].n_conditions == fits[1].n_conditions > 0
    assert (fits[0].predict(split.test.X) != fits[1].predict(split.test.X)).nnz == 0


def test_boomer_that_crashes_is_an_error_here(split):
    """BOOMER's native code can end the process it runs in."""
    worker = Worker()
    os.kill(worker._process.pid, signal.SIGKILL)
    with pytest.raises(WorkerDied, match="exit code -9"):
        worker.ask("predict", sp.csr_matrix((1, 1)))


@pytest.mark.parametrize("seed", [0, None])
def test_seed_that_boomer_does_not_take_is_refused_by_name(split, seed):
    with pytest.raises(ValueError, match=f"seed must be a whole number of at least 1.*got {seed}"):
        METHODS["boomer"].fit(split, 5, seed, {})


@pytest.mark.parametrize(
    ("kind", "parameters", "message"),
    [
        ("corset", {"binarizer": 3}, "binarizer must be a mapping .* got 3"),
        ("corset", {"binarizer": {"percentiles": [200]}}, r"percentiles .* got \[200\]"),
        ("corset", {"binarizer": {"percentiles": 90}}, "'percentiles'"),
        ("corset", {"binarizer": {"n_cuts": 0}}, "'n_cuts'"),
        ("corset", {"binarizer": {"kinds": ["numeric"]}}, "'kinds' is set by the runner"),
        ("corset", {"binarizer": {3: 4}}, "unknown parameter 3"),
        ("tree", {"max_depth": -3}, "'max_depth'.* Got -3"),
        ("svm", {"C": -1}, "'C'.* Got -1"),
        ("svm", {"penalty": "l1", "loss": "hinge"}, "penalty='l1' and loss='hinge'"),
        ("boomer", {"loss": "nonsense"}, "loss is 'nonsense'.*logistic-decomposable"),
        ("boomer", {"shrinkage": "x"}, "shrinkage is 'x'"),
        ("boomer", {"shrinkage": [1]}, r"shrinkage is \[1\]"),
        ("boomer", {"feature_format": "bad"}, "feature_format must be auto, dense, sparse or None, got 'bad'"),
    ],
)
def test_unlawful_values_are_refused_without_data(kind, parameters, message):
    """Such values once reached the fit, after the kernel had started."""
    with pytest.raises(ValueError, match=message):
        METHODS[kind].check(parameters)


@pytest.mark.parametrize(
    ("kind", "parameters"),
    [
        ("corset", {"binarizer": None}),
        ("corset", {"binarizer": {"cuts": "supervised", "percentiles": [25, 50]}}),
        ("tree", {"max_depth": None}),
        ("svm", {"C": 10, "max_iter": 1}),
        ("boomer", {"loss": "squared-error-decomposable", "feature_format": "sparse", "holdout": None}),
    ],
)
def test_lawful_values_pass(kind, parameters):
    METHODS[kind].check(parameters)


def test_binarizer_of_none_is_the_default(split):
    fits = [METHODS["corset"].fit(split, 2, 1, {"pool_size": 50, **more}) for more in ({}, {"binarizer": None})]
    assert list(fits[0].rules) == list(fits[1].rules)


def test_machines_that_do_not_converge_are_counted(split):
    """The warning was silenced, and nothing else told of it."""
    assert METHODS["svm"].fit(split, None, 1, {}).notes == ()
    # l2 and l3 have one value each, and no machine.
    stopped = METHODS["svm"].fit(split, None, 1, {"max_iter": 1})
    assert stopped.notes == ("2 of 2 machines did not converge within max_iter=1",)


def test_error_of_boomer_is_passed_on(split):
    with pytest.raises(RuntimeError, match=r"BOOMER: \w+: .*shrinkage"):
        METHODS["boomer"].fit(split, 5, 1, {"shrinkage": 5.0})


@pytest.mark.parametrize("name", ["random_state", "max_rules", "parallel_prediction"])
def test_settings_that_configs_may_not_touch(name):
    """With parallel_prediction="false" BOOMER 0.12.3 corrupts memory."""
    with pytest.raises(ValueError, match=f"'{name}' is set by the runner"):
        METHODS["boomer"].check({name: "false"})


def test_leaves_of_a_tree_by_hand():
    from sklearn.tree import DecisionTreeClassifier

    # f0 <= .5: no label. Else f1 <= .5: l0 alone; f1 > .5: both.
    X = np.array([[0.0, 0.0], [0.0, 0.0], [0.0, 0.0], [1.0, 0.0], [1.0, 1.0]])
    tree = DecisionTreeClassifier(random_state=0).fit(X, [[0, 0], [0, 0], [0, 0], [1, 0], [1, 1]])
    assert leaf_lengths(tree) == [2, 2]
    constant = DecisionTreeClassifier(random_state=0).fit(X, [[0, 1]] * 5)
    assert leaf_lengths(constant) == [0]
    # A column that is asked twice counts once: 0 < f0 <= 2.
    twice = DecisionTreeClassifier(random_state=0).fit([[0.0], [1.0], [2.0], [3.0]], [0, 1, 1, 0])
    assert leaf_lengths(twice) == [1]


def test_nominal_columns_become_indicators():
    X = pd.DataFrame({"f0": [1.5, 0.0, 2.0], "f1": pd.Categorical(["a", "b", None], categories=["a", "b", "c"])})
    encode = make_encoder(data(X, LABELS[:3], ("numeric", "nominal")))
    assert encode(X).toarray().tolist() == [[1, 0, 1.5], [0, 1, 0], [0, 0, 2]]
    other = pd.DataFrame({"f0": [4.0], "f1": pd.Categorical(["c"], categories=["a", "b", "c"])})
    assert encode(other).toarray().tolist() == [[0, 0, 4]]


def test_sparse_columns_keep_their_values():
    encoded = make_encoder(data(sp.csr_array(CELLS)))(sp.csr_array(CELLS))
    assert (encoded.dtype, encoded.indices.dtype, encoded.indptr.dtype) == (np.float32, np.int32, np.int32)
    assert np.array_equal(encoded.toarray(), CELLS)
