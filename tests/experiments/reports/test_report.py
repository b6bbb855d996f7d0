import getpass
import platform
import re
from html.parser import HTMLParser
from pathlib import Path

import pandas as pd
import pytest

from experiments.loading import list_configs, load_config
from experiments.reports.findings import gather
from experiments.reports.outcomes import Account, Outcome
from experiments.reports.report import Report, kind_of, write_report
from experiments.reports.tables import read_published

# A picture of one pixel.
PIXEL = bytes.fromhex(
    "89504e470d0a1a0a0000000d4948445200000001000000010802000000907753de"
    "0000000c49444154789c63f8ffff3f0005fe02fe0def46b80000000049454e44ae426082"
)
NUMBERS = """\
dataset,method,asked,metric,value,sd,comparable,source
made,corset,2,micro_f1,0.51,,yes,Table 1
made,corset,4,micro_f1,0.7,0.1,yes,Table 1
made,tree,,micro_f1,0.3,,yes,Table 1
made,tree,,macro_f1,0.3,,other rows,Table 1
made,tree,,coverage,,,yes,Table 1
flags,tree,,micro_f1,0.3,,yes,Table 1
yeast,tree,,micro_f1,0.4,,yes,Table 1
"""
SKIPPED = Outcome("tiny", "flags", "skipped", "no file '/data/jane doe/flags.arff'")
GOLDEN = Path(__file__).with_name("report.golden.md")


class Page(HTMLParser):
    """The cells of each table under its caption; complains about tags that are not closed in order."""

    def __init__(self, text):
        super().__init__()
        self.tables, self.open, self.images = {}, [], []
        self.feed(text)
        assert self.open == []

    def handle_starttag(self, tag, attributes):
        if tag == "img":
            self.images.append(dict(attributes))
        if tag not in ("img", "meta"):
            self.open.append(tag)
        if tag == "th":
            assert dict(attributes)["scope"] in ("col", "row")
        if tag == "tr":
            self.tables[self.caption].append([])
        if tag in ("th", "td"):
            self.tables[self.caption][-1].append("")

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if self.open and self.open[-1] == "caption":
            self.caption = data
            assert data not in self.tables
            self.tables[data] = []
        elif {"th", "td"} & set(self.open):
            self.tables[self.caption][-1][-1] += data


@pytest.fixture
def report(change, fill, tiny_config):
    """A report of a study that was run on one data set, skipped on another, and leaves a third out."""
    tiny_config.with_name("numbers.csv").write_text(NUMBERS)
    change("seed: 5", "seed: 5\npublished: numbers.csv")
    change("flags: {n_rules: 3}", "flags: {n_rules: 3}\n  yeast: {n_rules: 3}")
    config = change("quick: {datasets: [made], repetitions: 3}", "quick: {datasets: [made, flags], repetitions: 3}")
    config = change("kind: ground-truth, title: generating rules", "kind: svm, title: SVM | linear <b>")
    results = fill(config.path, "quick", "made")
    picture = results / "quick" / "figures" / "tiny-made-micro_f1.png"
    picture.parent.mkdir()
    picture.write_bytes(PIXEL)
    picture.with_name("tiny-flags-micro_f1.png").write_bytes(PIXEL)
    account = Account(90.0, (Outcome("tiny", "made", "done", seconds=80.0), SKIPPED))
    return Report("quick", tuple(gather([config], "quick", results)), account, results / "quick")


@pytest.fixture
def page(report):
    return write_report(report)


def test_golden_report(page):
    assert (page.parent / "quick" / "report.md").read_text("utf-8") == GOLDEN.read_text("utf-8")


def test_rebuilt_report_is_the_same_to_the_byte(report, page):
    paths = [folder / name for folder in (page.parent, page.parent / "quick") for name in ("report.html", "report.md")]
    before = [path.read_bytes() for path in paths]
    again = tuple(gather([found.config for found in report.findings], "quick", page.parent))
    write_report(Report("quick", again, report.account, report.folder))
    assert [path.read_bytes() for path in paths] == before


def test_page_is_whole_and_alone(page):
    text = page.read_text("utf-8")
    found = Page(text)
    assert "<script" not in text
    assert "http:" not in text
    assert "https:" not in text
    assert [image["src"][:22] for image in found.images] == ["data:image/png;base64,"]
    assert found.images[0]["alt"] == "Tiny: micro f1 on made"
    assert "SVM | linear &lt;b&gt;" in text
    links = set(re.findall(r'href="([^"#]+)"', text))
    names = {f"quick/tables/{name}.{ending}" for name in ("tiny", "tiny-published") for ending in ("tex", "csv")}
    assert links == names
    own = (page.parent / "quick" / "report.html").read_text("utf-8")
    assert own == text.replace("quick/tables/", "tables/")


