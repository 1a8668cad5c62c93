"""A model of plain tensors with image inputs: run in Chromium, compared, and shown on its page."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from PIL import Image
from playwright.sync_api import Browser, expect

from e2e.conftest import Open, Webbuild
from tests.colours import paint
from tests.compared import compared
from tests.models import HEADER, parsed, save
from webbuild.browser.chromium import BrowserHandle
from webbuild.browser.server import Server

MEANS = f"""{HEADER} means (float[1,6,5,3] x) => (float[1,3,1,1] y)
{{
  first = Transpose <perm = [0, 3, 1, 2]> (x)
  y = GlobalAveragePool (first)
}}"""


@pytest.fixture(scope="module")
def tensors(webbuild: Webbuild, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model of mean colours: images in BGR, channels last, cropped, in 0..255."""
    folder = tmp_path_factory.mktemp("means")
    paint(folder / "samples")
    out = folder / "out"
    options = ("--layout", "nhwc", "--color", "bgr", "--resize", "crop", "--interpolation", "bicubic", "--scale", "1")
    done = webbuild("pack", save(parsed(MEANS), folder / "means.onnx"), "-o", out, "--no-verify", *options)
    assert done.returncode == 0, done.stderr
    return out


@pytest.fixture(scope="module")
def served(tensors: Path) -> Iterator[Server]:
    with Server(tensors) as server:
        yield server


def test_both_backends_agree_with_native_on_pictures(webbuild: Webbuild, tensors: Path, webgpu: BrowserHandle) -> None:
    done = webbuild("verify", tensors, "--json")
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout)
    assert {run["backend"] for run in report["backends"]} == {"webgpu", "wasm"}
    for run in report["backends"]:
        judged = [each for result in run["results"] for each in result["comparisons"]]
        assert len(judged) == 9
        assert {(each["subject"]["stage"], compared(each)) for each in judged} == {
            ("input", "x"),
            ("raw", "y"),
            ("decoded", "y"),
        }


def test_the_page_shows_what_the_outputs_hold(open_page: Open, without_gpu: Browser, served: Server) -> None:
    page = open_page(without_gpu, served.url, viewport={"width": 390, "height": 844})
    row = page.at("statistics").locator("tbody tr")
    page.page.wait_for_function("() => ['ready', 'error'].includes(document.body.dataset.state)")
    for index, values in enumerate(("240, 60, 20", "60, 200, 30", "30, 40, 220")):
        page.at(f"sample-{index}").click()
        expect(row.locator("td").last).to_have_text(values)
    assert row.count() == 1
    assert page.state() == "ready"
    assert page.overflow() == 0


SCALED = f"""{HEADER} scaled (float[1,3,24,32] x, float[1] exposure) => (float[1,3,24,32] y, float[1,96] a_long_line)
{{
  y = Mul (x, exposure)
  small = AveragePool <kernel_shape = [3, 8], strides = [3, 8]> (y)
  a_long_line = Flatten (small)
}}"""


@pytest.fixture(scope="module")
def scaled(webbuild: Webbuild, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A model that multiplies an image by a number."""
    folder = tmp_path_factory.mktemp("scaled")
    paint(folder / "samples")
    done = webbuild("pack", save(parsed(SCALED), folder / "scaled.onnx"), "-o", folder / "out", "--no-verify")
    assert done.returncode == 0, done.stderr
    with Server(folder / "out") as server:
        yield server


@pytest.mark.parametrize("width", [1280, 800])
def test_no_column_of_the_table_is_cut_off(width: int, open_page: Open, without_gpu: Browser, scaled: Server) -> None:
    page = open_page(without_gpu, scaled.url, viewport={"width": width, "height": 844})
    expect(page.at("statistics").locator("tbody tr")).to_have_count(2)
    last = page.at("statistics").evaluate(
        "(table) => { const box = table.closest('.scroll') ?? table.parentElement;"
        " return [...table.querySelectorAll('td:last-child')].map((cell) =>"
        " cell.getBoundingClientRect().right - box.getBoundingClientRect().right) }"
    )
    assert max(last) <= 1, last


def test_a_number_beside_the_picture_is_set_on_the_page(open_page: Open, without_gpu: Browser, scaled: Server) -> None:
    page = open_page(without_gpu, scaled.url)
    most = page.at("statistics").locator("tbody tr").first.locator("td").nth(3)
    page.at("sample-0").click()
    expect(page.at("number-exposure")).to_have_value("1")
    expect(most).not_to_have_text("0")
    page.at("number-exposure").fill("0")
    expect(most).to_have_text("0")


def test_an_embedding_is_compared_with_the_picture_before(
    open_page: Open, without_gpu: Browser, scaled: Server, tmp_path: Path
) -> None:
    page = open_page(without_gpu, scaled.url)
    page.wait_until_idle()
    page.at("output-1").check()
    page.at("form-1").select_option("embedding")
    expect(page.at("drawn")).to_contain_text("choose a second picture")
    rows = page.at("results").locator(".row-label")
    for color in ("red", "blue"):
        file = tmp_path / color / "image.png"
        file.parent.mkdir()
        Image.new("RGB", (32, 24), color).save(file)
        with page.another_run():
            page.at("file").set_input_files(file)
        expect(page.at("drawn")).to_have_text("similarity to the previous picture")
    expect(rows).to_have_text(["like image.png"])
