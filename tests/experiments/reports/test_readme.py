import pandas as pd

from experiments.files import ROOT
from experiments.loading import load_config
from experiments.reports.publishing import PUBLISHED
from experiments.reports.readme import BLOCKS, SIZES_STUDY, STRATEGIES_STUDY, sizes_block, strategies_block, with_blocks
from experiments.reports.tables import read_published


def cells_of(block):
    """Return the cells of a block's table, without its text and the line below the titles."""
    lines = [line for line in block.splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in line.split("|")[1:-1]] for line in [lines[0], *lines[2:]]]


def test_readme_shows_the_published_tables():
    """README and the tracked tables must not disagree; `make publish` writes both."""
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert with_blocks(readme, PUBLISHED) == readme
    assert all(f"<!-- {name}:begin -->" in readme for name in BLOCKS)


def test_small_rule_sets_in_readme(tmp_path):
    """Of BOOMER's ways that of the best micro-F1 is shown; what was not run is a dash."""
    assert sizes_block(tmp_path) == ""
    scores = {
        ("a", "voting", 100): 0.7, ("a", "voting", 10): 0.9, ("a", "boomer", 1000): 0.5, ("a", "boomer-gfm", 1000): 0.6,
        ("a", "boomer-joint", 1000): 0.55, ("a", "boomer-gfm", 30): 0.99,
        ("b", "corset", 100): 0.8, ("b", "boomer", 1000): 0.75,
    }  # fmt: skip
    frame = pd.DataFrame(
        [(*key, 5, score) for key, score in scores.items()], columns=["dataset", "method", "asked", "n", "mean"]
    )
    for metric in ("micro_f1", "macro_f1"):
        frame[[f"{metric}_mean", f"{metric}_sd"]] = frame[["mean"]].assign(sd=0.01)
    (tmp_path / "paper").mkdir()
    frame.to_csv(tmp_path / "paper" / f"{SIZES_STUDY}.csv", index=False)
    titles, *rows = cells_of(sizes_block(tmp_path))
    assert titles[1:5] == ["voting rules", "guided rules", "CORSET", "best of BOOMER"]
    assert rows == [
        ["a", "0.700 ± 0.010", "–", "–", "0.600 ± 0.010", "–", "0.500 ± 0.010"],
        ["b", "–", "–", "0.800 ± 0.010", "0.750 ± 0.010", "–", "0.750 ± 0.010"],
    ]


def test_strategies_in_readme(tmp_path):
    """Published and own numbers of Table 2 stand in one row; what was not run is said to be so."""
    claims = read_published(load_config(STRATEGIES_STUDY)).rename(columns={"value": "published", "sd": "published_sd"})
    table = claims.assign(mean=float("nan"), sd=float("nan"), n=0, verdict="not run")
    is_run = (table["dataset"] == "flags") & (table["asked"] == "all")
    table.loc[is_run, ["mean", "sd", "n", "verdict"]] = [12.5, 0.25, 10, "within margin"]
    assert strategies_block(tmp_path) == ""
    (tmp_path / "paper").mkdir()
    table.to_csv(tmp_path / "paper" / f"{STRATEGIES_STUDY}-published.csv", index=False)
    rows = cells_of(strategies_block(tmp_path))
    names = ["data set", "strategy", "L published", "L again", "L proven", "n", "verdict"]
    assert rows[0] == [*names, "T published", "T again", "T proven"]
    assert len(rows) == 1 + 4 * 3
    own = ["12.50 ± 0.25"] * 2
    (flags,) = [row for row in rows if row[:2] == ["flags", "LF-a"]]
    assert flags[3:7] == [*own, "10", "within margin"]
    assert [row[3:7] for row in rows[1:] if row is not flags] == [["–", "–", "0", "not run"]] * 11
