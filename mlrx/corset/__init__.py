"""CORSET: rules sampled by uncovered area and discriminativity, chosen for quality and diversity."""

from .classifier import CorsetClassifier

__all__ = ["CorsetClassifier"]
