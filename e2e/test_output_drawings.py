"""Outputs of a model without a known task: their drawing over the image, and choosing another drawing."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from PIL import Image
from playwright.sync_api import Browser, Error, expect

from e2e.accessibility import violations
from e2e.conftest import Open, Webbuild
from e2e.demo_page import DemoPage
from e2e.long_task import longest_task_allowed
from tests.models import HEADER, parsed, save
from webbuild.browser.server import Server
from webbuild.browser.tracing import main_thread_tasks

MODELS = {
    "negative": """negative (float[1,3,48,64] x) => (float[1,3,48,64] pictured)
    <float one = {1}>
    {
      pictured = Sub (one, x)
    }""",
    "channels": """channels (float[1,3,48,64] x) => (float[1,4,48,64] classed)
    <int64[1] channels = {1}, float zero = {0}, float half = {0.5}, float two = {2}>
    {
      mean = ReduceMean (x, channels)
      nothing = Mul (mean, zero)
      grey = Add (nothing, half)
      all = Concat <axis = 1> (x, grey)
      classed = Mul (all, two)
    }""",
    "several": """several (float[1,3,48,64] x)
      => (float[1,3] means, float[1,5,2] joints, float[1,2,6] found, float[1,1,48,64] bright)
    <int64[1] channels = {1}, int64[2] flat = {1, 3}, int64[3] one = {1, 1, 1}, float zero = {0},
     float[1,5,2] places = {8, 24, 16, 24, 24, 24, 32, 24, 40, 8},
     float[1,2,6] rows = {4, 10, 28, 40, 0.9, 3, 36, 10, 60, 40, 0.8, 5}>
    {
      bright = ReduceMean (x, channels)
      pooled = GlobalAveragePool (x)
      means = Reshape (pooled, flat)
      all = ReduceMean <keepdims = 1> (bright)
      some = Reshape (all, one)
      nothing = Mul (some, zero)
      joints = Add (places, nothing)
      found = Add (rows, nothing)
    }""",
}
RED, CYAN = (200, 40, 40), (55, 215, 215)
"""Each the negative of the other; with pure colours the output would look like masks."""
DARK, BRIGHT = (0x44, 0x01, 0x54), (0xFD, 0xE7, 0x25)
"""The ends of viridis."""
PIXEL = """([x, y]) => {
  const canvas = document.getElementById("overlay");
  const { naturalWidth: wide, naturalHeight: high } = document.querySelector("#slot img");
  const scale = Math.min(canvas.width / wide, canvas.height / high);
  const [left, top] = [(canvas.width - wide * scale) / 2, (canvas.height - high * scale) / 2];
  const place = [left + x * wide * scale, top + y * high * scale].map(Math.round);
  return [...canvas.getContext("2d").getImageData(...place, 1, 1).data];
}"""
WITHIN = f"""([x, y, ranges]) => {{
  const seen = ({PIXEL})([x, y]);
  return ranges.every(([low, high], channel) => low <= seen[channel] && seen[channel] <= high);
}}"""
Ranges = list[tuple[int, int]]
"""The least and the greatest red, green, blue and alpha."""


@pytest.fixture(scope="module")
def pages(
    webbuild: Webbuild, keep_page: Open, without_gpu: Browser, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[dict[str, DemoPage]]:
    """The page of each model, with an image of another aspect ratio than the input: red left, cyan right."""
    folder = tmp_path_factory.mktemp("drawn")
    picture = Image.new("RGB", (90, 60), RED)
    picture.paste(CYAN, (45, 0, 90, 60))
    picture.save(folder / "halves.png")
    with ExitStack() as servers:
        opened = {}
        for name, text in MODELS.items():
            out, model = folder / name, save(parsed(f"{HEADER} {text}"), folder / f"{name}.onnx")
            given = ("--scale", "1/255", "--sample", folder / "halves.png")
            done = webbuild("pack", model, "-o", out, "--no-verify", *given)
            assert done.returncode == 0, done.stderr
            server = servers.enter_context(Server(out))
            opened[name] = keep_page(without_gpu, server.url, viewport={"width": 1280, "height": 900})
        for page in opened.values():
            page.page.wait_for_function("() => ['ready', 'error'].includes(document.body.dataset.state)")
            assert page.state() == "ready"
        yield opened


def pixel(page: DemoPage, x: float, y: float, ranges: Ranges) -> None:
    """Wait until the overlay's colour and alpha, at fractions of its width and height, are in the ranges."""
    try:
        page.page.wait_for_function(WITHIN, arg=[x, y, ranges], polling=50)
    except Error:
        pytest.fail(f"at {x}, {y} there is {page.page.evaluate(PIXEL, [x, y])}, not {ranges}")


