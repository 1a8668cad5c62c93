"""`<web-model>` in other people's pages: under a strict CSP, with images, a camera, another model."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import Browser, Page, expect

from e2e.camera import CAMERA
from e2e.demo_page import LOADED
from webbuild.browser.console import Console
from webbuild.browser.server import Server
from webbuild.bundle.hosting import HEADER_RULES

PAGE = """<!doctype html><html lang="en"><title>App</title><link rel="icon" href="data:,">
<script type="module" src="./page/web-model.js"></script><script type="module" src="./app.js"></script>
<web-model ATTRIBUTES></web-model></html>
"""
SCRIPT = """globalThis.results = [];
globalThis.element = document.querySelector("web-model");
element.addEventListener("result", ({ detail }) => results.push(detail.poses.length));
element.addEventListener("error", ({ detail }) => { globalThis.failure = detail.code; });
"""
LOADER = 'src="./yolo-pose.js" backend="wasm"'
DRAWN = """() => {
  const canvas = element.shadowRoot.querySelector(".overlay");
  const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
  return data.some((value) => value > 0);
}"""


@contextmanager
def opened(browser: Browser, bundle: Path, attributes: str) -> Iterator[Page]:
    """Open a page with the element; assert at the end that its console has no errors."""
    page_files = {
        "/app.html": ("text/html", PAGE.replace("ATTRIBUTES", attributes).encode()),
        "/app.js": ("text/javascript", SCRIPT.encode()),
    }
    with Server(bundle, headers=HEADER_RULES[0].headers, virtual=page_files) as server:
        context = browser.new_context(reduced_motion="reduce")
        page, console = context.new_page(), Console()
        page.set_default_timeout(LOADED)
        console.listen(page)
        page.goto(f"{server.url}app.html")
        yield page
        assert console.errors == []
        context.close()


def people(page: Page) -> int:
    """Wait for the next result, and return its number of people."""
    page.wait_for_function("() => results.length > 0")
    return int(page.evaluate("results.shift()"))


def test_a_picture_is_run_and_drawn(without_gpu: Browser, bundle: Path) -> None:
    with opened(without_gpu, bundle, f'{LOADER} picture="./samples/1-several.jpg"') as page:
        found = people(page)
        assert found > 3
        expect(page.get_by_role("status")).to_have_text(f"{found} people found")
        expect(page.get_by_role("img", name=f"1-several.jpg: {found} people found")).to_be_visible()
        page.wait_for_function(DRAWN)
        assert page.evaluate("element.shadowRoot.querySelector('img').alt") == "", "its stage has the words"
        page.evaluate("() => { element.options = { confidence: 0.999 }; }")
        assert people(page) == 0
        expect(page.get_by_role("status")).to_have_text("0 people found")


def test_a_file_is_chosen_another_dropped_and_the_camera_used(without_gpu: Browser, bundle: Path) -> None:
    with opened(without_gpu, bundle, LOADER) as page:
        page.get_by_label("Choose a picture").set_input_files(next((bundle / "samples").glob("*several*")))
        several = people(page)
        page.evaluate(
            """async () => {
              const data = new DataTransfer();
              const blob = await (await fetch("./samples/2-one.jpg")).blob();
              data.items.add(new File([blob], "one.jpg", { type: blob.type }));
              element.dispatchEvent(new DragEvent("drop", { dataTransfer: data, cancelable: true }));
            }"""
        )
        assert people(page) == 1
        page.evaluate(CAMERA, "./samples/1-several.jpg")
        page.get_by_role("button", name="Use camera").click()
        assert people(page) == several
        assert people(page) == several, "the camera goes on"
        page.get_by_role("button", name="Stop camera").click()
        assert page.evaluate("track.readyState") == "ended"


def test_a_model_of_the_page_stays_the_pages(without_gpu: Browser, bundle: Path) -> None:
    with opened(without_gpu, bundle, 'picture="./samples/1-several.jpg"') as page:
        page.evaluate(
            """async () => {
              const { load } = await import("./yolo-pose.js");
              globalThis.model = await load({ backend: "wasm" });
              element.model = model;
            }"""
        )
        found = people(page)
        page.evaluate("() => element.remove()")
        blob = "await (await fetch('./samples/1-several.jpg')).blob()"
        assert page.evaluate(f"async () => (await model.run({blob})).poses.length") == found


def test_an_element_that_is_moved_keeps_its_model_and_one_that_is_removed_ends_it(
    without_gpu: Browser, bundle: Path
) -> None:
    with opened(without_gpu, bundle, f'{LOADER} picture="./samples/2-one.jpg"') as page:
        assert people(page) == 1
        page.evaluate("() => { globalThis.own = element.model; document.body.append(element); }")
        assert page.evaluate("() => element.model === own")
        page.evaluate("() => element.remove()")
        ended = """async () => own.run(await (await fetch("./samples/2-one.jpg")).blob()).catch(({ code }) => code)"""
        assert page.evaluate(ended) == "disposed"


def test_options_that_are_no_json_are_said(without_gpu: Browser, bundle: Path) -> None:
    with opened(without_gpu, bundle, "") as page:
        page.evaluate("() => element.setAttribute('options', '{confidence: 0.4}')")
        assert page.evaluate("failure") == "invalid-option"
        expect(page.get_by_role("status")).to_contain_text("The options are not JSON")


def test_what_fails_is_said_with_its_fix(without_gpu: Browser, bundle: Path) -> None:
    with opened(without_gpu, bundle, 'src="./yolo-pose.js" backend="webgpu"') as page:
        page.wait_for_function("() => globalThis.failure")
        assert page.evaluate("failure") == "no-adapter"
        expect(page.get_by_role("status")).to_contain_text("WebGPU")
