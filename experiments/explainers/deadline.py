"""A limit of CPU time: what exceeds it ends in a record, not in a hang."""

from __future__ import annotations

import time
from math import inf


class OutOfTimeError(Exception):
    """The time that a row's explanation may take is over."""


class Deadline:
    """A point of the process's CPU time.

    Parameters
    ----------
    seconds : float or None
        From now on; None means never.
    """

    def __init__(self, seconds: float | None = None) -> None:
        self._end = inf if seconds is None else time.process_time() + seconds

    def check(self) -> None:
        """Raise OutOfTimeError when the point has passed."""
        if time.process_time() > self._end:
            raise OutOfTimeError
