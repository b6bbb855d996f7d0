"""Command line: ``python -m experiments reproduce | run | list | tune | audit | publish | sweep``."""

from __future__ import annotations

import os
import time
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

from .config import PROFILES, Config
from .files import RESULTS
from .loading import list_configs, load_config
from .sweeps.commands import app as sweep_app
from .terminal import fail, say

app = typer.Typer(
    help="Run the studies and make their tables.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)
app.add_typer(sweep_app, name="sweep")
Profile = StrEnum("Profile", {name: name for name in PROFILES})
ProfileOption = Annotated[Profile, typer.Option(help="How much of each study.")]
ConfigArgument = Annotated[str, typer.Argument(help="Id of a config, or the path of its file.")]
ResultsOption = Annotated[Path, typer.Option(help="Folder of results.", show_default="results")]


@app.command("reproduce")
def reproduce_all(profile: ProfileOption = Profile.quick, results: ResultsOption = RESULTS) -> None:
    """Run all studies of a profile and write their tables; finished runs are kept."""
    _reproduce(_load_all(), profile, results)


@app.command("run")
def run_one(config: ConfigArgument, profile: ProfileOption = Profile.quick, results: ResultsOption = RESULTS) -> None:
    """Run one study and write the tables."""
    _reproduce([_load(config)], profile, results)


@app.command("list")
def list_all() -> None:
    """List the studies, and their data sets by profile."""
    table = Table("config", "claim", *PROFILES)
    for config in _load_all():
        table.add_row(config.id, config.claim, *(", ".join(config.profiles[profile].datasets) for profile in PROFILES))
    Console().print(table)


@app.command("tune")
def tune_one(config: ConfigArgument, profile: ProfileOption = Profile.quick, results: ResultsOption = RESULTS) -> None:
    """Search for parameters on the training rows of a study's data sets; the outcome is YAML to read."""
    from .tuning import tune

    loaded = _load(config)
    for dataset in loaded.profiles[profile].datasets:
        found = tune(loaded, profile, dataset, results / profile)
        if found is not None:
            say(f"{dataset}: micro-F1 {found['micro_f1']:.3f} with {found['n_rules']} rules, {found['parameters']}")
    say(f"all candidates are in {results / profile / 'tuning' / loaded.id}")


@app.command("audit")
def audit_all() -> None:
    """Try to refute the proven rules of one fold of each forest; fails when a point loses a label of its rule."""
    from dataclasses import fields

    from .audit import SETS, Audit, audit
    from .forests import load_fold

    table, is_clean = Table(*(field.name.replace("_", " ") for field in fields(Audit))), True
    for name in SETS:
        try:
            found = audit(load_fold(name, 0))
        except OSError as error:
            say(f"skipped: {name}: {error}")
            continue
        table.add_row(*found.cells())
        is_clean &= found.is_clean
        say(f"{'clean' if found.is_clean else 'NOT CLEAN'}: {name}, {found.rules} rules, {found.points} points")
    Console().print(table)
    if not is_clean:
        raise typer.Exit(1)


@app.command("publish")
def publish_tables(profile: ProfileOption = Profile.quick, results: ResultsOption = RESULTS) -> None:
    """Replace the tracked tables of a profile, README's included, by its last ones."""
    from .report import publish

    try:
        for path in publish(profile, results):
            say(f"written: {path}")
    except ValueError as error:
        fail(str(error))


def _reproduce(configs: list[Config], profile: str, results: Path) -> None:
    from .report import write_tables
    from .reproduce import reproduce, summarise

    start = time.perf_counter()
    console = Console()
    try:
        outcomes = reproduce(configs, profile, console, results)
        # One table of runs for all: another study's runs stay in it.
        every = {config.id: config for config in [*_load_all(), *configs]}
        folder = write_tables(list(every.values()), profile, results)
    except KeyboardInterrupt:
        say("stopped; finished runs are kept, and the same command goes on from here")
        # Kernels end with this process; waiting for them would take as long as their runs.
        os._exit(130)
    console.print(
        summarise(outcomes, time.perf_counter() - start, folder), markup=False, highlight=False, soft_wrap=True
    )
    if any(outcome.status == "failed" for outcome in outcomes):
        raise typer.Exit(1)


def _load_all() -> list[Config]:
    return [_load(name) for name in list_configs()]


def _load(name: str) -> Config:
    try:
        return load_config(name)
    except ValueError as error:
        fail(str(error))


if __name__ == "__main__":
    app()
