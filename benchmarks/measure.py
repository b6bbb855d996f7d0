"""One measurement a process, on one core: ``python -m benchmarks.measure KIND [NAME]`` prints it as JSON."""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import time
from statistics import median
from typing import Any

import numpy as np
import scipy.sparse as sp

REPETITIONS = 7
# The numbers of rules that bounds are stated for.
FIT_RULES = {"medical": 30, "emotions": 30, "synthetic-3000": 30, "enron": 100, "bibtex": 100}
# The smallest size of each axis, and what the other axes are held at.
GROWTH = {"rows": 10_000, "features": 200, "labels": 20, "rules": 10}
LIBRARIES = "import numpy, scipy.sparse, pandas, sklearn.base, numba"


def fit(name: str, settings: str = "study") -> dict[str, Any]:
    """Fit CORSET and BOOMER with 1000 rules on one data set, in turn.

    CORSET has the settings of the studies, or with ``settings="default"`` its own.

    Times are medians of single fits in seconds, without compilation, imports and the start of processes; the ratio
    is the median of the ratios of neighbouring fits.
    """
    from experiments.baselines import boomer, corset
    from experiments.loading import load_config
    from experiments.splits import load_split

    config = load_config("synthetic" if name.startswith("synthetic") else "real_data")
    entry = config.datasets[name]
    split = load_split(name, entry, config.seed, 0)
    n_rules = FIT_RULES.get(name, entry.n_rules)
    parameters = config.parameters("corset", name, "quick") if settings == "study" else {}
    parameters |= {"pool_size": 500, "refine": False}
    corset.fit(split, n_rules, 0, parameters)
    peak = peak_memory()
    ours, theirs = [], []
    for seed in range(1, REPETITIONS + 1):
        ours.append(corset.fit(split, n_rules, seed, parameters).seconds)
        theirs.append(boomer.fit(split, 1000, seed, {}).seconds)
    ratio = median(b / a for a, b in zip(ours, theirs, strict=True))
    return {"seconds": median(ours), "boomer": median(theirs), "ratio": ratio, "peak_gb": peak, "n_rules": n_rules}


def scale(n_rows: str, n_columns: str = "1000", n_labels: str = "100") -> dict[str, Any]:
    """Fit 30 rules on random sparse data, 1 % ones, in which each column raises one label."""
    from mlrx import CorsetClassifier

    rng = np.random.default_rng(0)
    CorsetClassifier(2, random_state=0).fit(*_sparse_data(rng, 2000, 50, 5))
    X, Y = _sparse_data(rng, int(n_rows), int(n_columns), int(n_labels))
    start = time.perf_counter()
    model = CorsetClassifier(30, random_state=0).fit(X, Y)
    return {"seconds": time.perf_counter() - start, "peak_gb": peak_memory(), "n_rules": len(model.rules_)}


def growth(learner: str, axis: str) -> dict[str, Any]:
    """Fit on random data (`_sparse_data`) of four sizes, each twice the one before, with given settings.

    The exponent is the slope of a line through the logarithms of CPU seconds, the fewest of five equal fits, and of
    sizes; the rules learned at each size stand beside it.
    """
    sizes, seconds, n_rules = [GROWTH[axis] * 2**k for k in range(4)], [], []
    for size in sizes:
        shape = GROWTH | {axis: size}
        X, Y = _sparse_data(np.random.default_rng(0), shape["rows"], shape["features"], shape["labels"])
        model = _learner(learner, shape["rules"]).fit(X, Y)
        spent = []
        for _ in range(5):
            start = time.process_time()
            model.fit(X, Y)
            spent.append(time.process_time() - start)
        seconds.append(min(spent))
        n_rules.append(len(model.rules_))
    slope = np.polyfit(np.log(sizes), np.log(seconds), 1)[0]
    return {"sizes": sizes, "seconds": seconds, "exponent": slope, "n_rules": n_rules}


