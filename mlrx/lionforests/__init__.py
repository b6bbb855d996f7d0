"""LionForests: rules that explain the predictions of a multi-label forest, and proofs that they hold."""

from .forest import FlatForest

__all__ = ["FlatForest"]
