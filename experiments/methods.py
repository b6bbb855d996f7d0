"""The methods by the names that configs use."""

from .baselines import boomer, corset, ground_truth, svm, tree
from .baselines.method import Method

METHODS: dict[str, Method] = {
    "boomer": boomer.METHOD,
    "corset": corset.METHOD,
    "ground-truth": ground_truth.METHOD,
    "svm": svm.METHOD,
    "tree": tree.METHOD,
}
