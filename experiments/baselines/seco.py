"""SeCo: a multi-label decision list learned by separate-and-conquer (package mlrl-seco), in a process of its own."""

from __future__ import annotations

from functools import partial

from . import boomer
from .method import Method

# `fit` and `check` of BOOMER, whose package SeCo shares; the last rule of the list is its default rule.
METHOD = Method(partial(boomer.fit, learner="SeCo"), partial(boomer.check, learner="SeCo"))
