from __future__ import annotations

import numpy as np
import onnx_ir as ir

from webbuild.passes.analysis.movement import takes_every_row
from webbuild.passes.base import Pass, PassOptions, Rewrite
from webbuild.passes.builder import Builder
from webbuild.passes.rewrite import constant, find_nodes, reduction_axes, replace_output, static_shape

_SAME_OF_ONE = ("ReduceMax", "ReduceMin", "ReduceSum", "ReduceMean", "ReduceProd")
"""Reductions that return the element itself along an axis of size 1."""

_FIRST_OF_ONE = ("ArgMax", "ArgMin")
"""Reductions that return index 0 along an axis of size 1."""


class FoldAxisOfOne(Pass):
    """Replaces reductions, ArgMax, ArgMin and Gather along an axis of size 1 by a Reshape or a constant.

        ReduceMax<axes = 1>(x [A, 1])     ->  Reshape(x)
        ArgMax<axis = 1>(x [A, 1])        ->  0 [A]
        Gather<axis = 0>(x [1, A, 4], 0)  ->  Reshape(x)

    Why: the head of a detector with one class reduces one score per box, and gathers the only image of the batch. Each
    is a kernel that copies, and so are the nodes that compute with the class index. A Reshape runs no kernel.

    Limits: a Gather of all rows in order stays, as it stops ONNX Runtime from moving Transposes past it.

    Exact.
    """

    code = "fold-axis-of-one"
    after = ("runtime-nms", "static-nms", "static-rotated-nms", "static-generic-nms")
    target = "webgpu"

    def apply(self, model: ir.Model, options: PassOptions) -> list[Rewrite]:
        rewrites = []
        for node in find_nodes(model, *_SAME_OF_ONE, *_FIRST_OF_ONE, "Gather"):
            source, shape = static_shape(node.inputs[0]), static_shape(node.outputs[0])
            if source is None or shape is None or not _is_along_one(node, source):
                continue
            add = Builder(model.graph, node, f"{node.name or node.op_type}/one")
            if node.op_type in _FIRST_OF_ONE:
                replace_output(node, add.const(np.zeros(shape), np.int64))
            else:
                replace_output(node, add.reshape(node.inputs[0], shape))
            rewrites.append(self.applied(node, "works along an axis of size 1"))
        return rewrites


def _is_along_one(node: ir.Node, source: list[int]) -> bool:
    """Whether a node reduces or gathers along axes of `source` that have one element."""
    if node.op_type in _SAME_OF_ONE:
        axes = reduction_axes(node)
        return axes is not None and all(source[axis] == 1 for axis in axes)
    if not source or source[node.attributes.get_int("axis", 0)] != 1:
        return False
    if takes_every_row(node):
        return False  # it stops ONNX Runtime from moving Transposes past it
    places = constant(node.inputs[1]) if node.op_type == "Gather" else np.array(0)
    return places is not None and places.size == 1
