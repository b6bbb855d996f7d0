"""Condition, Rule and RuleSet: rules are data; text, JSON, tables and HTML are derived from it."""

from .columns import TableColumns, category_texts
from .condition import Condition, Rule, covered_rows, merge_conditions, opposite
from .covering import CoveringRules
from .ruleset import FEATURE_KINDS, RuleSet, rule_from_dict, rule_to_dict
from .text import BINARY_CUT, format_condition, format_rule, parse_rule

__all__ = [
    "BINARY_CUT",
    "FEATURE_KINDS",
    "Condition",
    "CoveringRules",
    "Rule",
    "RuleSet",
    "TableColumns",
    "category_texts",
    "covered_rows",
    "format_condition",
    "format_rule",
    "merge_conditions",
    "opposite",
    "parse_rule",
    "rule_from_dict",
    "rule_to_dict",
]
