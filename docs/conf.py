"""Settings of the documentation site; `make docs` builds it."""

import tomllib
from pathlib import Path

PROJECT = tomllib.loads((Path(__file__).resolve().parents[1] / "pyproject.toml").read_text("utf-8"))["project"]

project = PROJECT["name"]
version = release = PROJECT["version"]
extensions = ["myst_parser", "sphinx.ext.autodoc", "numpydoc"]
exclude_patterns = ["build"]
default_role = "code"
html_theme = "furo"
html_title = f"{project} {version}"
html_copy_source = False
html_show_copyright = False
html_show_search_summary = False  # it would ask a server for each page found
smartquotes = False

myst_enable_extensions = ["colon_fence"]
myst_heading_anchors = 3

# Docstrings are numpydoc; fields stand in the text of their class, and what scikit-learn adds is described there.
numpydoc_show_class_members = False
autodoc_typehints = "none"
autodoc_member_order = "bysource"
autodoc_default_options = {
    "members": True,
    "exclude-members": "set_fit_request, set_predict_request, set_score_request, set_transform_request",
}


def without_fields(app, what, name, obj, skip, options):
    """Leave out the fields of dataclasses and named tuples, which the text of their class describes."""
    kind = type(obj).__name__
    return True if kind in ("member_descriptor", "_tuplegetter") else None


def setup(app):
    """Connect what leaves out members."""
    app.connect("autodoc-skip-member", without_fields)
