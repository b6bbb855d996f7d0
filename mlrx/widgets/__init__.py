"""Explorers for notebooks: of rules on rows, of a forest's explanations, of sweeps; needs the extra ``notebooks``.

What an explorer shows is computed by pure functions; the widgets hand them what was chosen. JupyterLab shows the
widgets, and whatever shows no widgets shows the text or the HTML of the present choice.
"""

try:
    from .explanations import ExplanationExplorer, explore_explanation
    from .explorer import Explorer
    from .rules import RuleExplorer, explore_rules
    from .sweeps import SweepExplorer, explore_sweep
except ModuleNotFoundError as error:
    install = "python -m pip install '.[notebooks]' in the checkout"
    told = f"mlrx.widgets needs {error.name}, of the extra notebooks: {install}"
    raise ModuleNotFoundError(told, name=error.name) from error

__all__ = [
    "ExplanationExplorer",
    "Explorer",
    "RuleExplorer",
    "SweepExplorer",
    "explore_explanation",
    "explore_rules",
    "explore_sweep",
]
