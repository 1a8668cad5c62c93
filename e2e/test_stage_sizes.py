"""A detector of two sizes with one crop stage: compared as a whole at each size, chosen for each image."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from e2e.conftest import BLANK, Open, Webbuild
from tests.crop_models import classifier, crowd_detector
from webbuild.browser.chromium import BrowserHandle
from webbuild.browser.server import Server

SIZES = ("64x64", "96x64")
CHOSEN = """async (loader) => {
  const { load } = await import(new URL(loader, document.baseURI).href);
  const model = await load({ backend: "wasm" });
  const picture = (width, height) => {
    const canvas = new OffscreenCanvas(width, height);
    canvas.getContext("2d").fillRect(0, 0, 9, 9);
    return canvas;
  };
  const run = async (width, height, options) => {
    const { size, detections } = await model.run(picture(width, height), options);
    return [size.join("x"), detections.length, detections[0].box.x2];
  };
  const answers = [await run(64, 64), await run(96, 64), await run(96, 64, { size: 64 })];
  const scene = await model.look(picture(480, 320));
  answers.push([(await scene.run()).size.join("x")]);
  const alone = await load({ backend: "wasm", size: [96, 64] });
  answers.push(alone.sizes.map((size) => size.join("x")));
  await model.dispose();
  await alone.dispose();
  return answers;
}"""


@pytest.fixture(scope="module")
def packed(webbuild: Webbuild, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("sizes")
    models = (crowd_detector(folder / "crowd.onnx", 3, "h,w"), classifier(folder))
    done = webbuild("pack", *models, "--size", "64", "--size", "96x64", "-o", folder / "out", "--no-verify")
    assert done.returncode == 0, done.stderr
    return folder / "out"


def test_each_size_of_the_first_stage_and_the_whole_agree_with_native(
    webbuild: Webbuild, packed: Path, webgpu: BrowserHandle
) -> None:
    done = webbuild("verify", packed, "--json")
    assert done.returncode == 0, done.stdout + done.stderr
    runs = {run["backend"]: run["results"] for run in json.loads(done.stdout)["backends"]}
    sized = {f"{name} {size}" for name in ("crowd", "whole") for size in SIZES}
    crops = {f"tiny-cls batch {count}" for count in (1, 4)}
    assert set(runs) == {f"{backend} {name}" for backend in ("webgpu", "wasm") for name in sized | crops}
    for name in sized:
        for backend in ("webgpu", "wasm"):
            judged = [each for result in runs[f"{backend} {name}"] for each in result["comparisons"]]
            assert sum(each["signal"] for each in judged if each["subject"]["quantity"] == "detections") >= 3
            assert {each["verdict"] for each in judged} == {"OK"}


def test_a_run_takes_the_size_that_fits_its_picture(packed: Path, without_gpu: Browser) -> None:
    page = without_gpu.new_page()
    with Server(packed, virtual=BLANK) as server:
        page.goto(f"{server.url}blank.html")
        square, wide, asked, look, alone = page.evaluate(
            CHOSEN, json.loads((packed / "manifest.json").read_text())["name"] + ".js"
        )
    page.close()
    assert square == ["64x64", 3, 12]
    assert wide == ["96x64", 3, 12]
    assert asked == ["64x64", 3, 18]
    assert (look, alone) == (["96x64"], ["96x64"])


def test_the_page_runs_at_the_size_that_is_chosen(packed: Path, open_page: Open, without_gpu: Browser) -> None:
    with Server(packed) as server:
        page = open_page(without_gpu, server.url)
        page.wait_for_result()
        for size in SIZES:
            page.at(f"size-{size}").check()
            width, height = size.split("x")
            expect(page.at("size-used")).to_have_text(
                f"This picture was run at {width} \N{MULTIPLICATION SIGN} {height}."
            )
