"""Truth values and bytes as numbers."""

from __future__ import annotations

from collections.abc import Mapping

import onnx_ir as ir

from webbuild.passes._base import Options
from webbuild.passes._decompose import Decomposition, Draft, Form
from webbuild.passes._int32_forms import COMPARING, data_inputs, plain

_SMALL = (ir.DataType.BOOL, ir.DataType.UINT8)

_MOVING = (
    *("Concat", "Slice", "Transpose", "Squeeze", "Unsqueeze", "Reshape", "Flatten", "Expand", "Tile", "Identity"),
    *("Gather", "GatherElements", "GatherND", "Pad", "ScatterElements", "ScatterND", "ReduceMax", "ReduceMin"),
)

_AS_FLOAT = ("Slice", "GatherElements")
"""Operators without an int32 kernel."""


class MasksAsNumbers(Decomposition):
    """Joins, cuts, turns and compares truth values and bytes as int32 or float32.

    The GPU has And, Not, Gather and Expand for truth values, and little else: a mask that is joined from parts or
    transposed is copied to the CPU. As numbers 0 and 1, or 0 to 255, it is not, and nothing is rounded.
    """

    code = "masks-as-numbers"
    after = ("lower-opset", "simpler-logic")

    def forms(self) -> Mapping[str, Form]:
        """Return how to write each."""
        return dict.fromkeys((*_MOVING, *sorted(COMPARING)), _as_numbers)

    def concerns(self, model: ir.Model, node: ir.Node, options: Options) -> bool:
        """Whether it works on truth values or bytes, and has no kernel for them."""
        values = [node.inputs[index] for index in data_inputs(node)]
        if not values or any(value is None or value.dtype not in _SMALL for value in values):
            return False
        return super().concerns(model, node, options)


def _as_numbers(add: Draft, node: ir.Node) -> ir.Value:
    number = ir.DataType.FLOAT if node.op_type in _AS_FLOAT else ir.DataType.INT32
    inputs = list(node.inputs)
    small = node.outputs[0].dtype
    for index in data_inputs(node):
        inputs[index] = add.op("Cast", inputs[index], to=number.value)
    result = add.op(node.op_type, *inputs, **plain(node))
    if node.op_type in COMPARING or small is None:
        return result
    return add.op("Cast", result, to=small.value)
