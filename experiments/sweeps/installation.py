"""What a point's result depends on beside its parameters, and whether a worker has the same."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

from ..records import code_digest, package_versions
from ..values import to_json

# Sources that a point's notebook may call and that `code_digest` leaves out.
SOURCES = ("diversity.py",)


def describe_installation(notebook: str) -> dict[str, Any]:
    """Return digests of the sources and of the code in a notebook's text, and the versions of packages."""
    return {"notebook": _digest(notebook), "code": code_digest(), "packages": package_versions()}


def name_differences(expected: dict[str, Any], found: dict[str, Any]) -> list[str]:
    """Return in what two results of `describe_installation` for the same notebook differ."""
    differences = ["other sources"] if any(found[key] != expected[key] for key in ("notebook", "code")) else []
    for name, version in expected["packages"].items():
        if found["packages"].get(name) != version:
            differences.append(f"{name} {found['packages'].get(name)}, not {version}")
    return differences


def _digest(notebook: str) -> str:
    import nbformat

    cells = nbformat.reads(notebook, as_version=4).cells
    digest = hashlib.sha256(to_json([cell.source for cell in cells if cell.cell_type == "code"]).encode())
    for name in SOURCES:
        digest.update((Path(__file__).parent / name).read_bytes())
    return digest.hexdigest()[:16]
