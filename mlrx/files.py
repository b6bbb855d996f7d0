"""Files that are complete or absent."""

from __future__ import annotations

import os
import uuid
from pathlib import Path


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
