"""An image encoder, from its ONNX file to a search over a folder: both backends agree with native, red finds red."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from e2e.accessibility import violations
from e2e.conftest import Open, Webbuild
from e2e.demo_page import DemoPage
from tests.colours import paint
from tests.compared import compared
from tests.embedding_models import encoder
from tests.models import save
from webbuild.browser.chromium import BrowserHandle
from webbuild.browser.server import Server

SEARCH = """async () => {
  const { load, loadIndex, similar } = await import("./vision.js");
  const [model, index] = await Promise.all([load({ backend: "wasm" }), loadIndex("photos.json")]);
  const picture = await (await fetch("samples/red.png")).blob();
  const { embedding } = await model.run(picture);
  return { length: Math.hypot(...embedding), found: await similar(index, embedding, 2) };
}"""


@pytest.fixture(scope="module")
def encoded(webbuild: Webbuild, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("embed")
    paint(folder / "samples")
    out = folder / "out"
    done = webbuild("pack", save(encoder(), folder / "vision.onnx"), "-o", out, "--no-verify")
    assert done.returncode == 0, done.stderr
    done = webbuild("embed", folder / "samples", "--model", out, "-o", out / "photos")
    assert done.returncode == 0, done.stderr
    return out


@pytest.fixture(scope="module")
def served(encoded: Path) -> Iterator[Server]:
    with Server(encoded) as server:
        yield server


@pytest.fixture(scope="module")
def demo(keep_page: Open, without_gpu: Browser, served: Server) -> DemoPage:
    return keep_page(without_gpu, served.url, viewport={"width": 1280, "height": 900})


def test_both_backends_agree_with_native(webbuild: Webbuild, encoded: Path, webgpu: BrowserHandle) -> None:
    done = webbuild("verify", encoded, "--json")
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout)
    assert {run["backend"] for run in report["backends"]} == {"webgpu", "wasm"}
    for run in report["backends"]:
        judged = [each for result in run["results"] for each in result["comparisons"]]
        assert {compared(each) for each in judged} == {"pixel_values", "cosine distance", "rank"}
        assert {each["verdict"] for each in judged} == {"OK"}


def test_the_page_compares_a_picture_with_those_before(demo: DemoPage) -> None:
    demo.show(0)
    for sample, before in ((1, ["Blue"]), (2, ["Blue", "Green"])):
        demo.show(sample)
        names = demo.at("results").locator(".class-name").all_inner_texts()
        assert sorted(names) == before
    expect(demo.at("best")).to_contain_text("12 numbers; like")
    assert demo.at("vector").evaluate("canvas => canvas.width * canvas.height") >= 12
    assert demo.overflow() == 0
    assert violations(demo.page) == []


def test_two_files_of_the_same_name_are_two_pictures(demo: DemoPage, encoded: Path, tmp_path: Path) -> None:
    for sample in ("red.png", "blue.png"):
        (tmp_path / sample).mkdir()
        file = tmp_path / sample / "image.png"
        file.write_bytes((encoded / "samples" / sample).read_bytes())
        with demo.another_run():
            demo.at("file").set_input_files(file)
    assert "image.png" in demo.at("results").locator(".class-name").all_inner_texts()
    with demo.another_run():
        demo.at("file").set_input_files(file)
    names = demo.at("results").locator(".class-name").all_inner_texts()
    assert names.count("image.png") == 1


def test_a_picture_is_found_in_the_index_of_its_folder(demo: DemoPage) -> None:
    answer = demo.page.evaluate(SEARCH)
    assert answer["length"] == pytest.approx(1, abs=1e-6)
    first, second = answer["found"]
    assert (first["name"], first["cosine"]) == ("red.png", pytest.approx(1, abs=1e-4))
    assert second["cosine"] < 0.9
