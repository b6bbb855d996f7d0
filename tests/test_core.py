"""What is called the core does with the core's packages alone."""

import subprocess
import sys
import tomllib
from importlib.metadata import PackageNotFoundError, packages_distributions, requires
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
CODE = """
import sys

BLOCKED = set(sys.argv[1].split())


class Refusal:
    def find_spec(self, name, path=None, target=None):
        if name in BLOCKED:
            raise ModuleNotFoundError(f"{name} is no package of the core", name=name)


sys.meta_path.insert(0, Refusal())

from sklearn.ensemble import RandomForestClassifier
from typer.testing import CliRunner

from mlrx import CorsetClassifier, LionForestsExplainer
from mlrx.cli.app import app
from mlrx.datasets import list_datasets, make_ai4i, read_csv
from mlrx.lionforests import write_forest

X, Y = [[0, 1], [1, 1], [1, 0], [0, 0]] * 3, [[0, 1], [1, 1], [1, 0], [0, 0]] * 3
print(CorsetClassifier(2, random_state=0).fit(X, Y).rules_)
forest = RandomForestClassifier(3, random_state=0).fit(X, Y)
print(LionForestsExplainer(forest).fit(X, Y).explain([1, 1], "frequent").to_text())
open("a.csv", "w").write("x0,x1,y0,y1\\n" + "".join(f"{a},{b},{a},{b}\\n" for a, b in X))
write_forest(forest, "f.json")
for line in (
    "fit a.csv --n-labels 2 --n-rules 2 --out m.json",
    "rules m.json --format html",
    "predict m.json a.csv",
    "explain --forest f.json a.csv --row 1",
    "fit --help",
):
    result = CliRunner().invoke(app, line.split())
    assert result.exit_code == 0, (line, result.output, result.exception)
assert len(list_datasets()) > 5
try:
    import mlrx.widgets
except ModuleNotFoundError as error:
    print(error)
"""


def core_packages() -> set[str]:
    """Names of the packages that the core asks for, and of those that they ask for in turn."""
    found, open_ends = set(), [Requirement(line) for line in PROJECT["dependencies"]]
    while open_ends:
        requirement = open_ends.pop()
        name = canonicalize_name(requirement.name)
        if name in found or (requirement.marker and not requirement.marker.evaluate({"extra": ""})):
            continue
        try:
            open_ends += [Requirement(line) for line in requires(name) or ()]
        except PackageNotFoundError:
            continue
        found.add(name)
    return found


def test_core_asks_for_no_package_of_an_extra(tmp_path):
    core = core_packages()
    assert "numpy" in core
    blocked = [
        module
        for module, owners in packages_distributions().items()
        if not core & {canonicalize_name(owner) for owner in owners} and module not in ("mlrx", "experiments")
    ]
    assert {"papermill", "yaml", "pytest", "sphinx"} <= set(blocked)
    environment = {"PYTHONPATH": str(ROOT), "PATH": "", "COLUMNS": "100"}
    command = [sys.executable, "-c", CODE, " ".join(blocked)]
    ended = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stderr
    assert "THEN y0" in ended.stdout
    assert "mlrx.widgets needs ipywidgets, of the extra notebooks: python -m pip install" in ended.stdout
