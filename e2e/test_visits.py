"""What a visitor downloads: once, and after that nothing of model and engine; without a network the page opens too."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext

from e2e.demo_page import DemoPage
from webbuild.browser.server import Server

LARGE = (".zst", ".bin", ".onnx")
READY = "async () => { const { active } = await navigator.serviceWorker.ready; return active !== null; }"
STATE = "(path) => fetch(path, { cache: 'no-store' }).then((response) => response.json()).then(({ state }) => state)"


@pytest.fixture
def visitor(without_gpu: Browser) -> Iterator[BrowserContext]:
    context = without_gpu.new_context(reduced_motion="reduce")
    yield context
    context.close()


def visit(context: BrowserContext, url: str) -> tuple[DemoPage, list[str]]:
    """Open the page and wait for its first result; also the large files that were asked for."""
    page, asked = context.new_page(), []
    page.on("request", lambda request: asked.append(request.url.rsplit("/", 1)[-1]))
    demo = DemoPage(page, url)
    assert demo.wait_for_result() > 0
    return demo, [name for name in asked if name.endswith(LARGE)]


def test_the_second_visit_downloads_neither_model_nor_engine(visitor: BrowserContext, root: Server) -> None:
    first, asked = visit(visitor, root.url)
    assert len([name for name in asked if name.endswith(".wasm.zst")]) == 1
    assert len([name for name in asked if name.startswith("weights-")]) >= 1
    first.page.close()
    second, asked = visit(visitor, root.url)
    assert asked == []
    assert (first.console.errors, second.console.errors) == ([], [])


@pytest.mark.parametrize("prefix", ["/", "/demos/pose/"])
def test_the_page_opens_when_the_server_is_gone(visitor: BrowserContext, bundle: Path, prefix: str) -> None:
    with Server(bundle, prefix=prefix) as server:
        demo, _ = visit(visitor, server.url)
        assert demo.page.evaluate(READY)
        found = demo.count()
        demo.page.close()
    again, asked = visit(visitor, server.url)
    assert (again.count(), asked) == (found, [])
    assert again.chip() == "WASM"
    assert again.page.evaluate("() => fetch('./manifest.json').then((response) => response.ok)")
    kept = "(path) => caches.match(path).then((response) => response !== undefined)"
    assert again.page.evaluate(kept, "./page/page.js")
    assert not again.page.evaluate(kept, "./page/web-model.js"), "the page does not use it"


def test_a_full_disk_does_not_keep_pages_from_who_is_online(visitor: BrowserContext, bundle: Path) -> None:
    """The server's answer counts, of a file that was kept and of one that was not."""
    with Server(bundle) as server:
        demo, _ = visit(visitor, server.url)
        assert demo.page.evaluate(READY)
        session = visitor.new_cdp_session(demo.page)
        session.send("Storage.overrideQuotaForOrigin", {"origin": server.url.rstrip("/"), "quotaSize": 1})
        full = """async () => {
          const cache = await caches.open((await caches.keys())[0]);
          return cache.put("./probe.json", new Response("x".repeat(1e6))).then(() => "", ({ name }) => name);
        }"""
        assert demo.page.evaluate(full) == "QuotaExceededError"
        padding = "x" * 1_000_000
        for path, state in [("/report.json", "changed"), ("/added.json", "added")]:
            content = json.dumps({"state": state, "padding": padding}).encode()
            server.virtual[path] = ("application/json", content)
        assert demo.page.evaluate(STATE, "./report.json") == "changed"
        assert demo.page.evaluate(STATE, "./added.json") == "added"
        kept = "() => caches.match('./report.json').then((response) => response.json()).then(({ state }) => state)"
        assert demo.page.evaluate(kept) is None
