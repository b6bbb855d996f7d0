"""README's tables, made from the tracked ones; each stands between markers that name it."""

from __future__ import annotations

import re
from pathlib import Path

import pandas as pd

from ..config import Config
from ..files import ROOT
from ..loading import load_config
from ..tasks.measures import MEASURES
from . import tables

README = ROOT / "README.md"
MARKED = re.compile(r"<!-- (?P<name>\w+):begin -->.*?<!-- (?P=name):end -->", re.DOTALL)
README_STUDY = "real_data"
README_TEXT = """\
Scores on test rows: mean ± standard deviation over n runs with different seeds. Coverage is the share of label
occurrences that some rule explains; seconds are those of a fit on one core."""
README_METRICS = ("micro_f1", "macro_f1", "n_rules", "n_conditions", "coverage")
SIZES_STUDY = "trade_off"
SIZES_TEXT = """\
F1 on test rows of at most a hundred rules, and of BOOMER's thousand, everything tuned on training rows alone: mean ±
standard deviation over n seeds; conditions of a rule on average. BOOMER with its defaults, and in the one of three ways
(also with F1 maximised, and with a non-decomposable loss) that is best on these test rows."""
SIZES_OWN = ("corset", "guided", "voting", "voting-macro")
SIZES_PEERS = ("boomer", "boomer-gfm", "boomer-joint")
STRATEGIES_STUDY = "lionforests_strategies"
STRATEGIES_TEXT = """\
Length L and CPU seconds T of explanations by LionForests, over n folds: as published in Table 2 of its paper, of the
same reductions run again (the verdict is on their L), and of rules that are proven. Published seconds are those of
another machine."""
STRATEGIES = {"all": "LF-a", "each": "LF-l", "frequent": "LF-p"}


def with_blocks(readme: str, tracked: Path) -> str:
    """Return README's text with its generated tables in place, from the tracked tables."""
    return MARKED.sub(lambda match: _block(match["name"], tracked), readme)


def _block(name: str, tracked: Path) -> str:
    """Return a generated table between its markers."""
    table = BLOCKS[name](tracked)
    inner = f"\n\n{table}\n" if table else "\n"
    return f"<!-- {name}:begin -->{inner}<!-- {name}:end -->"


def results_block(tracked: Path) -> str:
    """Return the table of real data in the profile ``quick``; nothing when none is tracked."""
    folder = tracked / "quick"
    config = load_config(README_STUDY)
    if not (folder / f"{config.id}.csv").exists():
        return ""
    summary = pd.read_csv(folder / f"{config.id}.csv")
    timings = pd.read_csv(folder / "timings.csv")
    mean_seconds = timings[timings["study"] == config.id].groupby(["dataset", "method"])["fit_seconds"].mean()
    shown = tables.formatted(summary, config, README_METRICS).drop(columns="rules asked")
    shown["seconds"] = [f"{mean_seconds[key]:.2f}" for key in zip(summary["dataset"], summary["method"])]
    return f"{README_TEXT}\n\n{tables.to_markdown(shown)}"


def sizes_block(tracked: Path) -> str:
    """Return the scores of small rule sets beside BOOMER's in the profile ``paper``; nothing when none are tracked."""
    path = tracked / "paper" / f"{SIZES_STUDY}.csv"
    if not path.exists():
        return ""
    config, cells = load_config(SIZES_STUDY), pd.read_csv(path).set_index(["dataset", "method", "asked"])
    rows = []
    for dataset in cells.index.unique("dataset"):
        peers = [key for key in cells.loc[[dataset]].index if key[1] in SIZES_PEERS and key[2] == 1000]
        best = max(peers, key=lambda key: cells.at[key, "micro_f1_mean"], default=None)
        shown = [*((dataset, method, 100) for method in SIZES_OWN), (dataset, SIZES_PEERS[0], 1000)]
        shown += [best] if best and best not in shown else []
        rows += [_sizes_row(key, cells, config) for key in shown if key in cells.index]
    return f"{SIZES_TEXT}\n\n{tables.to_markdown(pd.DataFrame(rows))}"


def _sizes_row(key: tuple[str, str, int], cells: pd.DataFrame, config: Config) -> dict[str, str]:
    dataset, method, _ = key
    cell = cells.loc[key]
    row = {"data set": dataset, "method": config.methods[method].title}
    for metric in ("micro_f1", "macro_f1", "n_rules"):
        measure = MEASURES[metric]
        row[measure.title] = tables.mean_sd(cell[f"{metric}_mean"], cell[f"{metric}_sd"], measure.digits)
    return row | {"conditions": f"{cell['n_conditions_mean'] / cell['n_rules_mean']:.1f}", "n": str(int(cell["n"]))}


def strategies_block(tracked: Path) -> str:
    """Return lengths and seconds of the strategies in the profile ``paper``; nothing when none are tracked."""
    path = tracked / "paper" / f"{STRATEGIES_STUDY}-published.csv"
    if not path.exists():
        return ""
    cells = {(row.dataset, row.asked, row.method, row.metric): row for row in pd.read_csv(path).itertuples()}
    rows = []
    for dataset, asked in dict.fromkeys(key[:2] for key in cells):
        row = {"data set": dataset, "strategy": STRATEGIES[asked]}
        for metric, letter in (("length", "L"), ("seconds", "T")):
            again, proven = (cells[dataset, asked, method, metric] for method in ("paper", "certified"))
            digits = MEASURES[metric].digits
            row[f"{letter} published"] = tables.mean_sd(again.published, again.published_sd, digits)
            row[f"{letter} again"] = tables.mean_sd(again.mean, again.sd, digits)
            row[f"{letter} proven"] = tables.mean_sd(proven.mean, proven.sd, digits)
            if metric == "length":
                counts = dict.fromkeys((str(again.n), str(proven.n)))
                row |= {"n": " / ".join(counts), "verdict": again.verdict}
        rows.append(row)
    return f"{STRATEGIES_TEXT}\n\n{tables.to_markdown(pd.DataFrame(rows))}"


# README's generated tables, by the name in their markers.
BLOCKS = {"results": results_block, "rule_sets": sizes_block, "lionforests": strategies_block}
