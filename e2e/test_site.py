"""A site of two bundles: from the gallery to a result, the engine downloaded once, at every width, also offline."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Literal

import onnx
import pytest
from onnx import parser
from playwright.sync_api import Browser, BrowserContext

from e2e.accessibility import violations
from e2e.conftest import Webbuild
from e2e.demo_page import DemoPage
from e2e.test_deployment import POLICY
from e2e.test_shared_engine import PLAIN
from webbuild.browser.console import Console
from webbuild.browser.server import Server


@pytest.fixture(scope="module")
def site(bundle: Path, webbuild: Webbuild, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    onnx.save(parser.parse_model(PLAIN), folder / "plain.onnx")
    packed = webbuild("pack", folder / "plain.onnx", "-o", folder / "plain", "--no-verify")
    assert packed.returncode == 0, packed.stderr
    made = webbuild("site", bundle, folder / "plain", "-o", folder / "site", "--title", "Two models")
    assert made.returncode == 0, made.stderr
    return folder / "site"


@pytest.fixture
def visitor(without_gpu: Browser) -> Iterator[BrowserContext]:
    context = without_gpu.new_context(reduced_motion="reduce")
    yield context
    context.close()


def test_from_the_gallery_to_a_result_and_on_to_the_next_model(visitor: BrowserContext, site: Path) -> None:
    with Server(site, prefix="/some/where/", headers=POLICY) as server:
        demo = DemoPage(visitor.new_page(), server.url)
        asked: list[str] = []
        demo.page.on("request", lambda request: asked.append(request.url))
        demo.at("model-0").click()
        assert demo.wait_for_result() > 0
        demo.page.go_back()
        demo.at("model-1").click()
        demo.page.wait_for_function("() => document.body.dataset.state === 'ready'")
        assert violations(demo.page) == []
        engines = [url for url in asked if url.endswith(".wasm.zst")]
        assert engines == [f"{server.url}runtime/ort/ort-wasm-simd-threaded.wasm.zst"]
        assert demo.console.errors == []


def test_it_opens_when_the_server_is_gone(visitor: BrowserContext, site: Path) -> None:
    with Server(site) as server:
        demo = DemoPage(visitor.new_page(), f"{server.url}yolo-pose/")
        found = demo.wait_for_result()
        assert demo.page.evaluate("() => navigator.serviceWorker.ready.then(({ active }) => active !== null)")
    demo = DemoPage(visitor.new_page(), server.url)
    demo.at("model-0").click()
    assert demo.wait_for_result() == found


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_gallery_on_every_width(without_gpu: Browser, site: Path, scheme: Literal["light", "dark"]) -> None:
    folder = Path("test-results") / "site"
    folder.mkdir(parents=True, exist_ok=True)
    with Server(site) as server:
        context = without_gpu.new_context(viewport={"width": 320, "height": 800}, color_scheme=scheme)
        page, console = context.new_page(), Console()
        console.listen(page)
        for width in (320, 390, 768, 1280, 1920):
            page.set_viewport_size({"width": width, "height": 800})
            page.goto(server.url, wait_until="networkidle")
            assert page.evaluate("() => document.documentElement.scrollWidth <= innerWidth"), width
            assert page.evaluate("() => [...document.images].every((image) => image.naturalWidth > 0)")
            if width == 390:
                assert violations(page) == []
            page.screenshot(path=folder / f"gallery-{width}-{scheme}.png")
        assert console.errors == []
        context.close()
