"""Float16 backends: compute half-precision graphs on a real GPU, or emulate them on the CPU."""

from webbuild.precision.fp16_backends.base import Fp16Backend
from webbuild.precision.fp16_backends.emulation import EmulatedFp16
from webbuild.precision.fp16_backends.select import select_backend

__all__ = ["EmulatedFp16", "Fp16Backend", "select_backend"]
