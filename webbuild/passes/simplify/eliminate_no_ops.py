from __future__ import annotations

import numpy as np
import onnx_ir as ir

from webbuild.passes.base import Pass, PassOptions, Rewrite
from webbuild.passes.builder import Builder
from webbuild.passes.rewrite import constant, find_nodes, replace_all_uses, replace_output, static_shape


class EliminateNoOps(Pass):
    """Removes no-ops: Pad by zero, empty Concat operands, Slice of a whole axis, Add of 0, int64 Reshape to its shape.

        Pad(x [N, C], 0)                ->  x [N, C]
        Slice(x [N, C], 0:N)            ->  x [N, C]
        Add(x [N, C], zeros)            ->  x [N, C]
        Concat(x [N, C], e [0, C])      ->  Concat(x)

    Why: a GPU kernel that reads a tensor of size 0 throws at run time; with static shapes such operands are known and
    can be removed. An int64 Reshape, such as that of token ids, is a copy to the CPU and back. An Add of 0 is the
    class offset of the boxes in a detector with one class.

    Exact, except that -0 + 0 stays -0.
    """

    code = "eliminate-no-ops"
    after = ("fold-constants", "static-nms", "pad-nms-output")

    def apply(self, model: ir.Model, options: PassOptions) -> list[Rewrite]:
        rewrites = []
        for node in find_nodes(model, "Pad", "Slice", "Concat", "Reshape", "Add"):
            if node.op_type == "Pad" and _pads_nothing(node):
                rewrites.append(self._bypass(node, "pads by nothing"))
            elif node.op_type == "Slice" and _keeps_everything(node):
                rewrites.append(self._bypass(node, "keeps everything"))
            elif node.op_type == "Reshape" and _keeps_int64(node):
                rewrites.append(self._bypass(node, "keeps the shape"))
            elif node.op_type == "Add" and (other := _without_zeros(node)) is not None:
                replace_all_uses(node.outputs[0], other)
                rewrites.append(self.applied(node, "adds 0"))
            elif node.op_type == "Concat" and (empty := _empty_operands(node)):
                rewrites.append(self._drop(model, node, empty))
        return rewrites

    def _bypass(self, node: ir.Node, reason: str) -> Rewrite:
        replace_all_uses(node.outputs[0], node.inputs[0])
        return self.applied(node, reason)

    def _drop(self, model: ir.Model, node: ir.Node, empty: list[ir.Value]) -> Rewrite:
        remaining = [value for value in node.inputs if value is not None and value not in empty]
        if len(remaining) == len(node.inputs) or not remaining:
            return self.skipped(node, "every operand is empty")
        add = Builder(model.graph, node, f"{node.name or 'Concat'}/filled")
        rest = add.op("Concat", *remaining, axis=node.attributes.get_int("axis", 0))
        replace_output(node, rest)
        return self.applied(node, f"{len(empty)} empty operand(s) dropped")


def _pads_nothing(node: ir.Node) -> bool:
    pads = constant(node.inputs[1]) if len(node.inputs) > 1 else None
    return pads is not None and not pads.any()


def _keeps_everything(node: ir.Node) -> bool:
    source, result = static_shape(node.inputs[0]), static_shape(node.outputs[0])
    steps = constant(node.inputs[4]) if len(node.inputs) > 4 else np.array([1])
    return source is not None and source == result and steps is not None and bool((steps == 1).all())


def _without_zeros(node: ir.Node) -> ir.Value | None:
    """Return the operand of an Add that has the output's shape, if the other is constant 0."""
    for value, other in (node.inputs, tuple(reversed(node.inputs))):
        term, shape = constant(other), static_shape(value)
        if term is not None and not term.any() and shape is not None and shape == static_shape(node.outputs[0]):
            return value
    return None


def _keeps_int64(node: ir.Node) -> bool:
    """Whether an int64 Reshape changes nothing and is not between a graph input and a graph output."""
    source, result = node.inputs[0], node.outputs[0]
    if source is None or source.dtype != ir.DataType.INT64 or (result.is_graph_output() and source.is_graph_input()):
        return False
    return (shape := static_shape(source)) is not None and shape == static_shape(result)


def _empty_operands(node: ir.Node) -> list[ir.Value]:
    return [
        value
        for value in node.inputs
        if value is not None and (shape := static_shape(value)) is not None and 0 in shape
    ]
