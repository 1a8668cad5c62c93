from __future__ import annotations

from itertools import accumulate, pairwise

import onnx_ir as ir

from webbuild.passes.analysis.use_def import slice_bounds
from webbuild.passes.base import Pass, PassOptions, Rewrite
from webbuild.passes.builder import Builder
from webbuild.passes.rewrite import constant, find_nodes, producer_of, replace_all_uses, replace_output, static_shape


class SliceOfConcat(Pass):
    """`Slice(Concat(a, b))` that cuts out exactly `a` -> `a`, and a `Gather` alike.

        Slice(Concat<axis = 1>(a [1, 4, A], b [1, 51, A]), 0:4)             ->  a
        Slice(Transpose(Concat<axis = 1>(a [1, 4, A], b [1, 51, A])), 0:4)  ->  Transpose(a)
        Gather<axis = 0>(Concat<axis = 0>(a [1, Q, C], b [1, Q, C]), -1)    ->  Reshape(b) [Q, C]

    Why: a detection head concatenates its parts to one output, and the NMS slices them apart again: a kernel for each
    part, and two to join and to transpose them. Without the Concat the parts need none, or a Transpose each. A DETR
    stacks the outputs of all decoder layers and takes the last: the heads of the other layers need not run.

    Limits: fixed shapes; a Gather of one index.

    Exact.
    """

    code = "slice-of-concat"
    after = ("runtime-nms", "static-nms", "static-rotated-nms", "static-generic-nms")
    target = "webgpu"

    def apply(self, model: ir.Model, options: PassOptions) -> list[Rewrite]:
        rewrites = []
        for node in find_nodes(model, "Slice"):
            joined, perm = _untransposed(node.inputs[0])
            cut = _bounds(node)
            if joined is None or cut is None:
                continue
            axis, start, end = cut
            operand = _operand(joined, perm[axis] if perm else axis, start, end)
            if operand is None:
                continue
            if perm:
                add = Builder(model.graph, node, f"{node.name or 'Slice'}/part")
                replace_output(node, add.op("Transpose", operand, perm=perm))
            else:
                replace_all_uses(node.outputs[0], operand)
            rewrites.append(self.applied(node, f"is an operand of Concat '{joined.name}'"))
        for node in find_nodes(model, "Gather"):
            joined = producer_of(node.inputs[0], "Concat")
            operand = None if joined is None else _gathered(node, joined)
            if joined is None or operand is None:
                continue
            shape = static_shape(node.outputs[0])
            while static_shape(operand) != shape and (before := producer_of(operand, "Unsqueeze", "Reshape")):
                operand = before.inputs[0]  # skip the operator that adds the axis that Gather removes
            if static_shape(operand) == shape and operand is not None:
                replace_all_uses(node.outputs[0], operand)
            else:
                add = Builder(model.graph, node, f"{node.name or 'Gather'}/part")
                replace_output(node, add.reshape(operand, shape or []))
            rewrites.append(self.applied(node, f"is an operand of Concat '{joined.name}'"))
        return rewrites


def _gathered(node: ir.Node, joined: ir.Node) -> ir.Value | None:
    """Return the operand of a Concat, of size 1 along the axis, that a Gather of one index takes."""
    source, index = static_shape(joined.outputs[0]), constant(node.inputs[1])
    if source is None or index is None or index.size != 1 or static_shape(node.outputs[0]) is None:
        return None
    axis = node.attributes.get_int("axis", 0) % len(source)
    start = int(index.reshape(())) % source[axis]
    return _operand(joined, axis, start, start + 1)


def _untransposed(value: ir.Value | None) -> tuple[ir.Node | None, list[int]]:
    """Return the Concat that computes a value, and the permutation of a Transpose in between."""
    node, perm = None if value is None else value.producer(), list[int]()
    if node is not None and node.op_type == "Transpose" and "perm" in node.attributes:
        perm, value = list(node.attributes.get_ints("perm", [])), node.inputs[0]
        node = None if value is None else value.producer()
    return (node if node is not None and node.op_type == "Concat" else None), perm


def _bounds(node: ir.Node) -> tuple[int, int, int] | None:
    """Return axis, start and end of a Slice of one axis with step 1, all non-negative."""
    source, bounds = static_shape(node.inputs[0]), slice_bounds(node)
    if source is None or bounds is None:
        return None
    start, end, axis = bounds
    start, end, _ = slice(start, end).indices(source[axis])
    return axis % len(source), start, end


def _operand(concat: ir.Node, axis: int, start: int, end: int) -> ir.Value | None:
    """Return the operand of a Concat that covers `start` to `end` of an axis."""
    shapes = [static_shape(value) for value in concat.inputs]
    known = [shape for shape in shapes if shape is not None]
    if len(known) < len(shapes) or concat.attributes.get_int("axis", 0) % len(known[0]) != axis:
        return None
    places = pairwise(accumulate((shape[axis] for shape in known), initial=0))
    operands = [value for value, bounds in zip(concat.inputs, places, strict=True) if bounds == (start, end)]
    return operands[0] if operands else None
