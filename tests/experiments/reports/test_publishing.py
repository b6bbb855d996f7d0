import pandas as pd
import pytest

from experiments.loading import load_config
from experiments.reports import publishing, readme
from experiments.reports.publishing import PUBLISHED, publish
from experiments.reports.readme import with_blocks

README = "a\n<!-- results:begin -->old<!-- results:end -->\n<!-- lionforests:begin -->\n<!-- lionforests:end -->\nz\n"


@pytest.fixture
def published(tiny_config, tmp_path, monkeypatch):
    """Publish with the tiny config, and a second one beside it, as the only ones."""
    other = tiny_config.with_name("other.yaml")
    other.write_text(tiny_config.read_text("utf-8").replace("id: tiny", "id: other").replace("seed: 5", "seed: 6"))
    monkeypatch.setattr(publishing, "list_configs", lambda: [other, tiny_config])
    monkeypatch.setattr(readme, "README_STUDY", tiny_config)
    (tmp_path / "README.md").write_text(README)

    def run(profile, names=()):
        publish(profile, names, tmp_path / "results", tmp_path / "tracked", tmp_path / "README.md")
        folder = tmp_path / "tracked" / profile
        return {path.name: path.read_text("utf-8") for path in sorted(folder.iterdir())}

    return run


def test_published_tables_are_whole():
    for name in ("synthetic", "real_data"):
        table = (PUBLISHED / "quick" / f"{name}.csv").read_text("utf-8")
        config = load_config(name)
        assert all(f"\n{dataset}," in table for dataset in config.profiles["quick"].datasets)


def test_unfinished_runs_are_not_published(published, fill, tiny_config, tmp_path):
    fill(tiny_config, "quick", "made")
    with pytest.raises(
        ValueError, match=r"9 runs of quick are not done; nothing is published .*:\n  other: made, corset"
    ):
        published("quick")
    with pytest.raises(ValueError, match="no run of other in quick is done; nothing is published"):
        published("quick", [tiny_config.with_name("other.yaml")])
    assert (tmp_path / "README.md").read_text() == README
    assert not (tmp_path / "tracked").exists()


def test_publishing_all_replaces_tables_and_readme(published, fill, tiny_config, tmp_path):
    for name in ("tiny", "other"):
        fill(tiny_config.with_name(f"{name}.yaml"), "quick", "made")
    stale = tmp_path / "tracked" / "quick" / "stale.csv"
    stale.parent.mkdir(parents=True)
    stale.write_text("")
    tables = [f"{name}.{ending}" for name in ("other", "tiny") for ending in ("csv", "md", "tex")]
    assert list(published("quick")) == sorted(["runs.csv", "studies.csv", "timings.csv", *tables])
    text = (tmp_path / "README.md").read_text("utf-8")
    assert text.startswith("a\n<!-- results:begin -->\n\nScores on test rows")
    assert text.endswith("\n<!-- lionforests:begin -->\n<!-- lionforests:end -->\nz\n")
    assert "old" not in text
    assert "| made       | CORSET" in text
    assert with_blocks(text, tmp_path / "tracked") == text


def test_publishing_some_leaves_the_others_alone(published, fill, tiny_config):
    other = tiny_config.with_name("other.yaml")
    fill(tiny_config, "paper", "made")
    before = published("paper", [tiny_config])
    fill(other, "paper", "made", n=2)
    after = published("paper", [other])
    own = {name: text for name, text in before.items() if name.startswith("tiny")}
    assert {name: after[name] for name in own} == own
    for name in ("runs.csv", "timings.csv"):
        kept = [line for line in after[name].splitlines() if line.startswith("tiny,")]
        assert kept == before[name].splitlines()[1:]
    assert after["studies.csv"].splitlines()[1:] == ["other,made,9,2,0,0,abc", "tiny,made,9,9,0,0,abc"]
    assert pd.read_csv(pd.io.common.StringIO(after["other.csv"]))["n"].tolist() == [2, 2]
    assert published("paper", [other]) == after


def test_order_of_publishing_does_not_matter(published, fill, tiny_config):
    configs = [tiny_config, tiny_config.with_name("other.yaml")]
    for config in configs:
        fill(config, "paper", "made")
    whole = published("paper")
    published("paper", configs[:1])
    assert published("paper", configs[1:]) == whole
