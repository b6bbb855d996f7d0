"""The documentation site: it is built without a warning, and asks no server for anything."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
# What a browser loads by itself; a link to click is another thing.
LOADED = re.compile(r"""<(?:script|img|iframe|source)\b[^>]*\bsrc="((?:https?:)?//[^"]+)
    |<link\b[^>]*\bhref="((?:https?:)?//[^"]+)
    |(?:@import|url\()\s*["']?((?:https?:)?//[^"')]+)""", re.VERBOSE)  # fmt: skip


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    folder = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "sphinx", "-q", "-W", "--keep-going", "-E", "-b", "html", "-d", folder / "trees"]
    ended = subprocess.run([*command, ROOT / "docs", folder / "html"], capture_output=True, text=True, check=False)
    assert (ended.returncode, ended.stderr) == (0, "")
    return folder / "html"


def test_site_loads_nothing_from_elsewhere(site):
    pages = [*site.rglob("*.html"), *site.rglob("*.css")]
    assert len(pages) > 20
    assert {str(page): LOADED.findall(page.read_text("utf-8")) for page in pages} == {str(page): [] for page in pages}


@pytest.mark.parametrize(
    ("text", "is_loaded"),
    [
        ('<script async src="https://a.org/x.js">', True),
        ('<link rel="stylesheet" href="//a.org/x.css">', True),
        ('@import "https://a.org/x.css"', True),
        ("src: url(https://a.org/x.woff)", True),
        ('<a href="https://a.org">', False),
        ('<script src="_static/x.js">', False),
        ("url('data:image/svg+xml;charset=utf-8,<svg xmlns=\"http://www.w3.org/2000/svg\"')", False),
    ],
)
def test_what_is_loaded_is_told_from_links(text, is_loaded):
    assert bool(LOADED.search(text)) is is_loaded


def test_reference_has_what_is_public(site):
    listed = (site / "genindex.html").read_text("utf-8")
    for name in ("CorsetClassifier", "LionForestsExplainer", "find_violation", "read_csv", "write_model", "plot_paths"):
        assert f"{name} (" in listed or f"{name}()" in listed, name
