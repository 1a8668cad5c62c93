"""Float16 arithmetic: what computes half-precision graphs, from a real GPU to an emulation on the CPU."""

from webbuild.precision.fp16_backends.base import Fp16Backend
from webbuild.precision.fp16_backends.emulation import EmulatedFp16
from webbuild.precision.fp16_backends.select import select_backend

__all__ = ["EmulatedFp16", "Fp16Backend", "select_backend"]
