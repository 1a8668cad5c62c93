"""Classes and vectors of what a detector found: on the page as the native chain has them, and of 1,000 objects."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import Browser, Page, expect

from e2e.conftest import BLANK, Open, Webbuild
from e2e.demo_page import DemoPage
from tests.crop_models import DETECTOR, classifier, crowd_detector, embedding
from webbuild.browser.chromium import BrowserHandle
from webbuild.browser.page_assets import load_page_assets
from webbuild.browser.server import Server
from webbuild.verify.bundle_reader import open_bundle
from webbuild.verify.gpu_counters import serve_counting_worker
from webbuild.verify.page_rpc import URL_PREFIX
from webbuild.verify.stage_work import later_work
from webbuild.verify.variant_work import VariantWork, reference_work
from webbuild.verify.whole_work import whole_works

PEOPLE = 1000
DRAWN = """() => {
  const { width, height } = document.getElementById("overlay");
  const data = document.getElementById("overlay").getContext("2d").getImageData(0, 0, width, height).data;
  return data.some((value) => value > 0);
}"""
SLOW = """() => {
  globalThis.batches = 0;
  for (const { prototype } of [Worker, MessagePort]) {
    const { postMessage } = prototype;
    prototype.postMessage = function (message, ...rest) {
      const post = () => postMessage.call(this, message, ...rest);
      if (!Object(message).path?.join(".").endsWith("scenes.runParts")) return post();
      batches += 1;
      setTimeout(post, 5);
    };
  }
}"""
"""Counts the batches that a page asks its worker for, and lets each take some milliseconds longer."""
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


@pytest.fixture(scope="module", params=["classes", "embeddings"])
def packed(request: pytest.FixtureRequest, webbuild: Webbuild, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp(request.param)
    look = classifier(folder) if request.param == "classes" else embedding(folder)
    done = webbuild("pack", DETECTOR, look, "-o", folder / "out", "--no-verify")
    assert done.returncode == 0, done.stderr
    return folder / "out"


def native(directory: Path, folder: Path) -> dict[str, Sequence[Any]]:
    """Return what the stages answer natively, one after another as `verify` runs them, by the name of the sample."""
    bundle = open_bundle(directory)
    work = list[VariantWork]()
    for each in (one for one in bundle.variants if one.batch == 1):
        later = bool(work)
        made = later_work(each, [], work) if later else reference_work(each, [], (), folder, (), lambda _: None)
        work.append(made)
    (whole,) = whole_works(bundle, work, ["wasm"], "auto")
    return {given.file.name: answer.detections for given, answer in whole.results if given.file is not None}


def copied(demo: DemoPage) -> list[dict[str, Any]]:
    demo.page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    demo.at("copy-result").click()
    expect(demo.page.locator("#copy-result-text")).to_have_text("Copied")
    found: list[dict[str, Any]] = json.loads(demo.page.evaluate("navigator.clipboard.readText()"))["detections"]
    return found


def test_the_page_shows_what_the_native_chain_answers(
    packed: Path, open_page: Open, without_gpu: Browser, tmp_path: Path
) -> None:
    wanted = native(packed, tmp_path)
    sample = Path(json.loads((packed / "manifest.json").read_text())["samples"][0]["file"]).name
    with Server(packed) as server:
        demo = open_page(without_gpu, server.url)
        count = demo.wait_for_result()
        found, rows = copied(demo), demo.at("results").locator("li").all_inner_texts()
        expect(demo.page.locator("#result-noun")).to_have_text("people")
        expect(demo.page.locator("#slot")).to_have_attribute("aria-label", f"Several: {count} people found")
        assert demo.page.evaluate(DRAWN)
        demo.choose(5)
        expect(demo.page.locator("#nobody")).to_contain_text("Nobody found")
        assert demo.count() == 0
        assert copied(demo) == []
    want = wanted[sample]
    assert len(found) == len(rows) == len(want) == count > 3
    np.testing.assert_allclose([[*each["box"].values()] for each in found], [_corners(each) for each in want], atol=0.5)
    for at, (got, native_one, row) in enumerate(zip(found, want, rows, strict=True)):
        if "classes" in got:
            scores = {each["label"]: each["score"] for each in got["classes"]}
            expected = {each.label: each.score for each in native_one.classes}
            assert scores == pytest.approx(expected, abs=2e-3)
            assert got["classes"][0]["label"] in row
            assert f"person {got['score']:.2f}" in row
        else:
            np.testing.assert_allclose(got["embedding"], native_one.embedding, atol=5e-3)
            assert f"like {_nearest(found, at) + 1}: " in row


def _corners(one: Any) -> list[float]:
    return [one.box.x1, one.box.y1, one.box.x2, one.box.y2]


def _nearest(found: Sequence[dict[str, Any]], at: int) -> int:
    vectors = np.array([each["embedding"] for each in found])
    cosines = vectors @ vectors[at]
    cosines[at] = -2
    return int(cosines.argmax())


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
        expect(demo.page.locator("#status")).to_have_text(re.compile("Looked at [2-9]00 of 1000"))
        demo.at("sample-0").click()
        assert demo.wait_for_result() == PEOPLE
        expect(demo.page.locator("#slot")).to_have_attribute("aria-label", title)
        whole = PEOPLE // 4
        assert whole < demo.page.evaluate("batches") < 1.6 * whole
