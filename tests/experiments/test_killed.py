"""A study killed in the middle of every explainer, and started again each time, ends as one that nobody disturbed."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from experiments.config import PROFILES
from experiments.files import CONFIGS, ROOT
from experiments.methods import EXPLAINERS
from experiments.study import Study

# Few trees, rows and rules; no limit of time, which would end a search elsewhere each time.
KINDS = [kind for kind in EXPLAINERS if kind not in ("bellatrex", "te2rules")]  # extras outside the lock
PARAMETERS = {
    "anchors": {"beam_size": 1, "precision": 0.6},
    "boomer": {"max_rules": 10},
    "defrag-trees": {"n_rules": 2, "n_starts": 1},
    "intrees": {"n_trees": 2},
    "lime": {"n_samples": 100},
    "local-tree": {"n_neighbors": 15},
    "local-tree-lime": {"n_samples": 50},
    "lore": {"n_samples": 40, "n_generations": 2},
    "ripper": {"k": 0, "n_bins": 2},
    "rulefit": {"cv": False, "include_linear": False, "n_estimators": 2, "max_rules": 4},
    "seco": {"max_rules": 5},
    "trepan": {"n_rows": 50, "max_leaf_nodes": 4},
}
METRICS = ["length", "rule_coverage", "own_row", "precision", "audited_proven", "audited_refuted", "n_explained"]


def config_of(folder: Path) -> Path:
    """Write a config of all kinds of explainers, made from one of the project's."""
    document = yaml.safe_load((CONFIGS / "lionforests_labelset.yaml").read_text("utf-8"))
    del document["published"]
    document |= {"id": "killed", "metrics": METRICS, "audit_budget": 50, "datasets": {"ai4i-simulated": {}}}
    extent = {"datasets": ["ai4i-simulated"], "repetitions": 1, "rows": {"ai4i-simulated": 2}}
    document["profiles"] = dict.fromkeys(PROFILES, extent)
    document["methods"] = {
        kind: {"kind": kind, "title": kind, "parameters": PARAMETERS.get(kind, {})}
        | {"strategies": [EXPLAINERS[kind].strategies[0]]}
        for kind in KINDS
    }
    path = folder / "killed.yaml"
    path.write_text(yaml.safe_dump(document, sort_keys=False), encoding="utf-8")
    return path


@pytest.mark.timeout(900)  # half a minute on an idle computer
@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
def test_killed_studies_end_like_undisturbed_ones(tmp_path):
    """No record is lost, doubled or cut short."""
    config = config_of(tmp_path)
    script = Path(__file__).with_name("killed_study.py")
    command = [sys.executable, str(script), str(config), str(tmp_path / "whole"), str(tmp_path / "killed")]
    done = subprocess.run(command, cwd=ROOT, env=os.environ | {"PYTHONPATH": str(ROOT)}, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    whole, killed = (Study.open(config, "smoke", "ai4i-simulated", tmp_path / name) for name in ("whole", "killed"))
    assert whole.missing() == killed.missing() == []
    names = [[path.name for path in sorted(study.store.folder.glob("*.json"))] for study in (whole, killed)]
    assert names[0] == names[1]
    assert len(names[0]) == len(KINDS)
    assert killed.table().equals(whole.table())
    columns = [name for name in whole.rows().columns if name != "seconds"]
    assert killed.rows()[columns].equals(whole.rows()[columns])
