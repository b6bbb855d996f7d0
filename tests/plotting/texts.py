"""Are all texts of a picture apart from each other, and inside it?"""

from itertools import combinations

from matplotlib.text import Text


def texts_of(figure):
    """Return the texts that are drawn; labels of ticks beyond the limits of an axis are not."""
    texts = [*figure.texts, *([figure._suptitle] if figure._suptitle else [])]
    for ax in figure.axes:
        texts += [ax.title, ax.xaxis.label, ax.yaxis.label, *ax.texts]
        for axis, (low, high) in ((ax.xaxis, sorted(ax.get_xlim())), (ax.yaxis, sorted(ax.get_ylim()))):
            ticks = [tick for tick in axis.get_major_ticks() if low <= tick.get_loc() <= high]
            texts += [label for tick in ticks for label in (tick.label1, tick.label2)]
        if ax.get_legend():
            texts += ax.get_legend().findobj(Text)
    unique = {id(text): text for text in texts if text.get_visible() and text.get_text().strip()}
    return list(unique.values())


def faults(figure):
    """Return the texts that overlap, in pairs, and those that are cut at the edge of the figure."""
    figure.canvas.draw()
    boxes = {text: text.get_window_extent() for text in texts_of(figure)}
    overlapping = [(a.get_text(), b.get_text()) for a, b in combinations(boxes, 2) if boxes[a].overlaps(boxes[b])]
    edge = figure.bbox
    cut = [
        text.get_text()
        for text, box in boxes.items()
        if box.x0 < edge.x0 or box.y0 < edge.y0 or box.x1 > edge.x1 or box.y1 > edge.y1
    ]
    return overlapping, cut
