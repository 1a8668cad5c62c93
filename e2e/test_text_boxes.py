"""A text detector from its ONNX file to its page: compared in Chromium, drawn, run with another threshold."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from e2e.accessibility import violations
from e2e.conftest import Open, Webbuild
from tests.compared import compared
from tests.models import save
from tests.text_detectors import bars, detector
from webbuild.browser.chromium import BrowserHandle
from webbuild.browser.server import Server

DRAWN = """async () => {
  await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
  const canvas = document.getElementById("overlay");
  const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
  return data.filter((value, at) => at % 4 === 3 && value > 0).length;
}"""


@pytest.fixture(scope="module")
def packed(webbuild: Webbuild, webgpu: BrowserHandle, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Any]:
    """Return the bundle, and the report of `pack`, which compares it on both backends."""
    folder = tmp_path_factory.mktemp("text")
    model, out = save(detector(), folder / "ch_PP-OCRv4_det_infer.onnx"), folder / "bundle"
    pictures = bars(folder / "1_wide.png"), bars(folder / "2_high.png", (90, 131))
    done = webbuild("pack", model, "--sample", *pictures, "-o", out, "--json")
    assert done.returncode == 0, done.stderr
    return out, json.loads(done.stdout)


def test_both_backends_agree_with_native_on_every_quantity(packed: tuple[Path, Any]) -> None:
    _, report = packed
    native = [sample["detections"] for sample in report["verify"]["samples"]]
    assert [len(each) for each in native] == [3, 3]
    assert {run["backend"] for run in report["verify"]["backends"]} == {"webgpu", "wasm"}
    for run in report["verify"]["backends"]:
        judged = [each for result in run["results"] for each in result["comparisons"]]
        assert {each["verdict"] for each in judged} == {"OK"}
        decoded = {compared(each) for each in judged if each["subject"]["stage"] == "decoded"}
        assert decoded == {"detections", "score", "polygon"}
        for result, wanted in zip(run["results"], native, strict=True):
            for got, want in zip(result["detections"], wanted, strict=True):
                np.testing.assert_allclose(got["polygon"], want["polygon"], rtol=0, atol=1e-3)


def test_the_page_draws_polygons_and_takes_a_threshold(
    packed: tuple[Path, Any], with_gpu: BrowserHandle, open_page: Open
) -> None:
    bundle, _ = packed
    with Server(bundle) as server:
        demo = open_page(with_gpu.browser, server.url)
        assert demo.wait_for_result() == 3
        assert demo.page.evaluate(DRAWN) > 100
        assert violations(demo.page) == []
        with demo.another_run():
            demo.at("confidence").fill("1")
        assert demo.count() == 0
        assert demo.page.locator("#nobody").inner_text().startswith("Nothing found")
