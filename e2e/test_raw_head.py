"""A detector exported without post-processing: packed with an appended head, equal in the browser and natively."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from e2e.conftest import BLANK, Webbuild
from tests.models import DETECT, detector, save
from webbuild.browser.bidi import BidiPage
from webbuild.browser.chromium import BrowserHandle
from webbuild.browser.server import Server

THRESHOLDS = [{"confidence": confidence, "iou": iou} for confidence in (0.25, 0, 1) for iou in (0.1, 0.5, 0.9)]

FOUND = """async ([loader, sample, backend, thresholds]) => {
  const base = document.baseURI;
  const { load } = await import(new URL(loader, base).href);
  const model = await load({ backend });
  const blob = await (await fetch(new URL(sample, base))).blob();
  const found = [];
  for (const each of thresholds) {
    const { detections } = await model.run(blob, each);
    found.push(detections.map(({ box, score, classIndex }) => [box.x1, box.y1, box.x2, box.y2, score, classIndex]));
  }
  return { found, suppression: model.info().suppression?.path ?? null };
}"""


@pytest.fixture(scope="module")
def packed(webbuild: Webbuild, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("raw")
    model = save(detector(metadata=DETECT), folder / "raw.onnx")
    done = webbuild("pack", model, "-o", folder / "out", "--no-verify")
    assert done.returncode == 0, done.stderr
    return folder / "out"


@pytest.fixture(scope="module")
def report(webbuild: Webbuild, webgpu: BrowserHandle, packed: Path) -> Any:
    done = webbuild("verify", packed, "--json")
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_both_backends_find_what_the_reference_finds(report: Any) -> None:
    assert report["task"]["output"] == "detections"
    assert sum(len(sample["detections"]) for sample in report["samples"]) > 10
    for run in report["backends"]:
        judged = [each for result in run["results"] for each in result["comparisons"]]
        assert {each["verdict"] for each in judged} == {"OK"}
    assert {run["backend"] for run in report["backends"]} == {"webgpu", "wasm"}


def test_every_node_of_the_head_runs_on_webgpu(report: Any) -> None:
    (run,) = [run for run in report["backends"] if run["backend"] == "webgpu"]
    assert [placement["provider"] for placement in run["placements"]] == ["WebGpuExecutionProvider"]
    assert not any(result["fallbackReason"] for result in run["results"])


def test_firefox_keeps_the_same_boxes_in_the_shader_as_on_the_cpu(packed: Path, firefox_webgpu: BidiPage) -> None:
    manifest = json.loads((packed / "manifest.json").read_text())
    given = [f"{manifest['name']}.js", manifest["samples"][0]["file"]]
    with Server(packed, virtual=BLANK) as server:
        firefox_webgpu.goto(f"{server.url}blank.html")
        wasm, webgpu = (firefox_webgpu.evaluate(FOUND, [*given, name, THRESHOLDS]) for name in ("wasm", "webgpu"))
    assert (wasm["suppression"], webgpu["suppression"]) == (None, "gpu")
    counts = [len(each) for each in wasm["found"]]
    assert len(set(counts)) > 4, counts
    for own, other in zip(webgpu["found"], wasm["found"], strict=True):
        np.testing.assert_allclose(own, other, atol=1e-3)
    assert firefox_webgpu.console.complaints == []
