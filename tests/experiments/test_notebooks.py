import asyncio
import math
import os
import socket
import sys
from pathlib import Path

import nbformat
import numpy as np
import pytest

from experiments.notebooks import check_parameters, execute, parameter_names
from experiments.values import from_json


@pytest.fixture
def make_notebook(tmp_path):
    """Write a notebook; a cell is its source, or (source, tag)."""

    def make(*cells: str | tuple[str, str], kernel: str | None = None) -> Path:
        notebook = nbformat.v4.new_notebook()
        if kernel:
            notebook.metadata["kernelspec"] = {"name": kernel, "display_name": kernel, "language": "python"}
        for cell in cells:
            source, tags = (cell, []) if isinstance(cell, str) else (cell[0], [cell[1]])
            notebook.cells.append(nbformat.v4.new_code_cell(source, metadata={"tags": tags}))
        path = tmp_path / "given.ipynb"
        nbformat.write(notebook, path)
        return path

    return make


@pytest.fixture
def no_kernel(monkeypatch):
    monkeypatch.setattr("experiments.notebooks._run", lambda *_: pytest.fail("a kernel was started"))


def test_notebook_without_parameters_cell_is_refused(make_notebook, no_kernel, tmp_path):
    """papermill puts values above such a cell, where they have no effect, and reports success."""
    notebook = make_notebook("lam=1", "print(lam)")
    with pytest.raises(ValueError, match=r"given\.ipynb has no cell tagged 'parameters'"):
        execute(notebook, tmp_path / "out.ipynb", {"lam": 5})
    assert not (tmp_path / "out.ipynb").exists()


def test_notebook_with_two_parameters_cells_is_refused(make_notebook):
    notebook = make_notebook(("a=1", "parameters"), ("b=1", "parameters"))
    with pytest.raises(ValueError, match="2 cells tagged 'parameters'"):
        check_parameters(notebook, {})


@pytest.mark.parametrize("line", ["%matplotlib inline", "!ls", "a = ("])
def test_parameters_cell_that_is_not_plain_python_is_refused_by_place(make_notebook, no_kernel, tmp_path, line):
    """A magic there once gave a SyntaxError that named no notebook."""
    notebook = make_notebook("import os", (f"a = 1\n{line}", "parameters"))
    with pytest.raises(ValueError, match=r"given\.ipynb, cell 2, tagged 'parameters', is not plain Python \(line 2: "):
        execute(notebook, tmp_path / "out.ipynb", {"a": 5})


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("lambda", "'lambda' is a Python keyword .* call it 'diversity_weight'"),
        ("class", "'class' is a Python keyword"),
        ("a b", "'a b' is no Python identifier"),
        ("1st", "'1st' is no Python identifier"),
        (3, "parameter 3 is no Python identifier"),
        ("pool_siz", "no parameter 'pool_siz'; did you mean 'pool_size'"),
        ("helper", "no parameter 'helper'; allowed are diversity_weight, pool_size"),
    ],
)
def test_unlawful_and_unknown_names_are_refused_before_a_kernel_starts(
    make_notebook, no_kernel, tmp_path, name, message
):
    notebook = make_notebook(("diversity_weight = 1.0\npool_size: int = 5", "parameters"), "helper = 1")
    with pytest.raises(ValueError, match=message):
        execute(notebook, tmp_path / "out.ipynb", {name: 5})


def test_values_that_papermill_would_turn_into_text_are_refused(make_notebook, no_kernel, tmp_path):
    notebook = make_notebook(("a = 1", "parameters"))
    with pytest.raises(TypeError, match=r"a is \{1\} of type set"):
        execute(notebook, tmp_path / "out.ipynb", {"a": {1}})


def test_values_reach_the_notebook_unchanged(make_notebook, tmp_path, hard_values):
    given = hard_values | {"scalar": np.float64(0.1)}
    cell = "\n".join(f"{name} = 0" for name in given)
    show = f"from experiments.values import to_json\nprint(to_json({{name: globals()[name] for name in {[*given]}}}))"
    notebook = make_notebook((cell, "parameters"), show)
    before, lines = notebook.read_bytes(), []
    execute(notebook, tmp_path / "new" / "folder" / "out.ipynb", given, lines.append)
    seen = from_json(lines[0])
    assert math.isnan(seen.pop("nan"))
    del given["nan"]
    assert seen == given
    assert [type(seen[name]) for name in ("true", "big", "scalar")] == [bool, int, float]
    assert notebook.read_bytes() == before
    assert (tmp_path / "new" / "folder" / "out.ipynb").exists()


