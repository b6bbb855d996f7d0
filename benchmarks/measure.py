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


def main() -> None:
    """Pin the process to one core, measure, print."""
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    kind, *arguments = sys.argv[1:]
    print(json.dumps({"fit": fit, "scale": scale, "imports": imports}[kind](*arguments)))


if __name__ == "__main__":
    main()
