"""``python -m mlrx`` is the command line ``mlrx``."""

from .cli.app import app

app(prog_name="mlrx")
