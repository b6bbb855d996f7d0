"""The report of a profile: one page without server, network or script, and the same in Markdown."""

from __future__ import annotations

import base64
import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import pandas as pd

from mlrx.files import write_whole

from ..files import without_places
from ..records import FAILED, SKIPPED, Record
from ..study import unfinished, with_status
from . import tables
from .findings import Findings
from .outcomes import Account, Outcome

TEMPLATES = Path(__file__).with_name("templates")
# Verdicts without their reason, the good news first.
VERDICTS = ("within margin", "better", "outside", "too few runs")
VERDICTS += ("not comparable", "not measured", "not published", "not run")
LABELS = ("study", "data set", "data sets", "method", "strategy", "rules asked", "metric", "made from")
NUMBER = re.compile(r"[+-]?[\d.]+(?: ± [\d.]+)?|–")


def kind_of(verdict: str) -> str:
    """Return a verdict without its reason.

    Examples
    --------
    >>> kind_of("not comparable: other rows (2 rows a fold)"), kind_of("better (2 rows a fold)")
    ('not comparable', 'better')
    """
    return re.split(r": | \(", verdict, maxsplit=1)[0]


@dataclass(frozen=True)
class Table:
    """A table of a page.

    Parameters
    ----------
    caption : str
    frame : DataFrame
        Of text.
    """

    caption: str
    frame: pd.DataFrame

    @property
    def columns(self) -> list[tuple[str, str]]:
        """Names of the columns, each with its kind: label, number, verdict or text."""
        return [(name, self._kind(name)) for name in self.frame.columns]

    @property
    def markdown(self) -> str:
        """The table in Markdown, without the caption."""
        return tables.to_markdown(self.frame)

    def _kind(self, name: str) -> str:
        if name in LABELS:
            return "label"
        if name == "verdict":
            return "verdict"
        return "number" if self.frame[name].map(NUMBER.fullmatch).notna().all() else "text"


@dataclass(frozen=True)
class Picture:
    """A picture of a study, as its notebook has drawn it."""

    path: Path
    dataset: str
    name: str

    @property
    def title(self) -> str:
        """What it shows, in words."""
        return f"{self.name.replace('_', ' ')} on {self.dataset}"

    @property
    def address(self) -> str:
        """The whole picture as the address of an image."""
        return f"data:image/png;base64,{base64.b64encode(self.path.read_bytes()).decode()}"


@dataclass(frozen=True)
class Section:
    """A study in the report.

    Parameters
    ----------
    found : Findings
    pictures : tuple of Picture
    """

    found: Findings
    pictures: tuple[Picture, ...]

    @property
    def progress(self) -> str:
        """How many of the runs are done."""
        done, total = len(self.found.pairs), len(self.found.runs)
        return "all runs done" if done == total else f"{done} of {total} runs done" if done else "not run"

    @property
    def counts(self) -> Counter[str]:
        """How many published cells have which kind of verdict."""
        comparison = self.found.comparison
        return Counter() if comparison is None else Counter(map(kind_of, comparison["verdict"]))

    @property
    def margin(self) -> str:
        """The margin in words."""
        margin = self.found.config.margin
        if not isinstance(margin, dict):
            return f"{margin:g}"
        if set(margin) == {tables.PUBLISHED_SD}:
            return f"{margin[tables.PUBLISHED_SD]:g} published standard deviations and {tables.ROUNDING:g}"
        return ", ".join(f"{share:.0%} of the published number for {asked}" for asked, share in margin.items())

    @property
    def published(self) -> Table | None:
        """Every published number beside ours."""
        frame = self.found.shown_comparison
        return None if frame is None else Table(f"{self.found.config.title}: published and ours", frame)

    @property
    def ours(self) -> Table | None:
        """All that was measured; None where no run is finished."""
        if not self.found.pairs:
            return None
        return Table(f"{self.found.config.title}: mean ± standard deviation over n runs", self.found.shown_summary)

    @property
    def notes(self) -> list[str]:
        """What the runs say about themselves, each once with the number of runs."""
        pairs = self.found.pairs
        told = Counter(f"{run.dataset}, {run.method}: {note}" for run, record in pairs for note in record.notes)
        return [without_places(note if n == 1 else f"{note} ({n} runs)") for note, n in told.items()]


