"""What packages of other people do to the whole process, undone: global seeds, and warnings."""

from __future__ import annotations

import random
import warnings
from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np


@contextmanager
def contained() -> Iterator[None]:
    """Put the global random states back afterwards, and pass over warnings that their own code causes."""
    states = random.getstate(), np.random.get_state()  # noqa: NPY002, theirs
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        random.setstate(states[0])
        np.random.set_state(states[1])  # noqa: NPY002
