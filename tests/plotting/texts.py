"""Are all texts of a picture apart from each other, and inside it?"""

from itertools import combinations

import numpy as np
from matplotlib.colors import to_rgb
from matplotlib.text import Text


def texts_of(figure):
    """Return the texts that are drawn; labels of ticks beyond the limits of an axis are not."""
    texts = [*figure.texts, *(text for legend in figure.legends for text in legend.findobj(Text))]
    for ax in figure.axes:
        texts += [ax.title, *ax.texts, *(ax.get_legend().findobj(Text) if ax.get_legend() else [])]
        if not ax.axison:
            continue
        texts += [ax.xaxis.label, ax.yaxis.label]
        for axis, (low, high) in ((ax.xaxis, sorted(ax.get_xlim())), (ax.yaxis, sorted(ax.get_ylim()))):
            ticks = [tick for tick in axis.get_major_ticks() if low <= tick.get_loc() <= high]
            texts += [label for tick in ticks for label in (tick.label1, tick.label2)]
    unique = {id(text): text for text in texts if text.get_visible() and text.get_text().strip()}
    return list(unique.values())


def faults(figure):
    """Return the texts that overlap, in pairs, and those that are cut at the edge of the figure."""
    figure.draw_without_rendering()
    boxes = {text: text.get_window_extent() for text in texts_of(figure)}
    overlapping = [(a.get_text(), b.get_text()) for a, b in combinations(boxes, 2) if boxes[a].overlaps(boxes[b])]
    edge = figure.bbox
    cut = [
        text.get_text()
        for text, box in boxes.items()
        if box.x0 < edge.x0 or box.y0 < edge.y0 or box.x1 > edge.x1 or box.y1 > edge.y1
    ]
    return overlapping, cut


def unseen(figure):
    """Return the texts beside the data, and the entries of legends, that have the colour of the page."""
    page = to_rgb(figure.get_facecolor())
    inside = {text for ax in figure.axes for text in ax.texts}
    hidden = [text.get_text() for text in texts_of(figure) if text not in inside and _is_near(text.get_color(), page)]
    for legend in [*figure.legends, *(ax.get_legend() for ax in figure.axes if ax.get_legend())]:
        for handle, text in zip(legend.legend_handles, legend.get_texts()):
            colour = handle.get_color() if hasattr(handle, "get_color") else handle.get_facecolor()
            if _is_near(np.ravel(colour)[:3] if not isinstance(colour, str) else colour, page):
                hidden.append(f"entry {text.get_text()}")
    return hidden


def _is_near(colour, page):
    return np.abs(np.subtract(to_rgb(colour), page)).max() < 0.05