@dataclass(frozen=True)
class Report:
    """What the page says.

    Parameters
    ----------
    profile : str
    findings : tuple of Findings
    account : Account
        What became of the notebooks.
    folder : Path
        The profile's results; pictures are taken from there.
    """

    profile: str
    findings: tuple[Findings, ...]
    account: Account
    folder: Path

    @cached_property
    def sections(self) -> list[Section]:
        """The studies, in the order of the findings."""
        return [Section(found, tuple(_pictures(found, self.folder / "figures"))) for found in self.findings]

    @cached_property
    def counts(self) -> dict[str, int]:
        """Published cells by kind of verdict, over all studies."""
        total = sum((section.counts for section in self.sections), Counter())
        return {name: total[name] for name in VERDICTS if total[name]}

    @property
    def overview(self) -> Table:
        """One row a study: its runs, and its published cells by kind of verdict."""
        rows = []
        for section in self.sections:
            counts = {name: str(section.counts[name]) if section.counts else "–" for name in self.counts}
            rows.append({"study": section.found.config.title, "runs": section.progress, **counts})
        totals = {name: str(n) for name, n in self.counts.items()}
        done = sum(len(found.pairs) for found in self.findings)
        runs = sum(len(found.runs) for found in self.findings)
        rows.append({"study": "all", "runs": f"{done} of {runs} runs done", **totals})
        return Table("Studies, their runs, and published cells by verdict", pd.DataFrame(rows))

    @property
    def omitted(self) -> Table | None:
        """What has no result in this profile, and why."""
        rows = [row for found in self.findings for row in _omitted(found, self.account)]
        return Table("Skipped, failed, unfinished or left out, and why", pd.DataFrame(rows)) if rows else None

    @property
    def scarce(self) -> Table | None:
        """Cells of fewer runs than a verdict takes, and why."""
        frames = [frame for found in self.findings if not (frame := _scarce(found)).empty]
        caption = f"Cells of fewer than {tables.ENOUGH_RUNS} runs, and why"
        return Table(caption, pd.concat(frames, ignore_index=True)) if frames else None

    @property
    def origin(self) -> Table:
        """Versions, commits, machines, times and seeds of the records that the report is made from."""
        records = [record for found in self.findings for _, record in found.pairs]
        versions = Counter(
            f"{name} {version}" for record in records for name, version in record.determines["packages"].items()
        )
        rows = {
            "commit": _with_counts(Counter(record.commit for record in records)),
            "sources": _with_counts(Counter(record.determines["code"] for record in records)),
            "machine": _with_counts(Counter(record.machine for record in records)),
            "packages": _with_counts(versions, len(records)),
            "seeds": ", ".join(f"{found.config.id} {found.config.seed}" for found in self.findings)
            + "; those of single runs are in runs.csv",
            "runs started": _span(record.started for record in records),
            "seconds of the runs": f"{sum(map(_seconds, records)):.0f}",
            "last command took": f"{self.account.seconds / 60:.1f} minutes" if self.account.outcomes else "",
        }
        frame = pd.DataFrame([{"made from": name, "value": value or "–"} for name, value in rows.items()])
        return Table("What the report is made from", frame)


