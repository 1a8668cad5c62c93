"""The shipped model, packed once; a browser with WebGPU and one without; servers at a root and below one."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from playwright.sync_api import Browser

from e2e.demo_page import DemoPage
from webbuild.browser.chromium import Chromium, chromium
from webbuild.browser.flags import flags
from webbuild.browser.server import Server

MODEL = Path(__file__).parents[1] / "models" / "yolo-pose.onnx"
WEBBUILD = [sys.executable, "-c", "from webbuild.cli import main; main()"]

Webbuild = Callable[..., subprocess.CompletedProcess[str]]
Open = Callable[..., DemoPage]


def required() -> set[str]:
    """Return what may not be missing, as WEBBUILD_REQUIRE lists it: `webgpu firefox`."""
    return set(os.environ.get("WEBBUILD_REQUIRE", "").replace(",", " ").split())


@pytest.fixture(scope="session")
def webbuild() -> Webbuild:
    """Run the command line, as a user would."""

    def run(*arguments: object, timeout: float = 900) -> subprocess.CompletedProcess[str]:
        command = [*WEBBUILD, *map(str, arguments)]
        return subprocess.run(command, capture_output=True, text=True, timeout=timeout, check=False)

    return run


@pytest.fixture(scope="session")
def bundle(webbuild: Webbuild, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("packed") / "yolo-pose"
    done = webbuild("pack", MODEL, "-o", out, "--no-verify")
    assert done.returncode == 0, done.stderr
    return out


@pytest.fixture(scope="session")
def with_gpu() -> Iterator[Chromium]:
    with chromium() as browser:
        yield browser


@pytest.fixture(scope="session")
def without_gpu(with_gpu: Chromium) -> Iterator[Browser]:
    """A browser in which no page finds an adapter. Of the same Playwright: a thread can have only one."""
    launch = with_gpu.browser.browser_type.launch
    browser = launch(executable_path=with_gpu.path, args=list(flags(webgpu=False)))
    yield browser
    browser.close()


@pytest.fixture(scope="session")
def webgpu(with_gpu: Chromium, bundle: Path) -> Chromium:
    """The browser with WebGPU. Where it has none, tests are skipped, or fail under WEBBUILD_REQUIRE=webgpu."""
    with Server(bundle, virtual={"/blank.html": ("text/html", b"")}) as server, with_gpu.page() as (page, _):
        page.goto(f"{server.url}blank.html")
        found = page.evaluate("async () => Boolean(await navigator.gpu?.requestAdapter())")
    if not found and "webgpu" in required():
        pytest.fail("no WebGPU adapter, and WEBBUILD_REQUIRE forbids to go without")
    if not found:
        pytest.skip("no WebGPU adapter; WEBBUILD_REQUIRE=webgpu makes this a failure")
    return with_gpu


@pytest.fixture(scope="session")
def root(bundle: Path) -> Iterator[Server]:
    with Server(bundle) as server:
        yield server


PLACES = {
    "root": ("/", True),
    "root, not isolated": ("/", False),
    "sub-path": ("/demos/pose/", True),
    "sub-path, not isolated": ("/demos/pose/", False),
}


@pytest.fixture(scope="session", params=list(PLACES.values()), ids=list(PLACES))
def place(request: pytest.FixtureRequest, bundle: Path) -> Iterator[Server]:
    """Each way in which a host may serve the bundle."""
    prefix, isolated = request.param
    with Server(bundle, prefix=prefix, isolated=isolated) as server:
        yield server


@pytest.fixture
def open_page() -> Iterator[Open]:
    """Open the demo page; every page has to end without a complaint on its console."""
    with ExitStack() as stack:
        pages: list[DemoPage] = []

        def open_(browser: Browser, url: str, **context: object) -> DemoPage:
            made = browser.new_context(**context)  # type: ignore[arg-type]
            stack.callback(made.close)
            pages.append(DemoPage(made.new_page(), url))
            return pages[-1]

        yield open_
        assert [message for page in pages for message in page.console.errors] == []
