"""A JupyterLab server of its own, with a folder, settings and a token that nobody else has."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
TOKEN = "of-the-browser-test"
SETTINGS = {
    # The command line alone does not keep the question whether news may be fetched away.
    "@jupyterlab/apputils-extension:notification": {"fetchNews": "false", "checkForUpdates": False},
    # Cells out of sight are there, too.
    "@jupyterlab/notebook-extension:tracker": {"windowingMode": "none"},
}
START_SECONDS, STOP_SECONDS = 120, 15


class Lab:
    """Start JupyterLab on a folder; `stop` ends the kernels and the server.

    Parameters
    ----------
    folder : Path
        Where the server keeps what it needs.
    notebooks : Path
        The folder that it shows.
    """

    def __init__(self, folder: Path, notebooks: Path):
        settings = folder / "config" / "labconfig"
        settings.mkdir(parents=True)
        (settings / "default_setting_overrides.json").write_text(json.dumps(SETTINGS))
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        self.address = f"http://127.0.0.1:{port}"
        command = [sys.executable, "-m", "jupyterlab", "--no-browser", "--allow-root"]
        options = {
            "ServerApp.ip": "127.0.0.1",
            "ServerApp.port": port,
            "ServerApp.port_retries": 0,
            "ServerApp.root_dir": notebooks,
            "IdentityProvider.token": TOKEN,
            "LabApp.extension_manager": "readonly",
            "LabApp.check_for_updates_class": "jupyterlab.NeverCheckForUpdate",
        }
        places = {"HOME": folder, "JUPYTER_CONFIG_DIR": folder / "config", "PYTHONPATH": ROOT} | {
            name: folder / name.lower()
            for name in ("JUPYTER_DATA_DIR", "JUPYTER_RUNTIME_DIR", "IPYTHONDIR", "MPLCONFIGDIR")
        }
        self._log_path = folder / "lab.log"
        self._log = self._log_path.open("wb")
        self._process = subprocess.Popen(
            command + [f"--{name}={value}" for name, value in options.items()],
            env=os.environ | {name: str(place) for name, place in places.items()},
            stdout=self._log,
            stderr=subprocess.STDOUT,
        )

    def wait(self) -> None:
        """Return when the server answers."""
        end = time.monotonic() + START_SECONDS
        while not self._answers("/api/status"):
            if self._process.poll() is not None or time.monotonic() > end:
                raise RuntimeError(f"JupyterLab does not answer:\n{self._log_path.read_text()}")
            time.sleep(0.1)

    def address_of(self, notebook: str) -> str:
        """Return where the notebook opens in a fresh workspace."""
        return f"{self.address}/lab/tree/{notebook}?reset&token={TOKEN}"

    def stop(self) -> int:
        """End the kernels and the server; return its exit code."""
        self._answers("/api/shutdown", "POST")
        try:
            self._process.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._log.close()
        return self._process.returncode

    def _answers(self, path: str, method: str = "GET") -> bool:
        request = urllib.request.Request(
            self.address + path, method=method, headers={"Authorization": f"token {TOKEN}"}
        )
        try:
            with urllib.request.urlopen(request, timeout=20):
                return True
        except urllib.error.HTTPError:
            raise
        except OSError:
            return False
