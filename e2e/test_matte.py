"""Matting, from its ONNX file to its page: every build agrees with native, and the foreground is cut out."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image
from playwright.sync_api import Browser, expect

from e2e.accessibility import violations
from e2e.conftest import Open, Webbuild
from e2e.demo_page import LOADED, DemoPage
from tests.models import matting_network, save
from webbuild.browser.chromium import BrowserHandle
from webbuild.browser.server import Server

FRONT, BACK = (240, 160, 30), (20, 60, 200)
PAINTED = """(color) => {
  const canvas = document.getElementById("overlay");
  const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
  for (let at = 0; at < data.length; at += 4) if (color.every((value, each) => data[at + each] === value)) return true;
  return false;
}"""


def draw(width: int, height: int) -> Image.Image:
    """Return a disc in front of a plain wall."""
    y, x = np.mgrid[:height, :width]
    inside = np.hypot(x - width / 2, y - height / 2) < 0.3 * min(width, height)
    return Image.fromarray(np.where(inside[..., None], FRONT, BACK).astype(np.uint8))


@pytest.fixture(scope="module")
def matting(webbuild: Webbuild, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("matting")
    (folder / "samples").mkdir()
    draw(240, 160).save(folder / "samples" / "disc.png")
    configuration = {"image_mean": [0.5] * 3, "image_std": [0.25] * 3, "do_rescale": True}
    (folder / "preprocessor_config.json").write_text(json.dumps(configuration))
    out = folder / "out"
    done = webbuild("pack", save(matting_network(), folder / "modnet.onnx"), "-o", out, "--no-verify")
    assert done.returncode == 0, done.stderr
    return out


@pytest.fixture(scope="module")
def served(matting: Path) -> Iterator[Server]:
    with Server(matting) as server:
        yield server


def test_every_build_agrees_with_native(
    webbuild: Webbuild, matting: Path, webgpu: BrowserHandle, tmp_path: Path
) -> None:
    html = tmp_path / "report.html"
    done = webbuild("verify", matting, "--json", "--html", html)
    assert done.returncode == 0, done.stdout + done.stderr
    report = json.loads(done.stdout)
    assert {run["backend"] for run in report["backends"]} == {"webgpu", "wasm"}
    for run in report["backends"]:
        judged = [each for result in run["results"] for each in result["comparisons"]]
        found = {(each["subject"]["stage"], each["subject"]["quantity"]) for each in judged}
        assert {("raw", "alpha"), *(("decoded", each) for each in ("alpha", "gradient", "cutout"))} <= found
        assert all(each["signal"] > 0 for each in judged)
    assert "over a checkerboard" in html.read_text("utf-8")


def saved(demo: DemoPage) -> NDArray[np.uint8]:
    """Return the image that the page saves, RGBA."""
    with demo.page.expect_download() as started:
        demo.at("save-picture").click()
    return np.asarray(Image.open(io.BytesIO(started.value.path().read_bytes())).convert("RGBA"))


@pytest.mark.parametrize("backend", ["webgpu", "wasm"])
def test_what_is_in_front_is_cut_out_and_laid_on_a_background(
    open_page: Open, webgpu: BrowserHandle, without_gpu: Browser, served: Server, tmp_path: Path, backend: str
) -> None:
    demo = open_page(webgpu.browser if backend == "webgpu" else without_gpu, f"{served.url}#background=%23ff0000")
    expect(demo.at("matte-words")).to_have_text("19 % foreground", timeout=LOADED)
    expect(demo.at("save-picture")).to_be_visible()
    middle, corner = (80, 120), (5, 5)
    red = saved(demo)
    assert np.abs(red[middle].astype(int) - (*FRONT, 255)).max() <= 2
    assert tuple(red[corner]) == (255, 0, 0, 255)
    expect(demo.page.locator("#snippet")).to_contain_text('{ background: "#ff0000" }')
    demo.at("background-none").check(force=True)
    clear = saved(demo)
    assert clear.shape == (160, 240, 4)
    assert (int(clear[middle][3]), int(clear[corner][3])) == (255, 0)
    demo.at("background-blur").check(force=True)
    assert np.abs(saved(demo)[corner].astype(int) - (*BACK, 255)).max() <= 2
    demo.at("background-picture").check(force=True)
    green = (10, 200, 30, 255)
    Image.new("RGB", (7, 90), green[:3]).save(tmp_path / "green.png")
    demo.at("background-file").set_input_files(tmp_path / "green.png")
    demo.page.wait_for_function("!document.getElementById('background-file').value")
    expect(demo.at("background-picture")).to_be_checked()
    demo.page.wait_for_function(PAINTED, arg=green, polling=100)
    assert tuple(saved(demo)[corner]) == green
    assert demo.overflow() == 0
    assert violations(demo.page) == []
