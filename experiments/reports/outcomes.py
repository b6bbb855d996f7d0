"""Outcomes: what became of each notebook the last time, kept in one file a profile for the report."""

from __future__ import annotations

import warnings
from dataclasses import asdict, dataclass
from pathlib import Path

from mlrx.files import write_whole

from ..schema import build
from ..values import from_json, to_json

FILE = "outcomes.json"


@dataclass(frozen=True)
class Outcome:
    """What became of one notebook.

    Parameters
    ----------
    study, dataset : str
    status : {"done", "skipped", "failed"}
    reason : str
        Why it was skipped or failed.
    seconds : float
        Wall time by a monotonic clock.
    """

    study: str
    dataset: str
    status: str
    reason: str = ""
    seconds: float = 0.0

    def __str__(self) -> str:
        reason = f": {self.reason}" if self.reason else f" in {self.seconds:.0f} s"
        return f"{self.status}: {self.study} on {self.dataset}{reason}"


@dataclass(frozen=True)
class Account:
    """The last outcome of every notebook, and how many seconds the last command took."""

    seconds: float = 0.0
    outcomes: tuple[Outcome, ...] = ()

    def find(self, study: str, dataset: str) -> Outcome | None:
        """Return the outcome of a notebook, None when it has never been run."""
        return next((one for one in self.outcomes if (one.study, one.dataset) == (study, dataset)), None)

    def after(self, outcomes: list[Outcome], seconds: float) -> Account:
        """Return the account after a command of so many seconds; notebooks that it left alone keep their outcomes."""
        latest = {(one.study, one.dataset): one for one in [*self.outcomes, *outcomes]}
        return Account(seconds, tuple(latest[key] for key in sorted(latest)))


def read_account(folder: Path) -> Account:
    """Return the account in the folder of a profile; an empty one, with a warning, when it cannot be read."""
    path = folder / FILE
    if not path.exists():
        return Account()
    try:
        return build(Account, from_json(path.read_text(encoding="utf-8")))
    except (OSError, ValueError) as error:
        warnings.warn(f"{path.name} is no whole account of notebooks ({error}); it is passed over", stacklevel=2)
        return Account()


def write_account(folder: Path, account: Account) -> None:
    """Write the account into the folder of a profile."""
    write_whole(folder / FILE, to_json(asdict(account), 1) + "\n")
