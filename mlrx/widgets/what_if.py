"""What if? The row of an explanation with some features of the rule moved: prediction, coverage, what is proven."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from ..lionforests import Explanation, FlatForest
from ..lionforests.violation import targets_of
from ..rules import Condition

MOST_DISTINCT = 60  # values that are offered one by one; a column with more has evenly spaced ones
N_SPACED = 51


@dataclass(frozen=True, eq=False)
class Dial:
    """The values that one feature of a rule can be moved to.

    Parameters
    ----------
    name : str
        Of the column, or of the category behind one-hot columns.
    columns : tuple of int
        One column, or those of the category.
    values : ndarray of shape (n_choices, n_columns)
        Ascending for one column.
    texts : tuple of str of length n_choices
    start : int
        The choice that the row itself has.
    """

    name: str
    columns: tuple[int, ...]
    values: np.ndarray
    texts: tuple[str, ...]
    start: int


@dataclass(frozen=True, eq=False)
class Moved:
    """What becomes of an explanation when its row is moved.

    Parameters
    ----------
    row : ndarray of shape (n_features,)
    is_covered : bool
        Whether the rule covers the moved row.
    outside : tuple of str
        The moved features because of which it does not.
    lost : tuple of str
        Labels that the explanation is about and that the forest now predicts otherwise.
    text : str
        All of this in words, and whether the certificate's verdict stands.
    """

    row: np.ndarray
    is_covered: bool
    outside: tuple[str, ...]
    lost: tuple[str, ...]
    text: str


def make_dials(explanation: Explanation, rows: np.ndarray) -> list[Dial]:
    """Return a dial for each feature of the rule, none where there is no rule.

    Parameters
    ----------
    explanation : Explanation
    rows : ndarray of shape (n_samples, n_features)
        Tell the values that a column has; the bounds of the rule and the value of the row are added.
    """
    if explanation.rule is None:
        return []
    group_of = {f: group for group in explanation.groups for f in group.columns}
    dials: dict[tuple[int, ...], Dial] = {}
    for condition in explanation.rule.antecedent:
        f, group = condition.feature, group_of.get(condition.feature)
        columns = (f,) if group is None else group.columns
        if columns in dials:
            continue
        own = np.array([explanation.x[c] for c in columns])
        if group is None:
            values = _offered(rows[:, f], own[0], condition, explanation.rule.dtype)[:, None]
            texts = _texts(values[:, 0])
            name = explanation.feature_names[f]
        else:
            values, texts, name = np.eye(len(columns)), list(group.categories), group.name
            if not (values == own).all(axis=1).any():
                values, texts = np.vstack([values, own]), [*texts, "missing" if np.isnan(own).any() else "none"]
        same = ((values == own) | (np.isnan(values) & np.isnan(own))).all(axis=1)
        dials[columns] = Dial(name, columns, values, tuple(texts), int(same.argmax()))
    return list(dials.values())


def _offered(column: np.ndarray, own: float, condition: Condition, dtype: str) -> np.ndarray:
    """Return the values that a column is moved to, ascending; missing, last, only where the row itself lacks it.

    A bound is there as the last value up to it in the precision in which rules compare: the upper one is inside, the
    lower one outside.
    """
    known = np.unique(column[~np.isnan(column)])
    if known.size > MOST_DISTINCT:
        known = np.linspace(known[0], known[-1], N_SPACED)
    bounds = [bound for bound in (condition.lower, condition.upper) if np.isfinite(bound)]
    rounded = np.array(bounds).astype(dtype)
    up_to = np.where(rounded > bounds, np.nextafter(rounded, np.array(-np.inf, dtype)), rounded)
    return np.unique(np.concatenate([known, up_to, [own]]).astype(dtype).astype(np.float64))


def _texts(values: np.ndarray) -> list[str]:
    """Return numbers in six digits, or in as many as it takes to tell them apart."""
    for n_digits in (6, 9, 17):
        texts = ["missing" if np.isnan(value) else f"{value:.{n_digits}g}" for value in values]
        if len(set(texts)) == len(texts):
            break
    return texts


def move(forest: FlatForest, explanation: Explanation, dials: Sequence[Dial], choices: Sequence[int]) -> Moved:
    """Move the row of an explanation to the chosen values.

    Parameters
    ----------
    forest : FlatForest
        The one that is explained.
    explanation : Explanation
        With a rule.
    dials : sequence of Dial
    choices : sequence of int
        The choice on each dial.
    """
    row = np.array(explanation.x, dtype=forest.dtype)
    for dial, choice in zip(dials, choices):
        row[list(dial.columns)] = dial.values[choice]
    is_covered = bool(explanation.covers(row[None])[0])
    present = forest.predict_labels(row[None])[0]
    targets = targets_of(explanation.labels, explanation.guarantee, forest.n_labels)
    lost = {explanation.label_names[t.label]: t.is_present for t in targets if present[t.label] != t.is_present}
    holds = {condition.feature: condition for condition in explanation.rule.antecedent}
    outside = tuple(
        dial.name
        for dial in dials
        if not all(holds[f].holds(row[[f]], explanation.rule.dtype)[0] for f in dial.columns if f in holds)
    )
    return Moved(row, is_covered, outside, tuple(lost), _tell(explanation, is_covered, outside, lost))


def _tell(explanation: Explanation, is_covered: bool, outside: Sequence[str], lost: Mapping[str, bool]) -> str:
    names = ", ".join(explanation.label_names[label] for label in explanation.labels) or "no label"
    kept = f"The prediction holds: {names}."
    changes = ", ".join(f"{name} is {'absent' if was_present else 'present'}" for name, was_present in lost.items())
    prediction = f"The prediction is lost: {changes}." if lost else kept
    is_proven = explanation.status.startswith("certified")
    if not is_covered:
        because = f", because of {', '.join(outside)}" if outside else ""
        return f"{prediction} The rule no longer covers the row{because}; nothing is proven here."
    if not is_proven:
        return f"{prediction} The rule covers the row, but is not proven{': this row refutes it' if lost else ''}."
    return f"{prediction} The rule covers the row: the certificate stands ({explanation.status})."
