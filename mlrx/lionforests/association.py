"""Reduction by association rules: the features that paths do not share go first."""

from __future__ import annotations

import numpy as np

# An itemset is frequent if one path in so many has all of its features.
PATHS_PER_FREQUENT = 10


def rank_by_association(used: np.ndarray) -> np.ndarray:
    """Rank paths by how early the association rules between their features name all features of a path.

    Parameters
    ----------
    used : ndarray of bool of shape (n_paths, n_features)
        Which features each path uses.

    Returns
    -------
    ndarray of int of shape (n_paths,)
        0 for a path whose features are all in the first place of the order (or that has none), 1 for one that the
        second completes, and so on. Paths that need the last place, or features without a rule, share the last rank.

    Notes
    -----
    Section 3 of [1]_. The complete list of features is never tried there, hence the shared last rank.

    References
    ----------
    .. [1] I. Mollas, N. Bassiliades, G. Tsoumakas. Conclusive local interpretation rules for random forests.
       Data Mining and Knowledge Discovery 36, 2022. doi:10.1007/s10618-022-00839-y
    """
    order = order_of_antecedents(used)
    place = np.full(used.shape[1], max(len(order) - 1, 0))
    place[order] = np.arange(len(order))
    return np.where(used, place, 0).max(axis=1)


def order_of_antecedents(used: np.ndarray) -> list[int]:
    """Return the features in the order in which they first stand in an antecedent of sorted association rules.

    Rules are those of all itemsets that at least a tenth of the paths have, ascending by confidence; then by support,
    descending, by the size of the antecedent, and by the antecedent. Features without a rule are left out.

    Parameters
    ----------
    used : ndarray of bool of shape (n_paths, n_features)

    Notes
    -----
    Rules need not be made. Of those with feature f in the antecedent, none has a lower confidence than {f} => S - {f},
    where S is the rarest of the frequent itemsets of two or more features that hold f: the antecedent with f that is
    most frequent is {f} itself, and S is as rare as the whole rule can be. A rule of equal confidence has equal counts,
    so {f} is the smallest antecedent. The order is thus that of count(S) / count(f), then count(S) descending, then f;
    the quotients of whole numbers below 2 ** 26 are equal as floats only if they are equal.

    The search for S is exponential in the number of features at worst, and ends with the first S that is as rare as a
    frequent itemset can be.
    """
    least = -(-len(used) // PATHS_PER_FREQUENT)
    # Python's integers are the quickest sets of some hundred paths: a whole intersection and its count are two calls.
    paths_of = [int.from_bytes(np.packbits(column).tobytes(), "big") for column in used.T]
    keys = []
    for f, paths in enumerate(paths_of):
        others = [other for g, other in enumerate(paths_of) if g != f]
        rarest = _rarest(paths, others, least) if paths.bit_count() >= least > 0 else None
        if rarest is not None:
            keys.append((rarest / paths.bit_count(), -rarest, f))
    return [f for *_, f in sorted(keys)]


def _rarest(paths: int, others: list[int], least: int) -> int | None:
    """Return how many paths the rarest frequent itemset has that adds to an itemset; None if none can be added.

    Parameters
    ----------
    paths : int
        The paths of the itemset, a bit each.
    others : list of int
        The paths of each feature that may be added.
    least : int
        Paths that a frequent itemset has.
    """
    found = [paths & other for other in others]
    found = sorted((both for both in found if both.bit_count() >= least), key=int.bit_count)
    if not found:
        return None
    rarest, n_paths = found[0].bit_count(), paths.bit_count()
    # A feature that all paths of the itemset use makes no itemset rarer.
    found = [both for both in found if both.bit_count() < n_paths]
    together = paths
    shared = [together := together & both for both in reversed(found)]
    for k, both in enumerate(found):
        all_of_them = shared[len(found) - 1 - k].bit_count()
        if all_of_them >= least:
            return min(rarest, all_of_them)
        if rarest == least:
            return rarest
        deeper = _rarest(both, found[k + 1 :], least)
        if deeper is not None:
            rarest = min(rarest, deeper)
    return rarest
