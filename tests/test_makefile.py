"""`make setup` on a stand-in for Python that only writes down what it was asked: when work is done, and when not."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
TARGETS = ["help", "setup", "data", "test", "test-browser", "lint", "reproduce", "publish", "audit", "sweep", "lab"]
TARGETS += ["bench", "docs", "clean"]
BY_THEMSELVES = set(TARGETS) - {"help", "setup", "clean", "test-browser"}
STAND_IN = """#!/bin/sh
case "$*" in
    "-m venv --clear .venv") rm -rf .venv && mkdir -p .venv/bin && cp "$0" .venv/bin/python && echo venv >> calls ;;
    *"-r requirements.lock") echo packages >> calls && test ! -e broken ;;
    *"-e .") echo project >> calls ;;
    "-m "*) echo "$*" >> calls ;;
esac
"""


class Checkout:
    """A folder with the Makefile, a lock, a project file and the stand-in."""

    def __init__(self, folder: Path):
        folder.mkdir()
        self.folder = folder
        shutil.copy(ROOT / "Makefile", folder)
        (folder / "requirements.lock").write_text("a==1\n")
        (folder / "pyproject.toml").write_text("[project]\n")
        (folder / "python").write_text(STAND_IN)
        (folder / "python").chmod(0o755)

    def make(self, *arguments: str, python: str = "./python") -> subprocess.CompletedProcess:
        inherited = {
            name: value for name, value in os.environ.items() if name not in {"MAKEFLAGS", "MAKELEVEL", "MFLAGS"}
        }
        command = ["make", "--no-print-directory", *arguments]
        return subprocess.run(
            command, cwd=self.folder, env=inherited | {"PYTHON": python}, capture_output=True, text=True, check=False
        )

    def calls(self) -> list[str]:
        """What the stand-in was asked since the last look."""
        log = self.folder / "calls"
        lines = log.read_text().splitlines() if log.exists() else []
        log.unlink(missing_ok=True)
        return lines


@pytest.fixture
def checkout(tmp_path: Path) -> Checkout:
    return Checkout(tmp_path / "with a blank")


def test_setup_runs_once(checkout):
    assert checkout.make("setup").returncode == 0
    assert checkout.calls() == ["venv", "packages", "project"]
    assert checkout.make("setup").returncode == 0
    assert checkout.calls() == []


def test_setup_looks_at_contents_not_at_times(checkout):
    checkout.make("setup")
    checkout.calls()
    for name in ("requirements.lock", "pyproject.toml"):
        os.utime(checkout.folder / name, (4e9, 4e9))
    checkout.make("setup")
    assert checkout.calls() == []


def test_setup_redoes_what_changed(checkout):
    checkout.make("setup")
    checkout.calls()
    (checkout.folder / "pyproject.toml").write_text("[project]\nname = 'x'\n")
    checkout.make("setup")
    assert checkout.calls() == ["project"]
    (checkout.folder / "requirements.lock").write_text("a==2\n")
    checkout.make("setup")
    assert checkout.calls() == ["venv", "packages", "project"]


def test_setup_cut_short_does_not_count(checkout):
    (checkout.folder / "broken").touch()
    assert checkout.make("test").returncode != 0
    assert checkout.calls() == ["venv", "packages"]
    (checkout.folder / "broken").unlink()
    assert checkout.make("setup").returncode == 0
    assert checkout.calls() == ["venv", "packages", "project"]


def test_setup_repairs_a_lost_interpreter_and_a_moved_checkout(checkout):
    checkout.make("setup")
    checkout.calls()
    (checkout.folder / ".venv" / "bin" / "python").unlink()
    checkout.make("setup")
    assert checkout.calls() == ["venv", "packages", "project"]
    checkout.folder = checkout.folder.rename(checkout.folder.with_name("moved"))
    checkout.make("setup")
    assert checkout.calls() == ["project"]


def test_setup_without_a_fitting_python_says_what_is_wanted(checkout):
    result = checkout.make("setup", python="false no-such-python")
    assert result.returncode != 0
    assert "No Python 3.11, 3.12 or 3.13" in result.stderr
    assert "false no-such-python" in result.stderr
    assert not (checkout.folder / ".venv").exists()


def test_setup_takes_the_first_python_that_fits(checkout):
    assert checkout.make("setup", python="false ./python no-such-python").returncode == 0
    assert checkout.calls() == ["venv", "packages", "project"]


@pytest.mark.parametrize("target", sorted(BY_THEMSELVES))
def test_every_target_sets_up_by_itself(checkout, target):
    assert checkout.make(target).returncode == 0
    calls = checkout.calls()
    assert calls[:3] == ["venv", "packages", "project"]
    assert len(calls) > 3


def test_tests_do_not_start_when_lint_fails(checkout):
    checkout.make("setup")
    checkout.calls()
    (checkout.folder / ".venv" / "bin" / "python").write_text('#!/bin/sh\necho "$*" >> calls\ntest "$2" != ruff\n')
    assert checkout.make("test").returncode != 0
    assert checkout.calls() == ["-c ", "-m ruff check"]


def test_browser_test_installs_nothing_and_says_what_is_missing(checkout):
    result = checkout.make("test-browser", "BROWSER=/usr/bin/chromium")
    assert result.returncode != 0
    assert ".venv is missing or not made from requirements.lock; make it: make setup" in result.stderr
    assert checkout.calls() == []
    checkout.make("setup")
    checkout.calls()
    result = checkout.make("test-browser", "BROWSER=")
    assert result.returncode != 0
    assert "no Chromium on the path" in result.stderr
    assert checkout.calls() == []
    assert checkout.make("test-browser", "BROWSER=/usr/bin/chromium").returncode == 0
    assert checkout.calls() == ["-m pytest tests/browser"]
    (checkout.folder / "requirements.lock").write_text("a==2\n")
    assert checkout.make("test-browser", "BROWSER=/usr/bin/chromium").returncode != 0


def test_sweep_runs_the_given_config(checkout):
    checkout.make("sweep")
    assert checkout.calls()[-1] == "-m experiments sweep configs/sweep_diversity_pool.yaml"
    checkout.make("sweep", "SWEEP=configs/other.yaml")
    assert checkout.calls()[-1] == "-m experiments sweep configs/other.yaml"


def test_help_is_the_default_and_lists_every_target(checkout):
    listed = [line.split()[0] for line in checkout.make().stdout.splitlines() if line.startswith("  ")]
    assert listed[: len(TARGETS)] == TARGETS
    assert checkout.calls() == []
