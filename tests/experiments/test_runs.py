from dataclasses import replace

import pytest

from experiments import runs
from experiments.baselines.method import Fitted, Method
from experiments.explainers.deadline import OutOfTimeError
from experiments.loading import load_config
from experiments.methods import METHODS
from experiments.records import DONE, FAILED, SKIPPED, RecordStore
from experiments.runs import make, plan
from experiments.splits import load_split
from experiments.study import Study


@pytest.fixture
def config(tiny_config):
    return load_config(tiny_config)


@pytest.fixture
def split(config):
    return load_split("made", config.datasets["made"], config.seed, 0)


@pytest.fixture
def fake(monkeypatch):
    """Put a method in the place of the tree; `fake.error` makes it fail, `fake.fits` counts."""

    class Fake:
        fits = 0
        error: Exception | None = None

        def fit(self, split, n_rules, seed, parameters):
            self.fits += 1
            if self.error:
                raise self.error
            return Fitted(lambda X: split.test.Y, 0.5)

    fake = Fake()
    monkeypatch.setitem(METHODS, "tree", Method(fake.fit, lambda _: None))
    return fake


def tree_run(config):
    return next(run for run in plan(config, "smoke", "made") if run.method == "tree")


def test_plan_of_a_generated_set(config):
    planned = [(run.method, run.repetition, run.asked) for run in plan(config, "quick", "made")]
    # All repetitions have rows of their own, so the deterministic rules are scored on each too.
    assert planned == [
        *[("corset", k, (2, 4)) for k in range(3)],
        *[("rules", k, ()) for k in range(3)],
        *[("tree", k, ()) for k in range(3)],
    ]


def test_plan_of_a_fixed_split_and_of_numbers_that_need_fits_of_their_own(change):
    config = change("kind: tree, title: tree", "kind: boomer, title: x, rules: [1x, 10]")
    planned = [(run.method, run.repetition, run.asked) for run in plan(config, "smoke", "flags")]
    assert planned == [("corset", 0, (3, 6)), ("rules", 0, ()), ("tree", 0, (3,)), ("tree", 0, (10,))]
    assert [run.method for run in plan(config, "quick", "flags")].count("rules") == 1


def test_seeds_differ_by_method_and_repetition(config):
    seeds = [run.random_state for run in plan(config, "quick", "made")]
    assert len(set(seeds)) == 9


def test_done_is_kept_and_failed_is_tried_again(config, split, fake, tmp_path):
    store, run = RecordStore(tmp_path / "records"), tree_run(config)
    fake.error = RuntimeError("out of luck")
    record, made = make(run, split, store)
    assert (record.status, record.error, made) == (FAILED, "RuntimeError: out of luck", True)
    assert "in fit" in record.trace
    fake.error = None
    record, made = make(run, split, store)
    assert (record.status, made, record.metrics[0]["micro_f1"]) == (DONE, True, 1.0)
    record, made = make(run, split, store)
    assert (record.status, made, fake.fits) == (DONE, False, 2)
    assert len(list(store.folder.iterdir())) == 1


def test_fit_out_of_time_is_skipped_for_good_and_its_repetitions_with_it(tiny_config, fake, tmp_path, capsys):
    fake.error = OutOfTimeError("more than 3 CPU seconds")
    study = Study.open(tiny_config, "quick", "made", tmp_path)
    study.run()
    late = [record for run, record in study.records() if run.method == "tree"]
    assert [(record.status, record.error) for record in late] == [(SKIPPED, f"OutOfTimeError: {fake.error}")] * 3
    assert fake.fits == 1
    assert study.missing() == []
    assert study.table()["reason"].tolist()[-1] == f"OutOfTimeError: {fake.error}"
    before = [path.read_bytes() for path in sorted(study.store.folder.iterdir())]
    fake.error = None
    study.run()
    assert fake.fits == 1
    assert [path.read_bytes() for path in sorted(study.store.folder.iterdir())] == before


@pytest.mark.parametrize(
    "change_of",
    [{"repetition": 1}, {"asked": (5,)}, {"parameters": {"a": 1}}, {"random_state": 1}, {"metrics": ("micro_f1",)}]
    + [{"zero_division": 1}, {"dataset": "other"}, {"kind": "svm"}, {"task": "explain"}]
    + [{"rows": 3}, {"folds": 3}],
)
def test_whatever_determines_the_result_makes_another_record(config, change_of):
    run = tree_run(config)
    assert replace(run, **change_of).sought("c").id != run.sought("c").id != run.sought("d").id


def test_name_of_the_method_in_a_study_does_not_matter(config):
    run = tree_run(config)
    assert replace(run, method="CART").sought("c").id == run.sought("c").id


def test_code_and_versions_matter(config, monkeypatch):
    run = tree_run(config)
    before = run.sought("c").id
    monkeypatch.setattr(runs, "code_digest", lambda: "0")
    after_code = run.sought("c").id
    monkeypatch.setattr(runs, "package_versions", lambda: {"numpy": "9"})
    assert len({before, after_code, run.sought("c").id}) == 3


def test_run_that_cannot_be_repeated_is_made_each_time(config, split, fake, tmp_path):
    run = replace(tree_run(config), random_state=None)
    for _ in range(2):
        record, made = make(run, split, RecordStore(tmp_path))
        assert made
    assert not record.reproducible


def test_same_seed_gives_the_same_record_but_for_times(config, split, tmp_path):
    run = plan(config, "smoke", "made")[0]
    first, second = (make(run, split, RecordStore(tmp_path / name))[0] for name in "ab")
    assert first.metrics == second.metrics
    assert [entry["asked"] for entry in first.metrics] == [2, 4]


def test_durations_are_not_from_the_wall_clock(config, split, fake, tmp_path, monkeypatch):
    """A clock that is set back during a run once gave a negative duration."""
    monkeypatch.setattr("time.time", lambda: -1e9)
    record, _ = make(tree_run(config), split, RecordStore(tmp_path))
    assert record.seconds["predict"] >= 0
