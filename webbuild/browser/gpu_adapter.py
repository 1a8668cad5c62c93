"""The WebGPU adapter of a page: its name, and the error if there is none. Standard library only."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping

from webbuild.browser.chromium_flags import GPU_VARIABLE, is_own_gpu_wanted
from webbuild.errors import USAGE, WebbuildError

_SOFTWARE = re.compile(r"llvmpipe|lavapipe|swiftshader|software", re.IGNORECASE)
_FIX = "run with `--backend wasm`, or name a browser that has WebGPU in WEBBUILD_CHROMIUM or WEBBUILD_FIREFOX"


def adapter_name(fields: Mapping[str, str] | None, browser: str, fix: str = _FIX) -> str:
    """Return the name of an adapter: the distinct values of the fields that the page's `adapter()` returned.

    Raises:
        WebbuildError: `no-adapter` if there is none, or `require_own_gpu` raises.
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
    """Raise if `WEBBUILD_GPU=real`, and Chromium has fallen back to a software adapter.

    Raises:
        WebbuildError: `no-adapter`.
    """
    if is_own_gpu_wanted(environ) and is_software(adapter):
        raise WebbuildError(
            "no-adapter",
            f"{browser.lower()}: {GPU_VARIABLE}=real asks for the machine's GPU, and {adapter} computes on the CPU",
            f"install the GPU's Vulkan driver and its libraries, or unset {GPU_VARIABLE}",
            exit_code=USAGE,
        )


def no_adapter_error(browser: str, fix: str = _FIX) -> WebbuildError:
    """Return the error for a browser without WebGPU."""
    return WebbuildError("no-adapter", f"{browser.lower()}: no WebGPU adapter", fix, exit_code=USAGE)
