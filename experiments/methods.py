"""The methods by the names that configs use: those that predict, and those that explain."""

from .baselines import boomer, corset, ground_truth, svm, tree
from .baselines.method import Method
from .explainers import anchors, chirps, lime_weights, lionforests
from .explainers.explainer import Explainer

METHODS: dict[str, Method] = {
    "boomer": boomer.METHOD,
    "corset": corset.METHOD,
    "ground-truth": ground_truth.METHOD,
    "svm": svm.METHOD,
    "tree": tree.METHOD,
}
EXPLAINERS: dict[str, Explainer] = {
    "anchors": anchors.EXPLAINER,
    "chirps": chirps.EXPLAINER,
    "lime": lime_weights.EXPLAINER,
    "lionforests": lionforests.EXPLAINER,
}