def alpha(least: int, greatest: int) -> Ranges:
    return [(0, 255), (0, 255), (0, 255), (least, greatest)]


def near(*wanted: int) -> Ranges:
    return [(value - 4, value + 4) for value in wanted]


def assert_halves(page: DemoPage, left: tuple[int, ...], right: tuple[int, ...]) -> None:
    """Assert that each half has one colour up to the corners, without the input's padding."""
    for y in (0.03, 0.5, 0.97):
        pixel(page, 0.2, y, near(*left, 255))
        pixel(page, 0.8, y, near(*right, 255))


def test_a_picture_is_drawn_and_can_be_seen_as_classes(pages: dict[str, DemoPage]) -> None:
    page = pages["negative"]
    expect(page.at("guess")).to_have_text("Drawn as a picture of 0..1, judged by its shape and range.")
    assert_halves(page, CYAN, RED)
    page.at("layer-picture").locator("xpath=ancestor::label").click()
    pixel(page, 0.2, 0.5, alpha(0, 0))
    page.at("layer-output").locator("xpath=ancestor::label").click()
    page.at("form-0").select_option("classes")
    expect(page.at("guess")).to_have_text("Drawn as maps of 3 classes, as you chose.")
    expect(page.at("results").locator(".row-label")).to_have_text(["class 0", "class 1"])
    page.at("form-0").select_option("picture")
    assert_halves(page, CYAN, RED)


def test_classes_are_drawn_as_regions_with_a_legend(pages: dict[str, DemoPage]) -> None:
    page = pages["channels"]
    expect(page.at("guess")).to_have_text("Drawn as maps of 4 classes, judged by its shape.")
    rows = page.at("results").locator("li")
    expect(rows).to_have_count(2)
    for x, index in ((0.2, 0), (0.8, 1)):
        row = rows.filter(has_text=f"class {index}")
        expect(row).to_contain_text("50.0 %")
        color = row.locator(".row-label").evaluate("(label) => getComputedStyle(label, '::before').backgroundColor")
        pixel(page, x, 0.3, near(*map(int, re.findall(r"\d+", color)), 128))
    rows.filter(has_text="class 1").hover()
    pixel(page, 0.2, 0.3, alpha(0, 39))
    pixel(page, 0.8, 0.3, alpha(101, 255))
    page.page.mouse.move(5, 5)
    page.at("form-0").select_option("table")
    pixel(page, 0.2, 0.3, alpha(0, 0))
    expect(rows).to_have_count(0)
    page.at("form-0").select_option("classes")
    expect(rows).to_have_count(2)


def test_of_several_outputs_the_most_drawable_one_is_drawn_first(pages: dict[str, DemoPage]) -> None:
    page = pages["several"]
    expect(page.at("outputs").locator("code")).to_have_text(["means", "joints", "found", "bright"])
    expect(page.at("output-3")).to_be_checked()
    expect(page.at("guess")).to_have_text("Drawn as a map, judged by its shape.")
    expect(page.at("legend")).to_be_visible()
    assert_halves(page, DARK, BRIGHT)


