"""The graphics adapter of a page: its name, and the error of a browser that has none. Standard library only."""

from __future__ import annotations

import re
from collections.abc import Mapping

from webbuild.errors import USAGE, WebbuildError

_SOFTWARE = re.compile(r"llvmpipe|lavapipe|swiftshader|software", re.IGNORECASE)
_FIX = "run with `--backend wasm`, or name a browser that has WebGPU in WEBBUILD_CHROMIUM or WEBBUILD_FIREFOX"


def adapter_name(fields: Mapping[str, str] | None, browser: str, fix: str = _FIX) -> str:
    """Return every word of what a page's `adapter()` returned in a browser, each once.

    Raises:
        WebbuildError: `no-adapter` where there is none.
    """
    if not fields:
        raise no_adapter_error(browser, fix)
    return " ".join(dict.fromkeys(word for word in fields.values() if word)) or "unnamed"


def is_software(adapter: str) -> bool:
    """Whether an adapter of this name computes on the CPU."""
    return _SOFTWARE.search(adapter) is not None


def no_adapter_error(browser: str, fix: str = _FIX) -> WebbuildError:
    """The error of a browser without WebGPU."""
    return WebbuildError("no-adapter", f"{browser.lower()}: no WebGPU adapter", fix, exit_code=USAGE)
