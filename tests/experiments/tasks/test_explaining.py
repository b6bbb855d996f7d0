"""Studies that explain forests: configs, the outcome of a run, its tables."""

import math
import textwrap

import numpy as np
import pytest

from experiments.explainers.explainer import PROVEN, STRATEGIES, Explained, Explainer, FittedExplainer
from experiments.extras import import_extra
from experiments.loading import load_config
from experiments.methods import EXPLAINERS
from experiments.reports.findings import gather, write_tables
from experiments.reports.tables import read_published
from experiments.runs import plan
from experiments.study import Study
from mlrx.rules import Condition, Rule

TEXT = """
id: told
title: Told
paper: lionforests
table: none
claim: none
task: explain
unstated: []
notebook: 03_lionforests_strategies.ipynb
metrics: [length, seconds, rule_coverage, own_row, proven, n_explained, n_empty]
seed: 5
margin: {all: 0.1, each: 0.15}
datasets: {ai4i-simulated: {}, flags: {}}
methods:
  whole: {kind: stand-in, title: Stand-in, strategies: [all, each]}
profiles:
  smoke: {datasets: [ai4i-simulated], repetitions: 2, rows: {ai4i-simulated: 4}}
  quick: {datasets: [ai4i-simulated], repetitions: 3}
  paper: {datasets: [ai4i-simulated], repetitions: 10}
"""


@pytest.fixture
def fits(monkeypatch):
    """An explainer under the name "stand-in", which says the row's own first value; the folds that it was fitted on."""
    fitted = []

    def fit(fold, seed, parameters):
        fitted.append(fold)

        def explain(x, labels, strategies):
            rule = Rule([Condition(1, x[1] - 1e-9, x[1])], labels)
            sets = {"all": [labels], "each": [(label,) for label in labels]}
            return {s: [Explained(one, rule, PROVEN, 0.25) for one in sets[s]] for s in strategies}

        return FittedExplainer(explain, 0.5, ("a note",))

    monkeypatch.setitem(EXPLAINERS, "stand-in", Explainer(fit, lambda parameters: None, STRATEGIES[:2]))
    return fitted


@pytest.fixture
def path(tmp_path, fits):
    path = tmp_path / "told.yaml"
    path.write_text(textwrap.dedent(TEXT), encoding="utf-8")
    return path


def test_one_run_a_fold_serves_all_strategies(path):
    runs = plan(load_config(path), "quick", "ai4i-simulated")
    assert [(run.repetition, run.asked, run.rows) for run in runs] == [(k, ("all", "each"), None) for k in range(3)]
    assert str(runs[0]) == "ai4i-simulated, whole, all each, repetition 1"
    assert [run.rows for run in plan(load_config(path), "smoke", "ai4i-simulated")] == [4, 4]


def test_rows_may_be_given_by_method(path, tmp_path):
    """A method that is not named explains all rows of the fold."""
    text = path.read_text().replace("rows: {ai4i-simulated: 4}", "rows: {ai4i-simulated: {few: 3}}")
    few = "  few: {kind: stand-in, title: Few, strategies: [all]}\nprofiles:"
    path.write_text(text.replace("profiles:", few), encoding="utf-8")
    config = load_config(path)
    assert [(run.method, run.rows) for run in plan(config, "smoke", "ai4i-simulated")] == [
        ("whole", None),
        ("whole", None),
        ("few", 3),
        ("few", 3),
    ]
    assert {run.rows for run in plan(config, "quick", "ai4i-simulated")} == {None}
    study = Study.open(path, "smoke", "ai4i-simulated", tmp_path).run()
    explained = study.scores().groupby("method")["n_explained"].max()
    assert explained["few"] <= 3 < explained["whole"]


