"""The demo page on WASM, which is faster than a software GPU: samples, sliders, files, keys, widths, hosts."""

from __future__ import annotations

import io
import json
import re
from pathlib import Path
from typing import Literal

import numpy as np
import pytest
from PIL import Image
from playwright.sync_api import Browser, expect

from e2e.accessibility import focus_problems, violations
from e2e.camera import CAMERA
from e2e.conftest import Open
from e2e.demo_page import DemoPage
from webbuild.browser.server import Server

Scheme = Literal["light", "dark"]


@pytest.fixture(scope="module")
def kept(keep_page: Open, without_gpu: Browser, root: Server) -> DemoPage:
    page = keep_page(without_gpu, root.url)
    page.wait_for_result()
    return page


@pytest.fixture(scope="module")
def phone(keep_page: Open, without_gpu: Browser, root: Server) -> DemoPage:
    page = keep_page(without_gpu, root.url, viewport={"width": 320, "height": 800}, has_touch=True)
    page.wait_for_result()
    return page


@pytest.fixture
def demo(kept: DemoPage) -> DemoPage:
    """The page in its initial state."""
    kept.page.emulate_media(color_scheme="light", reduced_motion="no-preference")
    kept.page.set_viewport_size({"width": 1280, "height": 900})
    reset = kept.page.locator("#reset")
    if reset.is_visible():
        with kept.another_run():
            reset.click()
    kept.choose(0)
    return kept


def samples(bundle: Path) -> int:
    return len(json.loads((bundle / "manifest.json").read_text())["samples"])


def test_it_works_wherever_it_is_put(open_page: Open, without_gpu: Browser, place: Server) -> None:
    page = open_page(without_gpu, place.url, reduced_motion="no-preference")
    assert page.wait_for_result() > 0
    assert page.chip() == "WASM"


def test_every_sample_runs_and_most_have_people(demo: DemoPage, bundle: Path) -> None:
    counts = [demo.choose(index) for index in range(samples(bundle))]
    assert sum(count > 0 for count in counts) >= len(counts) - 1
    assert max(counts) > 3
    for part in ("preprocess", "inference", "postprocess"):
        expect(demo.at(f"timing-{part}")).to_have_text(re.compile(r"\d"))


def test_something_is_drawn_on_the_stage(demo: DemoPage) -> None:
    expect(demo.at("stage")).to_be_visible()
    drawn = """() => [...document.querySelectorAll("[data-testid=stage] canvas")].map((canvas) => {
      const data = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data;
      return data.some((value, index) => index % 4 === 3 && value > 0);
    })"""
    assert all(demo.page.evaluate(drawn))


def test_confidence_changes_the_result_and_can_be_undone(demo: DemoPage) -> None:
    before = demo.count()
    assert demo.slide("confidence", 0.05) > before
    assert demo.slide("confidence", 1) == 0
    with demo.another_run():
        demo.page.locator("#reset").click()
    assert demo.count() == before


def test_overlap_changes_the_result(demo: DemoPage) -> None:
    demo.choose(0)
    demo.slide("confidence", 0.05)
    assert demo.slide("iou", 0.95) > demo.slide("iou", 0.1)


def test_a_file_of_ones_own(demo: DemoPage, bundle: Path) -> None:
    picture = next((bundle / "samples").glob("*several*"))
    with demo.another_run():
        demo.at("file").set_input_files(picture)
    assert demo.count() > 0
    assert demo.page.locator("#samples [aria-pressed=true]").count() == 0


def test_a_file_that_is_no_picture_is_explained_and_no_end(demo: DemoPage, tmp_path: Path) -> None:
    wrong = tmp_path / "notes.jpg"
    wrong.write_text("no picture")
    demo.at("file").set_input_files(wrong)
    expect(demo.page.get_by_role("alert")).to_contain_text("could not be read")
    assert demo.choose(1) > 0
    expect(demo.page.get_by_role("alert")).to_be_hidden()


