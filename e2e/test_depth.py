"""Depth from focus, from its ONNX file to its page: every build agrees with native, and near objects are near."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from e2e.accessibility import violations
from e2e.conftest import Open, Webbuild
from e2e.demo_page import LOADED, DemoPage
from e2e.long_task import longest_task_allowed
from tests.compared import compared
from tests.models import focus_network, save
from webbuild.browser.chromium import BrowserHandle
from webbuild.browser.server import Server
from webbuild.browser.tracing import main_thread_tasks
from webbuild.samples.synthetic_focal_stack import synthetic_focal_stack


@pytest.fixture(scope="module")
def focused(webbuild: Webbuild, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("focus")
    for name, distances in (("near to far", [0.5, 1.0, 3.0]), ("far to near", [3.0, 1.0, 0.5])):
        stack = folder / "samples" / name
        stack.mkdir(parents=True)
        for index, data in enumerate(synthetic_focal_stack(3)):
            (stack / f"{index}.png").write_bytes(data)
        (stack / "focus.json").write_text(json.dumps(distances))
    out = folder / "out"
    done = webbuild("pack", save(focus_network(), folder / "focus.onnx"), "-o", out, "--no-verify")
    assert done.returncode == 0, done.stderr
    return out


@pytest.fixture(scope="module")
def served(focused: Path) -> Iterator[Server]:
    with Server(focused) as server:
        yield server


@pytest.fixture(scope="module")
def kept(keep_page: Open, without_gpu: Browser, served: Server) -> DemoPage:
    page = keep_page(without_gpu, served.url, viewport={"width": 1280, "height": 900})
    expect(page.at("legend")).to_be_visible(timeout=LOADED)
    return page


@pytest.fixture
def demo(kept: DemoPage) -> DemoPage:
    """The page on its first sample."""
    kept.show(0)
    expect(kept.at("distances")).to_have_value("3, 1, 0.5")
    expect(kept.page.get_by_role("img", name="Far to near: depth from")).to_be_visible()
    return kept


def test_every_build_agrees_with_native(
    webbuild: Webbuild, focused: Path, webgpu: BrowserHandle, tmp_path: Path
) -> None:
    html = tmp_path / "report.html"
    done = webbuild("verify", focused, "--json", "--html", html)
    assert done.returncode == 0, done.stdout + done.stderr
    report = json.loads(done.stdout)
    assert {run["backend"] for run in report["backends"]} == {"webgpu", "wasm"}
    for run in report["backends"]:
        judged = [each for result in run["results"] for each in result["comparisons"]]
        stages = {(each["subject"]["stage"], compared(each)) for each in judged}
        assert stages == {
            ("input", "stack"),
            ("raw", "depth"),
            ("raw", "confidence"),
            ("decoded", "depth"),
            ("decoded", "confidence"),
        }
        if run["backend"] == "wasm":  # a GPU resamples in float32; verification itself judges it
            assert all(each["maxAbs"] == 0 for each in judged if each["subject"]["stage"] == "input")
        assert all(each["signal"] > 0 for each in judged)


def value_at(demo: DemoPage, across: float) -> float:
    box = demo.at("stage").bounding_box()
    assert box is not None
    demo.page.mouse.move(box["x"] + box["width"] * across, box["y"] + box["height"] / 2)
    expect(demo.at("reading")).to_be_visible()
    found = re.fullmatch(r"([\d.]+) m", demo.at("reading").inner_text())
    assert found is not None
    return float(found[1])


def painted_at(demo: DemoPage, across: float) -> list[int]:
    """Return red, green, blue and opacity of the overlay at a pixel."""
    return list(
        demo.page.evaluate(
            """across => {
              const overlay = document.getElementById("overlay");
              const [x, y] = [Math.round(overlay.width * across), Math.round(overlay.height / 2)];
              return [...overlay.getContext("2d").getImageData(x, y, 1, 1).data];
            }""",
            across,
        )
    )


def wait_until_painted(demo: DemoPage, *, faded: bool) -> None:
    """Wait until the middle of the map is all opaque, or partly transparent."""
    demo.page.wait_for_function(
        """faded => {
          const overlay = document.getElementById("overlay");
          const [x, y] = [Math.round(overlay.width * 0.15), Math.round(overlay.height * 0.1)];
          const { data } = overlay.getContext("2d").getImageData(x, y, overlay.width - 2 * x, overlay.height - 2 * y);
          const opacities = data.filter((_, at) => at % 4 === 3);
          return faded ? opacities.some((each) => each > 0 && each < 250) : opacities.every((each) => each === 255);
        }""",
        arg=faded,
        polling=200,
    )


@pytest.mark.parametrize("backend", ["webgpu", "wasm"])
def test_what_is_near_is_bright_and_what_is_unsure_fades(
    open_page: Open, webgpu: BrowserHandle, without_gpu: Browser, served: Server, backend: str
) -> None:
    demo = open_page(webgpu.browser if backend == "webgpu" else without_gpu, served.url)
    expect(demo.at("legend")).to_be_visible(timeout=LOADED)
    wait_until_painted(demo, faded=False)
    far, near = painted_at(demo, 0.15), painted_at(demo, 0.85)
    assert far[3] == near[3] == 255
    assert sum(far[:3]) + 100 < sum(near[:3])
    demo.at("fading").click()
    wait_until_painted(demo, faded=True)
    assert value_at(demo, 0.15) > 2 > 1 > value_at(demo, 0.85)


def test_the_pointer_reads_the_depth_and_the_distances_decide_about_it(demo: DemoPage) -> None:
    assert value_at(demo, 0.15) > 2 > 1 > value_at(demo, 0.85)
    demo.at("sample-1").click()
    expect(demo.at("distances")).to_have_value("0.5, 1, 3")
    expect(demo.page.get_by_role("img", name="Near to far: depth from")).to_be_visible()
    assert value_at(demo, 0.15) < 1 < 2 < value_at(demo, 0.85)
    demo.at("distances").fill("5, 10, 30")
    shown = demo.at("depth-range")
    before = shown.inner_text()
    demo.at("distances").press("Enter")
    expect(shown).not_to_have_text(before)
    assert value_at(demo, 0.85) > 20
    assert demo.state() == "ready"
    assert demo.overflow() == 0
    assert violations(demo.page) == []


def test_a_link_carries_the_distances_and_whether_the_unsure_fades(
    demo: DemoPage, open_page: Open, without_gpu: Browser
) -> None:
    demo.page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    demo.at("fading").check()
    demo.at("distances").fill("5, 10, 30")
    demo.at("distances").press("Enter")
    demo.at("copy-link").click()
    expect(demo.page.locator("#copy-link-text")).to_have_text("Copied")
    address = demo.page.evaluate("navigator.clipboard.readText()")
    demo.at("fading").uncheck()
    other = open_page(without_gpu, address)
    expect(other.at("legend")).to_be_visible(timeout=LOADED)
    expect(other.at("distances")).to_have_value("5, 10, 30")
    expect(other.at("fading")).to_be_checked()


def test_the_slider_goes_through_the_pictures(demo: DemoPage) -> None:
    expect(demo.page.locator("#focus-value")).to_have_text("1 of 3, at 3")
    before = demo.page.locator("#slot img").get_attribute("src")
    demo.at("focus").fill("2")
    expect(demo.page.locator("#focus-value")).to_have_text("3 of 3, at 0.5")
    assert demo.page.locator("#slot img").get_attribute("src") != before
    expect(demo.at("layer-picture")).to_be_checked()


def test_distances_that_are_none_are_explained_and_no_end(demo: DemoPage) -> None:
    demo.at("distances").fill("1, 2")
    demo.at("distances").press("Enter")
    expect(demo.page.get_by_role("alert")).to_contain_text("3 finite numbers")
    demo.at("distances").fill("1, 2, 4")
    demo.at("distances").press("Enter")
    expect(demo.page.get_by_role("alert")).to_be_hidden()
    expect(demo.at("legend")).to_be_visible()


def test_own_pictures_are_a_stack_in_the_order_of_their_numbers(demo: DemoPage, tmp_path: Path) -> None:
    files = []
    for index, data in enumerate(synthetic_focal_stack(3)):
        files.append(tmp_path / f"f{index + 9}.png")
        files[-1].write_bytes(data)
    demo.at("file").set_input_files(list(reversed(files)))
    expect(demo.page.get_by_role("img", name="f9.png: depth from")).to_be_visible()
    assert value_at(demo, 0.15) > value_at(demo, 0.85)
    demo.at("file").set_input_files(files[:2])
    expect(demo.page.get_by_role("alert")).to_contain_text("an array of 3 pictures")
    demo.at("sample-0").click()
    expect(demo.page.get_by_role("alert")).to_be_hidden()


@pytest.mark.alone
def test_the_page_stays_alive(open_page: Open, without_gpu: Browser, served: Server) -> None:
    demo = open_page(without_gpu, "about:blank", reduced_motion="no-preference")
    with main_thread_tasks(without_gpu, demo.page) as tasks:
        demo.page.goto(served.url)
        expect(demo.at("legend")).to_be_visible(timeout=LOADED)
        for index in (1, 0, 1):
            demo.at(f"sample-{index}").click()
            demo.at("fading").click()
            demo.at("focus").fill("1")
            demo.at("layer-depth").locator("xpath=ancestor::label").click()
        expect(demo.page.get_by_role("img", name="Near to far: depth from")).to_be_visible()
    assert tasks[0].ms < longest_task_allowed(demo.page), tasks
