"""The float16 backends available on this machine, best first."""

from __future__ import annotations

from typing import TYPE_CHECKING

from webbuild.precision.fp16_backends.base import Fp16Backend
from webbuild.precision.fp16_backends.emulation import EmulatedFp16

if TYPE_CHECKING:
    from webbuild.browser.chromium import BrowserHandle


def select_backend(opened: BrowserHandle | None = None, *, browser: bool = True) -> Fp16Backend:
    """Return the best float16 backend available; its `reason` says what a browser lacks.

    A browser with `shader-f16` is what visitors have; the emulation is always there.

    Args:
        opened: a browser that runs already, and stays; else one is started. Playwright runs one in a thread.
        browser: whether one is looked at.

    Raises:
        WebbuildError: `no-runtime`.
    """
    from webbuild.precision.fp16_backends.chromium import chromium_backend

    backend_or_reason = chromium_backend(opened) if browser else "not used"
    return EmulatedFp16(f"Chromium: {backend_or_reason}") if isinstance(backend_or_reason, str) else backend_or_reason