def write_report(report: Report) -> Path:
    """Write the report as ``report.html`` and ``report.md``, into the profile's results and beside their folder.

    Parameters
    ----------
    report : Report

    Returns
    -------
    Path
        The page beside the profile's folder; it is that of the profile last reported. It has no file but itself; the
        Markdown shows the pictures in the profile's folder.
    """
    from jinja2 import Environment, FileSystemLoader, StrictUndefined, select_autoescape

    environment = Environment(
        loader=FileSystemLoader(TEMPLATES),
        autoescape=select_autoescape(["html"]),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.globals["zip"] = zip
    environment.filters["slug"] = lambda verdict: kind_of(verdict).replace(" ", "-")
    results = report.folder.parent
    for name in ("report.md", "report.html"):
        template = environment.get_template(name)
        for folder, base in ((report.folder, ""), (results, f"{report.folder.name}/")):
            write_whole(folder / name, template.render(report=report, base=base))
    return results / "report.html"


def _pictures(found: Findings, folder: Path) -> list[Picture]:
    """Return the pictures of the data sets that have results, in the order of the config."""
    datasets = list(dict.fromkeys(run.dataset for run, _ in found.pairs))
    pictures = []
    for path in sorted(folder.glob(f"{found.config.id}-*.png")):
        rest = path.stem.removeprefix(f"{found.config.id}-")
        # One data set's name may begin with another's.
        owners = [name for name in datasets if rest.startswith(f"{name}-")]
        if owners:
            owner = max(owners, key=len)
            pictures.append(Picture(path, owner, rest.removeprefix(f"{owner}-")))
    return sorted(pictures, key=lambda picture: (datasets.index(picture.dataset), picture.name))


def _omitted(found: Findings, account: Account) -> list[dict[str, str]]:
    """Return a row for what of a study lacks results, with the reason; data sets of one reason are in one row."""
    config, reasons = found.config, {}
    for row in found.state().itertuples():
        if row.done < row.runs:
            reasons[row.dataset] = _why_omitted(found, row.dataset, account.find(config.id, row.dataset))
    published = tables.read_published(config)
    for dataset in () if published is None else dict.fromkeys(published["dataset"]):
        if dataset not in config.profiles[found.profile].datasets:
            reasons[dataset] = "left out", f"not part of the profile {found.profile}"
    return [
        {
            "study": config.title,
            "data sets": ", ".join(dataset for dataset in reasons if reasons[dataset] == (what, why)),
            "what": what,
            "why": without_places(why),
        }
        for what, why in dict.fromkeys(reasons.values())
    ]


def _why_omitted(found: Findings, dataset: str, outcome: Outcome | None) -> tuple[str, str]:
    """Return what became of a data set with unfinished runs, and why."""
    runs = [(run, record) for run, record in found.runs if run.dataset == dataset]
    open_runs, skipped = unfinished(runs), with_status(runs, SKIPPED)
    if not open_runs:
        reasons = dict.fromkeys(record.error for _, record in skipped)
        return f"skipped: {len(skipped)} of {len(runs)} runs", "; ".join(reasons)
    errors = [record.error for _, record in with_status(runs, FAILED)]
    status = outcome.status if outcome is not None and outcome.reason else "failed" if errors else "not run"
    why = outcome.reason if outcome is not None and outcome.reason else "; ".join(dict.fromkeys(errors))
    what = status if len(open_runs) == len(runs) else f"{status}: {len(open_runs)} of {len(runs)} runs"
    return what, why or "its turn has not come"


def _scarce(found: Findings) -> pd.DataFrame:
    """Return the scarce cells of a study, those of one reason in one row."""
    titles = {name: method.title for name, method in found.config.methods.items()}
    scarce = found.scarce().assign(method=lambda frame: frame["method"].map(titles))
    joined = scarce.groupby(["dataset", "n", "reason"], sort=False)["method"].agg("; ".join).reset_index()
    joined = joined.groupby(["method", "n", "reason"], sort=False)["dataset"].agg(", ".join).reset_index()
    return pd.DataFrame(
        {
            "study": found.config.title,
            "data sets": joined["dataset"],
            "methods": joined["method"],
            "n": joined["n"].astype(str),
            "why": joined["reason"],
        }
    )


def _with_counts(counts: Counter[str], total: int | None = None) -> str:
    """Return names in order; where they are not all of one kind, each with the number of runs."""
    total = counts.total() if total is None else total
    return ", ".join(name if n == total else f"{name} ({n} runs)" for name, n in sorted(counts.items()))


def _span(times: Iterable[str]) -> str:
    """Return the first and the last of times, in words."""
    ordered = sorted(set(times))
    return " to ".join(dict.fromkeys((ordered[0], ordered[-1]))) if ordered else ""


def _seconds(record: Record) -> float:
    """Return the seconds of a run's parts; times until each rule are within them."""
    return sum(value for value in record.seconds.values() if isinstance(value, int | float))
