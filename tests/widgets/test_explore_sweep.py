import base64

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest

from mlrx.widgets import explore_sweep

FRAME = pd.DataFrame(
    {
        "dataset": ["a", "a", "a", "b"],
        "diversity_weight": [0.1, 0.1, 10.0, 0.1],
        "pool_size": [50, 50, 150, 50],
        "seed": [1, 2, 1, 1],
        "micro_f1": [0.25, 0.75, 0.125, 1.0],
        "n_rules": [4, 4, 4, np.nan],
    }
)


@pytest.fixture
def explorer():
    return explore_sweep(FRAME)


def test_means_are_over_the_runs_of_a_cell(explorer):
    assert explorer.to_text() == (
        "micro_f1, mean of 1 to 2 run(s) a cell: highest 0.5 at diversity_weight = 0.1, pool_size = 50; "
        "lowest 0.125 at diversity_weight = 10, pool_size = 150"
    )


def test_measure_and_data_set_are_chosen(explorer):
    assert list(explorer.controls["measure"].options) == ["micro_f1", "n_rules"]
    explorer.controls["measure"].value = "n_rules"
    assert explorer.to_text() == "n_rules, mean of 1 to 2 run(s) a cell: 4 everywhere"
    explorer.controls["dataset"].value = "b"
    assert explorer.to_text() == "n_rules: no run has a value"
    explorer.controls["measure"].value = "micro_f1"
    assert "1 everywhere" in explorer.to_html()


def test_picture_holds_itself_and_says_what_it_shows(explorer):
    figures = plt.get_fignums()
    before = explorer.to_html()
    assert explorer.to_text() in before.replace("&#x27;", "'")
    assert base64.b64decode(before.split("base64,")[1].split('"')[0]).startswith(b"\x89PNG")
    explorer.controls["measure"].value = "n_rules"
    assert explorer.to_html() != before
    assert plt.get_fignums() == figures


def test_other_parameters_and_no_data_set():
    frame = FRAME.drop(columns="dataset").rename(columns={"diversity_weight": "alpha"})
    explorer = explore_sweep(frame, x="alpha", y="pool_size")
    assert "highest 0.6667 at alpha = 0.1, pool_size = 50" in explorer.to_text()


def test_table_as_it_is_written_and_read(tmp_path):
    FRAME.astype({"pool_size": str, "diversity_weight": str}).to_csv(tmp_path / "table.csv", index=False)
    assert explore_sweep(pd.read_csv(tmp_path / "table.csv")).to_text() == explore_sweep(FRAME).to_text()


@pytest.mark.parametrize(
    ("frame", "message"),
    [
        (FRAME[:0], r"got 0 rows of \['dataset'"),
        (FRAME.drop(columns="pool_size"), r"the columns \['diversity_weight', 'pool_size'\]"),
        (FRAME[["dataset", "diversity_weight", "pool_size", "seed"]], "a column of numbers beside"),
    ],
)
def test_tables_that_are_no_sweep_are_refused(frame, message):
    with pytest.raises(ValueError, match=message):
        explore_sweep(frame)
