"""What a point's notebook hands in: an output of its last cell, so that it needs no file and no network."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field
from typing import Any

from ..schema import build
from ..values import from_json, to_json

MIME_TYPE = "application/vnd.mlrx.result+json"


@dataclass(frozen=True)
class Result:
    """What came of one point.

    Parameters
    ----------
    scores : dict
        By metric a number, or None where there is none.
    seconds : dict of str to float
        Wall times by a monotonic clock, in seconds.
    checksum : str or None
        SHA-256 of the data.
    notes : tuple of str
        What a reader of the scores must know.
    """

    scores: dict[str, Any]
    seconds: dict[str, float] = field(default_factory=dict)
    checksum: str | None = None
    notes: tuple[str, ...] = ()


def hand_in(result: Result) -> None:
    """Show the result in the notebook, and hand it to the runner of the sweep.

    Raises
    ------
    TypeError
        When it is not made of None, bool, int, float, str, list and dict.
    """
    from IPython.display import display

    encoded = to_json(asdict(result))
    display({MIME_TYPE: json.loads(encoded), "text/plain": to_json(result.scores, 1)}, raw=True)


def read_result(notebook: str) -> Result:
    """Return the result in the text of an executed notebook.

    Raises
    ------
    ValueError
        When the notebook has handed in none, or several.
    """
    import nbformat

    cells = nbformat.reads(notebook, as_version=4).cells
    outputs = [output for cell in cells for output in cell.get("outputs", ())]
    found = [output["data"][MIME_TYPE] for output in outputs if MIME_TYPE in output.get("data", ())]
    if len(found) != 1:
        raise ValueError(f"the notebook must hand in one result, got {len(found)}")
    return build(Result, from_json(json.dumps(found[0])))
