"""Which float16 arithmetic there is here, the best first."""

from __future__ import annotations

from typing import TYPE_CHECKING

from webbuild.precision.arithmetic.emulated import Emulated
from webbuild.precision.arithmetic.protocol import Arithmetic

if TYPE_CHECKING:
    from webbuild.browser.chromium import Chromium


def choose_arithmetic(opened: Chromium | None = None, *, browser: bool = True) -> Arithmetic:
    """Return the best arithmetic there is; `why` says what the better ones lack.

    A browser with `shader-f16` is what visitors have; Dawn for Node has the same kernels on another driver, and takes
    a package and a driver (see `docs/fp16.md`); the emulation is always there.

    Args:
        opened: a browser that runs already, and stays; else one is started. Playwright runs one in a thread.
        browser: whether one is looked at.

    Raises:
        WebbuildError: `no-runtime`.
    """
    from webbuild.precision.arithmetic.in_browser import in_chromium
    from webbuild.precision.arithmetic.on_dawn import on_dawn

    found = in_chromium(opened) if browser else "it was not asked"
    if not isinstance(found, str):
        return found
    why = f"Chromium: {found}"
    found = on_dawn(why)
    return Emulated(f"{why}; Dawn for Node: {found}") if isinstance(found, str) else found
