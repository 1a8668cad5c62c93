"""The table of browsers in the docs: what it says is measured again, row by row."""

from __future__ import annotations

from pathlib import Path

import pytest

from e2e import browser_table
from e2e.firefox import firefox
from e2e.support import Work, golden_work, in_chromium, in_firefox
from webbuild.browser.chromium import BrowserHandle
from webbuild.browser.server import Server

ROWS = browser_table.read()


def named(browser: str) -> list[object]:
    rows = [row for row in ROWS if row.browser == browser]
    return [pytest.param(row, id=f"{row.backend}{'' if row.isolated else ', not isolated'}") for row in rows]


@pytest.fixture(scope="session")
def work(bundle: Path) -> Work:
    return golden_work(bundle)


def test_the_page_shows_what_was_measured() -> None:
    _, shown, _ = browser_table.parts(browser_table.PAGE.read_text("utf-8"))
    assert shown == browser_table.table(ROWS)
    assert {(row.browser, row.isolated) for row in ROWS if row.found} == {
        ("Chromium", True), ("Chromium", False), ("Firefox", True), ("Firefox", False),
    }  # fmt: skip


@pytest.mark.parametrize("row", named("Chromium"))
def test_chromium(webgpu: BrowserHandle, work: Work, row: browser_table.Row) -> None:
    assert in_chromium(webgpu, work, row.backend, isolated=row.isolated).lasting == row.lasting


@pytest.mark.parametrize("row", named("Firefox"))
def test_firefox(other: Path, work: Work, row: browser_table.Row) -> None:
    measured = in_firefox(other, work, row.backend, isolated=row.isolated)
    if row.backend == "webgpu" and measured.found is not None:
        return  # on machines whose Firefox has WebGPU it has agreed
    assert measured.lasting == row.lasting


@pytest.mark.parametrize("isolated", [True, False])
def test_the_page_shows_everyone_in_firefox(other: Path, work: Work, isolated: bool) -> None:
    samples = [sample.file.rsplit("/", 1)[-1] for sample in work.bundle.manifest.samples]
    assert work.given.file is not None
    chosen = samples.index(work.given.file.name)
    with Server(work.bundle.directory, isolated=isolated) as server, firefox(other) as page:
        page.goto(server.url)
        page.wait_for_function("() => ['ready', 'error'].includes(document.body.dataset.state)")
        page.evaluate(f"() => document.querySelector('[data-testid=sample-{chosen}]').click()")
        count = "document.querySelector('[data-testid=result-count]').textContent"
        page.wait_for_function(f"() => {count} === '{len(work.expected.detections)}'", seconds=60)
        assert page.evaluate("() => crossOriginIsolated") == isolated
        assert page.complaints == []
