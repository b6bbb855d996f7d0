"""The methods by the names that configs use: those that predict, and those that explain."""

from .baselines import boomer, corset, ground_truth, svm, tree
from .baselines.method import Method
from .explainers import boomer as boomer_rules
from .explainers import defrag_trees, intrees, lionforests, ripper, rulefit, seco, trepan
from .explainers.explainer import Explainer

METHODS: dict[str, Method] = {
    "boomer": boomer.METHOD,
    "corset": corset.METHOD,
    "ground-truth": ground_truth.METHOD,
    "svm": svm.METHOD,
    "tree": tree.METHOD,
}
EXPLAINERS: dict[str, Explainer] = {
    "boomer": boomer_rules.EXPLAINER,
    "defrag-trees": defrag_trees.EXPLAINER,
    "intrees": intrees.EXPLAINER,
    "lionforests": lionforests.EXPLAINER,
    "ripper": ripper.EXPLAINER,
    "rulefit": rulefit.EXPLAINER,
    "seco": seco.EXPLAINER,
    "trepan": trepan.EXPLAINER,
}
