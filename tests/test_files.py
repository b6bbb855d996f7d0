import pytest

from mlrx import files
from mlrx.files import write_whole


def test_failed_write_leaves_the_old_file_and_no_other(tmp_path, monkeypatch):
    path = tmp_path / "a.json"
    write_whole(path, "old")

    def full(_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(files.os, "fsync", full)
    with pytest.raises(OSError, match="No space"):
        write_whole(path, "new")
    assert [(p.name, p.read_text()) for p in tmp_path.iterdir()] == [("a.json", "old")]


def test_files_have_unix_line_ends_and_usual_permissions(tmp_path):
    write_whole(tmp_path / "folder" / "a.txt", "ü\n")
    assert (tmp_path / "folder" / "a.txt").read_bytes() == b"\xc3\xbc\n"
    (tmp_path / "b.txt").write_text("")
    assert (tmp_path / "folder" / "a.txt").stat().st_mode == (tmp_path / "b.txt").stat().st_mode
