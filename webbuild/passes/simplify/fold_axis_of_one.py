from __future__ import annotations

import numpy as np
import onnx_ir as ir

from webbuild.passes.analysis.movement import takes_every_row
from webbuild.passes.base import Pass, PassOptions, Rewrite
from webbuild.passes.rewrite import Builder, constant, find_nodes, reduction_axes, replace_output, static_shape

_SAME_OF_ONE = ("ReduceMax", "ReduceMin", "ReduceSum", "ReduceMean", "ReduceProd")
"""Reductions of one number to that number."""

_FIRST_OF_ONE = ("ArgMax", "ArgMin")
"""Reductions of one number to the place 0."""


class FoldAxisOfOne(Pass):
    """Folds what chooses along an axis of size 1: there is nothing to choose.

        ReduceMax<axes = 1>(x [A, 1])     ->  Reshape(x)
        ArgMax<axis = 1>(x [A, 1])        ->  0 [A]
        Gather<axis = 0>(x [1, A, 4], 0)  ->  Reshape(x)

    Why: the head of a detector of one class takes the best of one score, and the first picture of one. Each is a kernel
    that copies, and what is computed with the number of the class are more of them. A Reshape is none.

    Limits: a Gather of every row stays, as it keeps the engine's Transposes before it.

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
        return False  # it keeps the engine's Transposes before it
    places = constant(node.inputs[1]) if node.op_type == "Gather" else np.array(0)
    return places is not None and places.size == 1
