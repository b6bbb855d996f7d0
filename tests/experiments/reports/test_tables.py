import math

import numpy as np
import pandas as pd
import pytest

from experiments.loading import load_config
from experiments.records import DONE, Record
from experiments.reports.tables import (
    PUBLISHED_COLUMNS,
    compare,
    formatted,
    read_published,
    score_rows,
    shown_comparison,
    summarise,
    timing_rows,
    to_markdown,
    verdict,
    write_table,
)
from experiments.runs import Run

METRICS = ("micro_f1", "coverage", "recovery", "n_rules", "n_conditions")


def pair(method, repetition, entries, seconds=None):
    run = Run("predict", "made", method, "corset", repetition, (2,), {}, 1, METRICS, 0)
    entries = tuple({"asked": asked, **dict(zip(METRICS, values))} for asked, *values in entries)
    seconds = seconds or {"fit": 1.0, "predict": 0.5, "rules": []}
    return run, Record({"seed": 7}, DONE, True, entries, seconds, started="2031-05-06T07:08:09+00:00", machine="m")


PAIRS = [
    pair(
        "corset",
        0,
        [(1, 0.5, 0.25, 1.0, 1, 2), (2, 0.75, 0.5, 1.0, 2, 5)],
        {"fit": 3.0, "predict": 0.1, "rules": [1.25]},
    ),
    pair("corset", 1, [(1, 0.7, 0.25, 0.5, 1, 3), (2, 0.75, 0.5, 0.5, 2, 5)]),
    pair("tree", 0, [(None, 0.25, None, None, 9, 30)]),
]


@pytest.fixture
def config(tiny_config):
    return load_config(tiny_config)


def test_scores_have_a_row_for_each_run_and_number_of_rules():
    scores = score_rows(PAIRS)
    assert scores["asked"].tolist() == [1, 2, 1, 2, pd.NA]
    assert scores["repetition"].tolist() == [1, 1, 2, 2, 1]
    assert scores["micro_f1"].tolist() == [0.5, 0.75, 0.7, 0.75, 0.25]
    assert math.isnan(scores["coverage"].iloc[4])


def test_summary_has_mean_deviation_and_n():
    summary = summarise(score_rows(PAIRS)).set_index(["method", "asked"])
    assert summary["n"].tolist() == [2, 2, 1]
    assert summary["micro_f1_mean"].tolist() == pytest.approx([0.6, 0.75, 0.25])
    # The standard deviation of 0.5 and 0.7 with n - 1: sqrt(0.02).
    assert summary["micro_f1_sd"].iloc[0] == pytest.approx(0.1414213562)
    assert summary["micro_f1_sd"].iloc[1] == 0
    assert math.isnan(summary["micro_f1_sd"].iloc[2])


def test_shown_table(config):
    shown = formatted(summarise(score_rows(PAIRS)), config, ("micro_f1", "coverage", "n_rules"))
    assert shown.to_numpy().tolist() == [
        ["made", "CORSET", "1", "0.600 ± 0.141", "0.250 ± 0.000", "1.0 ± 0.0", "2"],
        ["made", "CORSET", "2", "0.750 ± 0.000", "0.500 ± 0.000", "2.0 ± 0.0", "2"],
        ["made", "tree", "–", "0.250", "–", "9.0", "1"],
    ]
    assert list(shown.columns) == ["data set", "method", "rules asked", "micro-F1", "coverage", "rules", "n"]


def test_timings_of_a_prefix_end_with_its_last_rule():
    timings = timing_rows(PAIRS)
    assert timings["fit_seconds"].tolist() == [1.25, 3.0, 1.0, 1.0, 1.0]
    assert timings["use_seconds"].tolist() == [0.1, 0.1, 0.5, 0.5, 0.5]


