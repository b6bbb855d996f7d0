import pytest

from experiments import report
from experiments.files import RESULTS, ROOT
from experiments.loading import load_config
from experiments.report import BLOCK, publish, readme_block, write_tables
from experiments.study import Study


@pytest.fixture
def only_tiny(tiny_config, tmp_path, monkeypatch):
    """Make the tiny config the only one, with finished runs in a folder of results."""
    monkeypatch.setattr(report, "list_configs", lambda: [tiny_config])
    monkeypatch.setattr(report, "README_STUDY", tiny_config)
    return tmp_path / "results"


def test_readme_shows_the_published_table():
    """README and the tracked tables must not disagree; `make publish` writes both."""
    shown = BLOCK.search((ROOT / "README.md").read_text(encoding="utf-8"))
    assert shown.group() == readme_block(RESULTS / "published" / "quick")


def test_published_tables_are_whole():
    for name in ("synthetic", "real_data"):
        table = (RESULTS / "published" / "quick" / f"{name}.csv").read_text("utf-8")
        config = load_config(name)
        assert all(f"\n{dataset}," in table for dataset in config.profiles["quick"].datasets)


def test_unfinished_runs_are_not_published(only_tiny, tmp_path):
    readme = tmp_path / "README.md"
    readme.write_text("<!-- results:begin -->old<!-- results:end -->")
    with pytest.raises(ValueError, match="9 runs of quick are not done; nothing is published:\n  tiny: made, corset"):
        publish("quick", only_tiny, readme)
    assert readme.read_text() == "<!-- results:begin -->old<!-- results:end -->"
    assert not (only_tiny / "published").exists()


def test_publishing_replaces_tables_and_readme(only_tiny, tiny_config, tmp_path):
    readme = tmp_path / "README.md"
    readme.write_text("a\n<!-- results:begin -->\nold\n<!-- results:end -->\nz\n")
    Study.open(tiny_config, "quick", "made", only_tiny).run()
    write_tables([load_config(tiny_config)], "quick", only_tiny)
    stale = only_tiny / "published" / "quick" / "stale.csv"
    stale.parent.mkdir(parents=True)
    stale.write_text("")
    written = publish("quick", only_tiny, readme)
    assert not stale.exists()
    names = ["runs.csv", "timings.csv", "tiny.csv", "tiny.md", "tiny.tex"]
    assert [path.name for path in written] == [*names, "README.md"]
    text = readme.read_text("utf-8")
    assert text.startswith("a\n<!-- results:begin -->\n")
    assert text.endswith("\n<!-- results:end -->\nz\n")
    assert "old" not in text
    assert "| made       | CORSET" in text
    assert BLOCK.search(text).group() == readme_block(only_tiny / "published" / "quick")


def test_other_profiles_leave_the_readme_alone(only_tiny, tiny_config, tmp_path):
    Study.open(tiny_config, "smoke", "made", only_tiny).run()
    write_tables([load_config(tiny_config)], "smoke", only_tiny)
    assert "README.md" not in [path.name for path in publish("smoke", only_tiny, tmp_path / "README.md")]


def test_tables_of_a_study_that_is_gone_are_removed(only_tiny, tiny_config):
    folder = only_tiny / "smoke" / "tables"
    folder.mkdir(parents=True)
    (folder / "gone.csv").write_text("")
    Study.open(tiny_config, "smoke", "made", only_tiny).run()
    write_tables([load_config(tiny_config)], "smoke", only_tiny)
    assert sorted(path.name for path in folder.iterdir()) == [
        "runs.csv",
        "timings.csv",
        "tiny.csv",
        "tiny.md",
        "tiny.tex",
    ]