def test_a_file_that_is_no_picture_leaves_the_one_before_it(demo: DemoPage, tmp_path: Path) -> None:
    found = demo.choose(1)
    wrong = tmp_path / "notes.jpg"
    wrong.write_text("no picture")
    demo.at("file").set_input_files(wrong)
    expect(demo.page.get_by_role("alert")).to_be_visible()
    demo.page.get_by_role("button", name="Dismiss").click()
    assert demo.count() == found
    expect(demo.at("result-actions")).to_be_visible()
    expect(demo.at("sample-1")).to_have_attribute("aria-pressed", "true")


def test_a_vector_graphic_is_run_as_a_picture(demo: DemoPage, tmp_path: Path) -> None:
    """The model cannot read its file."""
    vector = tmp_path / "vector.svg"
    vector.write_text('<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>')
    demo.at("file").set_input_files(vector)
    expect(demo.page.locator("#slot")).to_have_attribute("aria-label", re.compile("vector.svg.+"))
    expect(demo.page.get_by_role("alert")).to_be_hidden()


def test_everything_can_be_reached_by_keyboard(demo: DemoPage) -> None:
    assert focus_problems(demo.page) == []


def test_a_failure_that_is_dismissed_gives_the_focus_back(demo: DemoPage, tmp_path: Path) -> None:
    wrong = tmp_path / "notes.jpg"
    wrong.write_text("no picture")
    demo.at("file").set_input_files(wrong)
    expect(demo.page.get_by_role("alert")).to_be_visible()
    demo.at("sample-0").focus()
    demo.page.keyboard.press("Shift+Tab")
    expect(demo.page.get_by_role("button", name="Dismiss")).to_be_focused()
    demo.page.keyboard.press("Enter")
    expect(demo.page.get_by_role("alert")).to_be_hidden()
    expect(demo.at("sample-0")).to_be_focused()


def test_a_pressed_row_is_of_its_picture_only(demo: DemoPage) -> None:
    first = demo.at("results").locator("button").first
    first.click()
    expect(first).to_have_attribute("aria-pressed", "true")
    assert demo.choose(3) > 0
    expect(first).to_have_attribute("aria-pressed", "false")
    expect(demo.at("results").locator(".lit")).to_have_count(0)


def test_a_row_that_goes_gives_the_focus_to_the_last_one_left(demo: DemoPage) -> None:
    rows = demo.page.locator("#rows button")
    before = rows.count()
    rows.last.focus()
    with demo.another_run():
        demo.at("confidence").evaluate("(slider) => { slider.value = 0.7; slider.dispatchEvent(new Event('input')); }")
    assert 0 < rows.count() < before
    expect(rows.last).to_be_focused()


def test_what_happens_is_said_to_screen_readers(demo: DemoPage) -> None:
    """Results, progress and failures are written to live regions."""
    listened = "(each) => !!each.closest('[aria-live=polite], [role=status], [role=alert]')"
    for place in ("result-count", "status", "failure-message", "copy-result-text"):
        assert demo.page.locator(f"#{place}").evaluate(listened), place
    expect(demo.page.get_by_test_id("progress")).to_have_attribute("aria-valuenow", "100")


SLOW_ENCODING = """() => {
  const { toBlob } = HTMLCanvasElement.prototype;
  HTMLCanvasElement.prototype.toBlob = function (done, ...how) {
    toBlob.call(this, (blob) => setTimeout(done, 1000, blob), ...how);
  };
}"""
"""Simulates a busy machine: the last frame arrives a second after the camera was stopped."""


