"""LionForests: rules that explain the predictions of a multi-label forest, and proofs that they hold."""

from .cells import Box, ForestCells
from .certificate import Certificate, certify
from .forest import FlatForest
from .violation import Target, Verdict, find_violation

__all__ = ["Box", "Certificate", "FlatForest", "ForestCells", "Target", "Verdict", "certify", "find_violation"]
