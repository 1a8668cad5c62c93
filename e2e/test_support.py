"""The tables of browsers in the docs: what the first says is measured again, row by row."""

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


def named(browser: str) -> list[object]:
    rows = [row for row in MEASURED.rows if row.place.browser == browser]
    titles = [f"{row.backend} on {row.place.adapter}{'' if row.isolated else ', not isolated'}" for row in rows]
    return [pytest.param(row, id=title) for row, title in zip(rows, titles, strict=True)]


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
        assert all(row.same == row.compared > 0 for row in ran)


@pytest.mark.parametrize("row", named("Chromium"))
def test_chromium(webgpu: BrowserHandle, work: Work, row: browser_table.Row) -> None:
    check(webgpu, work, row)


@pytest.mark.parametrize("row", [row for row in named("Firefox") if "webgpu" in str(row)])
def test_firefox_on_webgpu(firefox_with_adapter: FirefoxHandle, work: Work, row: browser_table.Row) -> None:
    check(firefox_with_adapter, work, row)


@pytest.mark.parametrize("row", [row for row in named("Firefox") if "webgpu" not in str(row)])
def test_firefox(firefox_here: FirefoxHandle, work: Work, row: browser_table.Row) -> None:
    check(firefox_here, work, row)


@pytest.mark.parametrize("row", named("WebKitGTK"))
def test_webkit(webkit_here: WebKitHandle, work: Work, row: browser_table.Row) -> None:
    check(webkit_here, work, row)


def check(browser: DrivenBrowser, work: Work, row: browser_table.Row) -> None:
    assert measure(browser, work, row.backend, isolated=row.isolated).lasting == row.lasting


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
        page.wait_for_function(f"() => {count} === '{len(work.expected.detections)}'", seconds=60)
        assert page.evaluate("() => crossOriginIsolated") == isolated
        assert console.complaints == []
