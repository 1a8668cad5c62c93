"""The graphics adapter of a page: its name, and the error of a browser that has none. Standard library only."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping

from webbuild.browser.chromium_flags import GPU_VARIABLE, is_own_gpu_wanted
from webbuild.errors import USAGE, WebbuildError

_SOFTWARE = re.compile(r"llvmpipe|lavapipe|swiftshader|software", re.IGNORECASE)
_FIX = "run with `--backend wasm`, or name a browser that has WebGPU in WEBBUILD_CHROMIUM or WEBBUILD_FIREFOX"


def adapter_name(fields: Mapping[str, str] | None, browser: str, fix: str = _FIX) -> str:
    """Return every word of what a page's `adapter()` returned in a browser, each once.

    Raises:
        WebbuildError: `no-adapter` where there is none, or none of what was asked for, see `require_own_gpu`.
    """
    if not fields:
        raise no_adapter_error(browser, fix)
    name = " ".join(dict.fromkeys(word for word in fields.values() if word)) or "unnamed"
    require_own_gpu(name, browser)
    return name


def is_software(adapter: str) -> bool:
    """Whether an adapter of this name computes on the CPU."""
    return _SOFTWARE.search(adapter) is not None


def require_own_gpu(adapter: str, browser: str, environ: Mapping[str, str] = os.environ) -> None:
    """See that a page has the machine's own GPU where that is asked for: Chromium falls back to a software adapter.

    Raises:
        WebbuildError: `no-adapter` where `WEBBUILD_GPU=real`, and the adapter computes on the CPU.
    """
    if is_own_gpu_wanted(environ) and is_software(adapter):
        raise WebbuildError(
            "no-adapter",
            f"{browser.lower()}: {GPU_VARIABLE}=real asks for the machine's GPU, and {adapter} computes on the CPU",
            f"install the GPU's Vulkan driver and its libraries, or unset {GPU_VARIABLE}",
            exit_code=USAGE,
        )


def no_adapter_error(browser: str, fix: str = _FIX) -> WebbuildError:
    """The error of a browser without WebGPU."""
    return WebbuildError("no-adapter", f"{browser.lower()}: no WebGPU adapter", fix, exit_code=USAGE)
