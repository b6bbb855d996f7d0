"""The house rules that a program can check: imports run one way, names, files, notebooks."""

import ast
import json
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]

# A part may import parts of a lower rank; those of rank 0 also each other. A new module is given its place here.
RANKS = {
    "mlrx.rules": 0,
    "mlrx.bits": 0,
    "mlrx.metrics": 0,
    "mlrx.progress": 0,
    "mlrx.files": 0,
    "mlrx.binarize": 1,
    "mlrx.datasets": 1,
    "mlrx.table": 1,
    "mlrx.targets": 1,
    "mlrx.learner": 2,
    "mlrx.corset": 3,
    "mlrx.guided": 3,
    "mlrx.lionforests": 3,
    "mlrx.models": 3,
    "mlrx.voting": 3,
    "mlrx": 4,
    "mlrx.plotting": 4,
    "mlrx.cli": 4,
    "mlrx.__main__": 5,
    "mlrx.widgets": 5,
    "experiments": 6,
    "benchmarks": 7,
}
BANNED_PARTS = {"head", "heads", "tail", "tails", "body", "bodies"}
HEAVY = ("matplotlib", "papermill", "mlrl", "pooch", "mlxtend", "typer", "rich", "dask", "lime", "anchor")
HEAVY += ("IPython", "ipywidgets")
MACHINE_PATH = re.compile(r"(?<![\w.~])/(?:work|root|home|Users|farm|tmp)/\w")
REGISTRY_HOST = re.compile(r"(?i)(?:pypi|pythonhosted|registry\.npmjs|deb\.debian|anaconda)\.(?:org|com)")


def sources(*packages: str) -> list[Path]:
    return sorted(path.relative_to(ROOT) for package in packages for path in (ROOT / package).rglob("*.py"))


def tracked_files() -> list[Path]:
    """Files that are tracked or would be added: everything that is there and not ignored."""
    listing = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    names = subprocess.run(listing, cwd=ROOT, capture_output=True, text=True, check=True).stdout.split("\0")
    return [ROOT / name for name in names if name and (ROOT / name).is_file()]


# Imports.


def part_of(module: str) -> str | None:
    """The longest listed part that holds the module; None for other people's."""
    if module.split(".")[0] not in RANKS:
        return None
    pieces = module.split(".")
    if pieces[0] == "mlrx" and len(pieces) > 1:
        return ".".join(pieces[:2])
    return pieces[0]


def module_name(path: Path) -> str:
    pieces = path.with_suffix("").parts
    return ".".join(pieces[:-1] if pieces[-1] == "__init__" else pieces)


def imported_modules(source: str, path: Path) -> Iterator[str]:
    """Every module that the source imports, relative ones resolved, inside functions too."""
    package = list(path.parent.parts)
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else []
            module = ".".join([*base, *(node.module or "").split(".")]).strip(".")
            for alias in node.names:
                submodule = f"{module}.{alias.name}"
                yield submodule if submodule in RANKS else module


def wrong_imports(source: str, path: Path) -> list[str]:
    importer = part_of(module_name(path))
    if importer not in RANKS:
        return [f"{path}: give {importer} a rank in {Path(__file__).name}"]
    faults = []
    for module in imported_modules(source, path):
        imported = part_of(module)
        if imported is None or imported == importer:
            continue
        own_rank, rank = RANKS[importer], RANKS.get(imported, 99)
        if not (rank < own_rank or rank == own_rank == 0):
            faults.append(f"{path}: {importer} must not import {imported}")
    return faults


def test_imports_run_one_way():
    paths = sources("mlrx", "experiments", "benchmarks")
    assert paths
    assert [fault for path in paths for fault in wrong_imports((ROOT / path).read_text("utf-8"), path)] == []


@pytest.mark.parametrize(
    ("path", "source", "n_faults"),
    [
        ("mlrx/rules/text.py", "from .condition import Condition", 0),
        ("mlrx/metrics.py", "from .bits import popcount", 0),
        ("mlrx/corset/classifier.py", "from mlrx.binarize import FeatureBinarizer\nfrom ..rules import Rule", 0),
        ("mlrx/__init__.py", "from .corset import CorsetClassifier", 0),
        ("experiments/run.py", "from mlrx import CorsetClassifier, plotting", 0),
        ("mlrx/rules/text.py", "def f():\n    from ..corset.objective import area", 1),
        ("mlrx/corset/classifier.py", "import mlrx.lionforests", 1),
        ("mlrx/lionforests/paths.py", "from .. import corset, rules", 1),
        ("mlrx/binarize.py", "from .datasets import load_dataset", 1),
        ("mlrx/corset/classifier.py", "from mlrx import FeatureBinarizer", 1),
        ("mlrx/corset/classifier.py", "from mlrx import plotting", 1),
        ("mlrx/__init__.py", "from . import plotting", 1),
        ("mlrx/widgets/strips.py", "from ..plotting.style import COLOURS", 0),
        ("mlrx/plotting/style.py", "from ..widgets import Explorer", 1),
        ("mlrx/datasets/data.py", "import experiments.run", 1),
        ("mlrx/helpers.py", "", 1),
        ("mlrx/rules/text.py", "from mlrx.helpers import f", 1),
    ],
)
def test_one_way_rule_tells_right_from_wrong(path, source, n_faults):
    assert len(wrong_imports(source, Path(path))) == n_faults


def test_import_is_light():
    code = "import sys, mlrx; print(*sorted({name.split('.')[0] for name in sys.modules}))"
    loaded = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert sorted(set(HEAVY) & set(loaded.stdout.split())) == []


