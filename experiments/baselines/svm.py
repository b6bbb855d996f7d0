"""Binary relevance with linear support vector machines: one a label, on columns scaled to [-1, 1]."""

from __future__ import annotations

import time
import warnings
from typing import Any

import numpy as np

from ..splits import Split
from .encoding import make_encoder
from .method import Fitted, Method, check_names, names_of, predict_table


def fit(split: Split, n_rules: int | None, seed: int, parameters: dict[str, Any]) -> Fitted:
    """Fit one `LinearSVC` a label; columns are divided by their largest absolute value."""
    from sklearn.exceptions import ConvergenceWarning
    from sklearn.multiclass import OneVsRestClassifier
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import MaxAbsScaler
    from sklearn.svm import LinearSVC

    encode = make_encoder(split.train)
    machines = OneVsRestClassifier(LinearSVC(random_state=seed, **parameters))
    model = make_pipeline(MaxAbsScaler(), machines)
    X = encode(split.train.X)
    start = time.perf_counter()
    with warnings.catch_warnings():
        # A label that no training row has, or all have, is predicted as it is there.
        warnings.filterwarnings("ignore", "Label .* is present in all training examples", UserWarning)
        # What did not converge is counted below.
        warnings.filterwarnings("ignore", category=ConvergenceWarning)
        model.fit(X, np.asarray(split.train.Y))
    seconds = time.perf_counter() - start
    return Fitted(lambda X: predict_table(model, encode(X)), seconds, notes=_notes(machines.estimators_))


def _notes(machines: list[Any]) -> tuple[str, ...]:
    """Say how many machines ran into the limit of iterations; a label with one value has none."""
    from sklearn.svm import LinearSVC

    fitted = [machine for machine in machines if isinstance(machine, LinearSVC)]
    n_stopped = sum(machine.n_iter_ >= machine.max_iter for machine in fitted)
    if not n_stopped:
        return ()
    return (f"{n_stopped} of {len(fitted)} machines did not converge within max_iter={fitted[0].max_iter}",)


def check(parameters: dict[str, Any]) -> None:
    """Refuse parameters that `LinearSVC` does not take, values out of their domain, and pairs that do not go."""
    from sklearn.exceptions import ConvergenceWarning
    from sklearn.svm import LinearSVC

    check_names(parameters, names_of(LinearSVC), ("random_state",))
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", category=ConvergenceWarning)
        # Which penalty goes with which loss is known in `fit` only.
        LinearSVC(**parameters).fit([[0.0], [1.0]], [0, 1])


METHOD = Method(fit, check)
