import pytest

from experiments.files import without_places


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("no such file: '/data/jane doe/x.arff'", "no such file: '…/x.arff'"),
        ("open /data/jane/x.arff, or not", "open …/x.arff, or not"),
        (r'in "C:\Data\jane\x.arff"', 'in "…/x.arff"'),
        ("at C:/Data/jane/x.arff", "at …/x.arff"),
        ("MLRX_DATA=/data/jane/all", "MLRX_DATA=…/all"),
        ("error:/data/jane/x", "error:…/x"),
        ("from https://example.org/a/b.zip", "from https://example.org/a/b.zip"),
        ("ARFF and/or CSV, 1/2 of results/quick", "ARFF and/or CSV, 1/2 of results/quick"),
    ],
)
def test_folders_of_a_computer_are_left_out(text, expected):
    assert without_places(text) == expected
