"""What all tests share: the folder of data sets, repeatable hypothesis runs."""

import os
from pathlib import Path

import hypothesis
import pytest

os.environ.setdefault("MPLBACKEND", "agg")
hypothesis.settings.register_profile("repeatable", derandomize=True, deadline=None)
hypothesis.settings.load_profile("repeatable")


@pytest.fixture(scope="session")
def data_folder() -> Path:
    """The folder of benchmark files that ``MLRX_DATA`` names; tests that need it are skipped without it."""
    folder = os.environ.get("MLRX_DATA")
    if not folder:
        pytest.skip("MLRX_DATA names no folder with benchmark files")
    return Path(folder)
