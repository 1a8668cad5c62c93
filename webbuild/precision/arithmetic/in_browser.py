"""Float16 in Chromium, where its adapter has `shader-f16`."""

from __future__ import annotations

from contextlib import ExitStack

from webbuild import assets
from webbuild.bisect.browser import Options, browsers
from webbuild.browser.chromium import Chromium, chromium
from webbuild.errors import WebbuildError
from webbuild.precision.arithmetic.engined import Engined
from webbuild.probe.engine import cache_folder, engine
from webbuild.targets.target import Target


def in_chromium(opened: Chromium | None = None) -> Engined | str:
    """Return Chromium as an arithmetic, or what it lacks.

    Args:
        opened: a browser that runs already, and stays; else one is started. Playwright runs one in a thread.

    Raises:
        WebbuildError: `no-runtime`.
    """
    with ExitStack() as stack:
        build = engine(Target(assets.engine_version(), "webgpu"), cache_folder())
        try:
            browser = opened or stack.enter_context(chromium())
            (made,) = stack.enter_context(browsers(browser, [(build, Options())]))
        except WebbuildError as error:
            return error.message
        if lacking := made.lacking(("shader-f16",)):
            return f"its adapter, {made.adapter}, has no {lacking[0]}"
        return Engined("Chromium", f"{made.adapter} has shader-f16", made, stack.pop_all().close)
    raise AssertionError("the block returns")
