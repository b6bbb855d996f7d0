import re
from dataclasses import replace

import numpy as np
import pytest
from sklearn.ensemble import RandomForestClassifier
from sklearn.exceptions import NotFittedError

from mlrx import Condition, LionForestsExplainer, Rule
from mlrx.widgets import explore_explanation
from mlrx.widgets.what_if import make_dials, move

NAMES = ("wind", "grass", "moss", "fern")
LABELS = ("storm", "green & wet")


@pytest.fixture(scope="module")
def rows():
    """Wind, and one of three plants; a storm is wind above 5, green is grass or moss."""
    rng = np.random.default_rng(0)
    plants = np.eye(3)[rng.integers(3, size=300)]
    return np.column_stack([rng.normal(5.0, 2.0, 300).round(2), plants])


@pytest.fixture(scope="module")
def explainer(rows):
    Y = np.column_stack([rows[:, 0] > 5.0, rows[:, 3] == 0]).astype(int)
    forest = RandomForestClassifier(25, random_state=0).fit(rows, Y)
    plants = {"plant": {"grass": "grass", "moss": "moss", "fern": "fern"}}
    return LionForestsExplainer(forest, NAMES, LABELS, plants).fit(rows, Y)


@pytest.fixture
def explorer(explainer):
    return explore_explanation(explainer, [[9.0, 1, 0, 0], [2.0, 0, 0, 1], [9.0, 0, 0, 1]])


def slide(explorer, name, text):
    slider = explorer.controls[f"move {name}"]
    slider.value = dict(slider.options)[text]


def last(explorer, name):
    return explorer.controls[f"move {name}"].options[-1][0]


def verdict(explorer):
    return explorer.to_text().splitlines()[-1]


def test_explained_row_stays_where_it_is_at_first(explorer):
    first, second = explorer.to_text().splitlines()
    assert first.startswith("row 0: IF wind > ")
    assert first.endswith('THEN storm, "green & wet"  [certified-irreducible; fewest features]')
    assert second == (
        "The prediction holds: storm, green & wet. The rule covers the row: the certificate stands "
        "(certified-irreducible)."
    )
    assert list(explorer.controls) == ["row", "labels", "move wind", "move plant"]
    assert explorer.controls["move wind"].label == "9"
    assert explorer.controls["move plant"].label == "grass"


def test_within_the_interval_the_certificate_stands(explorer):
    slide(explorer, "wind", last(explorer, "wind"))
    assert "the certificate stands" in verdict(explorer)
    assert explorer.moved.is_covered


def test_outside_the_forest_is_asked_and_nothing_is_proven(explorer):
    explorer.controls["move wind"].value = 0
    assert verdict(explorer) == (
        "The prediction is lost: storm is absent. The rule no longer covers the row, because of wind; "
        "nothing is proven here."
    )
    slide(explorer, "plant", "fern")
    assert "lost: storm is absent, green & wet is absent." in verdict(explorer)
    assert "because of wind, plant;" in verdict(explorer)
    explorer._back.click()
    assert "the certificate stands" in verdict(explorer)
    assert explorer.controls["move wind"].label == "9"


def test_bounds_are_offered_and_the_lower_one_is_outside(explorer, explainer):
    (condition,) = (c for c in explorer.explanation.rule.antecedent if c.feature == 0)
    wind = explorer.dials[0]
    at = int(np.searchsorted(wind.values[:, 0], condition.lower, "right")) - 1
    assert condition.lower - wind.values[at, 0] < 1e-6
    explorer.controls["move wind"].value = at
    assert explorer.moved.outside == ("wind",)
    explorer.controls["move wind"].value = at + 1
    assert explorer.moved.outside == ()


def test_what_is_said_is_what_forest_and_rule_do(explainer, rows):
    """All choices of all dials of some rows, against the forest's own predict and the rule's own covers."""
    for x in rows[:5]:
        (explanation,) = explainer.explain(x)
        dials = make_dials(explanation, rows)
        before = explainer.forest.predict([x])[0]
        for d, dial in enumerate(dials):
            for choice in range(len(dial.values)):
                choices = [other.start for other in dials]
                choices[d] = choice
                moved = move(explainer.cells_.forest, explanation, dials, choices)
                asked = list(explanation.labels) or [0, 1]
                after = explainer.forest.predict([moved.row])[0]
                assert (not moved.lost) == (after[asked] == before[asked]).all()
                assert moved.is_covered == explanation.covers([moved.row])[0] == (not moved.outside)
                assert moved.is_covered <= (not moved.lost)


