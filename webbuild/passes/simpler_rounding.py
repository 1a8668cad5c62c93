"""Round and Mod."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import onnx_ir as ir

from webbuild.passes._decompose import Decomposition, Draft, Form, UnfitError
from webbuild.passes._graph import constant

_WHOLE = (ir.DataType.INT32, ir.DataType.UINT32, ir.DataType.UINT8)


class SimplerRounding(Decomposition):
    """Writes Round and Mod with Floor, Div and comparisons.

    Why: WebGPU has no kernel for either.

    How: what is left over Floor decides about Round, and a half goes to the even neighbour; exact. Mod is exact for
    int32, uint32 and uint8, and for float32 whose divisor is a constant power of two. Other float32 remainders jump by
    a whole divisor where the quotient is rounded, and are left.
    """

    code = "simpler-rounding"

    def forms(self) -> Mapping[str, Form]:
        """Return how to write each."""
        return {"Round": _round, "Mod": _mod}


def _round(add: Draft, node: ir.Node) -> ir.Value:
    x = node.inputs[0]
    half, zero, one = add.like(x, 0.5), add.like(x, 0), add.like(x, 1)
    floor = add.op("Floor", x)
    rest = add.op("Sub", x, floor)
    halved = add.op("Floor", add.op("Mul", floor, half))
    odd = add.op("Sub", floor, add.op("Add", halved, halved))
    tie = add.op("Where", add.op("Equal", rest, half), odd, zero)
    return add.op("Add", floor, add.op("Where", add.op("Greater", rest, half), one, tie))


def _mod(add: Draft, node: ir.Node) -> ir.Value:
    x, y = node.inputs
    if x is None or x.dtype not in (*_WHOLE, ir.DataType.FLOAT):
        raise UnfitError("it has no type that the GPU divides")
    fmod = node.attributes.get_int("fmod", 0)
    if x.dtype == ir.DataType.INT32:
        return _mod_int32(add, x, y, bool(fmod))
    if x.dtype == ir.DataType.UINT32:
        return _rest(add, x, y)
    if x.dtype == ir.DataType.UINT8:
        wide = (add.op("Cast", value, to=ir.DataType.INT32.value) for value in (x, y))
        return add.op("Cast", _rest(add, *wide), to=ir.DataType.UINT8.value)
    divisor = constant(y)
    if divisor is None or (divisor == 0).any():
        raise UnfitError("its divisor is not a constant")
    if not (np.frexp(np.abs(divisor))[0] == 0.5).all() or np.abs(np.log2(np.abs(divisor))).max() > 64:
        raise UnfitError("its divisor is not a power of two")
    magnitude = add.const(np.abs(divisor))
    size = add.op("Abs", x)
    rest = add.op("Sub", size, add.op("Mul", add.op("Floor", add.op("Div", size, magnitude)), magnitude))
    return add.op("Where", add.op("Less", x, add.const(0.0)), add.op("Neg", rest), rest)


def _rest(add: Draft, x: ir.Value, y: ir.Value | None) -> ir.Value:
    return add.op("Sub", x, add.op("Mul", add.op("Div", x, y), y))


def _mod_int32(add: Draft, x: ir.Value, y: ir.Value | None, fmod: bool) -> ir.Value:
    """Return what is left, which has the sign of x, and with `fmod` unset y more where that of y is another."""
    rest = _rest(add, x, y)
    if fmod:
        return rest
    zero = add.const(0, np.int32)
    wrong = add.op(
        "Less", add.op("Mul", add.op("Clip", rest, add.const(-1, np.int32), add.const(1, np.int32)), y), zero
    )
    return add.op("Where", wrong, add.op("Add", rest, y), rest)
