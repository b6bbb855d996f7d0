"""Rules that vote: few rules give labels small integer points, and a label is predicted from its bar on."""

from .classifier import VotingRulesClassifier
from .pointrules import PointRule, PointRules
from .sheet import ScoreSheet

__all__ = ["PointRule", "PointRules", "ScoreSheet", "VotingRulesClassifier"]
