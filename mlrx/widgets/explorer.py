"""What all explorers are: controls, what they show, and the same without widgets."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import ipywidgets as widgets

WIDE = {"width": "40em", "max_width": "98%"}
NAMED = {"description_width": "12em"}


class Explorer(widgets.VBox):
    """Controls and what they show; text and HTML of the present choice where no widgets are shown.

    Attributes
    ----------
    controls : dict of str to Widget
        By name, those whose ``value`` is the choice.
    """

    controls: dict[str, widgets.Widget]

    def to_text(self) -> str:
        """Return what is shown now as plain text."""
        raise NotImplementedError

    def to_html(self) -> str:
        """Return what is shown now as HTML."""
        raise NotImplementedError

    def _repr_mimebundle_(self, **kwargs: Any) -> dict[str, Any]:
        # Whoever shows no widgets takes the next best of these.
        return (super()._repr_mimebundle_(**kwargs) or {}) | {"text/plain": self.to_text(), "text/html": self.to_html()}


def new_panel(name: str, **layout: str) -> widgets.HTML:
    """Return a place for HTML that looks as HTML does in JupyterLab's cells, of the class ``mlrx-NAME``."""
    panel = widgets.HTML(layout=layout)
    panel.add_class("jp-RenderedHTMLCommon")
    panel.add_class(f"mlrx-{name}")
    return panel


def new_dropdown(name: str, options: Sequence[Any] = ()) -> widgets.Dropdown:
    """Return a list to choose from, named at its left."""
    return widgets.Dropdown(options=options, description=name, style=NAMED, layout=WIDE)


def offer(dropdown: widgets.Dropdown, options: Sequence[tuple[str, int]], chosen: int | None = None) -> None:
    """Change what there is to choose from; what was chosen stays if it is among it, else the first is."""
    dropdown.options = options
    values = [value for _, value in options]
    # Told in any case: a list that was empty, or whose first entry was chosen, would come to show nothing.
    dropdown.value = chosen if chosen in values else values[0] if values else None
