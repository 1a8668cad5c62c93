"""Float16 that rounds the result of every operator, and nothing inside it: what kernels are compared with."""

from __future__ import annotations

from webbuild.precision.fp16_backends import EmulatedFp16


class RoundedFp16(EmulatedFp16):
    """The emulation without the errors of kernels."""

    kernel_errors = False