def test_the_other_outputs_can_be_chosen(pages: dict[str, DemoPage]) -> None:
    page = pages["several"]
    page.at("output-0").check()
    expect(page.at("guess")).to_have_text("Drawn as 3 scores, judged by its shape.")
    expect(page.at("results").locator(".row-label")).to_have_count(3)
    expect(page.at("legend")).to_be_hidden()
    pixel(page, 0.2, 0.5, alpha(0, 0))
    page.at("output-1").check()
    expect(page.at("guess")).to_have_text("Drawn as 5 points in pixels of the input, judged by its values.")
    for x, y in ((8, 24), (24, 24), (40, 8)):
        pixel(page, *on_picture(x, y), alpha(255, 255))
    pixel(page, 0.9, 0.9, alpha(0, 0))
    page.at("output-2").check()
    expect(page.at("guess")).to_have_text("Drawn as boxes x1, y1, x2, y2 in pixels of the input, judged by its values.")
    expect(page.at("results").locator(".row-label")).to_have_text(["class 3", "class 5"])
    pixel(page, *on_picture(4, 30), alpha(151, 255))
    pixel(page, *on_picture(16, 30), alpha(0, 0))
    page.at("output-3").check()
    assert_halves(page, DARK, BRIGHT)


def on_picture(x: float, y: float) -> tuple[float, float]:
    """Map input pixels, where the 90 x 60 image is 64 x 43 with 2 rows above it, to fractions of the image."""
    return x / 64, (y - 2) / 43


def test_the_table_says_the_type_and_the_shape(pages: dict[str, DemoPage]) -> None:
    rows = pages["several"].at("statistics").locator("tbody tr")
    expect(rows).to_have_count(4)
    expect(rows.last.locator("td").nth(0)).to_have_text("float32")
    expect(rows.last.locator("td").nth(1)).to_have_text(" \N{MULTIPLICATION SIGN} ".join(["1", "1", "48", "64"]))
    heights = rows.last.locator(".histogram i").evaluate_all("(bars) => bars.map((bar) => bar.offsetHeight)")
    assert len(heights) == 16
    assert sum(height > 2 for height in heights) == 3, "two colours, and what pads the picture"


@pytest.mark.parametrize("width", [320, 390])
@pytest.mark.parametrize("name", MODELS)
def test_a_phone_does_not_scroll_sideways(pages: dict[str, DemoPage], name: str, width: int) -> None:
    page = pages[name]
    page.page.set_viewport_size({"width": width, "height": 800})
    assert page.overflow() == 0
    if (name, width) == ("several", 390):
        assert violations(page.page) == []
    page.page.set_viewport_size({"width": 1280, "height": 900})


LARGE = """large (float[1,3,480,640] x) => (float[1,24,480,640] classed, float[1,1,480,640] bright)
{
  classed = Concat <axis = 1> (x, x, x, x, x, x, x, x)
  bright = ReduceMean <axes = [1]> (x)
}"""


@pytest.mark.alone
def test_drawing_large_outputs_keeps_the_page_alive(
    webbuild: Webbuild, open_page: Open, without_gpu: Browser, tmp_path: Path
) -> None:
    model = save(parsed(f"{HEADER.replace('18', '13')} {LARGE}"), tmp_path / "large.onnx")
    Image.effect_noise((640, 480), 80).convert("RGB").save(tmp_path / "noise.png")
    given = ("--scale", "1/255", "--sample", tmp_path / "noise.png")
    done = webbuild("pack", model, "-o", tmp_path / "out", "--no-verify", *given)
    assert done.returncode == 0, done.stderr
    with Server(tmp_path / "out") as server:
        page = open_page(without_gpu, f"{server.url}report.html", reduced_motion="no-preference")
        with main_thread_tasks(without_gpu, page.page) as tasks:
            page.page.goto(server.url)
            page.wait_until_idle()
            for output, form, words in ((1, "map", ""), (0, "classes", "class"), (0, "points", "24 points")):
                page.at(f"form-{output}").select_option(form)
                expect(page.at("guess")).to_contain_text(form)
                expect(page.at("drawn")).to_have_text(words)
                page.page.wait_for_timeout(200)
        assert tasks[0].ms < longest_task_allowed(page.page), tasks
