"""The shipped model, packed once; a browser with WebGPU and one without; servers at a root and in a subfolder."""

from __future__ import annotations

import fcntl
import os
import subprocess
import sys
from collections.abc import Callable, Generator, Iterator
from contextlib import ExitStack, contextmanager
from importlib.metadata import distributions
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from benchmarks.lavapipe.browser import adapter_features
from e2e.browser_install import KINDS, find
from e2e.demo_page import DemoPage
from webbuild.browser.bidi import BidiPage
from webbuild.browser.chromium import BrowserHandle, open_chromium
from webbuild.browser.chromium_flags import chromium_flags
from webbuild.browser.ensure_chromium import LocalSystem
from webbuild.browser.executable import Executable
from webbuild.browser.firefox import FirefoxHandle, find_lavapipe, open_firefox
from webbuild.browser.server import Server
from webbuild.browser.webkit import WebKitHandle, open_webkit
from webbuild.runners.content_cache import NO_CACHE

MODEL = Path(__file__).parents[1] / "models" / "yolo-pose.onnx"
WEBBUILD = [sys.executable, "-c", "from webbuild.cli import main; main()"]

BLANK = {"/blank.html": ("text/html", b"")}
ADAPTER = "async () => Boolean(await navigator.gpu?.requestAdapter())"

os.environ[NO_CACHE] = "1"
expect.set_options(timeout=120_000)
"""Milliseconds: an expectation may have to wait for a model that loads slowly on two shared cores."""

Webbuild = Callable[..., subprocess.CompletedProcess[str]]
Open = Callable[..., DemoPage]


def required() -> set[str]:
    """Return the required devices and browsers in WEBBUILD_REQUIRE, such as `webgpu firefox`."""
    return set(os.environ.get("WEBBUILD_REQUIRE", "").replace(",", " ").split())


