"""Shifts, and bits of whole numbers joined one by one."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import prod

import numpy as np
import onnx_ir as ir

from webbuild.passes._decompose import Decomposition, Draft, Form, UnfitError
from webbuild.passes._graph import dims

_DIGITS = {ir.DataType.INT32: 8, ir.DataType.UINT32: 8, ir.DataType.UINT8: 2}
"""How many digits to the base of 16 a number has."""

_LARGEST = 1 << 20
"""Elements of a result up to which its digits, eight times as many, stay small beside what a device binds."""


class SimplerBits(Decomposition):
    """Writes BitShift and the bitwise operators with whole-number arithmetic.

    Why: WebGPU has no kernel for any of them.

    How: a shift multiplies or divides by a power of two, which is looked up; Not is a subtraction. And, Or and Xor look
    up each pair of digits, to the base of 16, in a table of 256, and add the digits up. In uint32, whose products and
    sums wrap around: exact. Shifts by as many bits as the number has, or more, are left open by ONNX. What has more
    than 1,048,576 elements is left to the CPU.
    """

    code = "simpler-bits"

    def forms(self) -> Mapping[str, Form]:
        """Return how to write each."""
        return {
            "BitShift": _shift,
            "BitwiseNot": _not,
            "BitwiseAnd": lambda add, node: _pairs(add, node, np.bitwise_and),
            "BitwiseOr": lambda add, node: _pairs(add, node, np.bitwise_or),
            "BitwiseXor": lambda add, node: _pairs(add, node, np.bitwise_xor),
        }


def _shift(add: Draft, node: ir.Node) -> ir.Value:
    x, by = node.inputs
    kind = _kind(x)
    if kind == ir.DataType.INT32:
        raise UnfitError("it has a sign")
    bits = 8 if kind == ir.DataType.UINT8 else 32
    powers = add.const([2**power for power in range(bits)], np.uint32)
    place = add.op("Min", _cast(add, by, ir.DataType.INT32), add.const(bits - 1, np.int32))
    power = add.op("Gather", powers, place, axis=0)
    wide = _cast(add, x, ir.DataType.UINT32)
    if node.attributes.get_string("direction", "") == "RIGHT":
        return _cast(add, add.op("Div", wide, power), kind)
    moved = add.op("Mul", wide, power)
    return _cast(add, _rest(add, moved, 256) if bits == 8 else moved, kind)


def _not(add: Draft, node: ir.Node) -> ir.Value:
    kind = _kind(node.inputs[0])
    if kind == ir.DataType.INT32:
        return add.op("Sub", add.const(-1, np.int32), node.inputs[0])
    most = 255 if kind == ir.DataType.UINT8 else 2**32 - 1
    return _cast(add, add.op("Sub", add.const(most, np.uint32), _cast(add, node.inputs[0], ir.DataType.UINT32)), kind)


def _pairs(add: Draft, node: ir.Node, join: Callable[[np.ndarray, np.ndarray], np.ndarray]) -> ir.Value:
    kind, size = _kind(node.inputs[0]), dims(node.outputs[0])
    if size is None or prod(size) > _LARGEST:
        raise UnfitError("it is large, or its shape is not fixed")
    digits = np.arange(16)
    table = add.const(join(digits[:, None], digits[None]).ravel(), np.uint32)
    bases = add.const([16**place for place in range(_DIGITS[kind])], np.uint32)
    first, second = (_rest(add, add.op("Div", _wide(add, value), bases), 16) for value in node.inputs)
    pair = add.op("Add", add.op("Mul", first, add.const(16, np.uint32)), second)
    joined = add.op("Gather", table, add.op("Cast", pair, to=ir.DataType.INT32.value), axis=0)
    digits_in_place = _cast(add, add.op("Mul", joined, bases), ir.DataType.INT32)  # the CPU sums no uint32
    return _cast(add, add.reduce("ReduceSum", digits_in_place, len(size), keepdims=0), kind)


def _wide(add: Draft, value: ir.Value | None) -> ir.Value:
    """Return a value as uint32 with an axis of 1 behind the others."""
    if value is None or value.shape is None:
        raise UnfitError("its rank is not known")
    return add.unsqueeze(_cast(add, value, ir.DataType.UINT32), len(value.shape))


def _rest(add: Draft, value: ir.Value, base: int) -> ir.Value:
    room = add.const(base, np.uint32)
    return add.op("Sub", value, add.op("Mul", add.op("Div", value, room), room))


def _cast(add: Draft, value: ir.Value | None, kind: ir.DataType) -> ir.Value:
    assert value is not None
    return value if value.dtype == kind else add.op("Cast", value, to=kind.value)


def _kind(value: ir.Value | None) -> ir.DataType:
    if value is None or value.dtype not in _DIGITS:
        raise UnfitError("it has no type that the GPU computes in")
    return value.dtype
