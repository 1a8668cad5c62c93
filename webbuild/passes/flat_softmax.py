"""A Softmax over several axes at once."""

from __future__ import annotations

import math

import numpy as np
import onnx_ir as ir

from webbuild.passes._base import Edit, Options, Pass
from webbuild.passes._graph import Builder, dims, nodes_of, opset_of, replace
from webbuild.passes._kernels import placement


class FlatSoftmax(Pass):
    """Flattens what a Softmax before opset 13 goes over into one axis, where its kernel would throw.

    Why: before opset 13 a Softmax goes over its axis and all behind it. WebGPU computes 4 or 2 numbers at a time, as
    their whole count allows, and throws where the last axis alone does not: 4 x 6 numbers at the end of a shape.

    How: a Reshape to rows, the Softmax over them, and a Reshape back. Exact. Needs fixed shapes.
    """

    code = "flat-softmax"
    after = ("fold-constants", "lower-opset")
    target = "webgpu"

    def apply(self, model: ir.Model, options: Options) -> list[Edit]:
        """Flatten each."""
        edits: list[Edit] = []
        for node in nodes_of(model, "Softmax"):
            sizes = dims(node.inputs[0])
            if not throws(node, opset_of(model)) or sizes is None or placement(model, node, options) != "gpu":
                continue
            axis = node.attributes.get_int("axis", 1) % len(sizes)
            add = Builder(model.graph, node, f"{node.name or 'Softmax'}/flat")
            rows = [math.prod(sizes[:axis]), math.prod(sizes[axis:])]
            flat = add.op("Softmax", add.op("Reshape", node.inputs[0], add.const(rows, np.int64)), axis=1)
            result = add.op("Reshape", flat, add.const(sizes, np.int64))
            result.shape, result.type = node.outputs[0].shape, node.outputs[0].type
            replace(node.outputs[0], result)
            edits.append(self.done(f"Softmax '{node.name}'", f"over {sizes[axis:]} as one axis of {rows[1]}"))
        return edits


def throws(node: ir.Node, opset: int) -> bool:
    """Whether the kernel throws at a Softmax of an opset. Where a size is not known, it may."""
    shape = None if node.inputs[0] is None else node.inputs[0].shape
    if opset >= 13 or shape is None:
        return False
    axis = node.attributes.get_int("axis", 1) % max(1, len(shape))
    behind = list(shape)[axis:]
    if len(behind) < 2:
        return False
    sizes = [size for size in behind if isinstance(size, int)]
    if len(sizes) < len(behind):
        return True
    count = math.prod(sizes)
    width = 4 if count % 4 == 0 else 2 if count % 2 == 0 else 1
    return sizes[-1] % width != 0
