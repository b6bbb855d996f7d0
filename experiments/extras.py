"""Packages that stay out of the lock: imported where a study asks for them, and named where they are missing."""

from __future__ import annotations

from importlib import import_module
from types import ModuleType


class MissingExtraError(ImportError):
    """A method's package is not installed; the method is passed over, which is no failure."""


def import_extra(name: str) -> ModuleType:
    """Import a package of ``[dependency-groups]`` in ``pyproject.toml``, where its group has the package's name.

    Raises
    ------
    MissingExtraError
        When it cannot be imported, saying how to install it.
    """
    try:
        return import_module(name)
    except ImportError as error:
        reason = f"{name} is not to be had ({error}); it is an extra outside the lock: pip install --group {name}"
        raise MissingExtraError(reason) from error
