"""The click page with failures and concurrent events: a lost GPU, an image that is still being encoded."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from PIL import Image
from playwright.sync_api import Browser, Locator, Page, expect

from e2e.conftest import Webbuild
from e2e.demo_page import DemoPage
from tests.click_models import click_pair
from webbuild.browser.chromium import BrowserHandle
from webbuild.browser.server import Server

SHIMS = Path(__file__).parents[1] / "web" / "test" / "fixture" / "shims"
HOLDING = b"""// A worker whose pictures are decoded when the page says so.
const channel = new BroadcastChannel("holding");
const decode = globalThis.createImageBitmap;
let gate = Promise.resolve();
let open = () => {};
channel.onmessage = ({ data }) => {
  if (data.hold) gate = new Promise((resolve) => { open = resolve; });
  else open();
  channel.postMessage({ heard: true });
};
globalThis.createImageBitmap = async (...given) => {
  await gate;
  return decode.apply(globalThis, given);
};
"""
TELL = """([name, message, field]) => new Promise((resolve) => {
  const channel = new BroadcastChannel(name);
  channel.onmessage = ({ data }) => field in data && resolve(channel.close());
  channel.postMessage(message);
})"""

WATCH = """globalThis.said = [];
document.addEventListener("DOMContentLoaded", () => {
  const watch = new MutationObserver((records) => {
    for (const { addedNodes } of records) for (const { data } of addedNodes) if (said.at(-1) !== data) said.push(data);
  });
  watch.observe(document.getElementById("progress-stage"), { childList: true });
});"""

NOTE_STOP = """(button) => {
  globalThis.stoppable = false;
  const watch = new MutationObserver(() => {
    if (button.textContent.trim() !== "Stop") return;
    stoppable = true;
    watch.disconnect();
  });
  watch.observe(button, { childList: true, characterData: true, subtree: true });
}"""
"""Records that the stop button appeared: a small grid is done before a busy machine polls the button's text."""


