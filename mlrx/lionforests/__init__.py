"""LionForests: rules that explain the predictions of a multi-label forest, and proofs that they hold."""

from .cells import Box, ForestCells
from .certificate import Certificate, certify
from .explainer import LionForestsExplainer
from .explanation import Explanation, Explanations
from .forest import FlatForest
from .forest_file import SavedForest, read_forest, write_forest
from .onehot import OneHot
from .saved import load_forest
from .violation import Target, Verdict, find_violation

__all__ = [
    "Box",
    "Certificate",
    "Explanation",
    "Explanations",
    "FlatForest",
    "ForestCells",
    "LionForestsExplainer",
    "OneHot",
    "SavedForest",
    "Target",
    "Verdict",
    "certify",
    "find_violation",
    "load_forest",
    "read_forest",
    "write_forest",
]
