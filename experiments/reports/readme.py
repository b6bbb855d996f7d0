"""README's tables, made from the tracked ones; each stands between markers that name it."""

from __future__ import annotations

import math
import re
from pathlib import Path

import pandas as pd

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
At most a hundred rules of ours beside a thousand of BOOMER on test rows, everything tuned on training rows alone:
micro-F1 and, in the last two columns, macro-F1, mean ± standard deviation over the seeds. The best of BOOMER is that
of its defaults, F1 maximised (GFM) and a non-decomposable loss which is best on these test rows."""
SIZES_PEERS = ("boomer", "boomer-gfm", "boomer-joint")
# Title of the column; methods, of which the best in micro-F1 is shown; number of rules asked for; measure.
SIZES_COLUMNS = (
    ("voting rules", ("voting",), 100, "micro_f1"),
    ("guided rules", ("guided",), 100, "micro_f1"),
    ("CORSET", ("corset",), 100, "micro_f1"),
    ("best of BOOMER", SIZES_PEERS, 1000, "micro_f1"),
    ("voting rules for macro-F1", ("voting-macro",), 100, "macro_f1"),
    ("BOOMER, its macro-F1", ("boomer",), 1000, "macro_f1"),
)
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
    cells = pd.read_csv(path).set_index(["dataset", "method", "asked"])
    rows = []
    for dataset in cells.index.unique("dataset"):
        row = {"data set": dataset}
        for title, methods, asked, metric in SIZES_COLUMNS:
            keys = [key for method in methods if (key := (dataset, method, asked)) in cells.index]
            best = max(keys, key=lambda key: cells.at[key, "micro_f1_mean"], default=None)
            ends = (cells.at[best, f"{metric}_{end}"] for end in ("mean", "sd")) if best else (math.nan, math.nan)
            row[title] = tables.mean_sd(*ends, MEASURES[metric].digits)
        rows.append(row)
    return f"{SIZES_TEXT}\n\n{tables.to_markdown(pd.DataFrame(rows))}"


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