def test_the_last_frame_of_the_camera_stays_and_a_lost_camera_is_told(
    open_page: Open, without_gpu: Browser, root: Server
) -> None:
    demo = open_page(without_gpu, root.url)
    several = demo.wait_for_result()
    demo.page.evaluate(SLOW_ENCODING)
    for _ in range(2):
        demo.page.evaluate(CAMERA, "./samples/1-several.jpg")
        with demo.another_run():
            demo.page.get_by_role("button", name="Use camera").click()
            expect(demo.page.get_by_role("button", name="Stop camera")).to_be_visible()
            demo.page.wait_for_function("() => writes > 0")
            expect(demo.page.locator("#rows")).to_contain_text("person 1")  # its number, in a video
            demo.page.get_by_role("button", name="Stop camera").click()
        assert demo.count() == several
        assert 0 < demo.slide("confidence", 0.7) < several
        assert demo.slide("confidence", 0.25) == several
        expect(demo.page.locator("#rows")).not_to_contain_text("person 1")
    demo.page.evaluate(CAMERA, "./samples/1-several.jpg")
    demo.page.get_by_role("button", name="Use camera").click()
    expect(demo.page.locator("#live")).to_be_visible()  # the button says so before there is a track
    demo.page.evaluate("track.dispatchEvent(new Event('ended'))")
    expect(demo.page.get_by_role("alert")).to_contain_text("The camera was disconnected")
    expect(demo.page.get_by_role("button", name="Use camera")).to_be_visible()


def test_a_file_that_is_no_picture_leaves_the_last_frame_of_the_camera(
    open_page: Open, without_gpu: Browser, root: Server, tmp_path: Path
) -> None:
    demo = open_page(without_gpu, root.url)
    several = demo.wait_for_result()
    demo.page.evaluate(CAMERA, "./samples/1-several.jpg")
    demo.page.get_by_role("button", name="Use camera").click()
    expect(demo.page.locator("#rows")).to_contain_text("person 1")  # its number, in a video
    wrong = tmp_path / "notes.jpg"
    wrong.write_text("no picture")
    demo.at("file").set_input_files(wrong)
    expect(demo.page.get_by_role("alert")).to_contain_text("could not be read")
    demo.page.get_by_role("button", name="Dismiss").click()
    assert 0 < demo.slide("confidence", 0.7) < several


def test_keys_choose_a_sample_and_move_a_slider(demo: DemoPage) -> None:
    with demo.another_run():
        demo.at("sample-1").focus()
        demo.page.keyboard.press("Enter")
    expect(demo.at("sample-1")).to_have_attribute("aria-pressed", "true")
    with demo.another_run():
        demo.at("confidence").focus()
        demo.page.keyboard.press("End")
    assert demo.count() == 0


@pytest.mark.parametrize("width", [320, 390, 768, 1280, 1920])
def test_no_width_scrolls_sideways(demo: DemoPage, phone: DemoPage, width: int) -> None:
    page = phone if width < 500 else demo
    page.page.set_viewport_size({"width": width, "height": 800})
    assert page.overflow() == 0
    page.choose(1)
    assert page.overflow() == 0


WHOLE = """() => {
  const card = document.getElementById("failure");
  const [stage, box] = [document.getElementById("stage"), card].map((each) => each.getBoundingClientRect());
  const buttons = [...card.querySelectorAll("button:not([hidden])")].map((each) => each.getBoundingClientRect());
  return stage.top <= box.top && card.scrollHeight <= card.clientHeight
    && buttons.every(({ right, bottom }) => right <= box.right && bottom <= box.bottom);
}"""


def test_a_failure_over_a_wide_picture_is_whole_on_a_phone(phone: DemoPage, tmp_path: Path) -> None:
    Image.new("RGB", (300, 30), "red").save(tmp_path / "wide.png")
    with phone.another_run():
        phone.at("file").set_input_files(tmp_path / "wide.png")
    (tmp_path / "a_photograph_of_a_phone.heic").write_text("no picture")
    phone.at("file").set_input_files(tmp_path / "a_photograph_of_a_phone.heic")
    expect(phone.page.get_by_role("alert")).to_be_visible()
    phone.page.wait_for_timeout(200)
    whole = phone.page.evaluate(WHOLE)
    phone.page.get_by_role("button", name="Dismiss").click()
    phone.choose(0)
    assert whole


