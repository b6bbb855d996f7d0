from dataclasses import replace

import pytest

from experiments.baselines.method import Method
from experiments.methods import METHODS
from experiments.study import Study
from experiments.tasks.registry import TASKS


@pytest.fixture
def study(tiny_config, tmp_path):
    return Study.open(tiny_config, "smoke", "made", tmp_path / "results")


def test_study_runs_and_shows(study, capsys):
    assert len(study.missing()) == 3
    study = study.run()
    lines = capsys.readouterr().out.splitlines()
    assert [line.split(": ")[0] for line in lines] == ["run 1/3", "run 2/3", "run 3/3"]
    assert lines[0].startswith("run 1/3: made, corset, 2 4 rules, repetition 1: done, ")
    assert study.missing() == []
    assert study.table()["method"].tolist() == ["CORSET", "CORSET", "generating rules", "tree"]
    assert set(study.titled_scores()["method"]) == {"CORSET", "generating rules", "tree"}
    assert study.titled_timings()["fit_seconds"].notna().all()
    assert study.comparison() is None


def test_finished_runs_are_kept(study, capsys):
    study.run()
    before = {path: path.stat().st_mtime_ns for path in study.store.folder.iterdir()}
    capsys.readouterr()
    study.run()
    assert all(line.endswith("(kept)") for line in capsys.readouterr().out.splitlines())
    assert {path: path.stat().st_mtime_ns for path in study.store.folder.iterdir()} == before


def test_second_run_keeps_what_was_tuned(change, tmp_path, capsys, monkeypatch):
    """A search once started anew from the settings that the first had found, and left all runs undone."""
    change("smoke: {datasets: [made], repetitions: 1}", "smoke: {datasets: [flags], repetitions: 1, tune: true}")
    space = "{negative_weight: [0.2, 0.4]}"
    tuning = f"tuning: {{method: corset, candidates: 2, folds: 2, n_rules: 5, space: {space}}}"
    path = change("seed: 5", f"seed: 5\n{tuning}").path
    made = replace(Study.open(path, "quick", "made").split(), name="flags")
    monkeypatch.setitem(TASKS, "predict", replace(TASKS["predict"], load=lambda *_: made))
    monkeypatch.setattr("experiments.tuning.load_split", lambda *_: made)
    Study.open(path, "smoke", "flags", tmp_path).run()
    capsys.readouterr()
    Study.open(path, "smoke", "flags", tmp_path).run()
    assert all(line.endswith("(kept)") for line in capsys.readouterr().out.splitlines())
    assert Study.open(path, "smoke", "flags", tmp_path).missing() == []


def test_torn_record_is_redone(study):
    study.run()
    whole = study.table()
    path = next(study.store.folder.glob("made-tree-*"))
    path.write_text(path.read_text("utf-8")[:100], "utf-8")
    with pytest.warns(UserWarning, match=path.name):
        assert len(study.missing()) == 1
    with pytest.warns(UserWarning, match=path.name):
        study.run()
    assert study.missing() == []
    assert study.table().equals(whole)


def test_note_of_a_fit_is_kept_and_told(study, capsys, monkeypatch):
    fit = METHODS["tree"].fit
    noted = Method(lambda *arguments: replace(fit(*arguments), notes=("did not converge",)), lambda _: None)
    monkeypatch.setitem(METHODS, "tree", noted)
    study.run()
    assert capsys.readouterr().out.splitlines()[-1].endswith(" s, did not converge")
    assert [record.notes for _, record in study.pairs()] == [(), (), ("did not converge",)]


def test_failed_run_is_named(study, monkeypatch):
    def fail(*_):
        raise RuntimeError("no luck")

    monkeypatch.setitem(METHODS, "tree", Method(fail, lambda _: None))
    study.run()
    assert study.missing() == ["made, tree, repetition 1: RuntimeError: no luck"]
    assert len(study.pairs()) == 2


def test_records_on_other_data_are_not_mixed(study):
    study.run()
    _, record = study.pairs()[0]
    study.store.write(type(record)({**record.determines, "checksum": "0"}, record.status, True))
    with pytest.raises(ValueError, match="are of one run on different data"):
        study.missing()


def test_values_of_a_parameter_go_by_title(study):
    assert study.values_of("pool_size") == {"CORSET": 20}
    assert study.values_of("diversity_weight") == {}


@pytest.mark.parametrize(
    ("profile", "dataset", "message"),
    [
        ("fast", "made", "profile must be one of smoke, quick, paper, got 'fast'"),
        ("smoke", "mad", "dataset must be one of made, flags, got 'mad'"),
    ],
)
def test_wrong_names_are_refused(tiny_config, profile, dataset, message):
    with pytest.raises(ValueError, match=message):
        Study.open(tiny_config, profile, dataset)


def test_pictures_have_a_folder(study):
    path = study.figure_path("micro_f1")
    assert (path.name, path.parent.name, path.parent.is_dir()) == ("tiny-made-micro_f1.png", "figures", True)
