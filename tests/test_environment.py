"""The environment: the lock, what it leaves out, conda's file, and the version that three files state."""

import re
import tomllib
from pathlib import Path

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parents[1]
SETTINGS = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
PROJECT, GROUPS = SETTINGS["project"], SETTINGS["dependency-groups"]
LOCK = (ROOT / "requirements.lock").read_text("utf-8")
REQUIRED = [
    "jupyterlab",
    "numpy",
    "scipy",
    "pandas",
    "scikit-learn",
    "mlxtend",
    "lime",
    "anchor-exp",
    "matplotlib",
    "papermill",
    "liac-arff",
    "numba",
    "mlrl-boomer",
    "pooch",
    "dask[distributed]",
    "ipywidgets",
    "rich",
    "typer",
]


def named(requirement: Requirement) -> str:
    extras = f"[{','.join(sorted(requirement.extras))}]" if requirement.extras else ""
    return canonicalize_name(requirement.name) + extras


def declared() -> list[Requirement]:
    """What pyproject.toml asks for, all extras included."""
    groups = [PROJECT["dependencies"], *PROJECT["optional-dependencies"].values()]
    return [Requirement(line) for group in groups for line in group]


def locked(python: str) -> dict[str, Requirement]:
    """What the lock installs on Linux x86-64 for a Python version, by name."""
    lines = (line.removesuffix("\\") for line in LOCK.splitlines() if line and line[0] not in " #")
    system = {
        "python_version": python,
        "python_full_version": f"{python}.9",
        "sys_platform": "linux",
        "platform_machine": "x86_64",
        "os_name": "posix",
    }
    requirements = (Requirement(line.strip()) for line in lines)
    return {r.name: r for r in requirements if r.marker is None or r.marker.evaluate(system)}


def test_required_packages_are_declared():
    assert sorted(set(REQUIRED) - {named(requirement) for requirement in declared()}) == []


@pytest.mark.parametrize("python", ["3.11", "3.12", "3.13"])
def test_lock_satisfies_what_is_declared(python):
    pins = locked(python)
    for requirement in declared():
        (pin,) = pins[canonicalize_name(requirement.name)].specifier
        assert pin.operator == "=="
        assert requirement.specifier.contains(pin.version), f"{requirement} but locked {pin.version} on {python}"


def test_lock_leaves_out_what_tables_do_not_need():
    assert {"spacy", "scikit-image"} & set(locked("3.11")) == set()


def test_extras_outside_the_lock_stay_outside():
    assert list(GROUPS) == ["bellatrex", "pyxai", "te2rules"]
    outside = {canonicalize_name(Requirement(line).name) for lines in GROUPS.values() for line in lines}
    assert outside & set(locked("3.11")) == set()


def test_every_locked_package_has_a_hash():
    entries = re.split(r"^(?=[a-z0-9])", LOCK, flags=re.MULTILINE)
    assert [entry.split()[0] for entry in entries if entry.strip() and "--hash=sha256:" not in entry] == []


def test_conda_file_names_the_declared_packages_at_the_locked_versions():
    conda = yaml.safe_load((ROOT / "environment.yml").read_text("utf-8"))["dependencies"]
    (python,) = (entry.removeprefix("python=") for entry in conda if str(entry).startswith("python="))
    (lines,) = (entry["pip"] for entry in conda if isinstance(entry, dict))
    pins = locked(python)
    expected = {named(r): str(pins[canonicalize_name(r.name)].specifier) for r in declared()}
    assert {named(r): str(r.specifier) for r in map(Requirement, lines)} == expected


def test_one_version_is_stated_everywhere():
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text("utf-8"))
    assert citation["version"] == PROJECT["version"]
    assert citation["license"] == PROJECT["license"]


def test_extras_are_those_that_the_documentation_lists():
    page = (ROOT / "docs" / "guide" / "install.md").read_text("utf-8")
    listed = re.findall(r"^\| `(\w+)` \|", page, re.MULTILINE)
    assert sorted(listed) == sorted(PROJECT["optional-dependencies"])
