"""A limit of CPU time: what exceeds it ends in a record, not in a hang."""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from math import inf
from typing import NoReturn, TypeVar

Item = TypeVar("Item")


class OutOfTimeError(TimeoutError):
    """The time that a row's explanation, or a model, may take is over."""


class Deadline:
    """A point of the process's CPU time.

    Parameters
    ----------
    seconds : float or None
        From now on; None means never.
    """

    def __init__(self, seconds: float | None = None) -> None:
        self.seconds = seconds
        self._end = inf if seconds is None else time.process_time() + seconds

    def check(self) -> None:
        """Raise OutOfTimeError when the point has passed."""
        if time.process_time() > self._end:
            self._give_up()

    @contextmanager
    def interrupting(self) -> Iterator[None]:
        """Raise OutOfTimeError in the block as soon as the point has passed, for code that cannot look at it.

        By the timer of the process, which only its main thread may set, and not on Windows: elsewhere it does nothing.
        """
        is_main = threading.current_thread() is threading.main_thread()
        if self._end == inf or not is_main or not hasattr(signal, "setitimer"):
            yield
            return
        before = signal.signal(signal.SIGPROF, self._give_up)
        # Again each second, should the code catch the error and go on.
        signal.setitimer(signal.ITIMER_PROF, max(self._end - time.process_time(), 1e-6), 1)
        try:
            yield
        finally:
            signal.setitimer(signal.ITIMER_PROF, 0)
            signal.signal(signal.SIGPROF, before)

    def _give_up(self, *_: object) -> NoReturn:
        raise OutOfTimeError(f"more than {self.seconds:g} CPU seconds")

    def each(self, items: Iterable[Item]) -> Iterator[Item]:
        """Go through items, and check before each of them."""
        for item in items:
            self.check()
            yield item
