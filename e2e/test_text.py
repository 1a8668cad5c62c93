"""The shipped pair that finds and reads text: both backends agree with native, the page searches and copies text."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import expect

from e2e.accessibility import violations
from e2e.camera import CAMERA
from e2e.conftest import Open, Webbuild
from tests.commands.program import ROOT
from tests.compared import compared
from webbuild.browser.chromium import BrowserHandle
from webbuild.browser.server import Server

PAIR = ROOT / "models" / "text-reader"
COPIED = """async () => {
  const { load, toHocr } = await import(new URL("./det-rec.js", document.baseURI).href);
  const model = await load({ backend: "wasm" });
  const result = await model.run(await (await fetch(document.querySelector("#samples img").src)).blob());
  await model.dispose();
  return { text: result.text, hocr: toHocr(result) };
}"""


@pytest.fixture(scope="module")
def packed(webbuild: Webbuild, webgpu: BrowserHandle, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Any]:
    """Return the bundle, and the report of `pack`, which compares it on both backends."""
    out = tmp_path_factory.mktemp("text") / "bundle"
    options = (
        "--labels",
        PAIR / "dict.txt",
        "--size",
        "320",
        "--widths",
        "160,320",
        "--sample",
        PAIR / "samples" / "2-sign.jpg",
        "--json",
    )
    done = webbuild("pack", PAIR / "det.onnx", PAIR / "rec.onnx", *options, "-o", out)
    assert done.returncode == 0, done.stderr
    return out, json.loads(done.stdout)


def test_both_backends_read_what_native_reads(packed: tuple[Path, Any]) -> None:
    _, report = packed
    runs = {run["backend"]: run for run in report["verify"]["backends"]}
    whole = [run for name, run in runs.items() if name.endswith("whole")]
    assert {name.split()[0] for name in runs} == {"webgpu", "wasm"}
    assert len(whole) == 2
    for run in whole:
        judged = [each for result in run["results"] for each in result["comparisons"]]
        assert {compared(each) for each in judged} >= {"detections", "character error rate", "score"}
        assert {each["verdict"] for each in judged} == {"OK"}
        (read,) = (each for each in judged if each["subject"]["quantity"] == "character error rate")
        assert read["signal"] > 10


def test_the_page_searches_and_copies_the_text(
    packed: tuple[Path, Any], with_gpu: BrowserHandle, open_page: Open
) -> None:
    bundle, _ = packed
    with Server(bundle) as server:
        demo = open_page(with_gpu.browser, server.url)
        lines = demo.wait_for_result()
        assert lines >= 3
        rows = demo.page.locator("#rows li")
        expect(rows).to_have_count(lines)
        demo.page.get_by_label("Search").fill("library")
        expect(rows).to_have_count(1)
        demo.page.get_by_label("Search").fill("nowhere")
        expect(demo.page.locator("#nobody")).to_have_text('No line contains "nowhere".')
        demo.page.get_by_label("Search").fill("")
        expect(rows).to_have_count(lines)
        assert violations(demo.page) == []
        demo.page.evaluate(CAMERA, demo.page.locator("#samples img").first.get_attribute("src"))
        with demo.another_run():
            demo.page.get_by_role("button", name="Use camera").click()
            demo.page.wait_for_function("() => writes > 0 || document.body.dataset.state === 'error'")
            expect(demo.page.get_by_role("alert")).to_be_hidden()
            expect(rows).not_to_have_count(0)
            demo.page.get_by_role("button", name="Stop camera").click()
        answer = demo.page.evaluate(COPIED)
        assert "Library" in answer["text"]
        assert answer["hocr"].count('class="ocr_line"') == lines
