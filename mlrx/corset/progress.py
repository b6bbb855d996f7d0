"""A progress bar over the rules chosen."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager


@contextmanager
def rule_progress(n_rules: int, is_shown: bool) -> Iterator[Callable[..., None]]:
    """Give a function to call after each rule; it moves a bar, in a terminal or a notebook, if `is_shown`."""
    if not is_shown:
        yield lambda *_: None
        return
    from rich.progress import MofNCompleteColumn, Progress, TimeRemainingColumn

    with Progress(*Progress.get_default_columns()[:2], MofNCompleteColumn(), TimeRemainingColumn()) as progress:
        bar = progress.add_task("rules", total=n_rules)
        yield lambda *_: progress.advance(bar)