def test_page_names_no_folder_host_or_user(page, tmp_path):
    for name in ("report.html", "report.md"):
        text = (page.parent / name).read_text("utf-8")
        unwanted = ["jane", str(tmp_path), str(Path.home()), platform.node(), f"/{getpass.getuser()}"]
        assert [word for word in unwanted if word in re.sub('base64,[^"]*', "", text)] == []


def test_what_is_skipped_is_there_with_its_reason(page):
    rows = Page(page.read_text("utf-8")).tables["Skipped, failed, unfinished or left out, and why"]
    assert rows[1:] == [
        ["Tiny", "flags", "skipped", "no file '…/flags.arff'"],
        ["Tiny", "yeast", "left out", "not part of the profile quick"],
    ]


def test_failed_and_unfinished_runs_are_there_with_their_reason(report, fill):
    (found,) = report.findings
    fill(found.config.path, "quick", "flags", n=2, error="OSError: no '/data/x/y'")
    (found,) = gather([found.config], "quick", report.folder.parent)
    rows = Report("quick", (found,), Account(), report.folder).omitted.frame.to_dict("records")
    assert rows[0] == {"study": "Tiny", "data sets": "flags", "what": "failed", "why": "OSError: no '…/y'"}


def test_runs_whose_package_is_missing_are_skipped(report, fill):
    (found,) = report.findings
    fill(found.config.path, "quick", "made", n=2, error="MissingExtraError: no such package", status="skipped")
    (found,) = gather([found.config], "quick", report.folder.parent)
    rows = Report("quick", (found,), report.account, report.folder).omitted.frame.to_dict("records")
    what = f"skipped: 2 of {sum(run.dataset == 'made' for run, _ in found.runs)} runs"
    assert rows[0] == {"study": "Tiny", "data sets": "made", "what": what, "why": "MissingExtraError: no such package"}


def test_scarce_cells_of_one_reason_are_in_one_row(fill, tiny_config):
    results = fill(tiny_config, "smoke", "made")
    findings = gather([load_config(tiny_config)], "smoke", results)
    reason = "the profile smoke asks for 1 repetition"
    report = Report("smoke", tuple(findings), Account(), results / "smoke")
    assert report.scarce.frame.to_numpy().tolist() == [["Tiny", "made", "CORSET; generating rules; tree", "1", reason]]
    assert "No pictures" in write_report(report).read_text("utf-8")


def test_counts_by_verdict(report):
    counts = {"within margin": 1, "better": 1, "outside": 1, "not comparable": 1, "not published": 1, "not run": 2}
    assert report.counts == counts
    assert report.overview.frame["runs"].tolist() == ["9 of 16 runs done"] * 2


@pytest.mark.parametrize("profile", ["smoke", "quick", "paper"])
def test_every_published_cell_is_there_once(profile, tmp_path):
    """Without any record, each line of the published numbers has its row."""
    report = Report(profile, tuple(gather(map(load_config, list_configs()), profile, tmp_path)), Account(), tmp_path)
    n_cells = 0
    for found in report.findings:
        claims = read_published(found.config)
        if claims is None:
            assert found.comparison is None
            continue
        keys = ["dataset", "method", "metric", "source"]
        rows = found.comparison[keys].astype(str).value_counts()
        pd.testing.assert_series_equal(rows, claims[keys].astype(str).value_counts(), check_index_type=False)
        n_cells += len(claims)
    assert sum(report.counts.values()) == n_cells > 200


def test_every_published_cell_of_a_run_is_on_the_page_once(page):
    rows = Page(page.read_text("utf-8")).tables["Tiny: published and ours"][1:]
    claims = pd.read_csv(pd.io.common.StringIO(NUMBERS))
    assert sorted((row[0], row[4]) for row in rows) == sorted(
        (claim.dataset, "–" if pd.isna(claim.value) else f"{claim.value:.3f}" + (" ± 0.100" if claim.sd > 0 else ""))
        for claim in claims.itertuples()
    )


def test_report_without_any_record(tiny_config, tmp_path):
    findings = gather([load_config(tiny_config)], "quick", tmp_path)
    page = Page(write_report(Report("quick", tuple(findings), Account(), tmp_path / "quick")).read_text("utf-8"))
    rows = page.tables["Skipped, failed, unfinished or left out, and why"]
    assert rows[1:] == [["Tiny", "made", "not run", "its turn has not come"]]


@pytest.mark.parametrize("verdict", ["not comparable: x: y (2 rows a fold)", "not comparable (2 rows a fold)"])
def test_kind_of_a_verdict(verdict):
    assert kind_of(verdict) == "not comparable"
