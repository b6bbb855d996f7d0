"""Makes a study in processes that are killed on the way: ``python killed_study.py CONFIG WHOLE KILLED``.

The study is made once undisturbed, its results in the folder WHOLE, then in KILLED by one process after another. Each
of these dies in the middle of the first method that none before it died in; every third of them while it writes the
method's record, the others while they explain a row.
"""

import functools
import os
import signal
import sys
from dataclasses import replace
from pathlib import Path

import imodels  # noqa: F401, and wittgenstein: once, not in every process
import wittgenstein  # noqa: F401

from experiments import methods, records
from experiments.forests import load_fold
from experiments.study import Study
from experiments.tasks import explaining

DATASET, PROFILE = "ai4i-simulated", "smoke"


def die() -> None:
    """End this process at once."""
    os.kill(os.getpid(), signal.SIGKILL)


def die_explaining(kind: str) -> None:
    """Have this process die when an explainer of the kind is asked about a second row."""
    explainer, asked = methods.EXPLAINERS[kind], []

    def fit(*arguments):
        fitted = explainer.fit(*arguments)

        def explain(*row):
            asked.append(row)
            return fitted.explain(*row) if len(asked) == 1 else die()

        return replace(fitted, explain=explain)

    methods.EXPLAINERS[kind] = replace(explainer, fit=fit)


def die_writing(kind: str) -> None:
    """Have this process die when half of a record of the kind is written."""
    write_whole = records.write_whole

    def write(path: Path, text: str) -> None:
        if path.name.startswith(f"{DATASET}-{kind}-"):
            path.with_name(".torn.tmp").write_text(text[: len(text) // 2], encoding="utf-8")
            die()
        write_whole(path, text)

    records.write_whole = write


def in_another_process(prepare, config: str, results: str) -> bool:
    """Make the study in a fork of this process; tell whether it came to its end."""
    child = os.fork()
    if child == 0:
        prepare()
        Study.open(config, PROFILE, DATASET, results).run()
        sys.stdout.flush()
        os._exit(0)
    status = os.waitpid(child, 0)[1]
    if not os.WIFSIGNALED(status):
        return True
    assert os.WTERMSIG(status) == signal.SIGKILL
    return False


def main(config: str, whole: str, killed: str) -> None:
    """See above."""
    # All processes share one fold and its forest.
    fold = load_fold(DATASET, 0)
    fold.cells, fold.predicted  # noqa: B018, so that they are there
    explaining.load_fold = functools.lru_cache(lambda name, number: fold)
    study = Study.open(config, PROFILE, DATASET, killed)
    assert in_another_process(lambda: None, config, whole)
    for number, run in enumerate(study.runs):
        prepare = die_writing if number % 3 == 2 else die_explaining
        assert not in_another_process(functools.partial(prepare, run.kind), config, killed)
        # What is there is whole: a record for each method before this one, and no other.
        assert len(study.store.read()) == len(study.pairs()) == number, run.method
    assert in_another_process(lambda: None, config, killed)


if __name__ == "__main__":
    main(*sys.argv[1:])
