"""A detector and keypoints of its crops: compared as a whole in Chromium, and shown on the page."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import Browser, expect

from e2e.conftest import BLANK, Open, Webbuild
from e2e.pasted import run_pasted
from tests.crop_models import DETECTOR, keypoints
from webbuild.browser.bidi import BidiPage
from webbuild.browser.chromium import BrowserHandle
from webbuild.browser.server import Server

NAME = "yolo-pose-tiny-rtmpose"
POSES = """async ([loader, sample, backend]) => {
  const { load } = await import(new URL(loader, document.baseURI).href);
  const model = await load({ backend });
  const { poses } = await model.run(await (await fetch(new URL(sample, document.baseURI))).blob());
  await model.dispose();
  return poses.map(({ keypoints }) => keypoints.map(({ x, y, confidence }) => [x, y, confidence]));
}"""


@pytest.fixture(scope="module")
def packed(webbuild: Webbuild, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("crops")
    done = webbuild("pack", DETECTOR, keypoints(folder), "-o", folder / NAME, "--no-verify")
    assert done.returncode == 0, done.stderr
    return folder / NAME


def test_batches_and_whole_pictures_agree_with_native(
    webbuild: Webbuild, packed: Path, with_gpu: BrowserHandle
) -> None:
    done = webbuild("verify", packed, "--backend", "wasm", "--json")
    assert done.returncode == 0, done.stdout + done.stderr
    runs = {run["backend"]: run["results"] for run in json.loads(done.stdout)["backends"]}
    assert list(runs) == [
        f"wasm {name}" for name in ("yolo-pose", *(f"tiny-rtmpose batch {n}" for n in (1, 4)), "whole")
    ]
    batch = {
        each["subject"]["output"] for result in runs["wasm tiny-rtmpose batch 4"] for each in result["comparisons"]
    }
    assert batch == {"simcc_x", "simcc_y"}
    whole = [each for result in runs["wasm whole"] for each in result["comparisons"]]
    compared = {
        name: sum(each["signal"] for each in whole if each["subject"]["quantity"] == name)
        for name in ("detections", "keypoint")
    }
    assert compared["detections"] > 6
    assert compared["keypoint"] > compared["detections"]


def test_firefox_finds_the_same_keypoints_on_both_backends(packed: Path, firefox_webgpu: BidiPage) -> None:
    manifest = json.loads((packed / "manifest.json").read_text())
    given = [f"{manifest['name']}.js", manifest["samples"][0]["file"]]
    with Server(packed, virtual=BLANK) as server:
        firefox_webgpu.goto(f"{server.url}blank.html")
        wasm, webgpu = (np.array(firefox_webgpu.evaluate(POSES, [*given, name])) for name in ("wasm", "webgpu"))
    assert wasm.shape[0] > 1
    assert wasm.shape[1:] == (3, 3)
    assert wasm[..., 2].max() > 0
    np.testing.assert_allclose(webgpu, wasm, atol=0.5)
    assert firefox_webgpu.console.complaints == []


def test_the_page_shows_people_with_the_keypoints_of_the_second_model(
    packed: Path, open_page: Open, without_gpu: Browser
) -> None:
    with Server(packed) as server:
        demo = open_page(without_gpu, server.url)
        people = demo.wait_for_result()
        expect(demo.page.locator("header.top")).to_contain_text("each object looked at in a crop")
        demo.page.context.grant_permissions(["clipboard-read", "clipboard-write"])
        demo.at("copy-result").click()
        expect(demo.page.locator("#copy-result-text")).to_have_text("Copied")
        poses = json.loads(demo.page.evaluate("navigator.clipboard.readText()"))["poses"]
    assert len(poses) == people > 0
    assert {len(pose["keypoints"]) for pose in poses} == {3}
    assert {pose["label"] for pose in poses} == {"person"}


def test_the_code_on_the_page_runs_as_it_is(packed: Path, without_gpu: Browser) -> None:
    page = without_gpu.new_page()
    with Server(packed) as server:
        page.goto(server.url)
        code = page.locator("#snippet").inner_text()
    assert run_pasted(page, packed, code, "", "poses.length") > 0
    page.close()
