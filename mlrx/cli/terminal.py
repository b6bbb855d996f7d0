"""What the command lines say, and how they fail."""

from __future__ import annotations

import re
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NoReturn

import typer

from ..files import write_whole

# Arguments of Python that messages speak of, and the options that stand for them.
_ARGUMENT = re.compile(r"\b(sep|decimal|nominal|missing|encoding|drop_text|drop|labels)=(True\b|(?=\W|$))")
_OTHERS = (
    (re.compile(r"\bstrategy='(\w+)'"), r"--strategy \1"),
    (re.compile(r"\blabels=(?=\d)"), "--n-labels "),
    (re.compile(r"\blabels (?=names columns)"), "--labels "),
)


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


def checked_file(path: Path | None) -> Path | None:
    """Return where to write, or end the program, before any work, where that is a folder."""
    if path is not None and path.is_dir():
        fail(f"--out {path} is a folder; give a file")
    return path


@contextmanager
def told_of_compiling() -> Iterator[None]:
    """Say once, to who waits at a terminal, that functions are being compiled."""
    if not sys.stderr.isatty():
        yield
        return
    from numba.core.event import Listener, install_listener

    class Teller(Listener):
        told = False

        def on_start(self, event: Any) -> None:
            if not self.told:
                sys.stderr.write("compiling, once for this installation; it takes up to a minute\n")
            self.told = True

        def on_end(self, event: Any) -> None:
            pass

    with install_listener("numba:compile", Teller()):
        yield


@contextmanager
def one_line_faults() -> Iterator[None]:
    """Have errors about files and values end the program with one line, and warnings take one line each."""
    with told_of_compiling(), warnings.catch_warnings():
        warnings.simplefilter("always", UserWarning)
        warnings.showwarning = lambda message, *_: sys.stderr.write(f"warning: {as_options(str(message))}\n")
        try:
            yield
        except BrokenPipeError:
            raise  # whoever reads has seen enough; handled by typer
        except OSError as error:
            where = f"{error.filename}: " if error.filename else ""
            fail(f"{where}{error.strerror or error}", 1)
        except (ValueError, TypeError) as error:
            fail(as_options(str(error)), 1)
        except SystemError as error:
            if isinstance(error.__cause__, KeyboardInterrupt):  # it was pending when compiled code came back
                raise error.__cause__ from None
            raise


def as_options(message: str) -> str:
    """Return a message in one line, with options in place of Python's arguments.

    Examples
    --------
    >>> as_options("try sep=';', or drop_text=True")
    "try --sep ';', or --drop-text"
    """
    message = " ".join(message.split())
    for argument, option in _OTHERS:
        message = argument.sub(option, message)
    option = _ARGUMENT.sub(lambda found: f"--{found[1].replace('_', '-')} ", message)
    return re.sub(r"(--[\w-]+) (?![\w'\"\[])", r"\1", option)
