"""What the command lines say, and how they fail."""

from __future__ import annotations

import re
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NoReturn

import typer

from ..files import write_whole

# Arguments of Python that messages speak of, and the options that stand for them.
_ARGUMENT = re.compile(r"\b(sep|decimal|nominal|missing|encoding|drop_text|drop|labels)=(True\b|(?=\W|$))")


def say(line: str) -> None:
    """Write a line to standard output, at once."""
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


def fail(message: str, code: int = 2) -> NoReturn:
    """Write an error to standard error, and exit."""
    sys.stderr.write(f"error: {message}\n")
    raise typer.Exit(code)


def hand_out(text: str, path: Path | None) -> None:
    """Write a result to a file, which is whole or absent, or to standard output."""
    text = text.rstrip("\n") + "\n"
    if path is None:
        sys.stdout.write(text)
        sys.stdout.flush()
    else:
        write_whole(path, text)


@contextmanager
def one_line_faults() -> Iterator[None]:
    """Have errors about files and values end the program with one line, and warnings take one line each."""
    with warnings.catch_warnings():
        warnings.simplefilter("always", UserWarning)
        warnings.showwarning = lambda message, *_: sys.stderr.write(f"warning: {_as_options(str(message))}\n")
        try:
            yield
        except BrokenPipeError:
            raise  # whoever reads has seen enough; handled by typer
        except OSError as error:
            where = f"{error.filename}: " if error.filename else ""
            fail(f"{where}{error.strerror or error}", 1)
        except (ValueError, TypeError) as error:
            fail(_as_options(str(error)), 1)


def _as_options(message: str) -> str:
    """Return a message in one line, with options in place of Python's arguments.

    Examples
    --------
    >>> _as_options("try sep=';', or drop_text=True")
    "try --sep ';', or --drop-text"
    """
    option = _ARGUMENT.sub(lambda found: f"--{found[1].replace('_', '-')} ", " ".join(message.split()))
    return re.sub(r"(--[\w-]+) (?![\w'\"\[])", r"\1", option)
