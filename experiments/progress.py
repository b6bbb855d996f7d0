"""Progress of a reproduction: bars with the time left on a terminal, plain lines elsewhere."""

from __future__ import annotations

from types import TracebackType

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn


class RunProgress:
    """One step a run, over all notebooks together.

    Parameters
    ----------
    console : Console
    total : int
        Number of runs.
    """

    def __init__(self, console: Console, total: int) -> None:
        self.console = console
        columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
        bar = Progress(
            *columns, TextColumn("left"), TimeRemainingColumn(), console=console, disable=not console.is_terminal
        )
        self._bar = bar
        self._task = bar.add_task("runs", total=total)

    def __enter__(self) -> RunProgress:
        self._bar.start()
        return self

    def __exit__(self, kind: type | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._bar.stop()

    def step(self) -> None:
        """Count one run."""
        self._bar.advance(self._task)

    def say(self, line: str) -> None:
        """Write a line, above the bar where there is one."""
        self.console.print(line, markup=False, highlight=False, soft_wrap=True)