def _learner(name: str, n_rules: int) -> Any:
    from mlrx import CorsetClassifier, GuidedRulesClassifier, VotingRulesClassifier

    if name == "corset":
        return CorsetClassifier(n_rules, random_state=0)
    if name == "guided":
        return GuidedRulesClassifier(n_rules, target_f1=0.5, size_price=0.5, random_state=0)
    return VotingRulesClassifier(n_rules, ridge=10, price=0, unit=0.05, threshold=0.3, lenience=0, random_state=0)


def _sparse_data(rng: np.random.Generator, n_rows: int, n_columns: int, n_labels: int) -> tuple[Any, Any]:
    sizes = rng.binomial(n_columns, 0.01, n_rows)
    indptr = np.concatenate([[0], np.cumsum(sizes)])
    columns = rng.integers(0, n_columns, indptr[-1]).astype(np.int32)
    X = sp.csr_matrix((np.ones(columns.size, dtype=np.uint8), columns, indptr), shape=(n_rows, n_columns))
    X.sum_duplicates()
    X.data[:] = 1
    raised = rng.integers(0, n_labels, n_columns)
    Y = X @ sp.csr_matrix((np.ones(n_columns, dtype=np.uint8), (np.arange(n_columns), raised)))
    Y.data = (rng.random(Y.nnz) < 0.3).astype(np.uint8)
    Y.eliminate_zeros()
    Y.resize((n_rows, n_labels))
    return X, Y


def anchors(beam_size: str = "1", n_rows: str = "3") -> dict[str, Any]:
    """Find the anchors of the first rows of flags, and have anchor-exp find them by scikit-learn's own `predict`.

    Seconds are CPU time for all rules, each searched with the same seed by both; ``prediction`` is the share of
    `predict` in anchor-exp's.
    """
    from experiments.explainers.anchors import fit as fit_anchors
    from experiments.forests import load_fold

    fold, seed, beam = load_fold("flags", 0), 0, int(beam_size)
    rows = np.flatnonzero(fold.predicted.any(axis=1))[: int(n_rows)]
    pairs = [(row, int(label)) for row in rows for label in np.flatnonzero(fold.predicted[row])]
    explain = fit_anchors(fold, seed, {"beam_size": beam}).explain
    start = time.process_time()
    ours = [explain(fold.X_test[row], (label,), ("each",))["each"][0] for row, label in pairs]
    seconds = time.process_time() - start
    find, spent = _library_anchors(fold, seed, beam)
    start = time.process_time()
    theirs = [find(fold.X_test[row], label) for row, label in pairs]
    library = time.process_time() - start
    same = [
        (one.rule.antecedent, one.reported["own_precision"]) == (rule.antecedent, precision)
        for one, (rule, precision) in zip(ours, theirs, strict=True)
    ]
    return {
        "n_rules": len(pairs),
        "n_same": sum(same),
        "seconds": seconds,
        "library": library,
        "ratio": seconds / library,
        "prediction": sum(spent) / library,
    }


def _library_anchors(fold: Any, seed: int, beam_size: int) -> tuple[Any, list[float]]:
    """Return a function that finds an anchor by anchor-exp, as a rule and its precision, and the times of `predict`.

    The library's own `explain_instance` takes a beam size, and passes it to nothing.
    """
    from anchor.anchor_base import AnchorBaseBeam
    from anchor.anchor_tabular import AnchorTabularExplainer

    from mlrx.rules import Condition, Rule

    library = AnchorTabularExplainer(["absent", "present"], list(fold.feature_names), fold.X_train)
    edges = [np.unique(np.percentile(column, [25, 50, 75])) for column in fold.X_train.T]
    spent: list[float] = []

    def find(x: np.ndarray, label: int) -> tuple[Any, float]:
        def predict(X: np.ndarray) -> np.ndarray:
            start = time.process_time()
            predicted = np.asarray(fold.model.predict(X))[:, label].astype(int)
            spent.append(time.process_time() - start)
            return predicted

        np.random.seed(seed)  # noqa: NPY002, the library draws from the global generator
        draw, mapping = library.get_sample_fn(x, predict, desired_label=1)
        found = AnchorBaseBeam.anchor_beam(
            draw, delta=0.1, epsilon=0.15, batch_size=100, desired_confidence=0.95, beam_size=beam_size
        )
        terms = [mapping[number] for number in found["feature"]]
        sides = {"geq": "lower", "leq": "upper"}
        rule = Rule([Condition(f, **{sides[side]: float(edges[f][k])}) for f, side, k in terms], (label,))
        return rule, found["mean"][-1] if found["mean"] else found["all_precision"]

    return find, spent


