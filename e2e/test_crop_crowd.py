"""Crops of a crowd: an image with 1,000 objects that is aborted, disposed of, and replaced by another image."""

from __future__ import annotations

import json
import re
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import Browser, Page, expect

from e2e.conftest import BLANK, Open, Webbuild
from tests.crop_models import classifier, crowd_detector
from webbuild.browser.chromium import BrowserHandle
from webbuild.browser.page_assets import load_page_assets
from webbuild.browser.server import Server
from webbuild.verify.gpu_counters import serve_counting_worker
from webbuild.verify.page_rpc import URL_PREFIX

PEOPLE = 1000
SLOW = """() => {
  globalThis.batches = 0;
  let choose;
  const chosen = new Promise((resolve) => { choose = resolve; });
  document.querySelector("[data-testid=sample-0]").addEventListener("click", choose);
  const status = document.querySelector("#status");
  const slow = new Promise((resolve) => {
    new MutationObserver(() => status.textContent === "Running" && resolve()).observe(status, { childList: true });
  });
  for (const { prototype } of [Worker, MessagePort]) {
    const { postMessage } = prototype;
    prototype.postMessage = function (message, ...rest) {
      const post = () => postMessage.call(this, message, ...rest);
      if (!Object(message).path?.join(".").endsWith("scenes.runParts")) return post();
      batches += 1;
      void (batches < 80 ? slow : chosen).then(post);
    };
  }
}"""
"""Counts the batches that a page sends to its worker. They wait until the run counts as slow; from the 80th on, until a
sample is chosen."""
CROWD = """async ([loader, worker, backend]) => {
  const { load } = await import(new URL(loader, document.baseURI).href);
  const { counted, countingWorker } = await import("/__webbuild__/counters.js");
  const canvas = document.createElement("canvas");
  [canvas.width, canvas.height] = [64, 64];
  const context = canvas.getContext("2d");
  const paint = (left, right) => {
    [left, right].forEach((color, at) => { context.fillStyle = color; context.fillRect(32 * at, 0, 32, 64); });
  };
  const model = await load({ backend, cache: false, worker: () => countingWorker(worker) });
  const codes = {}, progress = [];
  const classesOf = ({ detections }) => detections.map(({ classes: [best] }) => [best.classIndex, best.score]);
  const settled = async () => (await counted()).buffers;

  paint("orange", "teal");
  const first = await model.run(canvas, { onProgress: (said) => progress.push(said) });
  const before = await settled();

  const changing = model.run(canvas, { onProgress: () => paint("black", "white") });
  paint("white", "black");
  const changed = await changing;

  paint("orange", "teal");
  const dropping = new AbortController();
  let heard = 0;
  const onProgress = ({ done }) => { heard = done; if (done >= 40) dropping.abort(); };
  await model.run(canvas, { signal: dropping.signal, onProgress }).catch(({ code }) => { codes.dropped = code; });
  const again = await model.run(canvas);
  const after = await settled();

  const disposing = ({ done }) => { if (done >= 40) void model.dispose(); };
  await model.run(canvas, { onProgress: disposing }).catch(({ code }) => { codes.disposed = code; });
  return {
    found: first.detections.length, progress, heard, codes, buffers: [before, after], used: first.backend,
    first: classesOf(first), changed: classesOf(changed), again: classesOf(again),
  };
}"""


@pytest.fixture(scope="module")
def crowd(webbuild: Webbuild, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("crowd")
    finder = crowd_detector(folder / "crowd.onnx", PEOPLE)
    done = webbuild("pack", finder, classifier(folder), "-o", folder / "out", "--no-verify")
    assert done.returncode == 0, done.stderr
    return folder / "out"


@pytest.mark.parametrize("backend", ["wasm", "webgpu"])
def test_a_thousand_crops(crowd: Path, webgpu: BrowserHandle, backend: str) -> None:
    page: Page = webgpu.browser.new_page()
    with Server(crowd, virtual=BLANK) as server:
        server.virtual.update(load_page_assets("webbuild.verify", ("runner.js",), URL_PREFIX))
        worker = serve_counting_worker(server)
        page.goto(f"{server.url}blank.html")
        loader = f"{json.loads((crowd / 'manifest.json').read_text())['name']}.js"
        got = page.evaluate(CROWD, [loader, worker, backend])
    page.close()
    assert (got["used"], got["found"]) == (backend, PEOPLE)
    assert got["progress"] == [{"done": done, "total": PEOPLE} for done in range(4, PEOPLE + 1, 4)]
    assert got["codes"] == {"dropped": "aborted", "disposed": "disposed"}
    assert 40 <= got["heard"] < PEOPLE
    before, after = got["buffers"]
    assert after <= before
    first = np.array(got["first"])
    assert len(np.unique(first[:, 1].round(3))) > 10
    for name in ("changed", "again"):
        np.testing.assert_allclose(got[name], first, atol=1e-6)


def test_another_picture_does_not_wait_for_a_thousand_crops(crowd: Path, open_page: Open, without_gpu: Browser) -> None:
    with Server(crowd) as server:
        demo = open_page(without_gpu, server.url)
        assert demo.wait_for_result() == PEOPLE
        title = str(demo.page.locator("#slot").get_attribute("aria-label"))
        demo.page.evaluate(SLOW)
        demo.at("sample-1").click()
        demo.page.wait_for_function("() => batches >= 50")
        expect(demo.page.locator("#status")).to_have_text(re.compile("[2-9]00 of 1000 done"))
        demo.at("sample-0").click()
        assert demo.wait_for_result() == PEOPLE
        expect(demo.page.locator("#slot")).to_have_attribute("aria-label", title)
        whole = PEOPLE // 4
        assert whole < demo.page.evaluate("batches") < 1.6 * whole
