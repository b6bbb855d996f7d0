"""The quick start as a reader goes it: JupyterLab in Chromium, all cells, the keyboard on a slider."""

import os
import shutil

import pytest

from experiments.files import NOTEBOOKS, ROOT

from .lab import Lab

pytest.importorskip("playwright.sync_api")
from playwright.sync_api import Locator, Page, expect, sync_playwright

CHROMIUM = os.environ.get("MLRX_BROWSER")
pytestmark = [
    pytest.mark.skipif(not CHROMIUM, reason="MLRX_BROWSER names no Chromium; `make test-browser` does"),
    pytest.mark.timeout(900),
]
# No sandbox, as root has none in a container; no name is looked up, so that nothing can be fetched.
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
]
NOTEBOOK = "00_quick_start.ipynb"
PICTURES = ROOT / "results" / "browser"
PATIENCE, RUN_PATIENCE = 60_000, 600_000  # ms: for an answer of the page; for all cells, functions being compiled
FAULTS = ", ".join(f'[data-mime-type="application/vnd.jupyter.{kind}"]' for kind in ("error", "stderr"))


@pytest.fixture
def lab(tmp_path):
    notebooks = tmp_path / "notebooks"
    notebooks.mkdir()
    shutil.copy(NOTEBOOKS / NOTEBOOK, notebooks)
    lab = Lab(tmp_path / "server", notebooks)
    try:
        lab.wait()
        yield lab
    finally:
        assert lab.stop() == 0


@pytest.fixture
def page(tmp_path):
    with sync_playwright() as playwright:
        context = playwright.chromium.launch_persistent_context(
            str(tmp_path / "profile"),
            executable_path=CHROMIUM,
            headless=True,
            args=FLAGS,
            viewport={"width": 1280, "height": 1000},
        )
        page = context.pages[0]
        page.set_default_timeout(PATIENCE)
        expect.set_options(timeout=PATIENCE)
        yield page
        context.close()


def run_all(page: Page) -> Locator:
    """Run all cells and return the notebook when the kernel has nothing left to do."""
    status = page.locator("#jp-main-statusbar")
    expect(status).to_contain_text("| Idle")
    assert page.locator(".jp-Dialog").count() == 0
    notebook = page.locator(".jp-NotebookPanel:visible")
    page.get_by_role("menuitem", name="Run", exact=True).click()
    page.get_by_role("menuitem", name="Run All Cells", exact=True).click()
    n_cells = notebook.locator(".jp-CodeCell").count()
    last = notebook.locator(".jp-CodeCell .jp-InputPrompt").last
    expect(last).to_have_text(f"[{n_cells}]:", timeout=RUN_PATIENCE)
    expect(status).to_contain_text("| Idle")
    return notebook


def keep_picture(page: Page, explorer: str, name: str) -> None:
    """Keep a picture of the output that holds the panels of an explorer."""
    PICTURES.mkdir(parents=True, exist_ok=True)
    output = page.locator(".jp-OutputArea-output").filter(has=page.locator(f".mlrx-{explorer}"))
    output.screenshot(path=PICTURES / f"{name}.png")


def move_until(slider: Locator, key: str, panel: Locator, wanted: str) -> int:
    """Press a key on a slider until the panel says what is wanted; return how often."""
    n_choices = int(float(slider.get_attribute("aria-valuemax"))) + 1
    for n_pressed in range(1, n_choices):
        before = slider.get_attribute("aria-valuenow")
        slider.press(key)
        expect(slider).not_to_have_attribute("aria-valuenow", before)
        panel.page.wait_for_timeout(300)  # for the kernel's answer, which may leave the panel as it is
        if wanted in panel.inner_text():
            return n_pressed
    pytest.fail(f"the slider came to its end, and the panel says: {panel.inner_text()}")


def test_quick_start_runs_and_its_explorers_answer(lab, page):
    requests = []
    page.on("request", lambda request: requests.append(request.url))
    page.goto(lab.address_of(NOTEBOOK))
    notebook = run_all(page)
    assert notebook.locator(FAULTS).count() == 0

    for dropdown in notebook.locator(".widget-dropdown select").all():
        assert dropdown.locator("option:checked").inner_text().strip()  # a list once showed nothing

    rules = notebook.locator(".mlrx-rules")
    expect(rules).to_contain_text(f"{notebook.locator('.mlrx-rules tbody tr').count()} of ")
    before = rules.inner_text()
    feature = notebook.locator(".widget-text").filter(has_text="feature").locator("input")
    feature.fill("torque")
    expect(rules).not_to_have_text(before)
    expect(rules.locator("tbody tr").filter(has_not_text="Torque")).to_have_count(0)  # once the kernel has answered
    expect(rules.locator("tbody tr")).not_to_have_count(0)
    keep_picture(page, "rules", "rules")

    verdict = notebook.locator(".mlrx-verdict")
    slider = notebook.locator(".widget-slider").first.get_by_role("slider")
    slider.scroll_into_view_if_needed()
    expect(verdict).to_contain_text("The prediction holds")
    expect(verdict).to_contain_text("the certificate stands")
    keep_picture(page, "verdict", "explanation")
    n_pressed = move_until(slider, "ArrowRight", verdict, "nothing is proven here")
    keep_picture(page, "verdict", "explanation_moved")
    for _ in range(n_pressed):
        slider.press("ArrowLeft")
    expect(verdict).to_contain_text("the certificate stands")

    assert page.locator(".Toastify__toast").count() == 0
    assert [url for url in requests if not url.startswith((lab.address, "data:", "blob:"))] == []