@pytest.mark.parametrize(
    ("mean", "n", "published", "comparable", "expected"),
    [
        (0.70, 3, 0.71, "yes", "within margin"),
        (0.75, 3, 0.71, "yes", "better"),
        (0.67, 3, 0.71, "yes", "outside"),
        (0.71, 2, 0.71, "yes", "too few runs"),
        (0.71, 1, 0.71, "a count", "within margin"),
        (0.75, 1, 0.71, "a count", "outside"),
        (0.71, 3, math.nan, "yes", "not published"),
        (0.71, 3, 0.71, "other rows", "not comparable: other rows"),
        (math.nan, 3, 0.71, "yes", "not measured"),
    ],
)
def test_verdict(mean, n, published, comparable, expected):
    assert verdict(mean, n, published, comparable, 0.02) == expected


def test_more_rules_are_not_better():
    assert verdict(9.0, 3, 5.0, "yes", 0.02, better=None) == "outside"


def test_comparison(config):
    claims = [
        ("made", "tree", None, "micro_f1", 0.24, math.nan, "yes", "a page"),
        ("other", "tree", None, "micro_f1", 0.5, math.nan, "yes", "a page"),
    ]
    table = compare(summarise(score_rows(PAIRS)), pd.DataFrame(claims, columns=PUBLISHED_COLUMNS), 0.02)
    assert table["verdict"].tolist() == ["too few runs", "not run"]
    assert table[["published", "mean", "n"]].iloc[0].tolist() == [0.24, 0.25, 1]
    assert table["difference"].iloc[0] == pytest.approx(0.01)
    shown = shown_comparison(table, config)
    assert shown.iloc[1, 3:8].tolist() == ["0.500", "–", "0", "–", "not run"]
    row = ["made", "tree", "micro-F1", "0.240", "0.250", "1", "+0.010", "too few runs", "a page"]
    assert shown.iloc[0].tolist() == row


def test_published_numbers_are_checked(change, tiny_config):
    path = tiny_config.with_name("numbers.csv")
    path.write_text(f"{','.join(PUBLISHED_COLUMNS)}\nmade,forest,,micro_f1,0.5,,yes,x\n")
    config = change("seed: 5", "seed: 5\npublished: numbers.csv")
    with pytest.raises(ValueError, match=r"numbers\.csv: method 'forest' is not in the config"):
        read_published(config)
    path.write_text("dataset,method\nmade,tree\n")
    with pytest.raises(ValueError, match=r"numbers\.csv: columns must be dataset, method, asked, metric"):
        read_published(config)


def test_published_numbers_of_the_studies_are_in_order():
    published = read_published(load_config("real_data"))
    assert set(published["dataset"]) == {"medical"}


def test_three_files_a_table(config, tmp_path):
    summary = summarise(score_rows(PAIRS))
    shown = formatted(summary, config, ("micro_f1",)).replace("made", "a_b & 50%")
    write_table(tmp_path, "t", summary, shown)
    assert (
        (tmp_path / "t.csv").read_text().splitlines()[1].startswith("made,corset,1,2,0.6,0.141421,0.25,0,0.75,0.353553")
    )
    lines = (tmp_path / "t.md").read_text("utf-8").splitlines()
    assert len(lines) == 5
    assert "| 0.600 ± 0.141 |" in lines[2]
    latex = (tmp_path / "t.tex").read_text("utf-8")
    assert r"a\_b \& 50\% & CORSET & 1 & 0.600 $\pm$ 0.141 & 2 \\" in latex
    assert latex.isascii()


def test_markdown_keeps_text_as_it_is():
    assert "0.10" in to_markdown(pd.DataFrame({"a": ["0.10", "1e5"]}))
    assert "1e5" in to_markdown(pd.DataFrame({"a": ["0.10", "1e5"]}))
    assert r"| a\|b c |" in to_markdown(pd.DataFrame({"a": ["a|b\nc"]}))


def test_no_runs_make_an_empty_table(config):
    assert score_rows([]).empty
    assert np.array_equal(timing_rows([]).columns[:3], ["dataset", "method", "asked"])
