"""Command line: ``python -m mlrx.datasets list | fetch [NAME...] | info NAME``."""

from __future__ import annotations

from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

from .catalogue import CataloguedSet, catalogue, find
from .fetch import DataUnavailableError, locate
from .load import list_datasets

app = typer.Typer(help="Data sets of multi-label benchmarks.", no_args_is_help=True)
Name = Annotated[str, typer.Argument(help="Name of a data set, as `list` shows it.")]


@app.command("list")
def show_list() -> None:
    """List the data sets of the catalogue."""
    table = Table("name", "rows", "features", "labels", "splits", "MB", "source")
    listed = list_datasets().drop(columns="citation").astype("string").fillna("?")
    for name, row in listed.iterrows():
        table.add_row(str(name), *row)
    Console().print(table)


@app.command()
def fetch(
    names: Annotated[list[str] | None, typer.Argument(help="Data sets; without any, all that have an address.")] = None,
) -> None:
    """Have all files of data sets at hand, and print where they are; one that fails does not stop the others."""
    if names:
        entries = [_found(name) for name in names]
    else:
        entries = [entry for entry in catalogue().values() if entry.has_address]
    failed = [entry.name for entry in entries if not _fetch(entry)]
    if failed and len(entries) > 1:
        typer.echo(f"{len(failed)} of {len(entries)} data sets are not at hand: {', '.join(failed)}", err=True)
    if failed:
        raise typer.Exit(1)


@app.command()
def info(name: Name) -> None:
    """Show what the catalogue says of a data set."""
    entry = _found(name)
    table = Table(title=entry.name, show_header=False)
    table.add_row("rows", ", ".join(f"{split}: {n}" for split, n in entry.rows.items()) or "unknown")
    table.add_row("features, labels", f"{entry.n_features or 'unknown'}, {entry.n_labels or 'unknown'}")
    table.add_row("citation", entry.citation)
    table.add_row("converted", entry.converted)
    if entry.note:
        table.add_row("note", entry.note)
    for role, file in entry.files.items():
        where = file.address or f"no address serves it; made from {entry.origin}"
        table.add_row(role, f"{file.path}\n{file.size} bytes, sha256 {file.sha256}\n{where}")
    Console().print(table)


def _fetch(entry: CataloguedSet) -> bool:
    """Have the files of a data set at hand, and tell whether that worked."""
    if not entry.files:
        typer.echo(f"data set {entry.name!r} needs an own copy: {entry.note}", err=True)
        return False
    try:
        for file in entry.files.values():
            typer.echo(locate(entry, file))
    except (DataUnavailableError, ValueError) as error:
        typer.echo(str(error), err=True)
        return False
    return True


def _found(name: str) -> CataloguedSet:
    try:
        return find(name)
    except ValueError as error:
        typer.echo(str(error), err=True)
        raise typer.Exit(1) from None


if __name__ == "__main__":
    app()
