"""Image-to-image models, from an ONNX file to a page: every build agrees with native, and a hole is filled in."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import numpy as np
import onnx
import onnx_ir as ir
import pytest
from numpy.typing import NDArray
from PIL import Image
from playwright.sync_api import Browser, Page, expect

from e2e.accessibility import violations
from e2e.conftest import Open, Webbuild
from e2e.demo_page import LOADED, DemoPage
from tests.models import HEADER
from webbuild.browser.chromium import BrowserHandle
from webbuild.browser.server import Server

ENLARGING = f"""{HEADER} enlarging (float[1,3,48,64] image) => (float[1,3,96,128] larger)
<float[4] scales = {{1, 1, 2, 2}}, float zero = {{0}}, float one = {{1}}> {{
  a = Resize <mode = "nearest"> (image, , scales)
  larger = Clip (a, zero, one)
}}"""
FILLING = f"""{HEADER} filling (float[1,3,48,64] image, float[1,1,48,64] mask) => (float[1,3,48,64] filled)
<float one = {{1}}, float half = {{0.5}}> {{
  known = Sub (one, mask)
  seen = Mul (image, known)
  grey = Mul (half, mask)
  filled = Add (seen, grey)
}}"""
FILLING_ONE_INPUT = f"""{HEADER} filling (float[1,4,48,64] masked) => (float[1,3,48,64] filled)
<float one = {{1}}, float half = {{0.5}}, int64[2] parts = {{3, 1}}> {{
  image, mask = Split <axis = 1> (masked, parts)
  known = Sub (one, mask)
  seen = Mul (image, known)
  grey = Mul (half, mask)
  filled = Add (seen, grey)
}}"""
LUMA = f"""{HEADER} luma (float[1,1,48,64] y) => (float[1,1,96,128] larger)
<float[4,1,3,3] w = {{{", ".join(["0, 0, 0.1, 0, 0.8, 0, 0, 0.1, 0"] * 4)}}}> {{
  four = Conv <pads = [1, 1, 1, 1]> (y, w)
  larger = DepthToSpace <blocksize = 2> (four)
}}"""
BLENDING = f"""{HEADER} blending (float[1,3,48,64] image, float[1,3,32,32] style, float strength)
=> (float[1,3,48,64] blended) <float half = {{0.5}}> {{
  color = GlobalAveragePool (style)
  share = Mul (strength, half)
  drawn = Sub (color, image)
  part = Mul (share, drawn)
  blended = Add (image, part)
}}"""
MODELS = {
    "enlarging": ENLARGING,
    "filling": FILLING,
    "luma": LUMA,
    "one-input": FILLING_ONE_INPUT,
    "blending": BLENDING,
}
GREY = 128
APP = """<!doctype html><html lang="en"><title>App</title><link rel="icon" href="data:,">
<web-model src="./blending.js" picture="./SAMPLE" reference="./red.png"></web-model>
<img id="lime" alt="" src="./lime.png">
<script>
  globalThis.results = [];
  globalThis.element = document.querySelector("web-model");
  element.addEventListener("result", ({ detail: { picture } }) => {
    const context = new OffscreenCanvas(1, 1).getContext("2d");
    context.drawImage(picture, 0, 0, 1, 1);
    results.push(Array.from(context.getImageData(0, 0, 1, 1).data));
  });
  element.addEventListener("error", ({ detail }) => { globalThis.failure = detail.code; });
