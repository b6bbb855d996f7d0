"""The methods by the names that configs use."""

from .baselines import boomer, corset, ground_truth, svm, tree
from .baselines.method import Method
from .explainers import (
    anchors,
    bellatrex,
    chirps,
    defrag_trees,
    global_tree,
    intrees,
    lime_weights,
    lionforests,
    local_tree,
    lore,
    marlena,
    ripper,
    rulefit,
    seco,
    te2rules,
    trepan,
)
from .explainers import boomer as boomer_rules
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
    "bellatrex": bellatrex.EXPLAINER,
    "boomer": boomer_rules.EXPLAINER,
    "chirps": chirps.EXPLAINER,
    "defrag-trees": defrag_trees.EXPLAINER,
    "global-tree": global_tree.EXPLAINER,
    "intrees": intrees.EXPLAINER,
    "lime": lime_weights.EXPLAINER,
    "lionforests": lionforests.EXPLAINER,
    "local-tree": local_tree.EXPLAINER,
    "local-tree-lime": local_tree.LIME_EXPLAINER,
    "lore": lore.EXPLAINER,
    "marlena": marlena.EXPLAINER,
    "ripper": ripper.EXPLAINER,
    "rulefit": rulefit.EXPLAINER,
    "seco": seco.EXPLAINER,
    "te2rules": te2rules.EXPLAINER,
    "trepan": trepan.EXPLAINER,
}
