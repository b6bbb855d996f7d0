"""Notebooks: parameters are checked before a kernel starts; papermill executes them with this very Python."""

from __future__ import annotations

import ast
import keyword
import os
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from mlrx.files import write_whole

from .schema import suggest
from .values import plain

# Python words that stand for a parameter in the papers, and the names to use for them.
HINTS = {"lambda": "diversity_weight"}
THREAD_LIMITS = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS"), "1")

STARTS = 3


def check_parameters(notebook: Path, parameters: dict[str, Any]) -> dict[str, Any]:
    """Check parameters against the notebook's cell of parameters.

    Parameters
    ----------
    notebook : Path
    parameters : dict

    Returns
    -------
    dict
        The parameters as plain values.

    Raises
    ------
    ValueError
        When a name is a Python keyword, no identifier, or not assigned in the cell tagged ``parameters``; when there
        is no such cell, or several, or it is not plain Python.
    TypeError
        When a value is not made of None, bool, int, float, str, list and dict.
    """
    for name in parameters:
        if keyword.iskeyword(name):
            hint = f"; call it {HINTS[name]!r}" if name in HINTS else ""
            raise ValueError(f"parameter {name!r} is a Python keyword and cannot be assigned in a notebook{hint}")
        if not isinstance(name, str) or not name.isidentifier():
            raise ValueError(f"parameter {name!r} is no Python identifier")
    known = parameter_names(notebook)
    for name in parameters:
        if name not in known:
            raise ValueError(f"{notebook.name} has no parameter {name!r}{suggest(name, known)}")
    return {name: plain(value, name) for name, value in parameters.items()}


def parameter_names(notebook: Path) -> list[str]:
    """Return the names that the notebook's one cell tagged ``parameters`` assigns."""
    cells = enumerate(_read(notebook).cells, start=1)
    tagged = [(k, cell) for k, cell in cells if "parameters" in cell.metadata.get("tags", [])]
    if len(tagged) != 1:
        count = "no cell" if not tagged else f"{len(tagged)} cells"
        raise ValueError(f"{notebook.name} has {count} tagged 'parameters'; it needs one, or values have no effect")
    ((position, cell),) = tagged
    try:
        statements = ast.parse(cell.source).body
    except SyntaxError as error:
        raise ValueError(
            f"{notebook.name}, cell {position}, tagged 'parameters', is not plain Python "
            f"(line {error.lineno}: {error.msg}); it may hold assignments of literals only, no magics"
        ) from error
    targets = [
        target
        for statement in statements
        if isinstance(statement, ast.Assign | ast.AnnAssign)
        for target in (statement.targets if isinstance(statement, ast.Assign) else [statement.target])
    ]
    return [target.id for target in targets if isinstance(target, ast.Name)]


def execute(
    notebook: Path,
    output: Path,
    parameters: dict[str, Any],
    on_line: Callable[[str], None] | None = None,
    timeout: float | None = None,
) -> None:
    """Execute a notebook with the given parameters, in a kernel of this Python.

    Parameters
    ----------
    notebook : Path
        Never written.
    output : Path
        The executed copy, written when all cells have run. After a failure it is absent, and ``NAME.failed.ipynb``
        beside it shows how far the notebook came.
    parameters : dict
    on_line : callable or None
        Called with every line that the notebook writes to standard output or standard error, as it comes.
    timeout : float or None, default=None
        Seconds that all cells together may take; None is without end.

    Raises
    ------
    ValueError, TypeError
        From `check_parameters`, before a kernel starts.
    RuntimeError
        When a cell failed, the kernel died, or the time was up.

    Notes
    -----
    A kernel that does not start, because another process was faster to take one of its ports, is started again.
    """
    parameters = check_parameters(notebook, parameters)
    failed = output.with_suffix(".failed.ipynb")
    output.unlink(missing_ok=True)
    failed.unlink(missing_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / "executed.ipynb"
        try:
            _start(notebook, copy, parameters, Path(folder), on_line, timeout)
        except Exception as error:
            if copy.exists():
                write_whole(failed, copy.read_text(encoding="utf-8"))
            raise RuntimeError(f"{notebook.name}: {_reason(error)}") from error
        write_whole(output, copy.read_text(encoding="utf-8"))


def _start(*arguments: Any) -> None:
    for attempt in range(1, STARTS + 1):
        try:
            _run(*arguments)
            return
        except RuntimeError as error:
            # No subclass: neither a failed cell nor a kernel that died in one, but a kernel that never answered.
            if type(error) is not RuntimeError or attempt == STARTS:
                raise


def _run(
    notebook: Path,
    copy: Path,
    parameters: dict[str, Any],
    folder: Path,
    on_line: Callable | None,
    timeout: float | None,
) -> None:
    import papermill

    lines = _Lines(on_line) if on_line else None
    end = None if timeout is None else time.monotonic() + timeout
    papermill.execute_notebook(
        _read(notebook),
        copy,
        parameters,
        kernel_name="python3",
        language="python",
        progress_bar=False,
        stdout_file=lines,
        stderr_file=lines,
        kernel_manager_class=_own_kernel(folder),
        # What is left for a cell, in seconds; 0 would be without end.
        timeout_func=end and (lambda _: max(end - time.monotonic(), 0.001)),
    )


def _own_kernel(folder: Path) -> type:
    """Return a kernel manager that starts this Python, whatever kernels and settings the user has."""
    from ipykernel.kernelspec import get_kernel_dict
    from jupyter_client.kernelspec import KernelSpec
    from jupyter_client.manager import AsyncKernelManager
    from traitlets import default

    limits = {name: os.environ.get(name, value) for name, value in THREAD_LIMITS.items()}
    environment = {"IPYTHONDIR": str(folder / "ipython"), **limits}
    # The kernel's own log says no more than papermill raises, and would break into the progress display.
    spec = KernelSpec(**get_kernel_dict(extra_arguments=["--log-level=CRITICAL"]), env=environment)

    class OwnKernelManager(AsyncKernelManager):
        @property
        def kernel_spec(self) -> KernelSpec:
            return spec

        @default("transport_encryption")
        def _encrypt_where_possible(self) -> str:
            return "auto"

    return OwnKernelManager


class _Lines:
    """A file that hands on each line that is written to it."""

    def __init__(self, on_line: Callable[[str], None]) -> None:
        self.on_line = on_line
        self.rest = ""

    def write(self, text: str) -> None:
        *lines, self.rest = (self.rest + text).split("\n")
        for line in lines:
            self.on_line(line)

    def flush(self) -> None:
        pass


def _read(notebook: Path) -> Any:
    import nbformat

    return nbformat.read(notebook, as_version=4)


def _reason(error: Exception) -> str:
    """Return the last line of what went wrong in a cell, or the error itself."""
    from nbclient.exceptions import CellTimeoutError

    if isinstance(error, CellTimeoutError):
        return "the time was up"
    if hasattr(error, "ename"):
        return f"cell {error.exec_count}: {error.ename}: {error.evalue}"
    return f"{type(error).__name__}: {error}".strip()
