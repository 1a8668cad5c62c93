"""Float16 in Chromium, where its adapter has `shader-f16`."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory

from webbuild import assets
from webbuild.bisect.browser import Options, browsers
from webbuild.browser.chromium import Chromium, chromium
from webbuild.browser.server import Server
from webbuild.errors import WebbuildError
from webbuild.precision.arithmetic.engined import Engined
from webbuild.probe.engine import cache_folder, engine
from webbuild.targets.target import Target

_ASK = """async () => {
  const adapter = await navigator.gpu?.requestAdapter();
  if (!adapter) return "no WebGPU adapter";
  const { vendor, architecture, description } = adapter.info;
  return adapter.features.has("shader-f16") ? "" : [vendor, architecture || description].join(" ").trim() || "unnamed";
}"""


def in_chromium(opened: Chromium | None = None) -> Engined | str:
    """Return Chromium as an arithmetic, or what it lacks.

    Args:
        opened: a browser that runs already, and stays; else one is started. Playwright runs one in a thread.

    Raises:
        WebbuildError: `no-runtime`.
    """
    with ExitStack() as stack:
        try:
            browser = opened or stack.enter_context(chromium())
        except WebbuildError as error:
            return error.message
        if lack := _lack(browser):
            return lack
        build = engine(Target(assets.engine_version(), "webgpu"), cache_folder())
        (made,) = stack.enter_context(browsers(browser, [(build, Options())]))
        return Engined("Chromium", f"{made.adapter} has shader-f16", made, stack.pop_all().close)
    raise AssertionError("the block returns")


def _lack(browser: Chromium) -> str:
    """Return why a browser cannot, empty where it can."""
    with TemporaryDirectory() as root, browser.page() as (page, _), Server(Path(root)) as server:
        server.virtual["/"] = ("text/html", b"<!doctype html><title>adapter</title>")
        page.goto(f"{server.origin}/")
        found: str = page.evaluate(_ASK)
    return found and (found if found == "no WebGPU adapter" else f"its adapter, {found}, has no shader-f16")
