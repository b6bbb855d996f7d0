from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from .tiny import write_sweep


@pytest.fixture
def make_sweep(tmp_path) -> Callable[..., Path]:
    """`write_sweep` into a temporary folder."""
    return partial(write_sweep, tmp_path)
