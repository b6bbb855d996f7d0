"""Places on a plane for things of which the distances are known, and groups of neighbouring places."""

from __future__ import annotations

import numpy as np

LAYOUTS = ("tsne", "mds")


def find_places(distances: np.ndarray, layout: str, random_state: int) -> np.ndarray:
    """Return a place on the plane for each of some things, equal ones in one place.

    Parameters
    ----------
    distances : ndarray of shape (n, n)
        0 between equal things, and then only.
    layout : {"tsne", "mds"}
        Keep neighbours together (t-SNE), or keep all distances as well as can be (metric scaling).
    random_state : int
        Of t-SNE; scaling draws nothing.

    Returns
    -------
    ndarray of shape (n, 2)

    Raises
    ------
    ValueError
        When `layout` is unknown.

    Notes
    -----
    O(n ** 2) an iteration, of which there are hundreds, and O(n ** 3) once.
    """
    if layout not in LAYOUTS:
        raise ValueError(f"layout must be one of {LAYOUTS}, got {layout!r}")
    _, first, place_of = np.unique(distances == 0, axis=0, return_index=True, return_inverse=True)
    return _place(distances[np.ix_(first, first)], layout, random_state)[place_of.ravel()]


def group_places(places: np.ndarray, n_groups: int, random_state: int) -> np.ndarray:
    """Return the group of each place, from 0 for the largest group on; fewer groups where there are fewer places."""
    from sklearn.cluster import KMeans

    n_groups = min(n_groups, len(np.unique(places, axis=0)))
    groups = KMeans(n_groups, n_init=10, random_state=random_state).fit_predict(places)
    by_size = np.argsort(-np.bincount(groups), kind="stable")
    return by_size.argsort()[groups]


def _place(distances: np.ndarray, layout: str, random_state: int) -> np.ndarray:
    """Return a place on the plane for each path, of shape (n, 2)."""
    from sklearn.manifold import TSNE, smacof

    n = len(distances)
    if n < 3:
        return np.column_stack([np.arange(n) * distances.max(), np.zeros(n)])
    start = _scale(distances)
    if layout == "mds":
        return smacof(distances, init=start, n_init=1, normalized_stress=False)[0]
    scale = 1e-4 / max(start[:, 0].std(), 1e-12)  # small, as t-SNE wants its start
    tsne = TSNE(perplexity=min(30.0, (n - 1) / 3), metric="precomputed", init=scale * start, random_state=random_state)
    return tsne.fit_transform(distances)


def _scale(distances: np.ndarray) -> np.ndarray:
    """Return the places that classical scaling finds: where the better methods start, so that nothing is drawn."""
    squares = distances**2
    centred = squares - squares.mean(axis=0) - squares.mean(axis=1)[:, None] + squares.mean()
    values, vectors = np.linalg.eigh(-centred / 2)
    # The sign of an eigenvector is arbitrary.
    vectors = vectors[:, -2:] * np.sign(vectors[np.abs(vectors).argmax(axis=0), np.arange(len(values))][-2:])
    return (vectors * np.sqrt(np.maximum(values[-2:], 0)))[:, ::-1]
