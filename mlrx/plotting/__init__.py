"""Pictures of results, rules and forests, on matplotlib alone; every function returns what it drew on."""

from .dependence import plot_partial_dependence
from .flow import plot_path_flow
from .forest_matrix import plot_closest_paths, plot_forest_matrix, plot_used_paths
from .growth import plot_coverage_growth
from .heat_maps import plot_heat_maps
from .instances import plot_instances
from .intervals import plot_intervals
from .label_graph import plot_label_graph
from .map import plot_paths
from .ranks import compare_ranks, plot_critical_difference
from .row_paths import RowPaths
from .rule_matrix import plot_rule_matrix
from .scores import plot_against_parameter, plot_against_rules, plot_methods
from .summary import plot_feature_summary
from .trade_off import plot_trade_off

__all__ = [
    "RowPaths",
    "compare_ranks",
    "plot_against_parameter",
    "plot_against_rules",
    "plot_closest_paths",
    "plot_coverage_growth",
    "plot_critical_difference",
    "plot_feature_summary",
    "plot_forest_matrix",
    "plot_heat_maps",
    "plot_instances",
    "plot_intervals",
    "plot_label_graph",
    "plot_methods",
    "plot_partial_dependence",
    "plot_path_flow",
    "plot_paths",
    "plot_rule_matrix",
    "plot_trade_off",
    "plot_used_paths",
]