def test_kernel_is_this_python_whatever_the_notebook_or_the_user_says(make_notebook, tmp_path, monkeypatch):
    """A notebook that names a missing kernel once left an output that looked complete."""
    spec = tmp_path / "kernels" / "python3"
    spec.mkdir(parents=True)
    (spec / "kernel.json").write_text('{"argv": ["false"], "display_name": "x", "language": "python"}')
    monkeypatch.setenv("JUPYTER_PATH", str(tmp_path))
    show = (
        "import sys, os; print(sys.executable); print(os.environ['OMP_NUM_THREADS'], os.environ['NUMBA_NUM_THREADS'])"
    )
    notebook = make_notebook(("a = 1", "parameters"), show, kernel="nope-kernel")
    lines = []
    for name in ("OMP_NUM_THREADS", "NUMBA_NUM_THREADS"):
        monkeypatch.delenv(name, raising=False)
    execute(notebook, tmp_path / "out.ipynb", {}, lines.append)
    assert lines == [sys.executable, "1 1"]


def test_failed_cell_and_dead_kernel_leave_no_result(make_notebook, tmp_path):
    output, failed = tmp_path / "out.ipynb", tmp_path / "out.failed.ipynb"
    output.write_text("from an earlier run")
    notebook = make_notebook(("a = 1", "parameters"), "1 / 0", "print('never')")
    with pytest.raises(RuntimeError, match=r"given\.ipynb: cell 3: ZeroDivisionError: division by zero"):
        execute(notebook, output, {"a": 2})
    assert not output.exists()
    assert "ZeroDivisionError" in failed.read_text("utf-8")
    notebook = make_notebook(("a = 1", "parameters"), "import os\nos._exit(1)")
    with pytest.raises(RuntimeError, match="DeadKernelError"):
        execute(notebook, output, {})
    assert not output.exists()
    notebook = make_notebook(("a = 1", "parameters"), "a")
    execute(notebook, output, {})
    assert output.exists()
    assert not failed.exists()


def test_kernel_that_loses_a_port_is_started_again(make_notebook, tmp_path, monkeypatch):
    """Between the choice of a free port and its use by the kernel, another process may take it."""
    from jupyter_client.provisioning.local_provisioner import LocalPortCache

    notebook, lines, given = make_notebook(("a = 1", "parameters"), "print(a)"), [], []
    choose = LocalPortCache.find_available_port
    with socket.create_server(("127.0.0.1", 0)) as taken:

        def lose_the_first(cache, ip):
            given.append(choose(cache, ip) if given else taken.getsockname()[1])
            return given[-1]

        monkeypatch.setattr(LocalPortCache, "find_available_port", lose_the_first)
        execute(notebook, tmp_path / "out.ipynb", {"a": 7}, lines.append)
    assert lines == ["7"]
    assert len(given) == 10


def test_time_limit_ends_a_notebook(make_notebook, tmp_path):
    notebook = make_notebook(("a = 1", "parameters"), "import time\ntime.sleep(60)")
    with pytest.raises(RuntimeError, match=r"given\.ipynb: the time was up"):
        execute(notebook, tmp_path / "out.ipynb", {}, timeout=5)
    assert (tmp_path / "out.failed.ipynb").exists()


def test_notebook_runs_from_within_a_running_event_loop(make_notebook, tmp_path):
    notebook = make_notebook(("a = 1", "parameters"), "print(a)")
    lines = []

    async def cell():
        execute(notebook, tmp_path / "out.ipynb", {"a": 7}, lines.append)

    asyncio.run(cell())
    assert lines == ["7"]


def test_lines_are_handed_on_whole():
    from experiments.notebooks import _Lines

    lines = []
    file = _Lines(lines.append)
    for text in ("run ", "1/2", "\nrun 2/2\n", "rest"):
        file.write(text)
    assert lines == ["run 1/2", "run 2/2"]


def test_names_are_those_that_the_cell_assigns(make_notebook):
    notebook = make_notebook(("a = b = 1\nc: int = 2\n# d = 3", "parameters"), "e = 4")
    assert parameter_names(notebook) == ["a", "b", "c"]


def test_environment_of_the_caller_is_left_alone(make_notebook, tmp_path):
    before = dict(os.environ)
    execute(make_notebook(("a = 1", "parameters")), tmp_path / "out.ipynb", {})
    assert dict(os.environ) == before
