"""What the commands do, between files and text."""

from __future__ import annotations

import html
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from ..binarize import FeatureBinarizer
from ..corset import CorsetClassifier
from ..guided import GuidedRulesClassifier
from ..lionforests import Explanations, LionForestsExplainer, read_forest
from ..models import read_model, write_model
from ..voting import VotingRulesClassifier
from .tables import Reading, is_arff, known_columns, listed, read_table
from .terminal import as_options

LEARNERS = {"corset": CorsetClassifier, "guided": GuidedRulesClassifier, "voting": VotingRulesClassifier}
PAGE = """<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>{title}</title>
<style>body {{ font-family: sans-serif; margin: 2em }} td, th {{ padding: .2em .8em; vertical-align: top }}</style>
</head><body><h1>{title}</h1>
{table}
</body></html>"""


def label_columns(file: Path, labels: str | None, xml: Path | None, n_labels: int | None) -> Any:
    """Return what the options say about the labels, at most one of them given, as the readers take it."""
    chosen = xml or n_labels if labels is None else listed(labels)
    if xml is not None and not is_arff(file):
        raise ValueError(f"--labels-from-xml goes with an ARFF file; for {file}, give --labels or --n-labels")
    if chosen == [] or (chosen is None and not is_arff(file)):
        raise ValueError(f"{file}: say which columns are labels, with --labels or --n-labels")
    return chosen


def learn(
    file: Path,
    labels: Any,
    how: Reading,
    learner: str,
    n_rules: int | None,
    random_state: int,
    settings: Sequence[str],
    out: Path,
) -> str:
    """Learn rules from a file, write the model, and return a line that says so."""
    estimator = _estimator(learner, n_rules, random_state, settings)
    data = read_table(file, labels, how)
    if not data.n_features:
        raise ValueError(f"{file} has no column that is a feature")
    names = None if isinstance(data.X, pd.DataFrame) else data.feature_names
    estimator.fit(data.X, data.Y, feature_names=names, label_names=data.label_names)
    write_model(estimator, out)
    rules = estimator.rules_
    return (
        f"{out}: {len(rules)} rules with {rules.n_conditions} conditions for {data.n_labels} labels, "
        f"from {data.n_samples} rows with {data.n_features} features"
    )


def _estimator(learner: str, n_rules: int | None, random_state: int, settings: Sequence[str]) -> Any:
    given = dict(map(_setting, settings))
    estimator = LEARNERS[learner](random_state=random_state)
    known = estimator.get_params()
    if "verbose" in known:
        estimator.set_params(verbose=int(sys.stdout.isatty()))
    if known["binarizer"] is None and any(name.startswith("binarizer__") for name in given):
        estimator.set_params(binarizer=FeatureBinarizer())
    return estimator.set_params(**({} if n_rules is None else {"n_rules": n_rules}), **given)


def _setting(text: str) -> tuple[str, Any]:
    """Return name and value of ``NAME=VALUE``; a value that is no JSON is a text."""
    name, sign, value = text.partition("=")
    if not sign:
        raise ValueError(f"--set {text}: give NAME=VALUE")
    try:
        return name, json.loads(value)
    except ValueError:
        return name, value


def predict_labels(model: Path, file: Path, how: Reading) -> str:
    """Return the predictions for the rows of a file as CSV."""
    learned = read_model(model)
    rules = learned.rules
    data = read_table(file, [], how, nominal=list(learned.categories))
    X = known_columns(data, rules.feature_names, rules.label_names, rules.kinds, file)
    return pd.DataFrame(learned.predict(X), columns=list(rules.label_names)).to_csv(index=False, lineterminator="\n")


def rules_as(form: str, model: Path) -> str:
    """Return the rules of a model as text, CSV, JSON or a page of HTML."""
    rules = read_model(model).rules
    if form == "csv":
        return rules.to_frame().to_csv(index=False, lineterminator="\n")
    if form == "json":
        return rules.to_json(indent=1)
    if form == "html":
        return PAGE.format(title=html.escape(model.name), table=rules.to_html())
    return rules.to_text()


def explain_rows(
    forest: Path, file: Path, how: Reading, rows: Sequence[int] | None, strategy: str, guarantee: str, form: str
) -> str:
    """Return explanations of rows of a file as text, CSV or JSON."""
    saved = read_forest(forest)
    names = saved.forest.feature_names
    X = known_columns(read_table(file, [], how), names, saved.label_names, ["numeric"] * len(names), file)
    for row in rows or ():
        if row >= X.shape[0]:
            raise ValueError(f"--row {row}: {file} has {X.shape[0]} rows; allowed are 0 to {X.shape[0] - 1}")
    asked = list(range(X.shape[0])) if not rows else list(rows)
    explainer = LionForestsExplainer(saved.forest, label_names=saved.label_names, guarantee=guarantee).fit(X)
    chosen = X.iloc[asked] if isinstance(X, pd.DataFrame) else X[asked]
    found = explainer.explain_many(chosen, strategy, progress=sys.stdout.isatty())
    found = [Explanations(one, one.reason and as_options(one.reason)) for one in found]
    return _explanations_as(form, asked, found)


def _explanations_as(form: str, rows: Sequence[int], found: Sequence[Explanations]) -> str:
    if form == "json":
        listed = [{"row": row} | json.loads(explanations.to_json()) for row, explanations in zip(rows, found)]
        return json.dumps(listed, indent=1, ensure_ascii=False)
    if form == "csv":
        tables = [explanations.to_frame().assign(row=row) for row, explanations in zip(rows, found)]
        table = pd.concat(tables)
        return table[["row", *table.columns.drop("row")]].to_csv(index=False, lineterminator="\n")
    lines = [(row, line) for row, explanations in zip(rows, found) for line in explanations.to_text().splitlines()]
    return "\n".join(f"row {row}: {line}" for row, line in lines)
