import math
import textwrap
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from experiments.loading import load_config
from experiments.study import Study


@pytest.fixture
def hard_values() -> dict[str, Any]:
    """Values that were lost or changed on the way into a notebook or a record."""
    return {
        "none": None,
        "true": True,
        "big": 10**30,
        "nan": math.nan,
        "inf": math.inf,
        "minus_inf": -math.inf,
        "nested": {"a": {"b": [1, None, True]}},
        "quotes": 'it\'s "q"\n\\x',
        "text": "naïve ☃",
    }


@pytest.fixture
def tiny_config(tmp_path: Path) -> Path:
    """A config file with one small generated set, one repetition and cheap methods."""
    text = """
    id: tiny
    title: Tiny
    paper: corset
    table: none
    claim: none
    unstated: []
    notebook: 01_synthetic.ipynb
    metrics: [micro_f1, macro_f1, coverage, recovery, n_rules, n_conditions]
    zero_division: 0
    seed: 5
    margin: 0.02
    datasets:
      made:
        n_rules: 2
        generate: {generator: ground-truth, n_samples: 40, n_features: 6, n_labels: 4, n_rules: 2, consequent_size: 2}
      flags: {n_rules: 3}
    methods:
      corset: {kind: corset, title: CORSET, parameters: {pool_size: 20, consequents: full}, rules: [1x, 2x]}
      rules: {kind: ground-truth, title: generating rules, deterministic: true}
      tree: {kind: tree, title: tree}
    profiles:
      smoke: {datasets: [made], repetitions: 1}
      quick: {datasets: [made], repetitions: 3}
      paper: {datasets: [made], repetitions: 3, parameters: {corset: {pool_size: 30}}}
    """
    path = tmp_path / "tiny.yaml"
    path.write_text(textwrap.dedent(text), encoding="utf-8")
    return path


@pytest.fixture
def change(tiny_config):
    """Change one line of the tiny config and load it."""

    def load(old: str, new: str):
        text = tiny_config.read_text(encoding="utf-8")
        assert text.count(old) == 1
        tiny_config.write_text(text.replace(old, new), encoding="utf-8")
        return load_config(tiny_config)

    return load


@pytest.fixture
def fill(tmp_path, monkeypatch):
    """Write made-up records of the first n runs of a config on a data set, and return the folder of results."""
    monkeypatch.setattr("experiments.runs.code_digest", lambda: "c0de")
    monkeypatch.setattr("experiments.runs.package_versions", lambda: {"numpy": "9.8", "scipy": "7.6"})
    made = {"started": "2031-05-06T07:08:09+00:00", "machine": "Linux m, 4 CPUs, Python 3.13.0", "commit": "abc"}

    def write(
        config: Path, profile: str, dataset: str, n: int | None = None, error: str | None = None, status: str = "failed"
    ) -> Path:
        study = Study.open(config, profile, dataset, tmp_path / "results")
        for k, run in enumerate(study.runs[:n]):
            scores = [{"asked": asked, **dict.fromkeys(run.metrics, 0.5 + k / 100)} for asked in run.asked or (None,)]
            seconds = {"fit": 1.0, "predict": 0.25, "rules": [0.5]}
            record = replace(run.sought("0"), **made, metrics=tuple(scores), seconds=seconds, notes=("made up",))
            if error is not None:
                record = replace(record, metrics=(), seconds={}, status=status, error=error)
            study.store.write(record)
        return tmp_path / "results"

    return write
