"""Reduction by clustering: k-medoids on the distances between paths, the largest clusters first."""

from __future__ import annotations

import math

import numpy as np
from numba import njit

MAX_ITERATIONS = 100


def n_clusters(n_trees: int) -> int:
    """Return how many clusters the paths of a forest are put into.

    Notes
    -----
    As the authors chose: 5, no more than there are trees; from 100 trees on, 3 clusters for 22 paths of the quorum.
    """
    if n_trees < 100:
        return min(5, n_trees)
    quorum = n_trees // 2 + 1
    return math.ceil(3 * quorum / 22)


def rank_by_clusters(distances: np.ndarray, k: int, rng: np.random.RandomState) -> np.ndarray:
    """Rank paths by the size of their cluster: 0 for those in the largest, 1 for those in the second, and so on.

    Parameters
    ----------
    distances : ndarray of float64 of shape (n, n)
    k : int
        Number of clusters. Where fewer than k paths differ from each other, all get rank 0.
    rng : RandomState
        Draws the first medoids, none of them at distance 0 of another.

    Returns
    -------
    ndarray of int of shape (n,)
    """
    is_repeated = np.tril(distances == 0, -1).any(axis=1)
    candidates = np.flatnonzero(~is_repeated)
    if candidates.size < k:
        return np.zeros(len(distances), dtype=np.intp)
    medoids = np.sort(rng.permutation(candidates)[:k])
    cluster = k_medoids(distances, medoids)
    by_size = np.argsort(-np.bincount(cluster, minlength=k), kind="stable")
    rank = np.empty(k, dtype=np.intp)
    rank[by_size] = np.arange(k)
    return rank[cluster]


@njit(cache=True, nogil=True)
def k_medoids(distances, medoids):
    """Return the cluster of each point, from 0 to k - 1.

    Every point joins its nearest medoid, the first of equals, and a medoid always itself, so that no cluster is ever
    empty; then the point of each cluster with the least sum of distances to the others becomes its medoid; until
    nothing changes, or `MAX_ITERATIONS` times.

    Parameters
    ----------
    distances : ndarray of float64 of shape (n, n)
    medoids : ndarray of int of shape (k,)
        The first medoids, all different.

    Returns
    -------
    ndarray of int64 of shape (n,)

    Notes
    -----
    An iteration is O(n * k + sum of squared cluster sizes).
    """
    n, k = distances.shape[0], medoids.size
    medoids, cluster = medoids.copy(), np.empty(n, np.int64)
    for _ in range(MAX_ITERATIONS):
        for i in range(n):
            nearest = 0
            for c in range(1, k):
                if distances[i, medoids[c]] < distances[i, medoids[nearest]]:
                    nearest = c
            cluster[i] = nearest
        for c in range(k):
            cluster[medoids[c]] = c
        if not _move_medoids(distances, cluster, medoids):
            break
    return cluster


@njit(cache=True, nogil=True)
def _move_medoids(distances, cluster, medoids):
    """Make the most central point of each cluster its medoid; tell whether any is another than before."""
    n, moved = distances.shape[0], False
    least = np.full(medoids.size, np.inf)
    chosen = medoids.copy()
    order = np.argsort(cluster, kind="mergesort")
    start = 0
    while start < n:
        c, end = cluster[order[start]], start
        while end < n and cluster[order[end]] == c:
            end += 1
        for i in order[start:end]:
            total = 0.0
            for j in order[start:end]:
                total += distances[i, j]
            if total < least[c]:
                least[c], chosen[c] = total, i
        start = end
    for c in range(medoids.size):
        moved |= chosen[c] != medoids[c]
        medoids[c] = chosen[c]
    return moved
