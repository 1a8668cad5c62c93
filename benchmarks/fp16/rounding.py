"""Float16 that rounds the result of every operator, but nothing inside it: the reference for kernels."""

from __future__ import annotations

from webbuild.precision.fp16_backends import EmulatedFp16


class RoundedFp16(EmulatedFp16):
    """The emulation without kernel errors."""

    kernel_errors = False
