"""An explorer of a forest's explanations: pick a row, move the features of its rule, see what holds."""

from __future__ import annotations

import html
from typing import Any

import ipywidgets as widgets
import numpy as np
from sklearn.utils.validation import check_is_fitted

from ..lionforests import LionForestsExplainer
from ..lionforests.names import columns_by_name
from ..plotting.style import COLOURS
from .explorer import NAMED, WIDE, Explorer, new_dropdown, new_panel, offer
from .strips import draw_strip
from .what_if import Dial, Moved, make_dials, move

TOGETHER = -1  # in place of the index of a label


def explore_explanation(explainer: LionForestsExplainer, X: Any) -> ExplanationExplorer:
    """Explore why a forest predicts what it does: pick a row, and move it feature by feature.

    Each feature of the rule has a slider; the strip below it shows the rule's interval on the distribution of the
    rows given to `fit`. The text says whether the forest still predicts the labels, and whether the rule still covers
    the row, for then what is proven about the rule stands.

    Parameters
    ----------
    explainer : LionForestsExplainer
        Fitted.
    X : array-like, sparse matrix or DataFrame of shape (n_samples, n_features)
        Rows to pick from.

    Returns
    -------
    ExplanationExplorer
        Its controls are ``row`` (from 0), ``labels`` (-1 for all predicted ones together, or the index of one) and for
        each feature of the rule ``move NAME``, whose value counts the values offered.

    Raises
    ------
    ValueError
        When X has no row, or columns that the forest does not have.
    sklearn.exceptions.NotFittedError
        When the explainer is not fitted.
    """
    return ExplanationExplorer(explainer, X)


class ExplanationExplorer(Explorer):
    """Explains a row at a time; see `explore_explanation`."""

    def __init__(self, explainer: LionForestsExplainer, X: Any) -> None:
        check_is_fitted(explainer, "cells_")
        self.explainer, self.forest = explainer, explainer.cells_.forest
        self.rows = self.forest.rows(columns_by_name(X, self.forest, explainer.feature_names_))
        self._row = widgets.BoundedIntText(0, min=0, max=len(self.rows) - 1, description="row", style=NAMED)
        self._labels = new_dropdown("labels")
        self._rule, self._verdict, self._moves = new_panel("rule"), new_panel("verdict"), widgets.VBox()
        self._back = widgets.Button(description="back to the row")
        self._back.on_click(self._reset)
        self._row.observe(self._pick, "value")
        self._labels.observe(self._explain, "value")
        self._pick()
        super().__init__([self._row, self._labels, self._rule, self._verdict, self._back, self._moves])

    def to_text(self) -> str:
        """Return the explanation, and what becomes of the row where the sliders are."""
        lines = [f"row {self._row.value}: {self.explanation.to_text()}"]
        return "\n".join([*lines, self.moved.text] if self.moved else lines)

    def to_html(self) -> str:
        """Return the explanation, what becomes of the row where the sliders are, and the strips."""
        return self._rule.value + self._verdict.value + "".join(strip.value for strip in self._strips)

    def _pick(self, _: Any = None) -> None:
        """Offer the labels that are predicted for the row, and explain all of them."""
        predicted = np.flatnonzero(self.forest.predict_labels(self.rows[[self._row.value]])[0]).tolist()
        names = self.explainer.label_names_
        together = ", ".join(names[k] for k in predicted) or "no label"
        self._labels.unobserve(self._explain, "value")  # once is enough
        offer(self._labels, [(together, TOGETHER), *((names[k], k) for k in predicted if len(predicted) > 1)])
        self._labels.observe(self._explain, "value")
        self._explain()

    def _explain(self, _: Any = None) -> None:
        """Explain the chosen labels, and make a slider for each feature of the rule."""
        self._verdict.value = "<p>explaining …</p>"  # some rules take seconds
        label = self._labels.value
        strategy = "all" if label == TOGETHER else [(label,)]
        (self.explanation,) = self.explainer.explain(self.rows[self._row.value], strategy)
        self._rule.value = self.explanation._repr_html_()
        self.dials = make_dials(self.explanation, self.explainer.rows_)
        self._sliders = [_slider(dial) for dial in self.dials]
        self._strips = [new_panel("strip", margin="0 0 0 8em") for _ in self.dials]
        for slider in self._sliders:
            slider.observe(self._show, "value")
        before = self._moves.children
        self._moves.children = [widget for pair in zip(self._sliders, self._strips) for widget in pair]
        for widget in before:
            widget.close()
        moves = {f"move {dial.name}": slider for dial, slider in zip(self.dials, self._sliders)}
        self.controls = {"row": self._row, "labels": self._labels, **moves}
        self._show()

    def _show(self, _: Any = None) -> None:
        """Tell what becomes of the row where the sliders are."""
        choices = [slider.value for slider in self._sliders]
        has_rule = self.explanation.rule is not None
        self.moved = move(self.forest, self.explanation, self.dials, choices) if has_rule else None
        self._verdict.value = verdict_html(self.moved) if has_rule else ""
        for dial, choice, strip in zip(self.dials, choices, self._strips):
            conditions = [c for c in self.explanation.rule.antecedent if c.feature in dial.columns]
            strip.value = draw_strip(dial, conditions, self.explainer.rows_, choice)

    def _reset(self, _: Any = None) -> None:
        for dial, slider in zip(self.dials, self._sliders):
            slider.value = dial.start


def verdict_html(moved: Moved) -> str:
    """Return the words of a moved row as HTML that screen readers read out when it changes."""
    colour = COLOURS[1] if moved.lost else COLOURS[0]
    style = f"border-left:5px solid {colour};padding-left:8px;max-width:44em"
    return f'<p aria-live="polite" style="{style}">{html.escape(moved.text)}</p>'


def _slider(dial: Dial) -> widgets.SelectionSlider:
    options = [(text, k) for k, text in enumerate(dial.texts)]
    slider = widgets.SelectionSlider(options=options, description=dial.name, style=NAMED, layout=WIDE)
    slider.value = dial.start
    return slider