def test_labels_are_chosen_among_the_predicted_ones(explorer):
    labels = explorer.controls["labels"]
    assert [text for text, _ in labels.options] == ["storm, green & wet", "storm", "green & wet"]
    labels.value = 0
    assert list(explorer.controls)[2:] == ["move wind"]
    assert verdict(explorer).startswith("The prediction holds: storm. ")
    explorer.controls["row"].value = 2
    assert [text for text, _ in labels.options] == ["storm"]
    assert labels.index == 0
    assert explorer.to_text().startswith("row 2: IF ")


def test_row_without_labels_is_explained_by_none(explorer):
    explorer.controls["row"].value = 1
    assert explorer.controls["labels"].label == "no label"
    assert "THEN no label" in explorer.to_text()
    assert verdict(explorer).startswith("The prediction holds: no label.")
    explorer.controls["move wind"].value = len(explorer.dials[0].values) - 1
    assert verdict(explorer).startswith("The prediction is lost: storm is present.")


def test_strips_show_interval_row_and_move(explorer):
    wind, plant = (panel.value for panel in explorer._strips)
    assert 'aria-label="wind: the row has 9"' in wind
    assert wind.count("mlrx-band") == 1
    assert "mlrx-moved" not in wind
    assert plant.count("mlrx-band") == sum(
        all(c.holds(np.array([float(c.feature == f)]))[0] for c in explorer.explanation.rule.antecedent if c.feature)
        for f in (1, 2, 3)
    )
    explorer.controls["move wind"].value = 0
    wind = explorer._strips[0].value
    assert re.search(r'aria-label="wind: the row has 9, moved to -?[\d.]+"', wind)
    assert wind.count("mlrx-moved") == 1
    assert "nan" not in wind


def test_text_and_html_stand_in_for_widgets(explorer):
    bundle = explorer._repr_mimebundle_()
    assert bundle["text/plain"] == explorer.to_text()
    assert bundle["text/html"].count("<svg") == 2
    assert "green &amp; wet" in bundle["text/html"]


def test_rule_without_conditions_has_no_sliders():
    """Such a rule has the length 0, which must not be taken for no rule."""
    forest = RandomForestClassifier(5, random_state=0).fit([[0.0], [1.0]], [[1, 0], [1, 0]])
    explorer = explore_explanation(LionForestsExplainer(forest, ["x"], LABELS).fit([[0.0], [1.0]]), [[0.0]])
    assert list(explorer.controls) == ["row", "labels"]
    assert verdict(explorer).startswith("The prediction holds: storm. The rule covers the row: the certificate stands")


def test_missing_value_can_be_moved_to_known_ones():
    X = np.array([[np.nan], [np.nan], [1.0], [2.0], [3.0], [4.0]])
    forest = RandomForestClassifier(9, bootstrap=False, random_state=0).fit(X, [1, 1, 0, 0, 0, 0])
    explorer = explore_explanation(LionForestsExplainer(forest, ["x"], ["a"]).fit(X), X)
    assert explorer.controls["move x"].label == "missing"
    assert "the certificate stands" in verdict(explorer)
    slide(explorer, "x", "4")
    assert verdict(explorer).startswith("The prediction is lost: a is absent.")


def test_tie_says_that_there_is_no_rule():
    forest = RandomForestClassifier(3, bootstrap=False, random_state=0).fit([[0.0], [0.0]], [0, 1])
    explorer = explore_explanation(LionForestsExplainer(forest, ["x"], ["a"]).fit([[0.0]]), [[0.0]])
    assert list(explorer.controls) == ["row", "labels"]
    assert explorer.to_text().startswith("row 0: no rule: the forest is so close to a tie")
    assert "no rule" in explorer.to_html()


def test_rule_that_is_not_proven_says_so_and_may_be_refuted(explainer, rows):
    (proven,) = explainer.explain([9.0, 1, 0, 0], [(0,)])
    wide = Rule([Condition(0, lower=0.0)], [0], dtype="float32")
    explanation = replace(proven, rule=wide, status="uncertified")
    (dial,) = make_dials(explanation, rows)
    forest = explainer.cells_.forest
    kept = move(forest, explanation, [dial], [dial.start])
    assert kept.text == "The prediction holds: storm. The rule covers the row, but is not proven."
    refuted = move(forest, explanation, [dial], [int((dial.values[:, 0] > 0).argmax())])
    assert refuted.text.endswith(
        "lost: storm is absent. The rule covers the row, but is not proven: this row refutes it."
    )


def test_explainer_that_is_not_fitted_and_rows_that_do_not_fit_are_refused(explainer):
    with pytest.raises(NotFittedError):
        explore_explanation(LionForestsExplainer(explainer.forest), [[0.0, 0, 0, 1]])
    with pytest.raises(ValueError, match="X has 2 features"):
        explore_explanation(explainer, [[0.0, 1.0]])