@pytest.fixture(scope="module")
def packed(webbuild: Webbuild, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("click-page")
    done = webbuild("pack", *click_pair(folder), "-o", folder / "click", "--no-verify")
    assert done.returncode == 0, done.stderr
    return folder / "click"


class ClickPage(DemoPage):
    """The page; the test can pause its worker, and make it lose the GPU."""

    def __init__(self, page: Page, url: str) -> None:
        super().__init__(page, url)
        self.rows = self.at("results").locator("li")
        self.answered = self.rows.filter(has_text=re.compile(r"[1-9].* %"))
        self.stage, self.status = page.locator("#stage"), page.locator("#status")
        self.everything, self.said = self.at("everything"), self.at("everything-said")
        self.bar = page.locator("#everything-progress")

    def lose_gpu(self) -> None:
        """Lose the GPU at the next call to it."""
        self.page.evaluate(TELL, ["losing", {"at": 0}, "armed"])

    def hold(self, *, on: bool) -> None:
        self.page.evaluate(TELL, ["holding", {"hold": on}, "heard"])

    def open(self, width: int, height: int) -> None:
        """Open another image, with stripes."""
        file = io.BytesIO()
        stripe = Image.linear_gradient("L").resize((width, height))
        Image.merge("RGB", [stripe, stripe.rotate(180), stripe]).save(file, "PNG")
        self.at("file").set_input_files({"name": "other.png", "mimeType": "image/png", "buffer": file.getvalue()})

    def find_everything(self, points: int) -> None:
        self.at("everything-points").fill(str(points))
        self.everything.evaluate(NOTE_STOP)
        self.everything.click()
        self.page.wait_for_function("stoppable")


@contextmanager
def opened(packed: Path, browser: Browser, chip: str = "WASM") -> Iterator[ClickPage]:
    """Open the page, on WASM unless the test needs a GPU: a software adapter compiles its shaders for 20 s.

    Tests that lose the GPU need one, as do tests that pause an image: without a GPU the worker does not decode it.
    """
    script = "text/javascript"
    imports = b"".join(b'import "./%s.js";' % each for each in (b"losing", b"holding", b"own-worker"))
    virtual = {
        "/runtime/worker.js": (script, imports),
        "/runtime/losing.js": (script, (SHIMS / "losing.js").read_bytes()),
        "/runtime/holding.js": (script, HOLDING),
        "/runtime/own-worker.js": (script, (packed / "runtime" / "worker.js").read_bytes()),
    }
    with Server(packed, virtual=virtual) as server, browser.new_context(reduced_motion="reduce") as context:
        page = context.new_page()
        page.add_init_script(WATCH)
        demo = ClickPage(page, server.url)
        assert demo.wait_for_result() == 0
        assert demo.chip() == chip
        yield demo
        assert demo.console.errors == []


def texts(rows: Locator) -> list[str]:
    """Return the text of each row, without the selected options."""
    return [" ".join(each.split()) for each in rows.all_inner_texts()]


def test_a_click_is_answered_whose_gpu_was_lost_since_the_one_before(packed: Path, webgpu: BrowserHandle) -> None:
    with opened(packed, webgpu.browser, "WebGPU") as demo:
        assert_stages_are_named(demo.page.evaluate("said"))
        demo.stage.click(position={"x": 260, "y": 60})
        expect(demo.answered).to_have_count(1)
        demo.at("new-object").click()
        demo.wait_until_idle()
        before = texts(demo.rows)
        demo.lose_gpu()
        demo.stage.click(position={"x": 320, "y": 200})
        expect(demo.answered).to_have_count(2)
        demo.wait_until_idle()
        assert texts(demo.rows)[:1] == before
        expect(demo.page.locator("#failure")).to_be_hidden()
        assert demo.chip() == "WebGPU"
        demo.at("undo-click").click()
        expect(demo.answered).to_have_count(1)
        demo.stage.click(position={"x": 300, "y": 120})
        expect(demo.answered).to_have_count(2)


def assert_stages_are_named(said: list[str]) -> None:
    assert said[:2] == ["Starting", "Loading the engine"]
    # Stages are prepared in parallel: one that is ready while the other is still loading is not shown.
    assert {"Preparing encoder", "Preparing decoder"} & set(said), said
    assert not any("the model" in each or each.endswith(("weights", "up")) for each in said), said


def test_everything_is_found_whose_gpu_is_lost_on_the_way(packed: Path, webgpu: BrowserHandle) -> None:
    with opened(packed, webgpu.browser, "WebGPU") as demo:
        demo.find_everything(8)
        expect(demo.everything).to_have_text("Find everything")
        expect(demo.rows).not_to_have_count(0)
        wanted = texts(demo.rows)
        demo.at("undo-click").click()
        expect(demo.rows).to_have_count(0)
        demo.find_everything(8)
        demo.page.wait_for_function("document.getElementById('everything-progress').value > 0.1")
        demo.lose_gpu()
        expect(demo.everything).to_have_text("Find everything")
        expect(demo.rows).to_have_count(len(wanted))
        assert texts(demo.rows) == wanted
        demo.stage.click(position={"x": 260, "y": 60})
        expect(demo.rows).to_have_count(len(wanted) + 1)


def test_a_new_picture_ends_the_grid_of_the_one_before(packed: Path, without_gpu: Browser) -> None:
    with opened(packed, without_gpu) as demo:
        demo.stage.click(position={"x": 260, "y": 60})
        expect(demo.answered).to_have_count(1)
        demo.find_everything(256)
        demo.page.wait_for_function("document.getElementById('everything-progress').value > 0")
        with demo.another_run():
            demo.open(300, 200)
        expect(demo.everything).to_have_text("Find everything")
        expect(demo.bar).to_be_hidden()
        expect(demo.rows).to_have_count(0)
        demo.stage.click(position={"x": 260, "y": 120})
        expect(demo.answered).to_have_count(1)
        demo.find_everything(3)
        expect(demo.everything).to_have_text("Find everything")
        assert 2 <= demo.rows.count() <= 10


def test_a_picture_that_is_still_looked_at_takes_clicks(packed: Path, webgpu: BrowserHandle) -> None:
    with opened(packed, webgpu.browser, "WebGPU") as demo:
        demo.find_everything(6)  # thresholds are adjusted once
        expect(demo.everything).to_have_text("Find everything")
        note = demo.said.inner_text()
        demo.hold(on=True)
        demo.open(300, 200)
        expect(demo.status).to_have_text("Encoding the picture")
        expect(demo.rows).to_have_count(0)
        demo.stage.click(position={"x": 260, "y": 120})
        demo.find_everything(3)
        expect(demo.said).to_have_text("Encoding the picture")
        assert demo.bar.evaluate("bar => bar.position") == -1
        demo.everything.click()
        expect(demo.everything).to_have_text("Find everything")
        expect(demo.said).to_have_text(note)
        demo.find_everything(3)
        demo.hold(on=False)
        expect(demo.everything).to_have_text("Find everything")
        expect(demo.said).to_have_text(note)
        demo.wait_until_idle()
        expect(demo.answered).not_to_have_count(0)
        assert 2 <= demo.rows.count() <= 10


def test_the_last_of_two_pictures_is_shown_of_which_the_first_is_still_looked_at(
    packed: Path, webgpu: BrowserHandle
) -> None:
    with opened(packed, webgpu.browser, "WebGPU") as demo:
        demo.hold(on=True)
        demo.open(300, 200)
        expect(demo.status).to_have_text("Encoding the picture")
        demo.stage.click(position={"x": 260, "y": 120})
        demo.open(320, 320)
        demo.hold(on=False)
        demo.wait_until_idle()
        expect(demo.rows).to_have_count(0)
        demo.stage.click(position={"x": 260, "y": 120})
        expect(demo.answered).to_have_count(1)


def test_a_box_may_begin_beside_the_picture(packed: Path, without_gpu: Browser) -> None:
    with opened(packed, without_gpu) as demo:
        with demo.another_run():
            demo.open(200, 400)
        place = demo.stage.bounding_box()
        assert place is not None
        left, middle = place["x"] + 5, place["y"] + place["height"] / 2
        demo.page.mouse.click(left, middle)
        expect(demo.rows).to_have_count(0)
        demo.page.mouse.move(left, middle)
        demo.page.mouse.down()
        demo.page.mouse.move(place["x"] + place["width"] / 2, middle + 60, steps=3)
        demo.page.mouse.up()
        expect(demo.rows).to_have_count(1)
        demo.wait_until_idle()
        expect(demo.page.locator("#failure")).to_be_hidden()
