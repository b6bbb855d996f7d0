"""Votes of trees on labels, as the few kinds that a picture colours."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from .style import COLOURS


@dataclass(frozen=True, eq=False)
class Votes:
    """What kind each vote is of.

    Parameters
    ----------
    kinds : ndarray of int of shape (n_votes,)
        Position in `names`.
    names, colours, markers : tuple of str
        One a kind.
    """

    kinds: np.ndarray
    names: tuple[str, ...]
    colours: tuple[str, ...]
    markers: tuple[str, ...]

    @classmethod
    def of(
        cls, probabilities: np.ndarray, predicted: np.ndarray, label_names: Sequence[str], label: int | None
    ) -> Votes:
        """Tell votes for a label from votes against it; or compare the label sets of votes with that of the forest.

        Parameters
        ----------
        probabilities : ndarray of shape (n_votes, n_labels)
            Of each label to be present; above one half it is voted for.
        predicted : ndarray of bool of shape (n_labels,)
            The forest's labels.
        label_names : sequence of str
        label : int or None
            None compares label sets: the forest's own, one that shares a label with it, and any other.

        Raises
        ------
        ValueError
            When there is no such label.
        """
        present = probabilities > 0.5
        if label is not None:
            if label not in range(len(label_names)):
                raise ValueError(f"label must be from 0 to {len(label_names) - 1}, or None, got {label!r}")
            names = f"for {label_names[label]}", f"against {label_names[label]}"
            return cls((~present[:, label]).astype(np.intp), names, COLOURS[:2], ("o", "s"))
        is_same = (present == predicted).all(axis=1)
        shares = (present & predicted).any(axis=1)
        names = "exactly the forest's labels", "some of the forest's labels", "none of the forest's labels"
        if not predicted.any():
            names = "no label, as the forest", names[1], "some label, unlike the forest"
        kinds = np.where(is_same, 0, np.where(shares, 1, 2))
        return cls(kinds, names, (COLOURS[0], COLOURS[5], COLOURS[1]), ("o", "^", "s"))

    def present_kinds(self) -> np.ndarray:
        """Return the kinds that occur, ascending."""
        return np.unique(self.kinds)

    def take(self, chosen: np.ndarray) -> Votes:
        """Return some of the votes, by position."""
        return Votes(self.kinds[chosen], self.names, self.colours, self.markers)
