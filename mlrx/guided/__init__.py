"""Rules guided by F1: each is chosen for what it adds to the F1 of the union."""

from .classifier import GuidedRulesClassifier

__all__ = ["GuidedRulesClassifier"]
