"""What README and the documentation show is what happens."""

import pytest

from .pages import PAGES, ROOT, blocks, commands, run_command, run_page


@pytest.mark.parametrize("page", [page for page in PAGES if blocks((ROOT / page).read_text("utf-8"))], ids=str)
def test_what_a_page_shows_is_what_its_code_prints(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "100")
    for shown, printed in run_page((ROOT / page).read_text("utf-8")):
        assert printed == shown


def test_every_text_of_a_page_follows_code():
    for page in PAGES:
        languages = [language for language, _ in blocks((ROOT / page).read_text("utf-8"))]
        for before, language in zip(["", *languages], languages):
            assert language != "text" or before in ("python", "sh"), page


def test_commands_are_read_as_a_shell_reads_them():
    assert commands("a --x 'b c' \\\n  d  # note\n\ne\n") == [["a", "--x", "b c", "d"], ["e"]]


@pytest.mark.parametrize("words", [["make", "no-such-target"], ["rm", "x"], ["mlrx", "fit"], ["dask", "dance"]])
def test_command_that_cannot_be_run_is_seen(words):
    with pytest.raises(AssertionError):
        run_command(words)
