"""The shipped Mask2Former, from its file to its page: every build agrees with native, and stays on the GPU."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

import onnx
import pytest
from playwright.sync_api import Browser, expect

from e2e.accessibility import violations
from e2e.conftest import Open, Webbuild
from e2e.demo_page import DemoPage
from e2e.long_task import longest_task_allowed
from tests.compared import compared
from webbuild.browser.chromium import BrowserHandle
from webbuild.browser.server import Server
from webbuild.browser.tracing import main_thread_tasks
from webbuild.compare.tolerances import BROWSER
from webbuild.verify.bundle_reader import open_bundle

MODEL = Path(__file__).parents[1] / "models" / "mask2former-swin" / "mask2former.onnx"


@pytest.fixture(scope="module")
def segmenter(webbuild: Webbuild, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("mask2former") / "out"
    done = webbuild("pack", MODEL, "-o", out, "--no-verify")
    assert done.returncode == 0, done.stderr
    return out


@pytest.fixture(scope="module")
def served(segmenter: Path) -> Iterator[Server]:
    with Server(segmenter) as server:
        yield server


@pytest.fixture(scope="module")
def kept(keep_page: Open, without_gpu: Browser, served: Server) -> DemoPage:
    return keep_page(without_gpu, served.url, viewport={"width": 1280, "height": 900})


@pytest.fixture
def demo(kept: DemoPage) -> DemoPage:
    """The page in its initial mode."""
    kept.wait_for_result()
    if not kept.at("mode-panoptic").is_checked():
        with kept.another_run():
            kept.at("mode-panoptic").locator("xpath=ancestor::label").click()
    assert kept.count() > 3
    return kept


def test_every_build_agrees_with_native(
    webbuild: Webbuild, segmenter: Path, webgpu: BrowserHandle, tmp_path: Path
) -> None:
    html = tmp_path / "report.html"
    done = webbuild("verify", segmenter, "--json", "--html", html)
    assert done.returncode == 0, done.stdout + done.stderr
    report = json.loads(done.stdout)
    assert {run["backend"] for run in report["backends"]} == {"webgpu", "wasm"}
    for run in report["backends"]:
        judged = [each for result in run["results"] for each in result["comparisons"]]
        decoded = {compared(each) for each in judged if each["subject"]["stage"] == "decoded"}
        assert decoded == {"regions", "score", "mask", "quality"}
        assert all(each["signal"] >= 5 for each in judged if each["subject"]["stage"] == "decoded")
        assert all(result["minMaskIou"] > 1 - BROWSER.region for result in run["results"])
        if run["backend"] == "webgpu":
            assert [each["provider"] for each in run["placements"]] == ["WebGpuExecutionProvider"]
    assert html.read_text("utf-8").count('class="lines" d="M') >= 3 * 5 * 2


def test_deformable_attention_is_left_as_it_is(segmenter: Path) -> None:
    graph = open_bundle(segmenter).graph("webgpu")
    assert graph is not None
    nodes = onnx.load(segmenter / graph.file, load_external_data=False).graph.node
    assert "GridSample" in {node.op_type for node in nodes}
    assert graph.cpu_nodes == []


def test_the_pointer_reads_the_region(demo: DemoPage) -> None:
    box = demo.at("stage").bounding_box()
    assert box is not None
    demo.page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] * 0.95)
    expect(demo.at("reading")).to_have_text(re.compile(r"floor [01]\.\d\d · [\d.]+ %"))
    expect(demo.page.locator("#rows .lit")).to_have_count(1)
    expect(demo.page.locator("#rows .lit")).to_contain_text("floor")
    demo.page.mouse.move(1, 1)
    expect(demo.at("reading")).to_be_hidden()
    assert demo.overflow() == 0
    assert violations(demo.page) == []


def test_the_picture_is_divided_in_three_ways(demo: DemoPage) -> None:
    assert demo.at("mode-panoptic").is_checked()
    labels = demo.page.locator("#rows .row-label")
    things = labels.all_inner_texts()
    assert {"sky", "wall", "floor"} < set(things)
    with demo.another_run():
        demo.at("mode-semantic").locator("xpath=ancestor::label").click()
    found = labels.all_inner_texts()
    assert len(set(found)) == len(found)
    assert {"sky", "wall", "floor"} < set(found)
    expect(demo.page.locator("#rows .row-detail").first).to_have_text("")
    with demo.another_run():
        demo.at("mode-instance").locator("xpath=ancestor::label").click()
    assert all(re.fullmatch(r"[01]\.\d\d", text) for text in demo.page.locator("#rows .row-detail").all_inner_texts())


def test_regions_give_way_to_the_picture(demo: DemoPage) -> None:
    def drawn() -> int:
        """Return the number of painted pixels of the overlay."""
        return int(
            demo.page.evaluate(
                """async () => {
                  await new Promise(requestAnimationFrame);
                  await new Promise(requestAnimationFrame);
                  const canvas = document.getElementById("overlay");
                  const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
                  return data.filter((value, index) => index % 4 === 3 && value > 0).length;
                }"""
            )
        )

    assert drawn() > 100_000
    demo.at("layer-picture").locator("xpath=ancestor::label").click()
    assert drawn() == 0
    demo.at("layer-regions").locator("xpath=ancestor::label").click()
    assert drawn() > 100_000


def test_the_mode_is_an_option_of_a_run_and_no_other_is_taken(demo: DemoPage) -> None:
    answers = demo.page.evaluate(
        """async () => {
          const { load } = await import("./mask2former.js");
          const model = await load({ backend: "wasm" });
          const picture = await (await fetch(document.querySelector(".sample img").src)).blob();
          const maps = [];
          for (const mode of ["panoptic", "semantic"]) {
            const { regions, map, width, height } = await model.run(picture, { mode });
            const counted = regions.map((_, index) => map.filter((number) => number === index + 1).length);
            maps.push({ size: map.length === width * height, counted, pixels: regions.map(({ pixels }) => pixels) });
          }
          const refused = await model.run(picture, { mode: "sharp" }).catch(({ code, message }) => ({ code, message }));
          await model.dispose();
          return { maps, refused };
        }"""
    )
    for each in answers["maps"]:
        assert each["size"]
        assert each["counted"] == each["pixels"]
    assert answers["refused"] == {"code": "invalid-option", "message": 'mode: the model has no "sharp"'}


@pytest.mark.alone
def test_the_page_stays_alive(open_page: Open, without_gpu: Browser, served: Server) -> None:
    demo = open_page(without_gpu, "about:blank", reduced_motion="no-preference")
    with main_thread_tasks(without_gpu, demo.page) as tasks:
        demo.page.goto(served.url)
        demo.wait_for_result()
        box = demo.at("stage").bounding_box()
        assert box is not None
        for share in (0.2, 0.5, 0.8, 0.95):
            demo.page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] * share)
        demo.choose(1)
        demo.choose(2)
    assert tasks[0].ms < longest_task_allowed(demo.page), tasks
