"""The methods by the names that configs use: those that predict, and those that explain."""

from .baselines import boomer, corset, ground_truth, svm, tree
from .baselines.method import Method
from .explainers import global_tree, lionforests, local_tree, lore, marlena
from .explainers.explainer import Explainer

METHODS: dict[str, Method] = {
    "boomer": boomer.METHOD,
    "corset": corset.METHOD,
    "ground-truth": ground_truth.METHOD,
    "svm": svm.METHOD,
    "tree": tree.METHOD,
}
EXPLAINERS: dict[str, Explainer] = {
    "global-tree": global_tree.EXPLAINER,
    "lionforests": lionforests.EXPLAINER,
    "local-tree": local_tree.EXPLAINER,
    "local-tree-lime": local_tree.LIME_EXPLAINER,
    "lore": lore.EXPLAINER,
    "marlena": marlena.EXPLAINER,
}
