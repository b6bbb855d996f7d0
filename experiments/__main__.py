"""Command line: ``python -m experiments reproduce | run | report | list | tune | audit | publish | sweep``."""

from __future__ import annotations

import os
import time
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

from mlrx.cli.terminal import fail, say

from .config import PROFILES, Config
from .files import RESULTS
from .loading import list_configs, load_config
from .reports.outcomes import Account, read_account, write_account
from .sweeps.commands import app as sweep_app

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
StudiesArgument = Annotated[
    list[str] | None, typer.Argument(help="Ids of configs, published as far as they are done; none is all, whole.")
]
ResultsOption = Annotated[Path, typer.Option(help="Folder of results.", show_default="results")]


@app.command("reproduce")
def reproduce_all(profile: ProfileOption = Profile.quick, results: ResultsOption = RESULTS) -> None:
    """Run all studies of a profile and write tables and report; finished runs are kept."""
    _reproduce(_load_all(), profile, results)


@app.command("run")
def run_one(config: ConfigArgument, profile: ProfileOption = Profile.quick, results: ResultsOption = RESULTS) -> None:
    """Run one study and write tables and report."""
    _reproduce([_load(config)], profile, results)


@app.command("report")
def report_only(profile: ProfileOption = Profile.quick, results: ResultsOption = RESULTS) -> None:
    """Write tables and report of a profile again, from its finished records."""
    try:
        say(f"written: {_report(_load_all(), profile, results, read_account(results / profile))}")
    except ValueError as error:
        fail(str(error))


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
def publish_tables(
    studies: StudiesArgument = None,
    profile: ProfileOption = Profile.quick,
    results: ResultsOption = RESULTS,
) -> None:
    """Replace the tracked tables of a profile, and README's, by those of its records."""
    from .reports.publishing import publish

    try:
        for line in publish(profile, studies or (), results):
            say(f"published: {line}")
    except ValueError as error:
        fail(str(error))


def _reproduce(configs: list[Config], profile: str, results: Path) -> None:
    from .reproduce import reproduce, summarise

    start = time.perf_counter()
    console = Console()
    try:
        outcomes = reproduce(configs, profile, console, results)
        account = read_account(results / profile).after(outcomes, time.perf_counter() - start)
        write_account(results / profile, account)
        # One report for all: other studies' runs stay in it.
        every = {config.id: config for config in [*_load_all(), *configs]}
        page = _report(list(every.values()), profile, results, account)
    except KeyboardInterrupt:
        say("stopped; finished runs are kept, and the same command goes on from here")
        # Kernels end with this process; waiting for them would take as long as their runs.
        os._exit(130)
    console.print(summarise(outcomes, account.seconds, page), markup=False, highlight=False, soft_wrap=True)
    if any(outcome.status == "failed" for outcome in outcomes):
        raise typer.Exit(1)


def _report(configs: list[Config], profile: str, results: Path, account: Account) -> Path:
    from .reports.findings import gather, write_tables
    from .reports.report import Report, write_report

    findings = gather(configs, profile, results)
    write_tables(findings, results / profile / "tables")
    return write_report(Report(profile, tuple(findings), account, results / profile))


def _load_all() -> list[Config]:
    return [_load(name) for name in list_configs()]


def _load(name: str) -> Config:
    try:
        return load_config(name)
    except ValueError as error:
        fail(str(error))


if __name__ == "__main__":
    app()
