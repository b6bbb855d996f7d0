"""A progress bar for what takes more than a few seconds."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager


@contextmanager
def progress_bar(what: str, total: int, is_shown: bool) -> Iterator[Callable[..., None]]:
    """Give a function to call after each step; it moves a bar, in a terminal or a notebook, if `is_shown`."""
    if not is_shown:
        yield lambda *_: None
        return
    from rich.progress import MofNCompleteColumn, Progress, TimeRemainingColumn

    with Progress(*Progress.get_default_columns()[:2], MofNCompleteColumn(), TimeRemainingColumn()) as progress:
        bar = progress.add_task(what, total=total)
        yield lambda *_: progress.advance(bar)
