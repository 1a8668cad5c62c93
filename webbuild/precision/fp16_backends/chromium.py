"""Float16 in Chromium, where its adapter has `shader-f16`."""

from __future__ import annotations

from contextlib import ExitStack

from webbuild.browser.chromium import BrowserHandle, open_chromium
from webbuild.errors import WebbuildError
from webbuild.ortweb import packaged_assets
from webbuild.ortweb.browser_session import SessionOptions, open_sessions
from webbuild.ortweb.build import cache_folder, get_build
from webbuild.precision.fp16_backends.session import SessionFp16
from webbuild.targets.target import Target


def chromium_backend(opened: BrowserHandle | None = None) -> SessionFp16 | str:
    """Return Chromium as an arithmetic, or what it lacks.

    Args:
        opened: a browser that runs already, and stays; else one is started. Playwright runs one in a thread.

    Raises:
        WebbuildError: `no-runtime`.
    """
    with ExitStack() as stack:
        build = get_build(Target(packaged_assets.engine_version(), "webgpu"), cache_folder())
        try:
            browser = opened or stack.enter_context(open_chromium())
            (made,) = stack.enter_context(open_sessions(browser, [(build, SessionOptions())]))
        except WebbuildError as error:
            return error.message
        if lacking := made.missing_features(("shader-f16",)):
            return f"its adapter, {made.adapter}, has no {lacking[0]}"
        return SessionFp16("Chromium", f"{made.adapter} has shader-f16", made, stack.pop_all().close)
    raise AssertionError("the block returns")