LATE_WIDTH = """() => {
  const wide = Object.assign(document.createElement("p"), { id: "wide", textContent: "wide" });
  document.body.append(wide);
  let frames = 0;
  const widen = () => { if (++frames < 6) requestAnimationFrame(widen); else wide.style.width = "5000px"; };
  widen();
}"""


def test_a_width_that_takes_a_few_frames_is_seen(phone: DemoPage) -> None:
    phone.page.evaluate(LATE_WIDTH)
    try:
        assert phone.overflow() > 1000
    finally:
        phone.page.evaluate("document.getElementById('wide').remove()")


NAMES_OF_A_MODEL = [".summary", "#result-noun", "#rows .row-label", ".use code"]


@pytest.mark.parametrize("place", NAMES_OF_A_MODEL)
def test_a_long_name_does_not_scroll_a_phone_sideways(phone: DemoPage, place: str) -> None:
    name = phone.page.locator(place).first
    before = name.inner_text()
    try:
        name.evaluate("(each) => { each.textContent = 'Long_name'.repeat(9); }")
        assert phone.overflow() == 0
    finally:
        name.evaluate("(each, before) => { each.textContent = before; }", before)


MINIMUM_FONT = """() => {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync("* { font-size: 22px !important }");
  document.adoptedStyleSheets.push(sheet);
}"""


def test_two_cameras_and_a_large_font_fit_a_phone(open_page: Open, without_gpu: Browser, root: Server) -> None:
    page = open_page(without_gpu, root.url, viewport={"width": 360, "height": 800}, has_touch=True)
    page.wait_for_result()
    page.page.evaluate("document.getElementById('flip').hidden = false")
    fits = "document.documentElement.scrollWidth <= innerWidth"
    assert page.page.evaluate(fits)
    page.page.evaluate(MINIMUM_FONT)
    page.page.wait_for_function(fits, timeout=10_000)


def switch_scheme(demo: DemoPage, scheme: Scheme) -> None:
    """Show the page in a colour scheme, and wait for all colours: the bar's changes last."""
    demo.page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
    demo.page.evaluate("Promise.allSettled(document.getAnimations().map(({ finished }) => finished))")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_both_colour_schemes(demo: DemoPage, scheme: Scheme) -> None:
    switch_scheme(demo, scheme)
    corner = Image.open(io.BytesIO(demo.page.screenshot())).convert("L").getpixel((2, 2))
    assert isinstance(corner, int)
    assert (corner > 128) == (scheme == "light")


