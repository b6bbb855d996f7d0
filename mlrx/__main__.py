"""``python -m mlrx`` is the command line ``mlrx``."""

from .cli.app import app

if __name__ == "__main__":
    app(prog_name="mlrx")
