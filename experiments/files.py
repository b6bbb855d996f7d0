"""Files that are complete or absent, and where the project keeps its own."""

from __future__ import annotations

import os
import re
import uuid
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
CONFIGS = ROOT / "configs"
NOTEBOOKS = ROOT / "notebooks"
RESULTS = ROOT / "results"
# Web addresses, which stay, and folders of a computer: in quotes up to the last separator, else without blanks.
_PLACES = re.compile(
    r"""(?P<address>\b(?:https?|ftp)://\S+)
    | (?<=['"])(?:[A-Za-z]:)?[/\\][^'"\n]*[/\\](?=[^'"/\\\n]+['"])
    | (?<![\w.~])(?:[A-Za-z]:)?(?:[/\\]+[^\s/\\'":,;()<>]+)+[/\\]+(?=[^\s/\\'":,;()<>])""",
    re.VERBOSE,
)


def write_whole(path: Path, text: str) -> None:
    r"""Write the file under a temporary name, flush it to the disk, and rename it: readers see all of it or nothing.

    Line ends are ``\n`` on every system, the encoding is UTF-8; missing folders are made. The temporary name starts
    with a dot.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{uuid.uuid4().hex}.tmp")
    try:
        with open(temporary, "x", encoding="utf-8", newline="\n") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def without_places(text: str) -> str:
    """Return a text without the folders of this computer, for what is handed on.

    Examples
    --------
    >>> without_places("no file /data/of/jane/x.arff; see https://example.org/a/b")
    'no file …/x.arff; see https://example.org/a/b'
    """
    return _PLACES.sub(lambda match: match["address"] or "…/", text)
