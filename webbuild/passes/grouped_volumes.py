"""Convolutions over volumes in groups."""

from __future__ import annotations

import onnx_ir as ir

from webbuild.passes._base import Edit, Options, Pass
from webbuild.passes._graph import Builder, dims, nodes_of, replace
from webbuild.passes.conv_groups import rows


class GroupedVolumes(Pass):
    """Convolves each group of a Conv over volumes on its own.

    Why: the WebGPU kernel takes a Conv over volumes, but throws at run time if it has more than one group.

    How: each group reads its channels, and the results are joined. Exact.
    """

    code = "grouped-volumes"
    after = ("fold-constants",)
    target = "webgpu"

    def apply(self, model: ir.Model, options: Options) -> list[Edit]:
        """Take each apart."""
        edits = []
        for node in nodes_of(model, "Conv"):
            groups, weights = node.attributes.get_int("group", 1), dims(node.inputs[1])
            if groups == 1 or _rank(node.inputs[0], node.inputs[1]) != 5:
                continue
            where = f"Conv '{node.name}'"
            if weights is None:
                edits.append(self.left(where, f"{groups} groups, with weights of an unknown number"))
                continue
            add = Builder(model.graph, node, f"{node.name or 'Conv'}/groups")
            inner, outer = weights[1], weights[0] // groups
            others = {key: each.value for key, each in node.attributes.items() if key != "group"}
            parts = []
            for group in range(groups):
                data = add.cut(node.inputs[0], 1, group * inner, (group + 1) * inner)
                first, last = group * outer, (group + 1) * outer
                held = [rows(add, value, first, last) for value in node.inputs[1:] if value is not None]
                parts.append(add.op("Conv", data, *held, **others))
            replace(node.outputs[0], add.op("Concat", *parts, axis=1))
            edits.append(self.done(where, f"{groups} groups, each on its own"))
        return edits


def _rank(*values: ir.Value | None) -> int:
    return max((len(value.shape) for value in values if value is not None and value.shape is not None), default=0)
