"""Reduction by association rules: the features that paths do not share go first."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from itertools import accumulate
from operator import and_

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

    The search for S is exponential at worst, in the number of features or of paths that differ, whichever is less; it
    ends with the first S that is as rare as a frequent itemset can be, and looks at each set of paths once.
    """
    least = _least_count(used)
    # Python's integers are the quickest sets of some hundred paths: a whole intersection and its count are two calls.
    sets = [int.from_bytes(np.packbits(column).tobytes(), "big") for column in used.T]
    known: dict[int, int] = {}
    keys = []
    for f, paths in enumerate(sets):
        others = [paths & other for g, other in enumerate(sets) if g != f]
        if any(both.bit_count() >= least for both in others):
            rarest = _rarest(paths, others, least, known)
            keys.append((rarest / paths.bit_count(), -rarest, f))
    return [f for *_, f in sorted(keys)]


def _least_count(used: np.ndarray) -> int:
    """Return the least number of paths, a tenth at least, that equal paths can add up to."""
    sums = 1
    for n_equal in Counter(path.tobytes() for path in np.packbits(used, axis=1)).values():
        sums |= sums << n_equal
    tenth = max(-(-len(used) // PATHS_PER_FREQUENT), 1)
    above = sums >> tenth
    return tenth + (above & -above).bit_length() - 1


def _rarest(paths: int, features: Iterable[int], least: int, known: dict[int, int]) -> int:
    """Return how many paths the rarest frequent itemset has that adds nothing, or any features, to an itemset.

    Parameters
    ----------
    paths : int
        The paths of the itemset, a bit each.
    features : iterable of int
        The paths of each feature that may be added.
    least : int
        Paths that a frequent itemset has.
    known : dict of int to int
        Answers for other sets of paths; this one is added.
    """
    if paths in known:
        return known[paths]
    rarest = paths.bit_count()
    found = {paths & other for other in features}
    # A feature that all paths of the itemset use makes no itemset rarer.
    found = sorted((both for both in found if least <= both.bit_count() < rarest), key=int.bit_count)
    shared = list(accumulate(reversed(found), and_))
    for both in found:
        rarest = min(rarest, both.bit_count())
        with_all_others = shared.pop().bit_count()
        if with_all_others >= least:
            rarest = min(rarest, with_all_others)
            break
        if rarest == least:
            break
        rarest = min(rarest, _rarest(both, found, least, known))
    known[paths] = rarest
    return rarest
