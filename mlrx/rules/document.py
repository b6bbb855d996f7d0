"""What the project writes as JSON says what it is and in which version; reading names what is wrong."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any


def read_document(text: str, what: str, form: str, version: int) -> dict[str, Any]:
    """Return the fields of a JSON document, after a look at what it is.

    Parameters
    ----------
    text : str
    what : str
        What it should be, in words, for messages.
    form : str
        Wanted content of the field "format".
    version : int
        Wanted content of the field "version".

    Raises
    ------
    ValueError
        When the text is no JSON, is something else, or was written in another version of the format.
    """
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


@contextmanager
def reading(what: str) -> Iterator[None]:
    """Turn errors about single fields into a ValueError that says what is damaged."""
    try:
        yield
    except KeyError as error:
        raise ValueError(f"the {what} is damaged: it lacks the field {error}") from error
    except (TypeError, ValueError, AttributeError, OverflowError) as error:
        raise ValueError(f"the {what} is damaged: {error}") from error
