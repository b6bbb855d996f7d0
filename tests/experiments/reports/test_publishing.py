import pandas as pd
import pytest

from experiments.files import ROOT
from experiments.loading import load_config
from experiments.reports import publishing
from experiments.reports.publishing import PUBLISHED, STRATEGIES_STUDY, publish, strategies_block, with_blocks
from experiments.reports.tables import read_published

README = "a\n<!-- results:begin -->old<!-- results:end -->\n<!-- lionforests:begin -->\n<!-- lionforests:end -->\nz\n"


@pytest.fixture
def published(tiny_config, tmp_path, monkeypatch):
    """Publish with the tiny config, and a second one beside it, as the only ones."""
    other = tiny_config.with_name("other.yaml")
    other.write_text(tiny_config.read_text("utf-8").replace("id: tiny", "id: other").replace("seed: 5", "seed: 6"))
    monkeypatch.setattr(publishing, "list_configs", lambda: [other, tiny_config])
    monkeypatch.setattr(publishing, "README_STUDY", tiny_config)
    (tmp_path / "README.md").write_text(README)

    def run(profile, names=()):
        publish(profile, names, tmp_path / "results", tmp_path / "tracked", tmp_path / "README.md")
        folder = tmp_path / "tracked" / profile
        return {path.name: path.read_text("utf-8") for path in sorted(folder.iterdir())}

    return run


def test_readme_shows_the_published_tables():
    """README and the tracked tables must not disagree; `make publish` writes both."""
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert with_blocks(readme, PUBLISHED) == readme
    assert all(f"<!-- {name}:begin -->" in readme for name in publishing.BLOCKS)


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


def test_strategies_in_readme(tmp_path):
    """Published and own numbers of Table 2 stand in one row; what was not run is said to be so."""
    claims = read_published(load_config(STRATEGIES_STUDY)).rename(columns={"value": "published", "sd": "published_sd"})
    table = claims.assign(mean=float("nan"), sd=float("nan"), n=0, verdict="not run")
    is_run = (table["dataset"] == "flags") & (table["asked"] == "all")
    table.loc[is_run, ["mean", "sd", "n", "verdict"]] = [12.5, 0.25, 10, "within margin"]
    assert strategies_block(tmp_path) == ""
    (tmp_path / "paper").mkdir()
    table.to_csv(tmp_path / "paper" / f"{STRATEGIES_STUDY}-published.csv", index=False)
    rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in strategies_block(tmp_path).splitlines()[4:]]
    names = ["data set", "strategy", "L published", "L again", "L proven", "n", "verdict"]
    assert rows[0] == [*names, "T published", "T again", "T proven"]
    assert len(rows) == 2 + 4 * 3
    own = ["12.50 ± 0.25"] * 2
    (flags,) = [row for row in rows if row[:2] == ["flags", "LF-a"]]
    assert flags[3:7] == [*own, "10", "within margin"]
    assert [row[3:7] for row in rows[2:] if row is not flags] == [["–", "–", "0", "not run"]] * 11
