"""Selects the best float16 backend on this machine."""

from __future__ import annotations

from typing import TYPE_CHECKING

from webbuild.precision.fp16_backends.base import Fp16Backend
from webbuild.precision.fp16_backends.emulation import EmulatedFp16

if TYPE_CHECKING:
    from webbuild.browser.chromium import BrowserHandle


def select_backend(opened: BrowserHandle | None = None, *, browser: bool = True) -> Fp16Backend:
    """Return the best float16 backend available; the `reason` of the emulation names what the browser lacks.

    A browser with `shader-f16` matches the visitors' browsers; the emulation is always available.

    Args:
        opened: a running browser, which stays open; else one is started. Playwright allows one per thread.
        browser: whether a browser may be used.

    Raises:
        WebbuildError: `no-runtime`.
    """
    from webbuild.precision.fp16_backends.chromium import chromium_backend

    backend_or_reason = chromium_backend(opened) if browser else "not used"
    return EmulatedFp16(f"Chromium: {backend_or_reason}") if isinstance(backend_or_reason, str) else backend_or_reason
