"""The task "copy": fit on a forest's labels of the training rows, and say how far its labels of test rows are met."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from ..config import Config
from ..forests import Copied, ensure_protocol_files, load_fold
from ..methods import COPIERS
from . import explaining, predicting
from .measures import OF_COPIES
from .task import Task

if TYPE_CHECKING:
    from ..runs import Run

# The scores of predictions that these are, with the forest's labels for true ones.
SCORES = {"cell_fidelity": "hamming_accuracy", "f1_fidelity": "micro_f1", "set_fidelity": "subset_accuracy"}


def check(config: Config) -> None:
    """Refuse what predictions refuse, and more repetitions than folds."""
    predicting.check(config)
    explaining.check_folds(config)


def outcome(run: Run, split: Copied) -> dict[str, Any]:
    """Fit the run's method on the forest's labels, and compare with those of the test rows."""
    scored = replace(run, metrics=tuple(SCORES.get(name, name) for name in run.metrics))
    found = predicting.outcome(scored, split, COPIERS)
    titles = {score: name for name, score in SCORES.items()}
    metrics = tuple({titles.get(name, name): value for name, value in entry.items()} for entry in found["metrics"])
    return found | {"metrics": metrics}


TASK = Task(
    COPIERS,
    OF_COPIES,
    "rules asked",
    0,  # as in the other studies of these forests
    check,
    explaining.check_dataset,
    lambda name, dataset: ensure_protocol_files(name),
    lambda name, dataset, seed, repetition: Copied.of(load_fold(name, repetition)),
    lambda dataset: True,
    partial(predicting.asked, methods=COPIERS),
    outcome,
)
