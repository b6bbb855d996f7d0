import pandas as pd
import pytest

from mlrx import Condition, Rule
from mlrx.plotting import plot_intervals

TABLE = pd.DataFrame({"wind": [0.0, 10.0], "rain": [5.0, 5.0], "sun": [2.0, 4.0]})


def test_intervals_are_drawn_on_the_range_of_each_feature():
    rule = Rule([Condition(0, lower=2.5, upper=7.5), Condition(2, lower=3.0)], [0])
    ax = plot_intervals(rule, [5.0, 5.0, 6.0], TABLE, title="storm")
    bars = [(bar.get_x(), bar.get_width()) for bar in ax.patches]
    # The row's 6 lies beyond the table's 4: sun goes from 2 to 6.
    assert bars == [(0, 1), (0.25, 0.5), (0, 1), (0, 1), (0.25, 0.75)]
    assert [line.get_xdata().tolist() for line in ax.get_lines()] == [[0.5], [0.0], [1.0]]
    texts = {text.get_text() for text in ax.texts}
    assert {"2.5 < wind <= 7.5", "sun > 3", "0", "10", "5", "2", "6"} == texts
    assert [text.get_text() for text in ax.get_yticklabels()] == ["wind", "rain", "sun"]
    assert ax.get_title() == "storm"


def test_intervals_refuse_categories():
    with pytest.raises(ValueError, match="the condition on 'rain' is about categories"):
        plot_intervals(Rule([Condition(1, categories=["much"])], [0]), [5.0, 5.0, 3.0], TABLE)