def test_rows_of_a_fold_are_explained_and_shown(path, fits, tmp_path, capsys):
    study = Study.open(path, "smoke", "ai4i-simulated", tmp_path).run()
    assert study.missing() == []
    assert "repetition 2: done, " in capsys.readouterr().out
    first, second = fits
    assert not np.array_equal(first.X_test, second.X_test)
    rows = study.rows()
    whole = rows[(rows["asked"] == "all") & (rows["repetition"] == 1)]
    n_empty = int((~first.predicted[:4].any(axis=1)).sum())
    assert len(whole) == 4 - n_empty
    assert (whole["length"] == 1).all()
    assert whole["seconds"].tolist() == [0.25] * len(whole)
    entry = study.pairs()[0][1].metrics[0]
    assert (entry["asked"], entry["n_explained"], entry["n_empty"]) == ("all", 4 - n_empty, n_empty)
    assert (entry["own_row"], entry["proven"]) == (1.0, 1.0)
    table = study.table()
    assert table["strategy"].tolist() == ["all", "each"]
    assert table["length L"].iloc[0] == "1.00 ± 0.00"
    assert study.titled_timings()["fit_seconds"].tolist() == [0.5] * 4


def test_rows_without_a_label_are_counted_and_not_of_length_0(path, fits, tmp_path, monkeypatch):
    def never(fold):
        return np.zeros((fold.test.n_samples, 4), dtype=bool)

    monkeypatch.setattr("experiments.forests.Fold.predicted", property(never))
    study = Study.open(path, "smoke", "ai4i-simulated", tmp_path).run()
    entry = study.pairs()[0][1].metrics[0]
    assert (entry["n_explained"], entry["n_empty"], entry["length"]) == (0, 4, None)
    assert math.isnan(study.scores()["length"].iloc[0])


def test_fold_and_rows_make_other_records(path):
    first, second, *_ = plan(load_config(path), "quick", "ai4i-simulated")
    few, *_ = plan(load_config(path), "smoke", "ai4i-simulated")
    assert len({run.sought("c").id for run in (first, second, few)}) == 3


@pytest.fixture
def audited(path):
    """The config with an audit of every rule."""
    text = path.read_text().replace("proven, n_explained", "proven, audited_proven, audited_refuted, n_explained")
    path.write_text(text.replace("seed: 5", "seed: 5\naudit_budget: 50"), encoding="utf-8")
    return path


def test_rules_are_audited_apart_from_their_time(audited, tmp_path):
    """The stand-in calls a rule proven that is of its own making."""
    study = Study.open(audited, "smoke", "ai4i-simulated", tmp_path).run()
    record = study.pairs()[0][1]
    assert record.determines["audit_budget"] == 50
    assert record.seconds["audit"] > 0
    for entry in record.metrics:
        rows = entry["rows"]
        verdicts = zip(rows["audited_proven"], rows["audited_refuted"], rows["audited_undecided"], rows["not_audited"])
        assert [sum(verdict) for verdict in verdicts] == [1] * len(rows["row"])
        assert entry["proven"] == 1
        assert entry["audited_proven"] < 1
        assert entry["audited_refuted"] == np.mean(rows["audited_refuted"])


def test_method_that_cannot_run_is_a_row_with_its_reason(path, tmp_path, monkeypatch):
    def fail(fold, seed, parameters):
        raise ImportError("no such package")

    monkeypatch.setitem(EXPLAINERS, "broken", Explainer(fail, lambda parameters: None, STRATEGIES[:2]))
    text = path.read_text().replace("profiles:", "  other: {kind: broken, title: Broken, strategies: [all]}\nprofiles:")
    path.write_text(text, encoding="utf-8")
    study = Study.open(path, "smoke", "ai4i-simulated", tmp_path).run()
    table = study.table()
    assert table["method"].tolist() == ["Stand-in", "Stand-in", "Broken"]
    assert table.iloc[2].to_dict() == dict.fromkeys(table, "–") | {
        "data set": "ai4i-simulated",
        "method": "Broken",
        "strategy": "all",
        "n": "0",
        "reason": "ImportError: no such package",
    }
    assert table["n"].tolist() == ["2", "2", "0"]
    assert len(study.missing()) == 2
    folder = write_tables(gather([load_config(path)], "smoke", tmp_path), tmp_path / "tables")
    shown = folder.joinpath("told.md").read_text(encoding="utf-8")
    assert "ImportError: no such package" in shown


