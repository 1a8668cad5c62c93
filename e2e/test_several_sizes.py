"""A bundle for several sizes and batches: compared in Chromium, chosen by the page, its weights downloaded once."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import onnx
import pytest
from playwright.sync_api import Browser, Request, expect

from e2e.conftest import Open, Webbuild
from tests.colours import paint
from tests.models import HEADER, parsed, save, weights
from webbuild.browser.chromium import BrowserHandle
from webbuild.browser.server import Server

WIDE = f"""{HEADER}
pictures (float[n,3,h,w] x) => (float[n,4,a,b] y)
{{
  grown = Conv <kernel_shape = [3, 3], pads = [1, 1, 1, 1]> (x, w)
  bent = Relu (grown)
  y = Conv <kernel_shape = [3, 3], pads = [1, 1, 1, 1]> (bent, v)
}}
"""
TIMES = "\N{MULTIPLICATION SIGN}"
SIZES = ("32x32", "48x48", "64x32")


@pytest.fixture(scope="module")
def several(webbuild: Webbuild, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A convolutional model for 32 x 32, 48 x 48 and 64 x 32 pixels; for one image and for three."""
    folder = tmp_path_factory.mktemp("sizes")
    paint(folder / "samples")
    proto = parsed(WIDE)
    for name, array in (("w", weights(64, 3, 3, 3)), ("v", weights(4, 64, 3, 3, seed=1))):
        proto.graph.initializer.append(onnx.numpy_helper.from_array(array, name))
    out = folder / "out"
    options = ("--size", "32,48,64x32", "--batch", "3", "--scale", "1/255")
    done = webbuild("pack", save(proto, folder / "wide.onnx"), "-o", out, "--no-verify", *options)
    assert done.returncode == 0, done.stderr
    return out


@pytest.fixture(scope="module")
def served(several: Path) -> Iterator[Server]:
    with Server(several) as server:
        yield server


def test_every_size_and_batch_agrees_with_native_on_both_backends(
    webbuild: Webbuild, several: Path, webgpu: BrowserHandle, tmp_path: Path
) -> None:
    done = webbuild("verify", several, "--json", "--html", tmp_path / "verify.html")
    assert done.returncode == 0, done.stdout + done.stderr
    report = json.loads(done.stdout)
    names = {f"{backend} {size} batch {n}" for backend in ("webgpu", "wasm") for size in SIZES for n in (1, 3)}
    assert {run["backend"] for run in report["backends"]} == names
    for run in report["backends"]:
        judged = [each for result in run["results"] for each in result["comparisons"]]
        assert {each["subject"]["stage"] for each in judged} == {"input", "raw", "decoded"}
        assert {each["subject"]["runner"] for each in judged} == {run["backend"]}
        assert {each["verdict"] for each in judged} == {"OK"}
    page = (tmp_path / "verify.html").read_text()
    assert all(f"WebGPU {size} batch 3" in page for size in SIZES)


def test_the_page_takes_the_size_that_fits_and_the_one_that_is_chosen(
    open_page: Open, without_gpu: Browser, served: Server
) -> None:
    page = open_page(without_gpu, served.url, viewport={"width": 390, "height": 844})
    used = page.at("size-used")
    for size in SIZES:
        page.at(f"size-{size}").check()
        width, height = size.split("x")
        expect(used).to_have_text(f"This picture was run at {width} {TIMES} {height}.")
    page.at("size-auto").check()
    expect(used).not_to_have_text(f"This picture was run at 64 {TIMES} 32.")
    page.page.wait_for_function("() => ['ready', 'error'].includes(document.body.dataset.state)")
    assert page.state() == "ready"
    assert page.overflow() == 0


def test_the_weights_are_downloaded_once(without_gpu: Browser, served: Server, several: Path) -> None:
    manifest = json.loads((several / "manifest.json").read_text())
    asked: list[str] = []
    with without_gpu.new_context() as context:
        page = context.new_page()

        def note(request: Request) -> None:
            asked.append(request.url.removeprefix(served.url))

        context.on("request", note)
        page.goto(f"{served.url}manifest.json")
        sizes = page.evaluate(
            """async (entry) => {
                const { load } = await import(entry);
                const model = await load();
                const canvas = new OffscreenCanvas(20, 20);
                canvas.getContext("2d").fillRect(3, 3, 9, 9);
                const results = [];
                for (const size of model.sizes) results.push((await model.run(canvas, { size })).size);
                await model.dispose();
                return results;
            }""",
            f"{served.url}{manifest['name']}.js",
        )
    assert sizes == [[32, 32], [48, 48], [64, 32]]
    model = [path for path in asked if path.startswith("model/")]
    assert len([path for path in model if "weights" in path]) == 1
    assert len([path for path in model if path.endswith(".onnx.gz")]) == 2
