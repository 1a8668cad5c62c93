from __future__ import annotations

import numpy as np
import onnx_ir as ir

from webbuild.passes.base import PassOptions
from webbuild.passes.decompose.base import Decomposers, Decomposition, RewriteContext
from webbuild.passes.dtypes.int32_lowering import COMPARISON_OPS, data_inputs
from webbuild.passes.rewrite import attribute_values

_SMALL = (ir.DataType.BOOL, ir.DataType.UINT8)

_DATA_MOVEMENT_OPS = (
    *("Concat", "Slice", "Transpose", "Squeeze", "Unsqueeze", "Reshape", "Flatten", "Expand", "Tile", "Identity"),
    *("Gather", "GatherElements", "GatherND", "Pad", "ScatterElements", "ScatterND", "ReduceMax", "ReduceMin"),
)

_ARITHMETIC_OPS = ("Add", "Sub", "Mul", "Div", "Min", "Max", "Clip")
"""Operators with uint8 arithmetic, modulo 256."""

_FLOAT_OPS = ("Slice", "GatherElements", "MaxPool")
"""Operators without an int32 kernel."""


class BoolToInt(Decomposition):
    """Computes bool and uint8 operators (Concat, Slice, Transpose, comparisons, sums) in int32 or float32.

        Concat(a bool [N], b bool [M])  ->  Cast(Concat(Cast(a, int32), Cast(b, int32)), bool) [N + M]
        Add(a uint8, b uint8)           ->  Cast((Cast(a, int32) + Cast(b, int32)) mod 256, uint8)

    Why: the GPU has And, Not, Gather and Expand for bool, and little else. A mask that is concatenated or transposed is
    copied to the CPU.

    How: the values are computed as numbers, 0 and 1 or 0 to 255, without rounding. Sums, differences and products of
    uint8 are reduced modulo 256.

    Exact.
    """

    code = "bool-to-int"
    after = ("downgrade-opset", "decompose-logic", "dequantize-ops")

    def decomposers(self) -> Decomposers:
        return dict.fromkeys((*_DATA_MOVEMENT_OPS, *sorted(COMPARISON_OPS), *_ARITHMETIC_OPS, "MaxPool"), _convert)

    def matches(self, model: ir.Model, node: ir.Node, options: PassOptions) -> bool:
        """Whether a node reads bool or uint8 and has no kernel for them."""
        values = [node.inputs[index] for index in _data(node)]
        if not values or any(value is None or value.dtype not in _SMALL for value in values):
            return False
        return super().matches(model, node, options)


def _convert(add: RewriteContext, node: ir.Node) -> ir.Value:
    number = ir.DataType.FLOAT if node.op_type in _FLOAT_OPS else ir.DataType.INT32
    inputs = list(node.inputs)
    small = node.outputs[0].dtype
    for index in _data(node):
        small = small or (value.dtype if (value := inputs[index]) is not None else None)
        inputs[index] = add.cast(inputs[index], number)
    result = add.op(node.op_type, *inputs, **attribute_values(node))
    if node.op_type in COMPARISON_OPS or small is None:
        return result
    if node.op_type in ("Add", "Sub", "Mul"):
        # r - r / 256 * 256 has the sign of r: add 256 to a negative difference
        modulus, none = add.const(256, np.int32), add.const(0, np.int32)
        result = add.op("Sub", result, add.op("Mul", add.op("Div", result, modulus), modulus))
        if node.op_type == "Sub":
            result = add.op("Where", add.op("Less", result, none), add.op("Add", result, modulus), result)
    return add.cast(result, small)


def _data(node: ir.Node) -> list[int]:
    return [0] if node.op_type == "MaxPool" else data_inputs(node)
