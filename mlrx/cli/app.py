"""Command line: ``mlrx fit | predict | rules | explain``."""

from __future__ import annotations

import sys
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from .tables import Reading
from .terminal import checked_file, fail, hand_out, one_line_faults, say

app = typer.Typer(
    name="mlrx",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,  # errors and help in plain lines, in a pipe as in a terminal
)

DataFile = Annotated[Path, typer.Argument(metavar="FILE", help="CSV with a line of names, or ARFF if called .arff.")]
ModelFile = Annotated[Path, typer.Argument(metavar="MODEL", help="What `mlrx fit` wrote.")]
Out = Annotated[Path | None, typer.Option(help="File to write; standard output if not given.", callback=checked_file)]
Sep = Annotated[str | None, typer.Option(help="Between the fields of a CSV file.", show_default=",")]
Decimal = Annotated[str | None, typer.Option(help="Decimal sign of a CSV file.", show_default=".")]
Missing = Annotated[
    str | None,
    typer.Option(help="What stands for a missing value, besides nothing: A,B,...", show_default="?,NA,NaN,nan"),
]
Nominal = Annotated[str | None, typer.Option(help="Columns of a CSV file that are categories though numbers: A,B,...")]
Drop = Annotated[str | None, typer.Option(help="Columns that are no features: A,B,...")]
DropText = Annotated[bool, typer.Option("--drop-text", help="Leave out texts and dates of an ARFF file.")]
Encoding = Annotated[str | None, typer.Option(help="Encoding of the file.", show_default="utf-8")]
Format = StrEnum("Format", ["text", "csv", "json", "html"])
ListFormat = StrEnum("ListFormat", ["text", "csv", "json"])
Strategy = StrEnum("Strategy", ["all", "each", "frequent"])
Learner = StrEnum("Learner", ["corset", "guided", "voting"])
Guarantee = StrEnum("Guarantee", ["labels", "labelset"])


def _tell_version(asked: bool) -> None:
    if asked:
        from mlrx import __version__

        say(f"mlrx {__version__}")
        raise typer.Exit()


@app.callback()
def main(
    version: Annotated[
        bool, typer.Option("--version", help="Tell the version and end.", callback=_tell_version, is_eager=True)
    ] = False,
) -> None:
    """Rules for several labels at once: learn them from a file, predict with them, explain a forest by them."""


FIT_EXAMPLES = """\b
Examples:
  mlrx fit plants.csv --labels edible,thorny --out plants.json
  mlrx fit emotions.arff --labels-from-xml emotions.xml --n-rules 50 --out model.json
  mlrx fit plants.csv --labels edible,thorny --learner voting --out plants.json
  mlrx fit scene.csv --n-labels 6 --out model.json \\
      --set binarizer__cuts=supervised --set binarizer__sides=both --set candidates=union"""
EXPLAIN_EXAMPLES = """\b
A forest is written in Python, with the names that the columns of FILE have:
  from mlrx.lionforests import write_forest
  write_forest(forest, "forest.json", feature_names=[...], label_names=[...])
\b
Examples:
  mlrx explain --forest forest.json machines.csv --row 3
  mlrx explain --forest forest.json machines.csv --strategy each --format csv --out rules.csv"""


@app.command(epilog=FIT_EXAMPLES)
def fit(
    file: DataFile,
    out: Annotated[
        Path, typer.Option(help="File of the model, JSON; one that is there is replaced.", callback=checked_file)
    ],
    labels: Annotated[str | None, typer.Option(help="Label columns: A,B,...; quote a name with a comma.")] = None,
    labels_from_xml: Annotated[Path | None, typer.Option(help="XML file that names the labels, for ARFF.")] = None,
    n_labels: Annotated[int | None, typer.Option(min=1, help="So many last columns are labels.")] = None,
    learner: Annotated[
        Learner,
        typer.Option(help="Diverse rules (CORSET), rules chosen for the F1 they add, or rules that give points."),
    ] = Learner.corset,
    n_rules: Annotated[
        int | None,
        typer.Option(min=1, help="Rules wanted; there may be fewer.", show_default="30 for corset, else at most 100"),
    ] = None,
    random_state: Annotated[int, typer.Option(min=0, help="Seed: the same seed gives the same rules.")] = 0,
    settings: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="NAME=VALUE", help="Any other parameter of the learner; may be repeated."),
    ] = None,
    sep: Sep = None,
    decimal: Decimal = None,
    missing: Missing = None,
    nominal: Nominal = None,
    drop: Drop = None,
    drop_text: DropText = False,
    encoding: Encoding = None,
) -> None:
    """Learn rules from a CSV or ARFF file with labels of 0 and 1, or no and yes, and write them as a model.

    One of --labels, --labels-from-xml and --n-labels says which columns are labels; an ARFF file with a MEKA header
    needs none.
    """
    from .work import label_columns, learn

    if sum(given is not None for given in (labels, labels_from_xml, n_labels)) > 1:
        fail("give one of --labels, --labels-from-xml and --n-labels")
    how = Reading(sep, decimal, missing, nominal, encoding, drop, drop_text)
    with one_line_faults():
        chosen = label_columns(file, labels, labels_from_xml, n_labels)
        say(learn(file, chosen, how, learner.value, n_rules, random_state, settings or [], out))


