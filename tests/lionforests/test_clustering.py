"""k-medoids against the naive loop, and ranks by the size of clusters."""

import numpy as np
import pytest

from mlrx.lionforests.clustering import k_medoids, n_clusters, rank_by_clusters

from .paper_example import example_paths


def random_distances(rng, n):
    points = rng.integers(0, 6, (n, 2)).astype(float)
    return np.abs(points[:, None] - points).sum(axis=2)


def naive_k_medoids(distances, medoids):
    medoids = list(medoids)
    for _ in range(100):
        cluster = [int(np.argmin([row[m] for m in medoids])) for row in distances]
        for c, m in enumerate(medoids):
            cluster[m] = c
        members = [[i for i, found in enumerate(cluster) if found == c] for c in range(len(medoids))]
        moved = [own[int(np.argmin([sum(distances[i, j] for j in own) for i in own]))] for own in members]
        if moved == medoids:
            break
        medoids = moved
    return cluster


@pytest.mark.parametrize("seed", range(30))
def test_k_medoids_is_the_naive_loop(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 40))
    distances = random_distances(rng, n)
    medoids = rng.choice(n, int(rng.integers(1, n + 1)), replace=False)
    cluster = k_medoids(distances, medoids)
    assert cluster.tolist() == naive_k_medoids(distances, medoids)
    assert set(cluster) == set(range(medoids.size))


def test_two_groups_are_found_from_medoids_in_one():
    points = np.array([0.0, 1.0, 2.0, 10.0, 11.0, 12.0])
    assert k_medoids(np.abs(points[:, None] - points), np.array([0, 1])).tolist() == [0, 0, 0, 1, 1, 1]


def test_clusters_of_the_example():
    distances = example_paths().distances(np.arange(6))
    assert k_medoids(distances, np.array([0, 1, 2, 3, 5])).tolist() == [0, 1, 2, 3, 0, 4]


@pytest.mark.parametrize(("n_trees", "expected"), [(1, 1), (4, 4), (5, 5), (99, 5), (100, 7), (500, 35), (1000, 69)])
def test_numbers_of_clusters(n_trees, expected):
    assert n_clusters(n_trees) == expected


def test_large_clusters_come_first():
    points = np.array([0.0, 10.0, 10.1, 20.0, 10.2, 20.1])
    rank = rank_by_clusters(np.abs(points[:, None] - points), 3, np.random.RandomState(0))
    assert rank.tolist() == [2, 0, 0, 1, 0, 1]


@pytest.mark.parametrize(("n_distinct", "is_clustered"), [(3, True), (2, False), (1, False)])
def test_more_clusters_than_different_points_are_skipped(n_distinct, is_clustered):
    points = np.arange(12.0) % n_distinct
    rank = rank_by_clusters(np.abs(points[:, None] - points), 3, np.random.RandomState(0))
    assert (np.unique(rank).size == 3) is is_clustered
    assert is_clustered or (rank == 0).all()
