"""A limit of CPU time: what exceeds it ends in a record, not in a hang."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from math import inf
from typing import TypeVar

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
            raise OutOfTimeError(f"more than {self.seconds:g} CPU seconds")

    def each(self, items: Iterable[Item]) -> Iterator[Item]:
        """Go through items, and check before each of them."""
        for item in items:
            self.check()
            yield item
