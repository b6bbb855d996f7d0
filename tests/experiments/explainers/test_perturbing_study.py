"""Anchors, CHIRPS and LIME in a study: what they report reaches the records."""

import textwrap

import numpy as np

from experiments.study import Study

TEXT = """
id: told
title: Told
paper: lionforests
table: none
claim: none
task: explain
unstated: []
notebook: 03_lionforests_strategies.ipynb
metrics: [length, seconds, rule_coverage, own_row, is_empty, is_precise, is_out_of_time, n_explained]
seed: 5
margin: {all: 0.1, each: 0.15}
datasets: {ai4i-simulated: {}}
methods:
  anchors: {kind: anchors, title: Anchors, strategies: [all, each], parameters: {beam_size: 1}}
  late: {kind: anchors, title: Anchors without time, strategies: [each], parameters: {time_limit: 1.0e-9}}
  chirps: {kind: chirps, title: CHIRPS, strategies: [each], parameters: {precision: 0.9, support: 0.1}}
  lime: {kind: lime, title: LIME's heaviest conditions, strategies: [each], parameters: {n_samples: 200}}
profiles:
  smoke: {datasets: [ai4i-simulated], repetitions: 1, rows: {ai4i-simulated: 2}}
  quick: {datasets: [ai4i-simulated], repetitions: 3}
  paper: {datasets: [ai4i-simulated], repetitions: 10}
"""


def test_reports_reach_the_records(tmp_path):
    path = tmp_path / "told.yaml"
    path.write_text(textwrap.dedent(TEXT), encoding="utf-8")
    study = Study.open(path, "smoke", "ai4i-simulated", tmp_path).run()
    assert study.missing() == []
    entries = {(run.method, entry["asked"]): entry for run, record in study.pairs() for entry in record.metrics}
    assert set(entries) == {(m, "each") for m in ("anchors", "late", "chirps", "lime")} | {("anchors", "all")}
    anchors, late = entries["anchors", "all"], entries["late", "each"]
    assert anchors["is_out_of_time"] == 0
    assert anchors["is_precise"] == np.mean(anchors["rows"]["is_precise"])
    assert (late["is_out_of_time"], late["rule_coverage"], late["n_explained"]) == (1, 0, 2)
    assert np.isnan(late["length"])
    assert set(entries["chirps", "each"]["rows"]["is_empty"]) <= {0.0, 1.0}
    assert all(0 < value < 1 for value in entries["lime", "each"]["rows"]["fidelity"])
