"""Sweeps of a tiny notebook, and the command line that runs them."""

import json
import os
import signal
import subprocess
import sys
import textwrap
from pathlib import Path

import nbformat

from experiments.files import ROOT

HAND_IN = "from experiments.sweeps.result import Result, hand_in\n"


def write_sweep(folder: Path, parameters: str, *cells: str, grid: str, extra: str = "") -> Path:
    """Write a sweep and its notebook: the cell of parameters, then the others."""
    notebook = nbformat.v4.new_notebook()
    notebook.cells.append(nbformat.v4.new_code_cell(parameters, metadata={"tags": ["parameters"]}))
    notebook.cells += [nbformat.v4.new_code_cell(cell) for cell in cells]
    nbformat.write(notebook, folder / "point.ipynb")
    text = f"""
    id: sweep_tiny
    title: Tiny
    claim: none
    unstated: []
    notebook: {json.dumps(str(folder / "point.ipynb"))}
    timeout: 60
    metrics: [score]
    grid: {grid}
    """
    path = folder / "sweep_tiny.yaml"
    path.write_text(textwrap.dedent(text) + extra, encoding="utf-8")
    return path


def start(*arguments: str, **environment: str) -> subprocess.Popen:
    """Start the command line in a process group of its own, deaf to no signal."""
    return subprocess.Popen(
        [sys.executable, "-m", "experiments", "sweep", *arguments],
        cwd=ROOT,
        env={**os.environ, **environment},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )
