"""A forest as a JSON file: its trees, the names of its columns and labels; reading it runs nothing."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any, NamedTuple

import numpy as np
from sklearn.pipeline import Pipeline

from ..files import write_whole
from ..rules.document import restore_file
from .forest import FlatForest, forest_of
from .names import names_of_features, names_of_labels

FORMAT = "mlrx.forest"
FORMAT_VERSION = 1
# What JSON has no number for. A split of missing from known may have the threshold NaN: as for -inf, no value is below.
INFINITE = {"inf": math.inf, "-inf": -math.inf}


class SavedForest(NamedTuple):
    """A forest that was read from a file.

    Attributes
    ----------
    forest : FlatForest
        With the names of its columns; without scikit-learn's model.
    label_names : tuple of str
    """

    forest: FlatForest
    label_names: tuple[str, ...]


def write_forest(
    forest: Any,
    path: str | Path,
    *,
    feature_names: Sequence[str] | None = None,
    label_names: Sequence[str] | None = None,
) -> None:
    """Write a forest of scikit-learn as a JSON file, which `read_forest` and ``mlrx explain`` read.

    Parameters
    ----------
    forest : RandomForestClassifier or ExtraTreesClassifier
        Fitted, for one or many labels of two classes each.
    path : str or Path
        The file; one that is there is replaced at once, by a whole one.
    feature_names, label_names : sequence of str or None, default=None
        None takes the names that the forest was fitted with, else x0, x1, ..., and y0, y1, ...

    Raises
    ------
    TypeError
        When the forest is of another class. A Pipeline is refused too: write its last step, and scale rows before.
    ValueError
        When the names do not fit, or a label has more than two classes.
    sklearn.exceptions.NotFittedError
        When the forest is not fitted.

    Notes
    -----
    Cost and size of the file: O(n_nodes + n_leaves * n_labels).

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> from sklearn.ensemble import RandomForestClassifier
    >>> forest = RandomForestClassifier(3, random_state=0).fit([[0.0], [1.0]], [[0, 1], [1, 0]])
    >>> with TemporaryDirectory() as folder:
    ...     write_forest(forest, f"{folder}/forest.json", feature_names=["wind"], label_names=["calm", "storm"])
    ...     saved = read_forest(f"{folder}/forest.json")
    >>> saved.forest.predict([[1.0]]).tolist(), saved.label_names
    ([[1, 0]], ('calm', 'storm'))
    """
    model = forest_of(forest)
    if isinstance(forest, Pipeline):
        raise TypeError("forest must be without scalers to be written: write the last step, and scale the rows before")
    flat = FlatForest.read(model)
    document = {
        "format": FORMAT,
        "version": FORMAT_VERSION,
        "feature_names": names_of_features(feature_names, flat, None),
        "label_names": names_of_labels(label_names, flat, None),
        "classes": [classes.tolist() for classes in flat.classes],
        "allows_missing": bool(flat.allows_missing),
        "trees": [_tree_to_dict(estimator.tree_) for estimator in model.estimators_],
    }
    write_whole(Path(path), json.dumps(document, ensure_ascii=False, allow_nan=False) + "\n")


def read_forest(path: str | Path) -> SavedForest:
    """Read a forest that `write_forest` wrote; unlike a pickle, the file cannot run anything.

    Raises
    ------
    ValueError
        When the file holds something else, is damaged, or is of another version of the format; the message names the
        file and the fault.
    OSError
        When the file cannot be read.

    Notes
    -----
    It predicts what scikit-learn's `predict` does. `find_violation` confirms counterexamples by these trees, since
    there is no model of scikit-learn.
    """
    return restore_file(path, "forest", FORMAT, FORMAT_VERSION, _forest_from)


def _forest_from(document: dict[str, Any]) -> SavedForest:
    names, label_names = (_names(key, document[key]) for key in ("feature_names", "label_names"))
    classes = tuple(np.array(values) for values in document["classes"])
    if len(classes) != len(label_names) or not all(c.ndim == 1 and c.size for c in classes):
        raise ValueError(f"classes must list the one or two classes of each of the {len(label_names)} labels")
    if not isinstance(document["allows_missing"], bool):
        raise TypeError(f"allows_missing must be true or false, got {document['allows_missing']!r}")
    n_classes = max(c.size for c in classes)
    trees = []
    for k, fields in enumerate(document["trees"]):
        try:
            trees.append(_tree_from(fields, len(names), len(classes), n_classes))
        except KeyError as error:
            raise ValueError(f"tree {k} lacks the field {error}") from error
        except (TypeError, ValueError) as error:
            raise ValueError(f"tree {k}: {error}") from error
    if not trees:
        raise ValueError("trees must hold one tree at least")
    forest = FlatForest.of_trees(trees, classes, len(names), names, document["allows_missing"])
    return SavedForest(forest, label_names)


def _names(key: str, names: Any) -> tuple[str, ...]:
    if not isinstance(names, list) or not names or not all(isinstance(name, str) for name in names):
        raise TypeError(f"{key} must list texts, got {str(names)[:40]!r}")
    if len(set(names)) < len(names):
        raise ValueError(f"{key} must be distinct")
    return tuple(names)


def _tree_to_dict(tree: Any) -> dict[str, list]:
    """Return the public arrays of a tree: of each node, -1 where a leaf has none; votes of the leaves, in order."""
    is_leaf = tree.children_left < 0
    threshold = np.where(is_leaf | np.isnan(tree.threshold), np.where(is_leaf, 0.0, -np.inf), tree.threshold)
    return {
        "left": np.where(is_leaf, -1, tree.children_left).tolist(),
        "right": np.where(is_leaf, -1, tree.children_right).tolist(),
        "feature": np.where(is_leaf, -1, tree.feature).tolist(),
        "threshold": [value if math.isfinite(value) else str(value) for value in threshold.tolist()],
        "missing_left": (tree.missing_go_to_left.astype(bool) & ~is_leaf).tolist(),
        "votes": tree.value[is_leaf].tolist(),
    }


def _tree_from(fields: dict[str, Any], n_features: int, n_labels: int, n_classes: int) -> SimpleNamespace:
    """Return a tree as `flatten` takes it, after a look at each array."""
    left, right, feature = (_whole_numbers(key, fields[key]) for key in ("left", "right", "feature"))
    threshold = np.array([INFINITE.get(str(value), value) for value in fields["threshold"]], dtype=np.float64)
    missing_left = np.array(fields["missing_left"])
    n_nodes = left.size
    arrays = {"right": right, "feature": feature, "threshold": threshold, "missing_left": missing_left}
    for key, values in arrays.items():
        if values.shape != (n_nodes,):
            raise ValueError(f"{key} has {values.size} entries for {n_nodes} nodes")
    if missing_left.dtype != bool:
        raise TypeError("missing_left must hold true and false")
    is_leaf = left == -1
    inner = np.flatnonzero(~is_leaf)
    children = np.concatenate([left[inner], right[inner]])
    # A child stands behind its parent, and each node but the first has one: so it is a tree.
    is_tree = n_nodes and np.array_equal(np.sort(children), np.arange(1, n_nodes)) and (right[is_leaf] == -1).all()
    if not is_tree or not (children > np.concatenate([inner, inner])).all():
        raise ValueError("left and right must make one tree, children behind their parents, -1 for leaves")
    if ((feature[inner] < 0) | (feature[inner] >= n_features)).any():
        raise ValueError(f"feature must be from 0 to {n_features - 1} where a node is no leaf")
    if np.isnan(threshold).any():
        raise ValueError("threshold must hold numbers, or the texts 'inf' and '-inf'")
    votes = np.array(fields["votes"], dtype=np.float64)
    if votes.shape != (is_leaf.sum(), n_labels, n_classes):
        raise ValueError(f"votes has the shape {votes.shape}, {(int(is_leaf.sum()), n_labels, n_classes)} expected")
    value = np.zeros((n_nodes, n_labels, n_classes))
    value[is_leaf] = votes
    return SimpleNamespace(
        node_count=n_nodes,
        children_left=left,
        children_right=right,
        feature=feature,
        threshold=threshold,
        missing_go_to_left=missing_left,
        value=value,
    )


def _whole_numbers(key: str, values: Any) -> np.ndarray:
    array = np.array(values)
    if array.ndim != 1 or array.dtype.kind != "i":
        raise TypeError(f"{key} must list whole numbers, got {str(values)[:40]!r}")
    return array