# Names.


def parameters(function: ast.FunctionDef | ast.AsyncFunctionDef) -> Iterator[str]:
    signature = function.args
    for argument in (*signature.posonlyargs, *signature.args, *signature.kwonlyargs, signature.vararg, signature.kwarg):
        if argument is not None:
            yield argument.arg


def assigned(tree: ast.AST) -> Iterator[ast.Name | ast.Attribute]:
    """Names and attributes that the assignments inside a node set."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Name | ast.Attribute) and isinstance(node.ctx, ast.Store):
            yield node


def public_names(tree: ast.AST) -> Iterator[str]:
    """Names of classes, functions, their parameters, constants, fields and attributes, unless private."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            if node.name.startswith("_") and node.name != "__init__":
                continue
            yield node.name
            if isinstance(node, ast.ClassDef):
                yield from public_names(node)
            else:
                yield from parameters(node)  # of what a function assigns, only attributes are seen from outside
                yield from (leaf.attr for leaf in assigned(node) if isinstance(leaf, ast.Attribute))
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            yield from (leaf.id for leaf in assigned(node) if isinstance(leaf, ast.Name))


def banned(name: str) -> bool:
    parts = re.findall(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])", name)
    return not name.startswith("_") and bool(BANNED_PARTS & {part.lower() for part in parts})


def test_public_names_avoid_words_with_two_meanings():
    faults = []
    for path in sources("mlrx", "experiments", "benchmarks"):
        names = [*path.with_suffix("").parts, *public_names(ast.parse((ROOT / path).read_text("utf-8")))]
        faults += [f"{path}: {name}" for name in names if banned(name)]
    assert faults == []


def test_banned_words_are_seen_wherever_a_public_name_is_made():
    source = """
HEAD = 1
header = 2
class RuleTail:
    body_length: int
    def __init__(self, x):
        self.n_heads_ = x
def grow(rule_body, *, tail=None):
    head = rule_body.head()
    return head
def _private(tail):
    pass
"""
    found = [name for name in public_names(ast.parse(source)) if banned(name)]
    assert found == ["HEAD", "RuleTail", "body_length", "n_heads_", "rule_body", "tail"]


# Files.


def lines_matching(pattern: re.Pattern, text: str) -> list[int]:
    return [number for number, line in enumerate(text.splitlines(), 1) if pattern.search(line)]


@pytest.mark.parametrize("pattern", [MACHINE_PATH, REGISTRY_HOST], ids=["machine path", "registry host"])
def test_tracked_files_name_no(pattern):
    faults = []
    for path in tracked_files():
        text = path.read_bytes().decode("utf-8", errors="ignore")
        faults += [f"{path.relative_to(ROOT)}:{number}" for number in lines_matching(pattern, text)]
    assert faults == []


@pytest.mark.parametrize(
    ("pattern", "pieces", "found"),
    [
        (MACHINE_PATH, ["see ", "/home", "/someone"], True),
        (MACHINE_PATH, ["file://", "/Users", "/someone"], True),
        (MACHINE_PATH, ["https://host.org", "/home", "/page"], False),
        (MACHINE_PATH, ["results", "/tmp", "/x"], False),
        (REGISTRY_HOST, ["https://files.python", "hosted.org", "/x"], True),
        (REGISTRY_HOST, ["PyPI", ".org"], True),
        (REGISTRY_HOST, ["https://arxiv", ".org"], False),
    ],
)
def test_patterns_tell_right_from_wrong(pattern, pieces, found):
    assert bool(pattern.search("".join(pieces))) is found


def test_python_files_are_short():
    paths = sources("mlrx", "experiments", "benchmarks", "tests")
    n_lines = {str(path): len((ROOT / path).read_text("utf-8").splitlines()) for path in paths}
    assert {path: n for path, n in n_lines.items() if n > 450} == {}


# Notebooks.


def notebook_faults(notebook: dict) -> list[str]:
    code = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
    tagged = [cell for cell in code if "parameters" in cell["metadata"].get("tags", [])]
    faults = []
    if any(cell["outputs"] or cell["execution_count"] for cell in code):
        faults.append("has outputs")
    if len(tagged) != 1:
        faults.append(f"has {len(tagged)} cells tagged parameters, not 1")
    if notebook["metadata"].get("kernelspec", {}).get("name") != "python3":
        faults.append("does not name the kernel python3, which is the environment's own")
    if any(re.search(r"^\s*(?:def|class) ", "".join(cell["source"]), re.MULTILINE) for cell in code):
        faults.append("defines functions or classes")
    return faults


def test_notebooks_are_thin_and_without_outputs():
    paths = [path for path in tracked_files() if path.suffix == ".ipynb"]
    faults = {path.name: notebook_faults(json.loads(path.read_text("utf-8"))) for path in paths}
    assert {name: found for name, found in faults.items() if found} == {}


def test_notebook_check_tells_right_from_wrong():
    cell = {"cell_type": "code", "metadata": {"tags": ["parameters"]}, "outputs": [], "execution_count": None}
    good = {"cells": [cell | {"source": ["seed = 0"]}], "metadata": {"kernelspec": {"name": "python3"}}}
    bad_cell = {
        "cell_type": "code",
        "metadata": {},
        "outputs": [],
        "execution_count": 3,
        "source": ["def f():\n", "  1"],
    }
    assert notebook_faults(good) == []
    assert len(notebook_faults({"cells": [bad_cell], "metadata": {}})) == 4
