"""Convolutions over volumes in groups."""

from __future__ import annotations

import onnx_ir as ir

from webbuild.passes._base import Edit, Options, Pass
from webbuild.passes._graph import Builder, constant, nodes_of, replace


class GroupedVolumes(Pass):
    """Convolves each group of a Conv over volumes on its own.

    Why: the WebGPU kernel takes a Conv over volumes, but throws at run time if it has more than one group.

    How: each group reads its channels, and the results are joined. Exact. Weights must be constants.
    """

    code = "grouped-volumes"
    after = ("fold-constants",)
    target = "webgpu"

    def apply(self, model: ir.Model, options: Options) -> list[Edit]:
        """Take each apart."""
        edits = []
        for node in nodes_of(model, "Conv"):
            groups, weights = node.attributes.get_int("group", 1), constant(node.inputs[1])
            if groups == 1 or _rank(node.inputs[0], node.inputs[1]) != 5:
                continue
            where = f"Conv '{node.name}'"
            bias = constant(node.inputs[2]) if len(node.inputs) > 2 else None
            if weights is None or (bias is None and len(node.inputs) > 2 and node.inputs[2] is not None):
                edits.append(self.left(where, f"{groups} groups, with weights that are computed"))
                continue
            add = Builder(model.graph, node, f"{node.name or 'Conv'}/groups")
            inner, outer = weights.shape[1], weights.shape[0] // groups
            others = {key: each.value for key, each in node.attributes.items() if key != "group"}
            parts = []
            for group in range(groups):
                rows = slice(group * outer, (group + 1) * outer)
                data = add.cut(node.inputs[0], 1, group * inner, (group + 1) * inner)
                added = [] if bias is None else [add.const(bias[rows], bias.dtype)]
                parts.append(add.op("Conv", data, add.const(weights[rows], weights.dtype), *added, **others))
            replace(node.outputs[0], add.op("Concat", *parts, axis=1))
            edits.append(self.done(where, f"{groups} groups, each on its own"))
        return edits


def _rank(*values: ir.Value | None) -> int:
    return max((len(value.shape) for value in values if value is not None and value.shape is not None), default=0)
