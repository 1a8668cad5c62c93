"""The browser tables in the docs: each row of the first table is measured again."""

from __future__ import annotations

from pathlib import Path

import pytest

from e2e import browser_table
from e2e.support import BUNDLES, Work, golden_work, measure
from webbuild.browser.chromium import BrowserHandle
from webbuild.browser.driven_browser import DrivenBrowser
from webbuild.browser.firefox import FirefoxHandle
from webbuild.browser.server import Server
from webbuild.browser.webkit import WebKitHandle

MEASURED = browser_table.read()
PLACES = {
    ("Chromium", "SwiftShader"), ("Chromium", "lavapipe"), ("Chromium", "processor"), ("Firefox", "lavapipe"),
    ("Firefox", "processor"), ("WebKitGTK", "processor"),
}  # fmt: skip
DIFFERENT = {("WebKitGTK", "top-down-pose", "wasm whole", 1)}
"""How many comparisons differ: a score of a cutout with alpha, by 0.2 % more than the tolerance (8-bit canvases)."""


def pages(browser: str) -> list[object]:
    """The pages of a browser's rows, each once: two of Chromium's rows differ in the adapter alone."""
    found = dict.fromkeys((row.backend, row.isolated) for row in MEASURED.rows if row.place.browser == browser)
    return [pytest.param(*page, id=f"{page[0]}{'' if page[1] else ', not isolated'}") for page in found]


@pytest.fixture(scope="session")
def work(bundle: Path) -> Work:
    return golden_work(bundle)


def test_the_page_shows_what_was_measured() -> None:
    page = browser_table.PAGE.read_text("utf-8")
    for name, lines in browser_table.tables(MEASURED).items():
        assert browser_table.parts(page, name)[1] == lines


def test_every_engine_was_measured_with_every_bundle() -> None:
    assert {(row.place.browser, row.place.adapter) for row in MEASURED.rows} == PLACES
    assert {(row.place.browser, row.place.adapter) for row in MEASURED.bundles} == PLACES
    assert all(row.found > 0 for row in MEASURED.rows)
    for place in PLACES:
        ran = [row for row in MEASURED.bundles if (row.place.browser, row.place.adapter) == place and not row.problem]
        assert {row.bundle for row in ran} == set(BUNDLES), place
        assert all(row.compared > 0 for row in ran)
        failed = {(place[0], row.bundle, row.graph, row.compared - row.same) for row in ran if row.same < row.compared}
        assert failed == {each for each in DIFFERENT if each[0] == place[0]}, place


@pytest.mark.parametrize(("backend", "isolated"), pages("Chromium"))
def test_chromium(webgpu: BrowserHandle, work: Work, backend: str, isolated: bool) -> None:
    check(webgpu, work, backend, isolated=isolated)


@pytest.mark.parametrize(("backend", "isolated"), [page for page in pages("Firefox") if "webgpu" in str(page)])
def test_firefox_on_webgpu(firefox_with_adapter: FirefoxHandle, work: Work, backend: str, isolated: bool) -> None:
    check(firefox_with_adapter, work, backend, isolated=isolated)


@pytest.mark.parametrize(("backend", "isolated"), [page for page in pages("Firefox") if "webgpu" not in str(page)])
def test_firefox(firefox_here: FirefoxHandle, work: Work, backend: str, isolated: bool) -> None:
    check(firefox_here, work, backend, isolated=isolated)


@pytest.mark.parametrize(("backend", "isolated"), pages("WebKitGTK"))
def test_webkit(webkit_here: WebKitHandle, work: Work, backend: str, isolated: bool) -> None:
    check(webkit_here, work, backend, isolated=isolated)


def check(browser: DrivenBrowser, work: Work, backend: str, *, isolated: bool) -> None:
    found = measure(browser, work, backend, isolated=isolated)
    rows = [row.lasting for row in MEASURED.rows if row.lasting[:3] == found.lasting[:3]]
    assert rows == [found.lasting] * len(rows)
    assert rows


@pytest.mark.parametrize("isolated", [True, False])
def test_the_page_shows_everyone_in_firefox(firefox_here: FirefoxHandle, work: Work, isolated: bool) -> None:
    samples = [sample.file.rsplit("/", 1)[-1] for sample in work.bundle.manifest.samples]
    assert work.given.file is not None
    chosen = samples.index(work.given.file.name)
    with Server(work.bundle.directory, isolated=isolated) as server, firefox_here.page() as (page, console):
        page.goto(server.url)
        page.wait_for_function("() => ['ready', 'error'].includes(document.body.dataset.state)")
        page.evaluate(f"() => document.querySelector('[data-testid=sample-{chosen}]').click()")
        count = "document.querySelector('[data-testid=result-count]').textContent"
        page.wait_for_function(f"() => {count} === '{len(work.expected.detections)}'")
        assert page.evaluate("() => crossOriginIsolated") == isolated
        assert console.complaints == []
