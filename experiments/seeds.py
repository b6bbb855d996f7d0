"""Seeds: every random choice of an experiment follows from the config's seed and from what it is for."""

from __future__ import annotations

import hashlib
import numbers
from typing import Any

import numpy as np

from .values import to_json

NOT_REPRODUCIBLE = "not reproducible"


def derive_seed(seed: int, *purpose: Any) -> int:
    """Return a seed in [1, 2**31) that depends on `seed` and on every part of `purpose`, on nothing else.

    Splits are drawn with (seed, dataset, repetition), methods with the method's name added, so that all methods
    see the same rows and none shares another's random numbers. It is never 0, which BOOMER refuses.

    Examples
    --------
    >>> derive_seed(1, "medical", 0) == derive_seed(1, "medical", 0) != derive_seed(1, "medical", 1)
    True
    """
    digest = hashlib.sha256(to_json([seed, *purpose]).encode()).digest()
    return 1 + int.from_bytes(digest[:8], "big") % (2**31 - 1)


def seed_entry(random_state: Any) -> int | str:
    """Return what a record says of a random state: the integer, or "not reproducible" for None and generators.

    Raises
    ------
    ValueError
        When `random_state` is none of what scikit-learn takes.
    """
    if isinstance(random_state, numbers.Integral) and not isinstance(random_state, bool):
        if 0 <= random_state < 2**32:
            return int(random_state)
    elif random_state is None or isinstance(random_state, np.random.RandomState):
        return NOT_REPRODUCIBLE
    raise ValueError(f"random_state must be an int in [0, 2**32), a RandomState or None, got {random_state!r}")
