from __future__ import annotations

import numpy as np
import onnx_ir as ir

from webbuild.passes.decompose.base import Decomposers, Decomposition, NotApplicableError, RewriteContext
from webbuild.passes.rewrite import constant

_INTEGER_TYPES = (ir.DataType.INT32, ir.DataType.UINT32, ir.DataType.UINT8)


class DecomposeRounding(Decomposition):
    """`Round(x)` and `Mod(x, y)` -> `Floor`, `Div` and comparisons.

        Round(x)        ->  f + Where(x - f > 1/2, 1, Where(x - f == 1/2, f mod 2, 0)),  f = Floor(x)
        Mod<fmod>(x, y) ->  x - x / y * y                                integers
        Mod<fmod>(x, y) ->  sign(x) (|x| - Floor(|x| / |y|) |y|)         float32, y a power of two

    Why: WebGPU has no kernel for either.

    How: the fraction x - Floor(x) decides whether Round rounds up; ties go to the even neighbour. Round is exact. Mod
    is exact for int32, uint32 and uint8, and for float32 if the divisor is a constant power of two.

    Limits: other float32 remainders are not rewritten: a rounded quotient would change them by a whole divisor.
    """

    code = "decompose-rounding"

    def decomposers(self) -> Decomposers:
        return {"Round": _round, "Mod": _mod}


def _round(add: RewriteContext, node: ir.Node) -> ir.Value:
    x = node.inputs[0]
    half, zero, one = add.like(x, 0.5), add.like(x, 0), add.like(x, 1)
    floor = add.op("Floor", x)
    rest = add.op("Sub", x, floor)
    halved = add.op("Floor", add.op("Mul", floor, half))
    odd = add.op("Sub", floor, add.op("Add", halved, halved))
    tie = add.op("Where", add.op("Equal", rest, half), odd, zero)
    return add.op("Add", floor, add.op("Where", add.op("Greater", rest, half), one, tie))


def _mod(add: RewriteContext, node: ir.Node) -> ir.Value:
    x, y = node.inputs
    if x is None or x.dtype not in (*_INTEGER_TYPES, ir.DataType.FLOAT):
        raise NotApplicableError("the GPU has no division for its type")
    fmod = node.attributes.get_int("fmod", 0)
    if x.dtype == ir.DataType.INT32:
        return _mod_int32(add, x, y, bool(fmod))
    if x.dtype == ir.DataType.UINT32:
        return _remainder(add, x, y)
    if x.dtype == ir.DataType.UINT8:
        wide = (add.cast(value, ir.DataType.INT32) for value in (x, y))
        return add.cast(_remainder(add, *wide), ir.DataType.UINT8)
    divisor = constant(y)
    if divisor is None or (divisor == 0).any():
        raise NotApplicableError("its divisor is not a constant")
    if not (np.frexp(np.abs(divisor))[0] == 0.5).all() or np.abs(np.log2(np.abs(divisor))).max() > 64:
        raise NotApplicableError("its divisor is not a power of two")
    magnitude = add.const(np.abs(divisor))
    size = add.op("Abs", x)
    rest = add.op("Sub", size, add.op("Mul", add.op("Floor", add.op("Div", size, magnitude)), magnitude))
    return add.op("Where", add.op("Less", x, add.const(0.0)), add.op("Neg", rest), rest)


def _remainder(add: RewriteContext, x: ir.Value, y: ir.Value | None) -> ir.Value:
    return add.op("Sub", x, add.op("Mul", add.op("Div", x, y), y))


def _mod_int32(add: RewriteContext, x: ir.Value, y: ir.Value | None, fmod: bool) -> ir.Value:
    """Return the remainder: with the sign of x if `fmod`, else with the sign of y."""
    rest = _remainder(add, x, y)
    if fmod:
        return rest
    zero = add.const(0, np.int32)
    wrong = add.op(
        "Less", add.op("Mul", add.op("Clip", rest, add.const(-1, np.int32), add.const(1, np.int32)), y), zero
    )
    return add.op("Where", wrong, add.op("Add", rest, y), rest)
