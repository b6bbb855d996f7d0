"""What each column adds to a forest's probabilities on the rows' ways down its trees; no rule."""

from __future__ import annotations

import numpy as np

from mlrx.lionforests import FlatForest


def contributions(forest: FlatForest, X: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Split the probability of each label into a bias and a contribution of each column.

    Parameters
    ----------
    forest : FlatForest
    X : array-like of shape (n_samples, n_features)

    Returns
    -------
    bias : ndarray of shape (n_labels,)
        Probability at the root, the mean over the trees.
    table : ndarray of shape (n_samples, n_features, n_labels)
        Changes of the probability from parent to child, summed over the splits by each column; ``bias`` and the sum
        over columns make the forest's probability.

    Notes
    -----
    Of Saabas's treeinterpreter, with any number of labels. O(n_samples * n_trees * depth * n_labels).

    Examples
    --------
    >>> from sklearn.ensemble import RandomForestClassifier
    >>> model = RandomForestClassifier(1, bootstrap=False, random_state=0).fit([[0.0], [1.0]], [[0, 1], [1, 0]])
    >>> bias, table = contributions(FlatForest.read(model), [[1.0]])
    >>> bias.tolist(), table.tolist()
    ([0.5, 0.5], [[[0.5, -0.5]]])
    """
    rows = forest.scaling.transform(forest.rows(X))
    last = [len(classes) - 1 for classes in forest.classes]
    bias, table = np.zeros(forest.n_labels), np.zeros((*rows.shape, forest.n_labels))
    trees = [estimator.tree_ for estimator in getattr(forest.model, "steps", [(None, forest.model)])[-1][1].estimators_]
    for tree in trees:
        # Of the last class, which means "present", or is the only one there is.
        value = tree.value[:, np.arange(forest.n_labels), last]
        bias += value[0]
        node, active = np.zeros(len(rows), dtype=np.intp), np.arange(len(rows))
        while (active := active[tree.children_left[node[active]] >= 0]).size:
            parent = node[active]
            feature = tree.feature[parent]
            known = rows[active, feature]
            goes_left = np.where(np.isnan(known), tree.missing_go_to_left[parent], known <= tree.threshold[parent])
            node[active] = np.where(goes_left, tree.children_left[parent], tree.children_right[parent])
            table[active, feature] += value[node[active]] - value[parent]
    # A constant label that is never present.
    sign = np.where(forest.is_present, 1.0, 0.0)
    return bias * sign / len(trees), table * sign / len(trees)
