"""The methods by the names that configs use."""

from .baselines import boomer, boomer_threshold, corset, forest, ground_truth, svm, tree
from .baselines import global_tree as global_tree_model
from .baselines import ripper as ripper_model
from .baselines import seco as seco_model
from .baselines import trepan as trepan_model
from .baselines.cross_validation import cross_validated
from .baselines.method import Method
from .baselines.rule_learner import rule_learner
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
    "boomer-threshold": boomer_threshold.METHOD,
    "corset": corset.METHOD,
    "corset-cv": cross_validated(corset.METHOD),
    "forest": forest.METHOD,
    "ground-truth": ground_truth.METHOD,
    "guided": rule_learner("GuidedRulesClassifier", limit="max_rules"),
    "ripper": ripper_model.METHOD,
    "seco": seco_model.METHOD,
    "svm": svm.METHOD,
    "svm-cv": cross_validated(svm.METHOD),
    "tree": tree.METHOD,
    "tree-cv": cross_validated(tree.METHOD),
    "voting": rule_learner("VotingRulesClassifier"),
}
# Those that also copy a forest.
COPIERS: dict[str, Method] = METHODS | {
    "global-tree": global_tree_model.METHOD,
    "trepan": trepan_model.METHOD,
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
