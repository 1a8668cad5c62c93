"""Inputs of one number that decide sizes: the scale of a Resize, such as RVM's `downsample_ratio`."""

from __future__ import annotations

import math

import onnx_ir as ir

from webbuild.passes.rewrite import static_shape

_MOVES = frozenset({"Cast", "Concat", "Identity", "Reshape", "Squeeze", "Unsqueeze"})
"""Operators that may be between a factor and the `scales` of Resize."""
_SCALES = 2
"""Index of `scales` among the inputs of Resize."""


def scale_inputs(model: ir.Model) -> list[str]:
    """Return the inputs of one float that only the `scales` of Resize nodes read.

    ratio [1] -> Concat(1, 1, ratio, ratio) -> Resize(picture, scales)
    """
    return [
        value.name
        for value in model.graph.inputs
        if value.name and value.dtype in (ir.DataType.FLOAT, ir.DataType.FLOAT16) and _has_one(value) and _scales(value)
    ]


def _has_one(value: ir.Value) -> bool:
    shape = static_shape(value)
    return shape is not None and math.prod(shape) == 1


def _scales(value: ir.Value) -> bool:
    uses = value.uses()
    return bool(uses) and not value.is_graph_output() and all(_is_scale(use.node, use.idx) for use in uses)


def _is_scale(node: ir.Node, index: int) -> bool:
    if node.op_type == "Resize":
        return index == _SCALES
    return node.op_type in _MOVES and _scales(node.outputs[0])
