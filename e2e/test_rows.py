"""Segmentation and rotated boxes from the model to the page: packed, compared in Chromium, viewed."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import onnx
import pytest
from PIL import Image, ImageDraw

from e2e.accessibility import violations
from e2e.conftest import Open, Webbuild
from tests import wired
from tests.compared import compared, matched, of_pictures
from tests.models import save
from webbuild.browser.chromium import BrowserHandle
from webbuild.browser.server import Server

MODELS = {"segment": wired.segments, "obb": wired.objects}


@pytest.fixture(scope="module")
def pictures(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """Write a wide and a tall image, whose letterbox scales and offsets differ."""
    folder = tmp_path_factory.mktemp("pictures")
    files = [folder / "1_wide.png", folder / "2_high.png"]
    for file, (width, height) in zip(files, [(201, 120), (90, 131)], strict=True):
        image = Image.new("RGB", (width, height), (235, 235, 230))
        draw = ImageDraw.Draw(image)
        draw.ellipse((width * 0.08, height * 0.15, width * 0.45, height * 0.7), fill=(30, 40, 60))
        draw.ellipse((width * 0.5, height * 0.3, width * 0.9, height * 0.85), fill=(210, 40, 20))
        image.save(file)
    return files


@pytest.fixture(scope="module", params=list(MODELS))
def packed(
    request: pytest.FixtureRequest,
    webbuild: Webbuild,
    webgpu: BrowserHandle,
    pictures: list[Path],
    tmp_path_factory: pytest.TempPathFactory,
) -> tuple[str, Path, Any]:
    """Return the task, its bundle, and the report of `pack`, which compares the bundle on both backends."""
    folder = tmp_path_factory.mktemp(request.param)
    model: onnx.ModelProto = MODELS[request.param]()
    out = folder / "bundle"
    done = webbuild("pack", save(model, folder / "model.onnx"), "--sample", *pictures, "-o", out, "--json")
    assert done.returncode == 0, done.stderr
    return request.param, out, json.loads(done.stdout)


def test_both_backends_agree_with_native_on_every_quantity(packed: tuple[str, Path, Any]) -> None:
    task, _, report = packed
    quantities = {"detections", "score", "box"} | ({"mask"} if task == "segment" else set())
    for run in report["verify"]["backends"]:
        judged = [each for result in run["results"] for each in result["comparisons"]]
        assert {each["verdict"] for each in judged} == {"OK"}
        assert {compared(c) for c in judged if c["subject"]["stage"] == "decoded"} == quantities
        assert all(len(result["detections"]) == 3 for result in run["results"])
        assert [(result["minMaskIou"] is None) for result in run["results"]] == [task == "obb"] * 2
    assert 0 not in matched(of_pictures(report["pack"]["comparisons"])).values()


def test_masks_and_turned_boxes_came_back_from_the_page(packed: tuple[str, Path, Any]) -> None:
    task, _, report = packed
    native = [sample["detections"] for sample in report["verify"]["samples"]]
    for run in report["verify"]["backends"]:
        for result, wanted in zip(run["results"], native, strict=True):
            for got, want in zip(result["detections"], wanted, strict=True):
                if task == "segment":
                    assert got["mask"]["data"] == want["mask"]["data"] != ""
                    assert got["mask"]["columns"] == want["mask"]["columns"] > 0
                else:
                    assert got["angle"] == pytest.approx(want["angle"], abs=1e-4)
                    assert got["corners"][2]["x"] == pytest.approx(want["corners"][2]["x"], abs=1e-2)


def test_the_reports_draw_them(packed: tuple[str, Path, Any]) -> None:
    task, bundle, _ = packed
    for page in (bundle / "report.html", bundle.with_name("bundle.verify.html")):
        text = page.read_text()
        assert text.count('class="frame" d="M') >= 3
        assert ('class="lines" d="M' in text) is (task == "segment")


def test_the_page_draws_them(packed: tuple[str, Path, Any], with_gpu: BrowserHandle, open_page: Open) -> None:
    task, bundle, _ = packed
    with Server(bundle) as server:
        page = open_page(with_gpu.browser, server.url)
        assert page.wait_for_result() == 3
        drawn = page.page.evaluate(
            """async () => {
              await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
              const canvas = document.getElementById("overlay");
              const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
              let soft = 0;
              for (let at = 3; at < data.length; at += 4) if (data[at] > 90 && data[at] < 125) soft += 1;
              return { soft: soft / (data.length / 4), details: [...document.querySelectorAll(".row-detail")]
                .map((each) => each.textContent) };
            }"""
        )
        assert (drawn["soft"] > 0.05) is (task == "segment"), "the half-transparent part of the stage"
        assert [text.endswith("°") for text in drawn["details"]] == [task == "obb"] * 3
        assert violations(page.page) == []
