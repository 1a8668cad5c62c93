"""WebKitGTK: a bundle on WASM, its only backend, its page, its caches, and offline."""

from __future__ import annotations

import io
import os
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from e2e.conftest import BLANK
from e2e.test_deployment import POLICY
from webbuild.browser.server import Server
from webbuild.browser.webdriver import WebDriverPage
from webbuild.browser.webkit import WebKitHandle

SHOWN = """() => document.body.dataset.state === "error" || (document.body.dataset.state === "ready"
  && !["", undefined].includes(document.querySelector("[data-testid=result-count]")?.textContent))"""
TEXT = "(name) => document.querySelector(`[data-testid=${name}]`)?.textContent ?? document.body.innerText"
LOAD = """async (options) => {
  const { load } = await import("./yolo-pose.js");
  const { samples } = await (await fetch("./manifest.json")).json();
  const blob = await (await fetch(samples[0].file)).blob();
  try {
    const model = await load(options);
    const { poses } = await model.run(blob);
    const { engine, adapter } = model.info();
    await model.dispose();
    const { backend, reason } = model;
    return { backend, reason, engine, adapter, warnings: model.warnings.map(({ code }) => code), people: poses.length };
  } catch (error) { return { code: error.code, message: error.message, fix: error.fix }; }
}"""
RUNS = """async (runs) => {
  const { load } = await import("./yolo-pose.js");
  const { samples } = await (await fetch("./manifest.json")).json();
  const blob = await (await fetch(samples[0].file)).blob();
  const model = await load({ backend: "wasm" });
  const answers = new Map();
  for (let run = 0; run < runs; run++) {
    const text = JSON.stringify((await model.run(blob)).poses);
    answers.set(text, (answers.get(text) ?? 0) + 1);
  }
  await model.dispose();
  return [...answers].map(([text, count]) => ({ people: JSON.parse(text).length, count }));
}"""
HAS = """() => ({
  isolated: crossOriginIsolated, jspi: "Suspending" in WebAssembly, webgpu: "gpu" in navigator,
})"""


def opened(page: WebDriverPage, url: str) -> int:
    """Open the demo page and wait for its first result; return the number of people."""
    page.goto(url)
    page.wait_for_function(SHOWN)
    assert page.evaluate("() => document.body.dataset.state") == "ready", page.evaluate(TEXT, "failure")
    return int(page.evaluate(TEXT, "result-count"))


def test_auto_takes_wasm_and_says_why(webkit_here: WebKitHandle, bundle: Path) -> None:
    with Server(bundle, virtual=dict(BLANK)) as server, webkit_here.page() as (page, console):
        page.goto(f"{server.url}blank.html")
        has = page.evaluate(HAS)
        assert (has["isolated"], has["jspi"], has["webgpu"]) == (True, False, False)
        loaded = page.evaluate(LOAD, {"backend": "auto"})
        assert (loaded["backend"], loaded["engine"]["build"], loaded["adapter"]) == ("wasm", "wasm", None)
        assert "WebGPU" in loaded["reason"]
        assert loaded["warnings"] == ["no-adapter"]
        assert loaded["people"] == 6
        refused = page.evaluate(LOAD, {"backend": "webgpu"})
        assert (refused["code"], bool(refused["fix"])) == ("no-adapter", True)
        assert console.errors == []


@pytest.mark.parametrize("isolated", [True, False], ids=["isolated", "not isolated"])
def test_the_page_works_under_the_policy(webkit_here: WebKitHandle, bundle: Path, isolated: bool) -> None:
    """It also renders: the samples, and the image with the detections on it."""
    with Server(bundle, isolated=isolated, headers=POLICY) as server, webkit_here.page() as (page, console):
        assert opened(page, server.url) == 6
        assert page.evaluate("() => crossOriginIsolated") == isolated
        assert page.evaluate(TEXT, "backend-chip") == "WASM"
        assert page.evaluate("() => navigator.serviceWorker.ready.then(({ active }) => active !== null)")
        picture = np.asarray(Image.open(io.BytesIO(page.screenshot())).convert("RGB"))
        assert min(picture.shape[:2]) > 400
        assert len(np.unique(picture.reshape(-1, 3), axis=0)) > 5_000, "no photograph is to be seen"
        assert console.errors == []


def test_the_second_visit_downloads_nothing_and_the_third_needs_no_server(
    webkit_here: WebKitHandle, bundle: Path
) -> None:
    sent: list[str] = []
    with webkit_here.page() as (page, _):
        with Server(bundle, on_request=lambda path, _: sent.append(path)) as server:
            found = opened(page, server.url)
            large = [path for path in sent if path.endswith((".zst", ".bin", ".onnx"))]
            assert any(path.endswith(".wasm.zst") for path in large)
            assert page.evaluate("() => navigator.serviceWorker.ready.then(({ active }) => active !== null)")
            sent.clear()
            assert opened(page, server.url) == found
            assert [path for path in sent if path.endswith((".zst", ".bin", ".onnx"))] == []
        assert opened(page, server.url) == found


def test_storage_that_refuses_is_gone_without(webkit_here: WebKitHandle, bundle: Path) -> None:
    """With a full disk the model still runs, and a message says that it will be downloaded again."""
    refuse = """() => {
      Cache.prototype.put = () => Promise.reject(new DOMException("full", "QuotaExceededError"));
    }"""
    with Server(bundle, virtual=dict(BLANK)) as server, webkit_here.page() as (page, console):
        page.goto(f"{server.url}blank.html")
        page.evaluate(refuse)
        loaded = page.evaluate(LOAD, {"backend": "wasm"})
        assert loaded["people"] == 6
        assert console.errors == []


def test_a_long_loop_of_runs_gives_the_same_answer_in_every_tier(webkit_here: WebKitHandle, bundle: Path) -> None:
    """JavaScriptCore recompiles WebAssembly twice while it runs: its tiers must compute the same."""
    runs = int(os.environ.get("WEBBUILD_WEBKIT_RUNS", "30"))
    with Server(bundle, virtual=dict(BLANK)) as server, webkit_here.page() as (page, _):
        page.goto(f"{server.url}blank.html")
        assert page.evaluate(RUNS, runs) == [{"people": 6, "count": runs}]
