from __future__ import annotations

import onnx_ir as ir

from webbuild.passes.base import Pass, PassOptions, Rewrite
from webbuild.passes.builder import Builder
from webbuild.passes.rewrite import find_nodes, is_read, static_shape


class SplitAfterReshape(Pass):
    """`Split(Transpose(x))` -> `Split(Reshape(Transpose(x)))`, along the first axis.

        Transpose(x) [3, B, H, N, D] -> Split    ->  Transpose(x) -> Reshape [3 B, H, N, D] -> Split -> Reshape

    Why: the engine moves the Transpose after the Split, once each for queries, keys and values, towards the Transpose
    of the keys. It does not merge them there, so three shaders run instead of one. It moves no Transpose through a
    Reshape, which is free.

    Limits: fixed shapes.

    Exact.
    """

    code = "split-after-reshape"
    target = "webgpu"
    after = ("canonicalize", "fold-constants", "fold-data-movement", "merge-projections")

    def apply(self, model: ir.Model, options: PassOptions) -> list[Rewrite]:
        rewrites = []
        for node in find_nodes(model, "Split"):
            shape = _transposed_shape(node)
            if shape is None:
                continue
            add = Builder(model.graph, node, f"{node.name or 'Split'}/apart")
            parts = [static_shape(output) or [] for output in node.outputs]
            value = add.reshape(node.inputs[0], [shape[0] * shape[1], *shape[2:]])
            split = add.split_sizes(value, [part[0] * shape[1] for part in parts], 0)
            for output, part, sizes in zip(node.outputs, split, parts, strict=True):
                if is_read(output):
                    output.replace_all_uses_with(add.reshape(part, sizes))
            model.graph.remove(node, safe=True)
            rewrites.append(self.applied(node, "follows a Reshape"))
        return rewrites


def _transposed_shape(node: ir.Node) -> list[int] | None:
    """Return the input shape of a Split of the first axis after a Transpose, None for any other node."""
    value = node.inputs[0]
    before = None if value is None else value.producer()
    shape = static_shape(value)
    if value is None or before is None or before.op_type != "Transpose" or shape is None or len(shape) < 3:
        return None
    if node.attributes.get_int("axis", 0) % len(shape) or any(output.is_graph_output() for output in node.outputs):
        return None
    return shape if all(static_shape(output) is not None for output in node.outputs) else None