def test_method_without_its_package_is_a_row_and_no_failure(path, tmp_path, monkeypatch):
    monkeypatch.setitem(EXPLAINERS, "absent", Explainer(lambda *run: import_extra("no_such"), lambda p: None, ("all",)))
    text = path.read_text().replace("profiles:", "  other: {kind: absent, title: Absent, strategies: [all]}\nprofiles:")
    path.write_text(text, encoding="utf-8")
    study = Study.open(path, "smoke", "ai4i-simulated", tmp_path).run()
    assert study.missing() == []
    assert "pip install --group no_such" in study.table().iloc[2]["reason"]
    assert [record.status for _, record in study.failed()] == ["skipped"] * 2
    written = {file: file.stat().st_mtime_ns for file in (study.results / "records").iterdir()}
    study.run()
    assert {file: file.stat().st_mtime_ns for file in (study.results / "records").iterdir()} == written


def test_margin_in_published_deviations(path, tmp_path):
    numbers = tmp_path / "numbers.csv"
    numbers.write_text(
        "dataset,method,asked,metric,value,sd,comparable,source\n"
        "ai4i-simulated,whole,all,length,1.20,0.10,same method,x\n"
        "ai4i-simulated,whole,all,length,1.21,0.10,same method,x\n"
        "ai4i-simulated,whole,all,own_row,1.00,0.00,yes,x\n"
    )
    text = path.read_text().replace("margin: {all: 0.1, each: 0.15}", "margin: {published_sd: 2}")
    path.write_text(text + "published: numbers.csv\n", encoding="utf-8")
    table = Study.open(path, "quick", "ai4i-simulated", tmp_path).run().comparison()
    assert table["verdict"].tolist() == ["within margin", "outside", "within margin"]
    numbers.write_text(numbers.read_text().replace("0.00,yes", ",yes"))
    with pytest.raises(ValueError, match=r"numbers\.csv: the margin needs the sd of every number"):
        read_published(load_config(path))


