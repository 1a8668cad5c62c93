"""Command-line flags of Chromium."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping

GPU_VARIABLE = "WEBBUILD_GPU"

_COMMON_FLAGS = (
    "--headless=new",
    "--no-sandbox",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    # The popup of the address bar is also a page: it costs each window a second of CPU time.
    "--disable-features=WebUIOmniboxPopup,WebUIOmniboxAimPopup",
)
_WEBGPU_FLAGS = ("--enable-unsafe-webgpu",)
_SOFTWARE_GPU_FLAGS = ("--use-webgpu-adapter=swiftshader",)
_HARDWARE_GPU_FLAGS = ("--ignore-gpu-blocklist",)
_VULKAN_FLAGS = ("--enable-features=Vulkan", "--use-angle=vulkan", "--disable-vulkan-surface")
"""Without a display, Chromium uses an NVIDIA GPU only with all three flags; else it silently uses SwiftShader."""
_NO_GPU_FLAGS = ("--disable-gpu", "--disable-features=WebGPU", "--disable-blink-features=WebGPU")


def is_own_gpu_wanted(environ: Mapping[str, str] = os.environ) -> bool:
    """Whether `WEBBUILD_GPU=real` selects the machine's own GPU instead of a software adapter."""
    return environ.get(GPU_VARIABLE) == "real"


def chromium_flags(
    *, webgpu: bool, environ: Mapping[str, str] = os.environ, platform: str = sys.platform
) -> tuple[str, ...]:
    """Return the flags.

    With `webgpu`, pages get WebGPU on SwiftShader, which computes on the CPU: slow, but the same on every machine, also
    without a GPU. `WEBBUILD_GPU=real` selects the machine's own GPU: through Vulkan on Linux, Metal on macOS, Direct3D
    on Windows. Without `webgpu` no page finds an adapter.
    """
    if not webgpu:
        return (*_COMMON_FLAGS, *_NO_GPU_FLAGS)
    if not is_own_gpu_wanted(environ):
        return (*_COMMON_FLAGS, *_WEBGPU_FLAGS, *_SOFTWARE_GPU_FLAGS)
    return (*_COMMON_FLAGS, *_WEBGPU_FLAGS, *_HARDWARE_GPU_FLAGS, *(_VULKAN_FLAGS if platform == "linux" else ()))
