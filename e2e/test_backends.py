"""Which backend runs: chosen, switched, fallen back from, and never silently."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from e2e.conftest import Open, Webbuild
from tests.models import save
from tests.set_detectors import rt_detr
from webbuild.browser.chromium import BrowserHandle
from webbuild.browser.console import Console
from webbuild.browser.server import Server

SCRIPT = {"/script.html": ("text/html", b"<link rel=icon href=data:,>")}


@pytest.fixture
def root(root: Server) -> Server:
    root.virtual.update(SCRIPT)
    return root


@pytest.fixture
def script(without_gpu: Browser, root: Server) -> Iterator[Page]:
    """An empty page next to the bundle, in the browser without WebGPU."""
    context = without_gpu.new_context()
    yield blank(context.new_page(), root)
    context.close()


@pytest.fixture
def small(webbuild: Webbuild, tmp_path: Path) -> Iterator[Server]:
    """A detector with few operators: a software adapter compiles the pose model's shaders for 15 s on each load."""
    done = webbuild("pack", save(rt_detr(), tmp_path / "rt-detr.onnx"), "-o", tmp_path / "out", "--no-verify")
    assert done.returncode == 0, done.stderr
    with Server(tmp_path / "out") as server:
        yield server


def blank(page: Page, root: Server) -> Page:
    page.goto(f"{root.url}script.html")
    return page


def load(page: Page, backend: str) -> Any:
    return page.evaluate(
        """async (backend) => {
          const { load } = await import("./yolo-pose.js");
          try {
            const model = await load({ backend });
            const { backend: chosen, reason, warnings } = model;
            await model.dispose();
            return { chosen, reason, warnings };
          } catch ({ code, message, fix }) { return { code, message, fix }; }
        }""",
        backend,
    )


def test_auto_without_an_adapter_takes_wasm_and_says_why(script: Page) -> None:
    loaded = load(script, "auto")
    assert loaded["chosen"] == "wasm"
    assert "adapter" in loaded["reason"]
    (warning,) = loaded["warnings"]
    assert warning["code"] == "no-adapter"
    assert all(warning.values())


def test_webgpu_without_an_adapter_throws(script: Page) -> None:
    failed = load(script, "webgpu")
    assert failed["code"] == "no-adapter"
    assert failed["fix"]


def test_the_page_says_why_it_fell_back(open_page: Open, without_gpu: Browser, root: Server) -> None:
    page = open_page(without_gpu, root.url)
    page.wait_for_result()
    assert page.chip() == "WASM"
    expect(page.at("warnings")).to_contain_text("adapter")


def test_webgpu_is_first_choice_and_can_be_left_and_taken_again(
    open_page: Open, webgpu: BrowserHandle, small: Server
) -> None:
    page = open_page(webgpu.browser, small.url)
    on_gpu = page.wait_for_result()
    assert (page.chip(), page.at("warnings").is_visible()) == ("WebGPU", False)
    on_wasm = page.switch("wasm")
    assert page.chip() == "WASM"
    assert on_gpu == on_wasm > 0
    page.switch("webgpu")
    assert page.chip() == "WebGPU"


def test_a_crowd_of_any_size_is_found_on_webgpu_alone(webgpu: BrowserHandle, root: Server, bundle: Any) -> None:
    crowd = next((bundle / "samples").glob("*crowd*")).name
    with webgpu.page() as (page, console):
        answers = blank(page, root).evaluate(
            """async (crowd) => {
              const { load } = await import("./yolo-pose.js");
              const blob = await (await fetch(`./samples/${crowd}`)).blob();
              const answers = [];
              for (const backend of ["webgpu", "wasm"]) {
                const model = await load({ backend });
                answers.push(await model.run(blob, { confidence: 0.001 }));
                await model.dispose();
              }
              return answers;
            }""",
            crowd,
        )
        check_alike(answers[0], answers[1], console)


def check_alike(gpu: Any, wasm: Any, console: Console) -> None:
    assert (gpu["backend"], gpu["fallback"], gpu["warnings"]) == ("webgpu", None, [])
    assert len(gpu["poses"]) == len(wasm["poses"]) > 64
    # The image was resampled in float32; the order of the lowest scores is within its rounding.
    sure = ([pose for pose in answer["poses"] if pose["score"] > 0.05] for answer in (gpu, wasm))
    for one, other in zip(*sure, strict=True):
        assert (one["label"], one["classIndex"]) == (other["label"], other["classIndex"])
        assert one["box"] == pytest.approx(other["box"], abs=0.01)
        assert one["score"] == pytest.approx(other["score"], abs=1e-5)
        for mine, theirs in zip(one["keypoints"], other["keypoints"], strict=True):
            assert mine["name"] == theirs["name"]
            numbers, wanted = ([point[key] for key in ("x", "y", "confidence")] for point in (mine, theirs))
            assert numbers == pytest.approx(wanted, abs=0.01)
    assert (wasm["fallback"], wasm["warnings"]) == (None, [])
    assert console.errors == []
