"""Pages of the documentation as programs: their blocks are executed in order, in a folder of their own."""

import contextlib
import io
import re
import shlex
import subprocess
import tomllib
from importlib.metadata import entry_points
from pathlib import Path

from typer.testing import CliRunner

from experiments.__main__ import app as experiments
from mlrx.cli.app import app as mlrx
from mlrx.datasets.__main__ import app as datasets

ROOT = Path(__file__).resolve().parents[1]
PAGES = sorted(path.relative_to(ROOT) for path in [ROOT / "README.md", *(ROOT / "docs").rglob("*.md")])
_BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.DOTALL | re.MULTILINE)


def blocks(text: str) -> list[tuple[str, str]]:
    """Language and content of each fenced block that names a language."""
    return [(match[1], match[2]) for match in _BLOCK.finditer(text)]


def run_page(text: str) -> list[tuple[str, str]]:
    """Execute the blocks `python` and `sh` of a page in the current folder; return (shown, printed) for each `text`."""
    names, printed, shown = {}, "", []
    for language, content in blocks(text):
        if language == "python":
            printed = _captured(content, names)
        elif language == "sh":
            printed = "".join(run_command(command) for command in commands(content))
        elif language == "text":
            shown.append((content, printed))
    return shown


def _captured(code: str, names: dict) -> str:
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(code, names)
    return printed.getvalue()


def commands(block: str) -> list[list[str]]:
    """Words of each command of a block of shell lines, without comments."""
    lines = block.replace("\\\n", " ").splitlines()
    return [words for words in (shlex.split(line, comments=True) for line in lines) if words]


def run_command(words: list[str]) -> str:
    """Execute a command in smoke size and return what it prints to standard output."""
    match words:
        case ["mlrx", *rest]:
            return _invoke(mlrx, rest)
        case ["mlrx-datasets", *rest]:
            return _invoke(datasets, rest)
        case [".venv/bin/python", "-m", "experiments", "sweep", "status", *rest]:
            return _invoke(experiments, ["sweep", "status", *rest], codes=(0, 1))  # 1: there are points to run
        case [".venv/bin/python", "-m", "experiments", "sweep", *rest]:
            return _invoke(experiments, ["sweep", *(word for word in rest if word != "--dry-run"), "--dry-run"])
        case ["make", *rest]:  # what the targets do has tests of its own; here, that there is one
            command = ["make", "--no-print-directory", "--dry-run", *rest]
            assert subprocess.run(command, cwd=ROOT, capture_output=True, check=False).returncode == 0, words
        case ["python", "-m", "pip", "install", what]:  # tried by hand: a test has no network
            project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
            assert re.fullmatch(r"\.(\[\w+\])?", what), words
            assert what == "." or what[2:-1] in project["optional-dependencies"], words
        case ["dask", command, *_]:
            assert command in entry_points(group="dask_cli").names, words
        case _:
            raise AssertionError(f"a command that no test executes: {shlex.join(words)}")
    return ""


def _invoke(app, arguments: list[str], codes: tuple[int, ...] = (0,)) -> str:
    with contextlib.chdir(ROOT) if app is experiments else contextlib.nullcontext():
        result = CliRunner().invoke(app, arguments)
    assert result.exit_code in codes, (arguments, result.output, result.exception)
    return result.stdout