def explain(name: str, mode: str, n_rows: str) -> dict[str, Any]:
    """Explain all predicted labels of the first rows of a fold together; means of length and CPU seconds."""
    from experiments.explainers.lionforests import fit as fit_lionforests
    from experiments.forests import load_fold
    from mlrx.lionforests.onehot import count_features

    fold = load_fold(name, 0)
    explain_row = fit_lionforests(fold, 0, {"mode": mode}).explain
    rows = np.flatnonzero(fold.predicted.any(axis=1))[: int(n_rows)]
    found = [explain_row(fold.X_test[row], fold.labels_of(row), ("all",))["all"][0] for row in rows]
    return {
        "n_rows": len(rows),
        "length": float(np.mean([count_features(one.rule, fold.groups.values()) for one in found])),
        "seconds": float(np.mean([one.seconds for one in found])),
    }


def single(n_trees: str) -> dict[str, Any]:
    """Explain single-label forests of flags: the first two rows of each fold, by a forest for each label.

    Every rule is then asked about by `find_violation`.
    """
    from sklearn.ensemble import RandomForestClassifier

    from experiments.forests import load_fold
    from mlrx import LionForestsExplainer
    from mlrx.lionforests import find_violation

    lengths, seconds, n_not_proven, n_smallest = [], [], 0, 0
    for fold in (load_fold("flags", number) for number in range(10)):
        for y in fold.train.Y.T:
            forest = RandomForestClassifier(
                int(n_trees), max_depth=10, min_samples_leaf=5, bootstrap=False, max_features="sqrt", random_state=0
            ).fit(fold.X_train, y)
            explainer = LionForestsExplainer(forest).fit(fold.X_train)
            if not lengths:
                explainer.explain(fold.X_test[0])  # compiles
            for x in fold.X_test[:2]:
                start = time.process_time()
                (found,) = explainer.explain(x)
                seconds.append(time.process_time() - start)
                lengths.append(found.length)
                n_smallest += found.is_smallest
                n_not_proven += find_violation(forest, found.rule, found.labels, found.guarantee).status != "proven"
    return {
        "n_rows": len(lengths),
        "length": float(np.mean(lengths)),
        "seconds": float(np.mean(seconds)),
        "n_smallest": n_smallest,
        "n_not_proven": n_not_proven,
    }


def imports() -> dict[str, Any]:
    """Time ``from mlrx import CorsetClassifier`` against the libraries it stands on, in fresh processes, in turn."""
    ours, theirs = [], []
    for _ in range(REPETITIONS):
        theirs.append(_seconds_of(LIBRARIES))
        ours.append(_seconds_of("from mlrx import CorsetClassifier"))
    ratio = median(a / b for a, b in zip(ours, theirs, strict=True))
    return {"seconds": median(ours), "libraries": median(theirs), "ratio": ratio}


def _seconds_of(statement: str) -> float:
    code = f"import time; start = time.perf_counter(); {statement}; print(time.perf_counter() - start)"
    return float(subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout)


def peak_memory() -> float:
    """Return the largest resident memory of this process so far, in GB (10^9 bytes)."""
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / 1e9 if sys.platform == "darwin" else peak * 1024 / 1e9


KINDS = {
    "fit": fit,
    "scale": scale,
    "growth": growth,
    "explain": explain,
    "single": single,
    "anchors": anchors,
    "imports": imports,
}


def main() -> None:
    """Pin the process to one core, measure, print."""
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    kind, *arguments = sys.argv[1:]
    print(json.dumps(KINDS[kind](*arguments)))


if __name__ == "__main__":
    main()
