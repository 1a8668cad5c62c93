"""Operands that are broadcast, expanded to one shape."""

from __future__ import annotations

import numpy as np
import onnx_ir as ir

from webbuild.passes.builder import Builder
from webbuild.passes.rewrite import static_shape

VECTOR = 4
"""Elements that a GPU thread reads at once, if the last axis is a multiple of that."""


def expand_operands(add: Builder, node: ir.Node) -> str:
    """Expand the inputs of a node, whose shapes must be fixed, to their common shape; return a description."""
    shapes = [static_shape(value) or [] for value in node.inputs]
    joint = list(np.broadcast_shapes(*map(tuple, shapes)))
    for index, (value, shape) in enumerate(zip(node.inputs, shapes, strict=True)):
        if value is not None and shape != joint:
            wide = add.op("Expand", value, add.const(joint, np.int64))
            wide.shape, wide.type = ir.Shape(joint), value.type
            node.replace_input_with(index, wide)
    return f"both sides have the shape {joint}"
