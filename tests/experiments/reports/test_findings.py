import pandas as pd
import pytest

from experiments.loading import load_config
from experiments.reports.findings import gather, write_tables


@pytest.fixture
def tables_of(tiny_config):
    """Write the tables of the tiny config from its records, and return their folder."""
    return lambda profile, results: write_tables(
        gather([load_config(tiny_config)], profile, results), results / profile / "tables"
    )


def test_tables_of_a_study_that_is_gone_are_removed(fill, tiny_config, tables_of):
    results = fill(tiny_config, "smoke", "made")
    folder = results / "smoke" / "tables"
    folder.mkdir(parents=True)
    (folder / "gone.csv").write_text("")
    tables_of("smoke", results)
    names = ["runs.csv", "studies.csv", "timings.csv", "tiny.csv", "tiny.md", "tiny.tex"]
    assert sorted(path.name for path in folder.iterdir()) == names


def test_studies_say_how_many_runs_are_done(fill, tiny_config, tables_of):
    results = fill(tiny_config, "quick", "made", n=4)
    table = (tables_of("quick", results) / "studies.csv").read_text()
    assert table == "study,dataset,runs,done,failed,skipped,commits\ntiny,made,9,4,0,0,abc\n"


def test_study_without_runs_has_no_tables(tiny_config, tables_of, tmp_path):
    folder = tables_of("quick", tmp_path)
    assert [path.name for path in folder.iterdir()] == ["studies.csv"]


def test_cells_of_a_study_that_was_run_in_part_say_their_n(fill, change):
    config = change("quick: {datasets: [made], repetitions: 3}", "quick: {datasets: [made], repetitions: 4}").path
    (found,) = gather([load_config(config)], "quick", fill(config, "quick", "made", n=3))
    assert found.shown_summary["n"].tolist() == ["3", "3"]
    scarce = found.scarce().to_dict("records")
    assert scarce == [
        {"dataset": "made", "method": "rules", "n": 0, "reason": "not all of its runs are done"},
        {"dataset": "made", "method": "tree", "n": 0, "reason": "not all of its runs are done"},
    ]


def test_reasons_of_scarce_cells(fill, tiny_config, change):
    (found,) = gather([load_config(tiny_config)], "smoke", fill(tiny_config, "smoke", "made"))
    assert set(found.scarce()["reason"]) == {"the profile smoke asks for 1 repetition"}
    (found,) = gather([load_config(tiny_config)], "quick", fill(tiny_config, "quick", "made"))
    assert found.scarce().empty
    change("quick: {datasets: [made]", "quick: {datasets: [flags]")
    change("rules: {kind: ground-truth, title: generating rules,", "rules: {kind: svm, title: SVM,")
    (found,) = gather([load_config(tiny_config)], "quick", fill(tiny_config, "quick", "flags"))
    reason = "chance has no part in it, on one split of the rows"
    assert found.scarce().to_dict("records") == [{"dataset": "flags", "method": "rules", "n": 1, "reason": reason}]
    (found,) = gather([load_config(tiny_config)], "quick", fill(tiny_config, "quick", "flags", error="no /a/b/luck"))
    assert set(found.scarce()["reason"]) == {"failed: no …/luck"}


def test_logs_are_of_one_form_for_all(fill, tiny_config, tables_of):
    folder = tables_of("quick", fill(tiny_config, "quick", "made"))
    for name in ("runs", "timings", "studies"):
        assert pd.read_csv(folder / f"{name}.csv").columns[:2].tolist() == ["study", "dataset"]