@app.command(epilog="\b\nExample:\n  mlrx predict plants.json new_plants.csv --out predicted.csv")
def predict(
    model: ModelFile,
    file: DataFile,
    out: Out = None,
    sep: Sep = None,
    decimal: Decimal = None,
    missing: Missing = None,
    drop: Drop = None,
    drop_text: DropText = False,
    encoding: Encoding = None,
) -> None:
    """Predict the labels of each row, as CSV: a column of 0 and 1 for each label.

    FILE has the columns that the model was learned from, in any order. Label columns may be there and are not looked
    at; others are to be left out with --drop.
    """
    from .work import predict_labels

    how = Reading(sep, decimal, missing, None, encoding, drop, drop_text)
    with one_line_faults():
        hand_out(predict_labels(model, file, how), out)


@app.command("rules", epilog="\b\nExample:\n  mlrx rules plants.json --format html --out plants.html")
def show_rules(
    model: ModelFile,
    form: Annotated[Format, typer.Option("--format", help="How to write them.")] = Format.text,
    out: Out = None,
) -> None:
    """Write the rules of a model: lines of text, a table, JSON, or a page."""
    from .work import rules_as

    with one_line_faults():
        text = rules_as(form, model)
        if form is Format.text and out is None and sys.stdout.isatty():
            _print_in_colour(text)
        else:
            hand_out(text, out)


@app.command(epilog=EXPLAIN_EXAMPLES)
def explain(
    file: DataFile,
    forest: Annotated[Path, typer.Option(help="The forest, JSON as `mlrx.lionforests.write_forest` writes it.")],
    row: Annotated[list[int] | None, typer.Option(min=0, help="Row, from 0; may be repeated. None: all rows.")] = None,
    strategy: Annotated[
        Strategy,
        typer.Option(help="One rule for all predicted labels, one for each, or one for each frequent set of them."),
    ] = Strategy.all,
    guarantee: Annotated[
        Guarantee, typer.Option(help="Labels stay present; or all others stay absent, too.")
    ] = Guarantee.labels,
    form: Annotated[ListFormat, typer.Option("--format", help="How to write them.")] = ListFormat.text,
    out: Out = None,
    sep: Sep = None,
    decimal: Decimal = None,
    missing: Missing = None,
    drop: Drop = None,
    drop_text: DropText = False,
    encoding: Encoding = None,
) -> None:
    """Explain what a random forest predicts for rows of a file, by rules that provably keep the prediction.

    FILE has the columns of the forest and tells what rules cover and which label sets are frequent. Label columns are
    not looked at; others are to be left out with --drop.
    """
    from .work import explain_rows

    how = Reading(sep, decimal, missing, None, encoding, drop, drop_text)
    with one_line_faults():
        hand_out(explain_rows(forest, file, how, row, strategy.value, guarantee.value, form.value), out)


def _print_in_colour(text: str) -> None:
    from rich.console import Console
    from rich.text import Text

    shown = Text(text)
    shown.highlight_regex(r"(?m)^IF\b|\bAND\b|\bTHEN\b", "bold cyan")
    shown.highlight_regex(r"(?m)\[confidence [^\]]*\]$", "dim")
    Console(highlight=False).print(shown, soft_wrap=True)