</script>
<script type="module" src="./page/web-model.js"></script></html>
"""


@pytest.fixture(scope="module")
def packed(webbuild: Webbuild, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("pictures")
    out = {}
    for name, text in MODELS.items():
        onnx.save(ir.to_proto(ir.from_onnx_text(text)), folder / f"{name}.onnx")
        out[name] = folder / name
        done = webbuild("pack", folder / f"{name}.onnx", "-o", out[name], "--no-verify")
        assert done.returncode == 0, done.stderr
    return out


@pytest.mark.parametrize("name", MODELS)
def test_every_build_agrees_with_native(
    name: str, webbuild: Webbuild, packed: dict[str, Path], webgpu: BrowserHandle, tmp_path: Path
) -> None:
    html = tmp_path / "report.html"
    done = webbuild("verify", packed[name], "--json", "--html", html)
    assert done.returncode == 0, done.stdout + done.stderr
    report = json.loads(done.stdout)
    assert {run["backend"] for run in report["backends"]} == {"webgpu", "wasm"}
    for run in report["backends"]:
        judged = [each for result in run["results"] for each in result["comparisons"]]
        pictures = [each for each in judged if each["subject"]["quantity"] == "picture"]
        whole = [each for each in pictures if not each["subject"]["sample"].endswith(", in tiles")]
        assert len(whole) == len(run["results"])
        assert all(each["signal"] > 0 and each["maxAbs"] < 0.002 for each in pictures)
    assert "the picture that the model made" in html.read_text("utf-8")


@pytest.fixture(scope="module")
def served(packed: dict[str, Path]) -> Iterator[dict[str, str]]:
    with ExitStack() as stack:
        yield {name: stack.enter_context(Server(folder)).url for name, folder in packed.items()}


def saved(demo: DemoPage) -> NDArray[np.uint8]:
    with demo.page.expect_download() as download:
        demo.at("save-picture").click()
    return np.asarray(Image.open(io.BytesIO(download.value.path().read_bytes())).convert("RGB"))


def test_before_and_after_are_compared_and_all_pixels_are_saved(
    keep_page: Open, without_gpu: Browser, served: dict[str, str], packed: dict[str, Path]
) -> None:
    demo = keep_page(without_gpu, served["enlarging"], viewport={"width": 1280, "height": 900})
    expect(demo.at("split")).to_be_visible(timeout=LOADED)
    sample = json.loads((packed["enlarging"] / "manifest.json").read_text("utf-8"))["samples"][0]
    size = (sample["width"] * 2, sample["height"] * 2)
    expect(demo.at("picture-size")).to_have_text(f"{size[0]} \u00d7 {size[1]} pixels")
    assert saved(demo).shape == (size[1], size[0], 3)
    overlay = """() => {
      const { width, height } = document.getElementById("overlay");
      const pixel = (share) => document.getElementById("overlay").getContext("2d")
        .getImageData(Math.round(width * share), Math.round(height / 2), 1, 1).data[3];
      return [0.4, 0.6].map(pixel);
    }"""
    demo.page.wait_for_function(f"() => String(({overlay})()) === '0,255'")
    demo.at("split").press("Home")
    demo.page.wait_for_function(f"() => String(({overlay})()) === '255,255'")
    demo.at("zoom").fill("3")
    enlarged = "document.getElementById('slot').getBoundingClientRect().width > 2000"
    demo.page.wait_for_function(f"() => {enlarged}")
    assert violations(demo.page) == []


@pytest.mark.parametrize("name", ["filling", "one-input"])
def test_what_is_painted_is_filled_in_and_the_rest_stays(
    name: str, keep_page: Open, without_gpu: Browser, served: dict[str, str], packed: dict[str, Path]
) -> None:
    demo = keep_page(without_gpu, served[name], viewport={"width": 1280, "height": 900})
    expect(demo.at("split")).to_be_visible(timeout=LOADED)
    demo.wait_until_idle()
    sample = json.loads((packed[name] / "manifest.json").read_text("utf-8"))["samples"][0]
    before = np.asarray(Image.open(packed[name] / sample["file"]).convert("RGB"))
    np.testing.assert_array_equal(saved(demo), before)
    box = demo.at("stage").bounding_box()
    assert box is not None
    x, y = box["x"] + 0.62 * box["width"], box["y"] + box["height"] / 2
    with demo.another_run():
        demo.page.mouse.move(x, y)
        demo.page.mouse.down()
        demo.page.mouse.move(x + 30, y)
        demo.page.mouse.up()
    after = saved(demo)
    changed = (after != before).any(-1)
    assert 0.005 < changed.mean() < 0.1
    rows, columns = np.nonzero(changed)
    middle = after[int(np.median(rows)), int(np.median(columns))].astype(int)
    assert np.abs(middle - GREY).max() <= 1
    with demo.another_run():
        demo.at("brush-undo").click()
    np.testing.assert_array_equal(saved(demo), before)
    expect(demo.at("brush-undo")).to_be_disabled()
    with demo.another_run():
        demo.page.locator("#stage").focus()
        demo.page.keyboard.press("ArrowRight")
        demo.page.keyboard.press(" ")
    assert (saved(demo) != before).any()
    assert violations(demo.page) == []


END = """() => {
  let last = 0;
  globalThis.end = "";
  new MutationObserver(([{ target: { textContent } }]) => {
    if (textContent === "Looking") return; // a run whose first tile takes long
    const tile = Number(/^Tile (\\d+)/.exec(textContent)?.[1] ?? Infinity);
    if (tile === Infinity) globalThis.end ||= textContent;
    else if (tile < last) globalThis.end ||= "started again";
    last = tile;
  }).observe(document.getElementById("picture-size"), { childList: true });
}"""


def test_a_stroke_ends_a_slow_run(
    open_page: Open, without_gpu: Browser, served: dict[str, str], tmp_path: Path
) -> None:
    demo = open_page(without_gpu, served["filling"], viewport={"width": 1280, "height": 900})
    demo.wait_until_idle()
    Image.new("RGB", (1600, 1200), "red").save(tmp_path / "large.png")
    demo.at("file").set_input_files(tmp_path / "large.png")
    expect(demo.at("status")).to_have_text("Running", timeout=LOADED)
    expect(demo.at("picture-size")).to_contain_text("Tile")
    demo.page.evaluate(END)
    demo.at("stage").click(position={"x": 90, "y": 90})
    demo.page.wait_for_function("globalThis.end")
    assert demo.page.evaluate("globalThis.end") == "started again"


ACTIONS = """() => {
  globalThis.hidden = [];
  new MutationObserver(([{ target: { textContent } }]) => {
    if (textContent.startsWith("Tile")) hidden.push(document.getElementById("result-actions").hidden);
  }).observe(document.getElementById("picture-size"), { childList: true });
}"""


def test_what_is_not_complete_yet_is_not_saved(
    open_page: Open, without_gpu: Browser, served: dict[str, str], tmp_path: Path
) -> None:
    demo = open_page(without_gpu, served["filling"], viewport={"width": 1280, "height": 900})
    demo.wait_until_idle()
    Image.new("RGB", (320, 240), "red").save(tmp_path / "large.png")
    with demo.another_run():
        demo.at("file").set_input_files(tmp_path / "large.png")
    demo.page.evaluate(ACTIONS)
    with demo.another_run():
        demo.at("stage").click(position={"x": 90, "y": 90})
    hidden = demo.page.evaluate("globalThis.hidden")
    assert len(hidden) > 1
    assert all(hidden)
    assert saved(demo).shape == (240, 320, 3)


REFUSED = """async ([loader, file]) => {
  const { load } = await import(new URL(loader, document.baseURI).href);
  const model = await load({ backend: "wasm" });
  const picture = await createImageBitmap(await (await fetch(new URL(file, document.baseURI))).blob());
  const run = (pixels) => model.run(picture, { mask: new Uint8Array(pixels).fill(1) });
  const refused = await run(3).then(() => null, ({ code, message, fix }) => ({ code, message, fix }));
  const { width, height } = await run(picture.width * picture.height);
  return { ...refused, runsAgain: width === picture.width && height === picture.height };
}"""


def test_a_mask_of_another_size_is_refused_and_the_next_run_is_not(
    keep_page: Open, without_gpu: Browser, served: dict[str, str], packed: dict[str, Path]
) -> None:
    sample = json.loads((packed["filling"] / "manifest.json").read_text("utf-8"))["samples"][0]
    page = keep_page(without_gpu, served["filling"]).page
    found = page.evaluate(REFUSED, ["./filling.js", f"./{sample['file']}"])
    assert found["code"] == "invalid-option"
    assert f"mask: 3 pixels, the picture has {sample['width']} x {sample['height']}" in found["message"]
    assert found["fix"]
    assert found["runsAgain"]


def test_a_second_picture_and_its_strength_change_what_is_made(
    keep_page: Open, without_gpu: Browser, served: dict[str, str], tmp_path: Path
) -> None:
    demo = keep_page(without_gpu, served["blending"], viewport={"width": 1280, "height": 900})
    expect(demo.at("split")).to_be_visible(timeout=LOADED)
    demo.wait_until_idle()
    own = saved(demo).mean()
    Image.new("RGB", (20, 30), "white").save(tmp_path / "white.png")
    with demo.another_run():
        demo.at("reference-file").set_input_files(tmp_path / "white.png")
    expect(demo.at("reference-name")).to_have_text("white.png")
    white = saved(demo).mean()
    assert white > own + 10
    with demo.another_run():
        demo.at("slider-strength").fill("0")
    expect(demo.at("number-strength")).to_have_value("0")
    assert saved(demo).mean() < white - 10
    with demo.another_run():
        demo.at("number-strength").fill("1")
    expect(demo.at("slider-strength")).to_have_value("1")
    assert abs(saved(demo).mean() - white) < 0.5
    assert violations(demo.page) == []


def test_the_element_takes_a_second_picture(without_gpu: Browser, packed: dict[str, Path]) -> None:
    """Given as an address, which is fetched once, as an element of the page, and as an object."""
    bundle = packed["blending"]
    sample = json.loads((bundle / "manifest.json").read_text("utf-8"))["samples"][0]["file"]
    files = {f"/{color}.png": ("image/png", plain(color)) for color in ("red", "lime")}
    files["/app.html"] = ("text/html", APP.replace("SAMPLE", sample).encode())
    with Server(bundle, virtual=files) as server, without_gpu.new_context() as context:
        page, asked = context.new_page(), list[str]()
        page.on("request", lambda request: asked.append(request.url.split("/")[-1]))
        page.goto(f"{server.url}app.html")
        red = mean_color(page)
        page.evaluate("() => { element.options = { numbers: { strength: 0.5 } }; }")
        assert mean_color(page) != red
        assert asked.count("red.png") == 1
        page.evaluate("() => { element.options = {}; }")
        assert mean_color(page) == red
        page.evaluate("element.setAttribute('reference', '#lime')")
        lime = mean_color(page)
        assert lime[0] < red[0]
        assert lime[1] > red[1]
        page.evaluate("async () => { element.reference = await (await fetch('./red.png')).blob(); }")
        assert mean_color(page) == red
        page.evaluate("() => { element.reference = null; element.setAttribute('reference', '#none'); }")
        page.wait_for_function("globalThis.failure === 'picture-not-found'")


def plain(color: str) -> bytes:
    """Return a PNG of one colour."""
    file = io.BytesIO()
    Image.new("RGB", (20, 30), color).save(file, "PNG")
    return file.getvalue()


def mean_color(page: Page) -> list[int]:
    """Wait for the next result, and return its mean colour."""
    page.wait_for_function("results.length > 0", timeout=LOADED)
    found: list[int] = page.evaluate("results.shift()")
    return found