def test_published_numbers_are_compared_by_strategy_and_share(path, tmp_path):
    numbers = tmp_path / "numbers.csv"
    numbers.write_text(
        "dataset,method,asked,metric,value,sd,comparable,source\n"
        "ai4i-simulated,whole,all,length,1.05,0.1,yes,x\n"
        "ai4i-simulated,whole,all,length,2,0.1,yes,x\n"
        "ai4i-simulated,whole,all,length,2,0.1,same method,x\n"
        "ai4i-simulated,whole,each,seconds,2,,another machine,x\n"
    )
    path.write_text(path.read_text() + "published: numbers.csv\n")
    table = Study.open(path, "quick", "ai4i-simulated", tmp_path).run().comparison()
    assert table["asked"].tolist() == ["all", "all", "all", "each"]
    verdicts = ["within margin", "better", "outside", "not comparable: another machine"]
    assert table["verdict"].tolist() == verdicts
    assert table["published_sd"].tolist()[:3] == [0.1] * 3
    some = Study.open(path, "smoke", "ai4i-simulated", tmp_path).run().comparison()
    assert some["verdict"].iloc[0] == "too few runs (4 rows a fold)"


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("strategies: [all, each]", "strategies: [all, frequent]", "strategies: unknown 'frequent'"),
        (", strategies: [all, each]", "", "methods that explain need strategies"),
        ("strategies: [all, each]", "strategies: [all], rules: [3]", "and no rules"),
        ("kind: stand-in", "kind: tree", "methods.whole.kind: unknown 'tree'"),
        ("repetitions: 10", "repetitions: 11", "profiles.paper.repetitions must be at most 10, got 11"),
        ("seed: 5", "seed: 5\nzero_division: 0", "zero_division has no meaning where forests are explained, got 0"),
        ("margin: {all: 0.1, each: 0.15}", "margin: {all: 0.1}", "margin must have exactly the strategies all, each"),
        (
            "margin: {all: 0.1, each: 0.15}",
            "margin: {published_sd: 2, all: 1}",
            "strategies all, each, or published_sd",
        ),
        ("seed: 5", "seed: 5\naudit_budget: 9", r"audit need an audit_budget and the other way round, got \[\] and 9"),
        ("proven, n_explained", "audited_proven, n_explained", r"got \['audited_proven'\] and None"),
        (
            "proven, n_explained",
            "not_audited, n_explained]\naudit_budget: 0\n#",
            "audit_budget must be at least 1, got 0",
        ),
        ("flags: {}", "flgs: {}", "datasets: unknown 'flgs'; did you mean 'flags'"),
        ("flags: {}", "flags: {n_rules: 3}", "datasets.flags may hold parameters only"),
        ("rows: {ai4i-simulated: 4}", "rows: {ai4i: 4}", "profiles.smoke.rows: unknown 'ai4i'"),
        ("rows: {ai4i-simulated: 4}", "rows: {ai4i-simulated: 0}", "rows.ai4i-simulated must be at least 1, got 0"),
        ("rows: {ai4i-simulated: 4}", "rows: {ai4i-simulated: {whol: 4}}", "rows.ai4i-simulated: unknown 'whol'; did"),
        ("{ai4i-simulated: 4}", "{ai4i-simulated: {whole: 0}}", "ai4i-simulated.whole must be at least 1, got 0"),
        (
            "{ai4i-simulated: 4}",
            "{ai4i-simulated: some}",
            "rows.ai4i-simulated must be a whole number or a mapping, got",
        ),
        ("n_explained", "micro_f1", "metrics: unknown 'micro_f1'"),
    ],
)
def test_faults_are_named(path, old, new, message):
    text = path.read_text(encoding="utf-8")
    assert text.count(old) == 1
    path.write_text(text.replace(old, new), encoding="utf-8")
    with pytest.raises(ValueError, match=message):
        load_config(path)


def test_published_table_is_whole():
    published = read_published(load_config("lionforests_strategies"))
    assert len(published) == 4 * 3 * 2 * 2
    cell = published[(published["dataset"] == "flags") & (published["asked"] == "frequent")]
    assert cell.set_index(["method", "metric"])["value"].to_dict() == {
        ("paper", "length"): 111.72,
        ("certified", "length"): 111.72,
        ("paper", "seconds"): 7.38,
        ("certified", "seconds"): 7.38,
    }


@pytest.mark.parametrize(
    ("name", "asked", "methods"),
    [
        ("lionforests_labelset", "all", {"gs-paper", "ls-paper", "marlena-paper", "marlena"}),
        ("lionforests_labels", "each", {"anchors-paper", "anchors", "chirps-paper", "chirps"}),
    ],
)
def test_tables_of_other_methods_are_whole(name, asked, methods):
    published = read_published(load_config(name))
    assert set(published["asked"]) == {asked}
    assert set(published["method"]) == methods | {"lf-paper", "lf-certified"}
    assert (published.groupby("method")["metric"].size() == 16).all()
    lengths = published[published["metric"].isin(["length", "n_columns"]) & (published["method"] == "lf-paper")]
    assert len(lengths) == 4


def test_cells_of_the_published_tables():
    whole = read_published(load_config("lionforests_labelset")).set_index(["dataset", "method", "metric"])["value"]
    assert whole["flags", "ls-paper", "rule_coverage"] == 0.08
    assert whole["foodtruck", "gs-paper", "n_columns"] == 7.81
    labels = read_published(load_config("lionforests_labels")).set_index(["dataset", "method", "metric"])["value"]
    assert labels["water-quality", "chirps", "coded_precision"] == 0.76
    assert labels["ai4i", "anchors-paper", "seconds"] == 29.53
