"""A classifier, from its ONNX file to its page: both backends agree with native, and red is classified as red."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from playwright.sync_api import Browser, expect

from e2e.accessibility import violations
from e2e.conftest import Open, Webbuild
from e2e.demo_page import DemoPage
from tests.colours import colours, paint
from tests.compared import compared
from tests.models import save
from webbuild.browser.chromium import BrowserHandle
from webbuild.browser.server import Server


@pytest.fixture(scope="module")
def classifier(webbuild: Webbuild, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("colours")
    paint(folder / "samples")
    out = folder / "out"
    done = webbuild("pack", save(colours(), folder / "colours.onnx"), "-o", out, "--no-verify")
    assert done.returncode == 0, done.stderr
    return out


@pytest.fixture(scope="module")
def served(classifier: Path) -> Iterator[Server]:
    with Server(classifier) as server:
        yield server


@pytest.fixture(scope="module")
def kept(keep_page: Open, without_gpu: Browser, served: Server) -> DemoPage:
    return keep_page(without_gpu, served.url, viewport={"width": 1280, "height": 900})


@pytest.fixture
def demo(kept: DemoPage) -> DemoPage:
    """The page on its first sample."""
    kept.show(0)
    expect(kept.at("best")).to_have_text("blue")
    return kept


def test_both_backends_agree_with_native(
    webbuild: Webbuild, classifier: Path, webgpu: BrowserHandle, tmp_path: Path
) -> None:
    html = tmp_path / "report.html"
    done = webbuild("verify", classifier, "--json", "--html", html)
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout)
    assert {run["backend"] for run in report["backends"]} == {"webgpu", "wasm"}
    for run in report["backends"]:
        assert [result["classes"][0]["label"] for result in run["results"]] == ["blue", "green", "red"]
        judged = [each for result in run["results"] for each in result["comparisons"]]
        assert {compared(each) for each in judged} == {"images", "class", "score"}
        assert {each["subject"]["stage"] for each in judged} == {"input", "raw", "decoded"}
        if run["backend"] == "wasm":  # a GPU resamples in float32; verification itself judges it
            assert all(each["maxAbs"] == 0 for each in judged if each["subject"]["stage"] == "input")
    assert '<ol class="classes">' in html.read_text("utf-8")
    page = webgpu.browser.new_page()
    for each in (html, classifier / "report.html"):
        page.goto(each.as_uri())
        assert violations(page) == []
    page.close()


def test_the_page_says_what_each_sample_shows(demo: DemoPage) -> None:
    for index, colour in enumerate(("blue", "green", "red")):
        demo.at(f"sample-{index}").click()
        expect(demo.at("best")).to_have_text(colour)
        assert demo.at("results").locator("li").count() == 3
        expect(demo.at("results").locator("li").first).to_contain_text(colour)
    assert demo.state() == "ready"
    assert demo.overflow() == 0
    assert violations(demo.page) == []


def test_a_saved_picture_says_the_classes_below_it(demo: DemoPage) -> None:
    with demo.page.expect_download() as saved:
        demo.at("save-picture").click()
    picture = np.asarray(Image.open(saved.value.path()).convert("RGB"), int)
    assert (picture[8, picture.shape[1] // 2] == (20, 60, 240)).all()
    below = picture[16:].max(axis=2)
    dark = (below < 100).any(axis=1)
    lines = int((np.diff(dark.astype(int)) == 1).sum())
    assert lines == 3, "a line for each class"


def test_a_file_that_is_no_picture_is_explained_and_no_end(demo: DemoPage, tmp_path: Path) -> None:
    expect(demo.at("best")).to_have_text("blue")
    wrong = tmp_path / "notes.jpg"
    wrong.write_text("no picture")
    demo.at("file").set_input_files(wrong)
    expect(demo.page.get_by_role("alert")).to_contain_text("could not be read")
    demo.at("sample-2").click()
    expect(demo.at("best")).to_have_text("red")
    expect(demo.page.get_by_role("alert")).to_be_hidden()


def test_the_picture_is_described_to_those_who_do_not_see_it(demo: DemoPage) -> None:
    expect(demo.page.get_by_role("img", name="Blue: blue,")).to_be_visible()
