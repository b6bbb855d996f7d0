"""Lines of the command lines: what they say, and errors with an exit code."""

from __future__ import annotations

import sys
from typing import NoReturn

import typer


def say(line: str) -> None:
    """Write a line to standard output, at once."""
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


def fail(message: str, code: int = 2) -> NoReturn:
    """Write an error to standard error, and exit."""
    sys.stderr.write(f"error: {message}\n")
    raise typer.Exit(code)
