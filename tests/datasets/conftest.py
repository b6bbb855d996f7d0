"""What the tests of readers share: files written from text."""

import pytest


@pytest.fixture
def write(tmp_path):
    def write(text, name="toy.arff", encoding="utf-8"):
        path = tmp_path / name
        path.write_text(text, encoding=encoding)
        return path

    return write
