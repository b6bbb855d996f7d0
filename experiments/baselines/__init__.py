"""One adapter a method, behind one small protocol; `METHODS` lists them by the name that configs use."""

from . import boomer, corset, ground_truth, svm, tree
from .method import Fitted, Method

METHODS: dict[str, Method] = {
    "boomer": boomer.METHOD,
    "corset": corset.METHOD,
    "ground-truth": ground_truth.METHOD,
    "svm": svm.METHOD,
    "tree": tree.METHOD,
}

__all__ = ["METHODS", "Fitted", "Method"]
