"""Where the project keeps its files, and texts without the folders of this computer."""

from __future__ import annotations

import re
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


def without_places(text: str) -> str:
    """Return a text without the folders of this computer, for what is handed on.

    Examples
    --------
    >>> without_places("no file /data/of/jane/x.arff; see https://example.org/a/b")
    'no file …/x.arff; see https://example.org/a/b'
    """
    return _PLACES.sub(lambda match: match["address"] or "…/", text)
