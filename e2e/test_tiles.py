"""Super-resolution of an image larger than the input: tiles give native's result for the whole image."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image
from playwright.sync_api import Browser, expect

from e2e.conftest import BLANK, Open, Webbuild
from e2e.demo_page import LOADED
from tests.models import save
from tests.native import Session
from tests.picture_nets import compact
from webbuild.browser.bidi import BidiPage
from webbuild.browser.server import Server

WIDTH, HEIGHT, TILE = 150, 90, 64
ENLARGED = re.compile(f"^{4 * WIDTH} . {4 * HEIGHT} pixels$")

WORDS = """(() => {
  window.words = [];
  const size = document.querySelector("#picture-size");
  new MutationObserver(() => window.words.push(size.textContent)).observe(size, { childList: true });
})()"""

PIXELS = """async ([loader, sample, backend]) => {
  const base = document.baseURI;
  const { load } = await import(new URL(loader, base).href);
  const model = await load({ backend });
  const blob = await (await fetch(new URL(sample, base))).blob();
  const { picture } = await model.run(blob);
  const context = new OffscreenCanvas(picture.width, picture.height).getContext("2d");
  context.drawImage(picture, 0, 0);
  const { data, width, height } = context.getImageData(0, 0, picture.width, picture.height);
  return { width, height, data: Array.from(data) };
}"""


def noise() -> NDArray[np.uint8]:
    smooth = np.random.default_rng(3).random((12, 20, 3)) * 255
    picture = Image.fromarray(smooth.astype(np.uint8)).resize((WIDTH, HEIGHT), Image.Resampling.BICUBIC)
    return np.asarray(picture)


@pytest.fixture(scope="module")
def tiled(webbuild: Webbuild, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("tiles")
    (folder / "samples").mkdir()
    Image.fromarray(noise()).save(folder / "samples" / "noise.png")
    model, out = save(compact(TILE, TILE), folder / "compact.onnx"), folder / "out"
    options = ("--task", "image", "--scale", str(1 / 255), "--sample", folder / "samples" / "noise.png")
    done = webbuild("pack", model, "-o", out, "--no-verify", *options)
    assert done.returncode == 0, done.stderr
    assert "tiles of 64 x 64, exactly" in done.stderr
    return out


@pytest.fixture(scope="module")
def served(tiled: Path) -> Iterator[Server]:
    with Server(tiled) as server:
        yield server


def test_the_page_shows_tile_after_tile_and_the_whole_picture(
    open_page: Open, without_gpu: Browser, served: Server
) -> None:
    demo = open_page(without_gpu, served.url)
    expect(demo.at("picture-size")).to_have_text(ENLARGED, timeout=LOADED)
    demo.page.evaluate(WORDS)
    demo.show(0)
    expect(demo.at("picture-size")).to_have_text(ENLARGED)
    words = demo.page.evaluate("window.words")
    assert [each for each in words if each.startswith("Tile")] == [f"Tile {at} of 6" for at in range(1, 6)]


def test_tiles_are_what_native_makes_of_the_whole(
    open_page: Open, without_gpu: Browser, served: Server, tiled: Path
) -> None:
    manifest = json.loads((tiled / "manifest.json").read_text("utf-8"))
    page = open_page(without_gpu, served.url).page
    check_whole(page.evaluate(PIXELS, [f"./{manifest['name']}.js", f"./{manifest['samples'][0]['file']}", "wasm"]))


def test_tiles_in_firefox_are_what_native_makes_of_the_whole(
    firefox_webgpu: BidiPage, served: Server, tiled: Path
) -> None:
    manifest = json.loads((tiled / "manifest.json").read_text("utf-8"))
    served.virtual |= BLANK
    firefox_webgpu.goto(f"{served.url}blank.html")
    loader, sample = (f"{served.url}{file}" for file in (f"{manifest['name']}.js", manifest["samples"][0]["file"]))
    check_whole(firefox_webgpu.evaluate(PIXELS, [loader, sample, "webgpu"]))


def check_whole(result: dict[str, Any]) -> None:
    got = np.array(result["data"], np.uint8).reshape(result["height"], result["width"], 4)
    picture = (noise() / 255).astype(np.float32).transpose(2, 0, 1)[None]
    whole = Session(compact(HEIGHT, WIDTH)).run({"x": picture})["y"][0].transpose(1, 2, 0)
    want = np.clip(whole, 0, 1) * 255
    assert np.abs(got[..., :3] - want).max() < 1
    assert (got[..., 3] == 255).all()


def test_verify_compares_the_tiles_that_a_visitor_gets(webbuild: Webbuild, tiled: Path) -> None:
    done = webbuild("verify", tiled, "--backend", "wasm", "--json")
    assert done.returncode == 0, done.stdout + done.stderr
    (run,) = json.loads(done.stdout)["backends"]
    judged = [each for result in run["results"] for each in result["comparisons"]]
    pictures = {each["subject"]["sample"]: each for each in judged if each["subject"]["quantity"] == "picture"}
    assert [name.endswith(", in tiles") for name in pictures] == [False, True]
    assert all(each["verdict"] == "OK" and each["signal"] > 0 for each in pictures.values())
