"""What the page shows between two results: while it loads, runs, fails, and when its camera starts and stops."""

from __future__ import annotations

from playwright.sync_api import Browser, expect

from e2e.camera import CAMERA
from e2e.conftest import Open
from webbuild.browser.server import Server

ASKED = """() => {
  navigator.mediaDevices.getUserMedia = () => new Promise((_, refuse) => {
    globalThis.refuse = () => refuse(new DOMException("refused", "NotAllowedError"));
  });
}"""
"""Replaces the page's camera with one that the visitor is asked to allow, until `refuse()` is called."""

NO_FRAMES = "() => { HTMLVideoElement.prototype.requestVideoFrameCallback = () => 0; }"

NO_ANSWER = "() => { globalThis.Worker = class extends EventTarget { postMessage() {} terminate() {} }; }"
"""Replaces the page's worker with one that loads for ever."""

NO_WORKER = "() => { globalThis.Worker = class { constructor() { throw new Error('no worker'); } }; }"

WRONG_FILE_IN_A_RUN = """() => {
  const observer = new MutationObserver(() => {
    if (document.body.dataset.state !== "running") return;
    observer.disconnect();
    const files = new DataTransfer();
    files.items.add(new File(["no picture"], "notes.jpg", { type: "image/jpeg" }));
    document.dispatchEvent(new DragEvent("drop", { dataTransfer: files, cancelable: true }));
  });
  observer.observe(document.body, { attributes: true });
}"""


def test_a_camera_that_is_refused_leaves_the_picture_with_its_result(
    open_page: Open, without_gpu: Browser, root: Server
) -> None:
    demo = open_page(without_gpu, root.url)
    demo.page.evaluate(ASKED)
    demo.page.get_by_role("button", name="Use camera").click()
    several = demo.wait_for_result()
    assert several > 0
    demo.page.evaluate("refuse()")
    expect(demo.page.get_by_role("alert")).to_contain_text("The camera was not allowed")
    demo.page.get_by_role("button", name="Dismiss").click()
    assert demo.wait_for_result() == several
    expect(demo.at("result-actions")).to_be_visible()


def test_a_camera_that_stops_before_its_first_frame_leaves_the_picture(
    open_page: Open, without_gpu: Browser, root: Server
) -> None:
    demo = open_page(without_gpu, root.url)
    several = demo.wait_for_result()
    demo.page.evaluate(CAMERA, "./samples/1-several.jpg")
    demo.page.evaluate(NO_FRAMES)
    demo.page.get_by_role("button", name="Use camera").click()
    expect(demo.page.locator("#live")).to_be_visible()
    demo.page.get_by_role("button", name="Stop camera").click()
    expect(demo.at("sample-0")).to_have_attribute("aria-pressed", "true")
    assert 0 < demo.slide("confidence", 0.7) < several


def test_the_last_frame_of_the_camera_can_be_saved(open_page: Open, without_gpu: Browser, root: Server) -> None:
    demo = open_page(without_gpu, root.url)
    demo.wait_for_result()
    demo.page.evaluate(CAMERA, "./samples/1-several.jpg")
    demo.page.get_by_role("button", name="Use camera").click()
    expect(demo.page.locator("#rows")).to_contain_text("person 1")  # its number, in a video
    demo.page.get_by_role("button", name="Stop camera").click()
    expect(demo.page.locator("#rows")).not_to_contain_text("person 1")
    with demo.page.expect_download():
        demo.at("save-picture").click()


def test_a_result_is_not_saved_while_another_model_loads(open_page: Open, without_gpu: Browser, root: Server) -> None:
    demo = open_page(without_gpu, root.url)
    demo.wait_for_result()
    demo.page.evaluate(NO_ANSWER)
    demo.at("backend-wasm").locator("xpath=ancestor::label").click()
    expect(demo.at("backend-chip")).to_have_text("")
    expect(demo.at("result-actions")).to_be_hidden()


def test_a_camera_without_a_model_leaves_the_failure(open_page: Open, without_gpu: Browser, root: Server) -> None:
    demo = open_page(without_gpu, root.url)
    demo.wait_for_result()
    demo.page.evaluate(NO_WORKER)
    demo.at("backend-wasm").locator("xpath=ancestor::label").click()
    expect(demo.page.get_by_role("button", name="Try again")).to_be_visible()
    demo.page.evaluate(CAMERA, "./samples/1-several.jpg")
    demo.page.get_by_role("button", name="Use camera").click()
    expect(demo.page.locator("#live")).to_be_visible()
    expect(demo.at("status")).to_have_text("Failed")
    demo.page.get_by_role("button", name="Stop camera").click()
    expect(demo.page.get_by_role("button", name="Try again")).to_be_visible()
    expect(demo.at("status")).to_have_text("Failed")


def test_a_failure_in_a_run_stays_until_it_is_read(open_page: Open, without_gpu: Browser, root: Server) -> None:
    demo = open_page(without_gpu, root.url)
    demo.wait_for_result()
    demo.page.evaluate(WRONG_FILE_IN_A_RUN)
    with demo.another_run():
        demo.at("confidence").fill("0.5")
    expect(demo.page.get_by_role("alert")).to_contain_text("could not be read")
    demo.slide("confidence", 0.4)
    expect(demo.page.get_by_role("alert")).to_be_hidden()


def test_a_failure_that_is_dismissed_while_the_model_loads_does_not_end_the_loading(
    open_page: Open, without_gpu: Browser, root: Server
) -> None:
    demo = open_page(without_gpu, root.url)
    demo.wait_for_result()
    demo.page.evaluate(NO_ANSWER)
    demo.at("backend-wasm").locator("xpath=ancestor::label").click()
    expect(demo.at("backend-chip")).to_have_text("")
    demo.at("file").set_input_files({"name": "notes.jpg", "mimeType": "image/jpeg", "buffer": b"no picture"})
    demo.page.get_by_role("button", name="Dismiss").click()
    expect(demo.page.get_by_role("alert")).to_be_hidden()
    expect(demo.at("status")).not_to_have_text("Ready")
    assert demo.state() == "loading"