@pytest.fixture(scope="session", autouse=True)
def _locked(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Constrain what tests install with pip or uv to this environment's versions, from uv.lock."""
    constraints = tmp_path_factory.mktemp("locked") / "constraints.txt"
    installed = {each.name: each.version for each in distributions()}
    lines = (f"{name}=={version}\n" for name, version in sorted(installed.items()) if name != "webbuild")
    constraints.write_text("".join(lines), "utf-8")
    with pytest.MonkeyPatch.context() as patch:
        for variable in ("PIP_CONSTRAINT", "PIP_BUILD_CONSTRAINT", "UV_CONSTRAINT"):
            patch.setenv(variable, str(constraints))
        yield


@contextmanager
def _turn(folder: Path, *, alone: bool) -> Iterator[None]:
    """Hold a read-write lock for a block: shared, or exclusive if `alone`.

    A waiting process holds the queue lock, so that shared holders cannot overtake one that waits for exclusive access.
    """
    with (folder / "queue.lock").open("w") as queue, (folder / "turn.lock").open("w") as turn:
        fcntl.flock(queue, fcntl.LOCK_EX)
        fcntl.flock(turn, fcntl.LOCK_EX if alone else fcntl.LOCK_SH)
        fcntl.flock(queue, fcntl.LOCK_UN)
        yield


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    """Run a test that measures time (`@pytest.mark.alone`) while the other processes of `-n` wait."""
    if not hasattr(item.config, "workerinput"):
        return (yield)
    factory = item.config._tmp_path_factory  # type: ignore[attr-defined]
    with _turn(factory.getbasetemp().parent, alone=item.get_closest_marker("alone") is not None):
        return (yield)


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
def with_gpu() -> Iterator[BrowserHandle]:
    with open_chromium() as browser:
        yield browser


@pytest.fixture(scope="session")
def without_gpu(with_gpu: BrowserHandle) -> Iterator[Browser]:
    """A browser without a WebGPU adapter. It shares the Playwright instance, since a thread can have only one."""
    launch = with_gpu.browser.browser_type.launch
    browser = launch(executable_path=with_gpu.path, args=list(chromium_flags(webgpu=False)))
    yield browser
    browser.close()


def installed(name: str) -> Path:
    """Return a browser for tests. If it is missing, skip the test, or fail where WEBBUILD_REQUIRE names it."""
    kind = KINDS[name]
    found = find(kind, LocalSystem())
    if found is None and name in required():
        packages = " ".join(kind.packages)
        pytest.fail(f"no {kind.title}, and WEBBUILD_REQUIRE forbids to go without: apt-get install {packages}")
    if found is None:
        pytest.skip(f"no {kind.title}; WEBBUILD_REQUIRE={name} makes this a failure")
    return found


@pytest.fixture(scope="session")
def webkit_here() -> Iterator[WebKitHandle]:
    """WebKitGTK."""
    with open_webkit(Executable(installed("webkit"), "of the tests")) as browser:
        yield browser


@pytest.fixture(scope="session")
def firefox_here() -> Iterator[FirefoxHandle]:
    """Firefox with WebGPU switched on."""
    with open_firefox(Executable(installed("firefox"), "of the tests")) as browser:
        yield browser


@pytest.fixture(scope="session")
def firefox_with_adapter(firefox_here: FirefoxHandle, bundle: Path) -> FirefoxHandle:
    """Firefox with a WebGPU adapter. Without one, skip the test, or fail where WEBBUILD_REQUIRE names both."""
    with Server(bundle, virtual=BLANK) as server, firefox_here.page() as (page, _):
        page.goto(f"{server.url}blank.html")
        found = page.evaluate(ADAPTER)
    if not found and {"webgpu", "firefox"} <= required() and find_lavapipe() is not None:
        pytest.fail(f"Firefox {firefox_here.version} finds no adapter, and WEBBUILD_REQUIRE forbids to go without")
    if not found:
        pytest.skip("Firefox finds no WebGPU adapter")
    return firefox_here


@pytest.fixture
def firefox_webgpu(firefox_with_adapter: FirefoxHandle) -> Iterator[BidiPage]:
    """A page of Firefox with WebGPU."""
    with firefox_with_adapter.page() as (page, _):
        yield page


@pytest.fixture(scope="session")
def webgpu(with_gpu: BrowserHandle, bundle: Path) -> BrowserHandle:
    """The browser with WebGPU. Without an adapter, tests are skipped, or fail under WEBBUILD_REQUIRE=webgpu."""
    with Server(bundle, virtual=BLANK) as server, with_gpu.page() as (page, _):
        page.goto(f"{server.url}blank.html")
        found = page.evaluate(ADAPTER)
    if not found and "webgpu" in required():
        pytest.fail("no WebGPU adapter, and WEBBUILD_REQUIRE forbids to go without")
    if not found:
        pytest.skip("no WebGPU adapter; WEBBUILD_REQUIRE=webgpu makes this a failure")
    return with_gpu


@pytest.fixture(scope="session")
def float16(webgpu: BrowserHandle) -> bool:
    """Whether the adapter has `shader-f16`: lavapipe has it, SwiftShader does not."""
    return "shader-f16" in adapter_features(webgpu)


@pytest.fixture(scope="session")
def root(bundle: Path) -> Iterator[Server]:
    with Server(bundle) as server:
        yield server


PLACES = [
    pytest.param(("/", True), id="root"),
    pytest.param(("/", False), id="root, not isolated", marks=pytest.mark.slow),
    pytest.param(("/demos/pose/", True), id="sub-path", marks=pytest.mark.slow),
    pytest.param(("/demos/pose/", False), id="sub-path, not isolated"),
]


@pytest.fixture(scope="session", params=PLACES)
def place(request: pytest.FixtureRequest, bundle: Path) -> Iterator[Server]:
    """Each way in which a host may serve the bundle."""
    prefix, isolated = request.param
    with Server(bundle, prefix=prefix, isolated=isolated) as server:
        yield server


@contextmanager
def _opener() -> Iterator[Open]:
    with ExitStack() as stack:
        pages: list[DemoPage] = []

        def open_(browser: Browser, url: str, **context: object) -> DemoPage:
            made = browser.new_context(**{"reduced_motion": "reduce", **context})  # type: ignore[arg-type]
            stack.callback(made.close)
            pages.append(DemoPage(made.new_page(), url))
            return pages[-1]

        yield open_
        assert [message for page in pages for message in page.console.errors] == []


@pytest.fixture
def open_page() -> Iterator[Open]:
    """Open the demo page; assert at the end that its console has no errors.

    Animations are off, unless it is opened with `reduced_motion="no-preference"`: without a GPU the processor draws
    each frame, which is half of a page's cost.
    """
    with _opener() as opener:
        yield opener


@pytest.fixture(scope="module")
def keep_page() -> Iterator[Open]:
    """Open the demo page for all tests of a file; each test must leave it unchanged."""
    with _opener() as opener:
        yield opener
