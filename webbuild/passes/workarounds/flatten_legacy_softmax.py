from __future__ import annotations

import math

import onnx_ir as ir

from webbuild.passes.builder import Builder
from webbuild.passes.rewrite import opset_version, replace_output, static_shape
from webbuild.passes.workarounds.base import DefectContext, PassContext, Symptom, Workaround


class FlattenLegacySoftmax(Workaround):
    """Softmax(x [*rows, *cells], axis) -> Reshape(Softmax(Reshape(x, [R, C]), axis=1), shape of x), R and C products.

    Defect: the run throws: before opset 13 a Softmax normalizes several axes, which the kernel cannot vectorize.

    Why: the kernel computes 4 or 2 elements at a time if the product of the normalized axes is a multiple of that. It
    throws if the last axis alone is not, as in a shape that ends with 4 x 6.

    Limits: the shape must be fixed. From opset 13 on a Softmax normalizes one axis.

    Exact: the same numbers in the same order.

    Source: measured on 1.30.0.
    """

    code = "flatten-legacy-softmax"
    finding = "softmax-before-13"
    after = ("fold-constants", "downgrade-opset")
    operators = ("Softmax",)
    fix = "make one axis of them"
    probe = "axes/Softmax -2 opset 11"

    def affects(self, node: ir.Node, context: DefectContext) -> Symptom | None:
        if not _is_affected(node, opset_version(context.model)):
            return None
        return Symptom("it normalizes over several axes, and the last is not a multiple of 4")

    def refusal(self, node: ir.Node, context: DefectContext) -> str | None:
        return "its shape is not fixed" if static_shape(node.inputs[0]) is None else None

    def rewrite(self, node: ir.Node, context: PassContext) -> str:
        sizes = static_shape(node.inputs[0]) or []
        axis = node.attributes.get_int("axis", 1) % len(sizes)
        rows = [math.prod(sizes[:axis]), math.prod(sizes[axis:])]
        add = Builder(context.model.graph, node, f"{node.name or 'Softmax'}/flat")
        flat = add.op("Softmax", add.reshape(node.inputs[0], rows), axis=1)
        result = add.reshape(flat, sizes)
        replace_output(node, result)
        return f"over {sizes[axis:]} as one axis of {rows[1]}"


def _is_affected(node: ir.Node, opset: int) -> bool:
    """Whether the kernel throws, or, if a size is not known, may throw."""
    shape = None if node.inputs[0] is None else node.inputs[0].shape
    if opset >= 13 or shape is None:
        return False
    axis = node.attributes.get_int("axis", 1) % max(1, len(shape))
    normalized = list(shape)[axis:]
    if len(normalized) < 2:
        return False
    sizes = [size for size in normalized if isinstance(size, int)]
    if len(sizes) < len(normalized):
        return True
    count = math.prod(sizes)
    width = 4 if count % 4 == 0 else 2 if count % 2 == 0 else 1
    return sizes[-1] % width != 0
