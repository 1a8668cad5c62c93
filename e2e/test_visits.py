"""Downloads of a visitor: once, and after that nothing of model and engine; the page also opens offline."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, Response

from e2e.demo_page import DemoPage
from e2e.test_deployment import BLANK, POLICY
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
    """Open the page and wait for its first result; return it and the requested large files."""
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
    """Online, the server's response is used, for cached and other files."""
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


LOAD = """async () => {
  const { load } = await import("./yolo-pose.js");
  globalThis.model = await load({ backend: "wasm" });
  const picture = await (await fetch("./samples/1-several.jpg")).blob();
  return (await model.run(picture)).poses.length;
}"""
KEPT = """async () => (await (await caches.open("webbuild-engines")).keys())
  .map(({ url }) => url.split("/webbuild/")[1]).filter((name) => !name.startsWith("bundle-"))"""
WORKERS = "async () => (await navigator.serviceWorker.getRegistrations()).map(({ scope }) => new URL(scope).pathname)"
IDLE = 10_000
"""Milliseconds after which idle-time work is done, or never will be."""


def load(context: BrowserContext, server: Server) -> tuple[Page, list[Response]]:
    """Load a model on an empty page; return also the service worker's responses for its engine."""
    page, answers = context.new_page(), []
    page.on("response", lambda each: answers.append(each) if "/webbuild/" in each.url else None)
    page.on("console", lambda said: pytest.fail(said.text) if said.type == "error" else None)
    page.goto(f"{server.url}blank.html")
    assert page.evaluate(LOAD) > 0
    return page, answers


def engine_kept(page: Page) -> str:
    """Wait until the complete engine is cached, and served by a service worker; return its name."""
    wait = f"""async () => {{
      for (;; await new Promise((resolve) => setTimeout(resolve, 100)))
        for (const name of await ({KEPT})()) {{
          const given = await navigator.serviceWorker.getRegistration("/runtime/worker.js");
          const kept = await caches.match(`/webbuild/${{name}}`);
          if (given?.active && (await kept.arrayBuffer()).byteLength >= 1e6) return name;
        }}
    }}"""
    return str(page.evaluate(wait))


@pytest.fixture
def blank(bundle: Path) -> Iterator[Server]:
    with Server(bundle, virtual=dict(BLANK), headers=POLICY) as server:
        yield server


def test_the_engine_of_a_second_visit_comes_so_that_its_code_is_kept(visitor: BrowserContext, blank: Server) -> None:
    """By a service worker that only sees the worker's requests, under the strict policy."""
    page, answers = load(visitor, blank)
    assert answers == []
    name = engine_kept(page)
    manifest = page.evaluate("() => fetch('./manifest.json').then((response) => response.json())")
    assert name in [file.get("uncompressedSha256") for file in manifest["files"]]
    assert page.evaluate(WORKERS) == ["/runtime/worker.js"]
    assert page.evaluate("() => navigator.serviceWorker.controller") is None
    page.close()
    page, [answer] = load(visitor, blank)
    assert (answer.url, answer.from_service_worker) == (f"{blank.url}webbuild/{name}", True)
    assert answer.headers["content-type"] == "application/wasm"
    page.evaluate("() => model.dispose()")
    page.evaluate("() => import('./yolo-pose.js').then(({ clearCache }) => clearCache())")
    assert page.evaluate(KEPT) == []
    page, answers = load(visitor, blank)
    assert answers == []


@pytest.mark.parametrize("broken", ["another module", "cut", "no service worker"])
def test_an_engine_that_does_not_come_so_comes_as_ever(visitor: BrowserContext, blank: Server, broken: str) -> None:
    page, _ = load(visitor, blank)
    name = engine_kept(page)
    replace = """async ([name, content]) => (await caches.open("webbuild-engines")).put(`/webbuild/${name}`,
      new Response(Uint8Array.from(content), { headers: { "content-type": "application/wasm" } }))"""
    empty_module = [0, 0x61, 0x73, 0x6D, 1, 0, 0, 0]
    if broken == "no service worker":
        assert page.evaluate(
            "async () => (await navigator.serviceWorker.getRegistration('/runtime/worker.js')).unregister()"
        )
    else:
        page.evaluate(replace, [name, empty_module[: 8 if broken == "another module" else 3]])
    page.close()
    page, _ = load(visitor, blank)
    assert engine_kept(page) == name
    page.close()
    page, answers = load(visitor, blank)
    assert [answer.from_service_worker for answer in answers] == [True]


def test_a_service_worker_of_the_site_keeps_the_worker(visitor: BrowserContext, blank: Server) -> None:
    trusted = "trustedTypes.createPolicy('webbuild', { createScriptURL: (url) => url }).createScriptURL('/own.js')"
    blank.virtual["/own.js"] = ("text/javascript", b"addEventListener('fetch', () => {});")
    page = visitor.new_page()
    page.goto(f"{blank.url}blank.html")
    page.evaluate(
        f"async () => {{ await navigator.serviceWorker.register({trusted}); await navigator.serviceWorker.ready; }}"
    )
    page.close()
    page, _ = load(visitor, blank)
    page.wait_for_timeout(IDLE)
    assert page.evaluate(WORKERS) == ["/"]
    assert page.evaluate(KEPT) == []