def test_forced_colours_leave_what_carries_meaning(demo: DemoPage) -> None:
    """Windows' contrast themes remove backgrounds and shadows."""
    demo.page.emulate_media(forced_colors="active")
    try:
        legend, slider = (
            np.asarray(Image.open(io.BytesIO(demo.page.locator(place).first.screenshot())).convert("RGB"), int)
            for place in (".legend", "#confidence")
        )
        ring = "(each) => getComputedStyle(each).boxShadow"
        assert [demo.at(f"sample-{at}").evaluate(ring) != "none" for at in (0, 1)] == [True, False]
    finally:
        demo.page.emulate_media(forced_colors="none")
    orange = np.abs(legend - [255, 154, 61]).max(axis=2) < 20
    assert orange.sum() > 20
    middle = slider[len(slider) // 2]
    assert np.abs(middle[4] - slider[1, 4]).max() > 60, "the track"


def test_the_result_is_saved_as_it_is_drawn_and_copied_as_json(demo: DemoPage, bundle: Path) -> None:
    page = demo.page
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    people = demo.choose(0)
    with page.expect_download() as saved:
        demo.at("save-picture").click()
    assert saved.value.suggested_filename == "result.png"
    sample = json.loads((bundle / "manifest.json").read_text())["samples"][0]["file"]
    drawn, plain = (np.asarray(Image.open(file).convert("RGB"), int) for file in (saved.value.path(), bundle / sample))
    assert drawn.shape == plain.shape
    demo.at("copy-result").click()
    expect(demo.page.locator("#copy-result-text")).to_have_text("Copied")
    result = json.loads(page.evaluate("navigator.clipboard.readText()"))
    assert len(result["poses"]) == people > 0
    assert (result["height"], result["width"]) == drawn.shape[:2]
    # The left side of the best box is drawn, and the image's corners are unchanged.
    box = result["poses"][0]["box"]
    changed = np.abs(drawn - plain).max(axis=2) > 40
    left = slice(round(box["x1"]) - 2, round(box["x1"]) + 3)
    assert changed[round(box["y1"]) + 9 : round(box["y2"]) - 9, left].any(axis=1).mean() > 0.9
    assert not changed[:4, :4].any()


def test_a_report_is_copied_beside_the_engine_and_beside_a_failure(demo: DemoPage, tmp_path: Path) -> None:
    page = demo.page
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    demo.at("copy-report").click()
    expect(page.locator("#copy-report-text")).to_have_text("Copied")
    report = page.evaluate("navigator.clipboard.readText()")
    assert "\nengine: onnxruntime-web " in report
    assert f"\nbackend: {demo.chip().lower()}: " in report
    wrong = tmp_path / "notes.jpg"
    wrong.write_text("no picture")
    demo.at("file").set_input_files(wrong)
    demo.at("failure-report").click()
    expect(page.locator("#failure-report-text")).to_have_text("Copied")
    failed = page.evaluate("navigator.clipboard.readText()")
    code = page.locator("#failure-code").inner_text()
    assert failed.startswith(f"error: [{code}] ")
    assert "\nengine: onnxruntime-web " in failed
    for text in (report, failed):
        assert "://" not in text
        assert "localhost" not in text


def test_back_from_a_section_keeps_the_picture(open_page: Open, without_gpu: Browser, root: Server) -> None:
    demo = open_page(without_gpu, f"{root.url}#confidence=0.5")
    demo.wait_for_result()
    demo.choose(1)
    demo.at("copy-link").click()  # also writes the link into the address bar
    demo.page.wait_for_function("() => location.hash.includes('sample=')")
    demo.page.evaluate("globalThis.isSamePage = true")
    demo.page.evaluate("location.hash = 'engine'")
    demo.page.evaluate("history.back()")
    demo.page.wait_for_function("() => location.hash.includes('=')")
    demo.page.wait_for_timeout(500)  # a reload would have begun
    assert demo.page.evaluate("globalThis.isSamePage") is True
    expect(demo.at("sample-1")).to_have_attribute("aria-pressed", "true")


def test_a_link_carries_the_sample_and_the_thresholds(demo: DemoPage, open_page: Open, without_gpu: Browser) -> None:
    page = demo.page
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    plain, _ = demo.count(), demo.choose(3)
    people = demo.slide("confidence", 0.6)
    demo.at("copy-link").click()
    expect(page.locator("#copy-link-text")).to_have_text("Copied")
    address = page.evaluate("navigator.clipboard.readText()")
    assert "confidence=0.6" in address
    expect(page.locator("#snippet")).to_contain_text("(image, { confidence: 0.6 })")
    other = open_page(without_gpu, address)
    assert other.wait_for_result() == people > 0
    expect(other.at("confidence")).to_have_value("0.6")
    expect(other.page.locator("#snippet")).to_contain_text("(image, { confidence: 0.6 })")
    expect(other.at("sample-3")).to_have_attribute("aria-pressed", "true")
    for wrong in ("#confidence=nine&sample=none", "#confidence=&iou=1e999"):
        assert open_page(without_gpu, address.partition("#")[0] + wrong).wait_for_result() == plain


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 390])
def test_axe_finds_nothing(demo: DemoPage, scheme: Scheme, width: int) -> None:
    switch_scheme(demo, scheme)
    demo.page.set_viewport_size({"width": width, "height": 900})
    assert violations(demo.page) == []
