from __future__ import annotations

import numpy as np
import onnx_ir as ir

from webbuild.passes.base import Pass, PassOptions, Rewrite
from webbuild.passes.rewrite import Builder, constant, find_nodes, replace_all_uses, replace_output, static_shape


class EliminateNoOps(Pass):
    """Removes no-ops: Pad by zero, empty Concat operands, Slice of a whole axis, Add of 0, int64 Reshape to its shape.

        Pad(x [N, C], 0)                ->  x [N, C]
        Slice(x [N, C], 0:N)            ->  x [N, C]
        Add(x [N, C], zeros)            ->  x [N, C]
        Concat(x [N, C], e [0, C])      ->  Concat(x)

    Why: a GPU program with a tensor of size 0 among its inputs throws at run time. With fixed shapes the graph shows
    such operands: they add nothing, so they are removed. An int64 Reshape, as of the tokens of a text, is a copy to the
    CPU and back. With one class the number by which its boxes are moved apart is 0.

    Exact, but that a -0 stays one.
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
    """Return the operand of the result's shape to which the other adds nothing."""
    for value, other in (node.inputs, tuple(reversed(node.inputs))):
        term, shape = constant(other), static_shape(value)
        if term is not None and not term.any() and shape is not None and shape == static_shape(node.outputs[0]):
            return value
    return None


def _keeps_int64(node: ir.Node) -> bool:
    """Whether a Reshape of int64 changes nothing; one that gives an input the name of an output stays."""
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
