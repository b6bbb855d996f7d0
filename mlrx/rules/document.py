"""What the project writes as JSON says what it is and in which version; reading names what is wrong."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any


def restore(text: str, what: str, form: str, version: int, build: Callable[[dict[str, Any]], Any]) -> Any:
    """Return what a JSON document describes.

    Parameters
    ----------
    text : str
    what : str
        What it should be, in words, for messages.
    form, version : str and int
        Wanted content of the fields "format" and "version".
    build : callable
        Makes the result of the fields; what it raises about them is said to be damage.

    Raises
    ------
    ValueError
        When the text is no JSON, is something else, is damaged, or was written in another version of the format.
    """
    document = _read(text, what, form, version)
    try:
        return build(document)
    except KeyError as error:
        raise ValueError(f"the {what} is damaged: it lacks the field {error}") from error
    except (TypeError, ValueError, AttributeError, OverflowError) as error:
        raise ValueError(f"the {what} is damaged: {error}") from error


def restore_file(path: str | Path, what: str, form: str, version: int, build: Callable[[dict[str, Any]], Any]) -> Any:
    """Return what a file with a JSON document describes; see `restore`. Errors name the file."""
    try:
        return restore(Path(path).read_text("utf-8"), what, form, version, build)
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from error


def _read(text: str, what: str, form: str, version: int) -> dict[str, Any]:
    try:
        document = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise ValueError(f"the {what} is damaged: it is no JSON: {error}") from None
    if not isinstance(document, dict) or document.get("format") != form:
        found = f", got {document['format']!r}" if isinstance(document, dict) and "format" in document else ""
        article = "an" if what[0] in "aeiou" else "a"
        raise ValueError(f"not {article} {what}: the field 'format' must be {form!r}{found}")
    if document.get("version") != version:
        raise ValueError(f"{what} of format version {document.get('version')!r}; this mlrx reads {version}")
    return document
