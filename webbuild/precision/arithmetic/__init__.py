"""Float16 arithmetic: what computes half-precision graphs, from a real GPU to an emulation on the CPU."""

from webbuild.precision.arithmetic.choose import choose_arithmetic
from webbuild.precision.arithmetic.emulated import Emulated
from webbuild.precision.arithmetic.protocol import Arithmetic

__all__ = ["Arithmetic", "Emulated", "choose_arithmetic"]
