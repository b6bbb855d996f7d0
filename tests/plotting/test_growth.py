import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

from mlrx.plotting import plot_coverage_growth

from .texts import faults

Y = np.array([[1, 1, 1], [1, 1, 1], [1, 0, 1], [0, 1, 0]])


def test_growth_by_hand():
    ax = plot_coverage_growth(pd.DataFrame({"n_new": [4, 3, 1]}), Y)
    assert [bar.get_height() for bar in ax.patches] == pytest.approx([4 / 9, 3 / 9, 1 / 9])
    assert ax.lines[0].get_ydata() == pytest.approx([0, 4 / 9, 7 / 9, 8 / 9])
    texts = [text.get_text() for text in ax.get_legend().get_texts()]
    assert texts == ["together (88.9% by all)", "50% of that by 1 rule", "90% of that by 3 rules", "added by the rule"]
    assert ax.get_ylabel() == "share of 9 label occurrences"


@pytest.mark.parametrize("n_rules", [1, 3, 200])
def test_growth_of_few_and_many_rules_is_legible(n_rules):
    history = pd.DataFrame({"n_new": np.arange(n_rules, 0, -1)})
    ax = plot_coverage_growth(history, sp.csr_array(np.ones((200, 200), dtype=np.uint8)))
    assert faults(ax.figure) == ([], [])


def test_growth_of_another_set_is_refused():
    with pytest.raises(ValueError, match="covers 20 label occurrences, but Y has 9; is it another Y"):
        plot_coverage_growth(pd.DataFrame({"n_new": [20]}), Y)
    with pytest.raises(ValueError, match="at least one rule"):
        plot_coverage_growth(pd.DataFrame({"n_new": []}), Y)
