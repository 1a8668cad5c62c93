"""RT-DETR's interface and transformers', from the ONNX file to the page: the same in browsers as natively."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser

from e2e.conftest import Open, Webbuild
from tests.models import save
from tests.set_detectors import SIDE, detr, rt_detr
from webbuild.browser.chromium import BrowserHandle
from webbuild.browser.server import Server

BLANK = {"/blank.html": ("text/html", b"<link rel=icon href=data:,>")}


@pytest.fixture(scope="module")
def detector(webbuild: Webbuild, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("rt-detr")
    done = webbuild("pack", save(rt_detr(), folder / "rt-detr.onnx"), "-o", folder / "out", "--no-verify")
    assert done.returncode == 0, done.stderr
    return folder / "out"


@pytest.fixture(scope="module")
def report(webbuild: Webbuild, webgpu: BrowserHandle, detector: Path) -> Any:
    done = webbuild("verify", detector, "--json")
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def all_right(report: Any) -> None:
    for run in report["backends"]:
        judged = [each for result in run["results"] for each in result["comparisons"]]
        assert {each["verdict"] for each in judged} == {"OK"}
    assert sum(len(sample["detections"]) for sample in report["samples"]) >= 10


def test_both_backends_find_what_native_finds(report: Any) -> None:
    assert {run["backend"] for run in report["backends"]} == {"webgpu", "wasm"}
    all_right(report)


def test_boxes_are_in_pixels_of_the_picture(report: Any) -> None:
    for sample in report["samples"]:
        assert min(sample["width"], sample["height"]) > 2 * SIDE
        widest = max(each["box"]["x2"] for each in sample["detections"])
        assert sample["width"] / 2 < widest <= sample["width"]


def test_nothing_is_left_to_the_cpu(report: Any) -> None:
    (run,) = [run for run in report["backends"] if run["backend"] == "webgpu"]
    assert [placement["provider"] for placement in run["placements"]] == ["WebGpuExecutionProvider"]


def test_a_size_of_another_type_is_refused_with_both(without_gpu: Browser, detector: Path) -> None:
    feeds = """async (types) => {
      const { load } = await import("./rt-detr.js");
      const model = await load({ backend: "wasm" });
      const images = { type: "float32", dims: [1, 3, 32, 32], data: new Float32Array(3072) };
      const failed = ({ code, message }) => ({ code, message });
      const rejection = await model.runTensors({ images, orig_target_sizes: types }).catch(failed);
      const filled = await model.runTensors({ images });
      return { rejection, filled: Object.keys(filled) };
    }"""
    with Server(detector, virtual=BLANK) as server, without_gpu.new_page() as page:
        page.goto(f"{server.url}blank.html")
        given = "() => ({ type: 'float32', dims: [1, 2], data: new Float32Array([640, 480]) })"
        answer = page.evaluate(f"async () => ({feeds})(({given})())")
    assert answer["rejection"]["code"] == "invalid-input"
    assert "orig_target_sizes" in answer["rejection"]["message"]
    assert "int32 [1, 2]" in answer["rejection"]["message"]
    assert "float32 [1, 2]" in answer["rejection"]["message"]
    assert answer["filled"] == ["detections"]


def test_the_page_shows_what_was_found(open_page: Open, without_gpu: Browser, detector: Path) -> None:
    with Server(detector) as server:
        demo = open_page(without_gpu, server.url, viewport={"width": 1280, "height": 900})
        assert demo.wait_for_result() > 0
        assert demo.choose(1) > 0
        assert demo.slide("confidence", 0.9) == 0


def test_boxes_that_are_all_zero_are_a_warning_and_a_problem(
    webbuild: Webbuild, without_gpu: Browser, tmp_path: Path
) -> None:
    model = save(rt_detr(boxes=0.0), tmp_path / "flat.onnx")
    assert webbuild("pack", model, "-o", tmp_path / "out", "--no-verify").returncode == 0
    done = webbuild("verify", tmp_path / "out", "--backend", "wasm", "--json")
    assert done.returncode == 1
    (problem,) = json.loads(done.stdout)["problems"]
    assert problem["code"] == "flat-output"
    assert "no box that was found has an area, on every sample" in problem["message"]
    ask = """async () => {
      const { load } = await import("./flat.js");
      const model = await load({ backend: "wasm" });
      await model.run(new ImageData(64, 48), { confidence: 0 });
      return model.warnings.map(({ code }) => code);
    }"""
    with Server(tmp_path / "out", virtual=BLANK) as server, without_gpu.new_page() as page:
        page.goto(f"{server.url}blank.html")
        assert "flat-output" in page.evaluate(ask)


def test_transformers_detr_runs_the_same(webbuild: Webbuild, webgpu: BrowserHandle, tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text(json.dumps({"id2label": {"0": "cup", "1": "dog"}}), "utf-8")
    model, out = save(detr(), tmp_path / "detr.onnx"), tmp_path / "out"
    done = webbuild("pack", model, "-o", out, "--no-verify", "--dim", f"height={SIDE}", "--dim", f"width={SIDE}")
    assert done.returncode == 0, done.stderr
    verified = webbuild("verify", out, "--json")
    assert verified.returncode == 0, verified.stderr
    all_right(json.loads(verified.stdout))
