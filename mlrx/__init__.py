"""mlrx: multi-label rules, learned from data or from the decision of a forest."""

from .binarize import FeatureBinarizer
from .corset import CorsetClassifier
from .guided import GuidedRulesClassifier
from .lionforests import Explanation, LionForestsExplainer
from .rules import Condition, Rule, RuleSet
from .voting import PointRules, VotingRulesClassifier

__version__ = "0.1.0"
__all__ = [
    "Condition",
    "CorsetClassifier",
    "Explanation",
    "FeatureBinarizer",
    "GuidedRulesClassifier",
    "LionForestsExplainer",
    "PointRules",
    "Rule",
    "RuleSet",
    "VotingRulesClassifier",
]
