"""Grouped convolutions that the GPU computes wrongly."""

from __future__ import annotations

import onnx_ir as ir

from webbuild.passes._base import Edit, Options, Pass
from webbuild.passes._graph import Builder, constant, dims, nodes_of, replace


class ConvGroups(Pass):
    """Takes a grouped Conv apart in two, where its outputs would be computed across the border of groups.

    Why: where each group of a Conv has at least 4 output channels, onnxruntime-web's WebGPU computes 4 of them at
    once if their total is a multiple of 4, and 2 if it is even. Where the outputs of one group are no multiple of
    that, such as 6 of 12 or 5 of 10, some beyond the border of a group are computed from the inputs of the group
    before, and nothing says so.

    How: all groups but the last, and the last one alone, are two convolutions each of which has a total that fits,
    whatever the number of groups. Each reads its part of the channels, and the results are joined.
    """

    code = "conv-groups"
    after = ("fold-constants",)
    target = "webgpu"

    def apply(self, model: ir.Model, options: Options) -> list[Edit]:
        """Take each such Conv apart."""
        edits = []
        for node in nodes_of(model, "Conv"):
            group, weights = node.attributes.get_int("group", 1), dims(node.inputs[1])
            if weights is None or not is_wrong(weights, group):
                continue
            where, outputs = f"Conv '{node.name}'", weights[0] // group
            _take_apart(model, node, group, weights)
            edits.append(self.done(where, f"{group - 1} groups and the last one apart: {outputs} outputs a group"))
        return edits


def is_wrong(weights: list[int], group: int) -> bool:
    """Whether the kernel gets the outputs of weights [outputs, inputs of a group, *kernel] wrong."""
    if len(weights) < 3:  # of no convolution: the engine refuses it
        return False
    outputs, _, *kernel = weights
    width = 4 if outputs % 4 == 0 else 2 if outputs % 2 == 0 else 1
    return group > 1 and len(kernel) < 3 and outputs // group >= 4 and (outputs // group) % width != 0


def _take_apart(model: ir.Model, node: ir.Node, group: int, weights: list[int]) -> None:
    add = Builder(model.graph, node, f"{node.name or 'Conv'}/groups")
    inner, outer = weights[1], weights[0] // group
    others = {key: value for key, value in node.attributes.items() if key != "group"}
    parts = []
    for first, last in ((0, group - 1), (group - 1, group)):
        held = [rows(add, value, first * outer, last * outer) for value in node.inputs[1:] if value is not None]
        parts.append(add.op("Conv", add.cut(node.inputs[0], 1, first * inner, last * inner), *held, group=last - first))
        conv = parts[-1].producer()
        assert conv is not None
        conv.attributes.update(others)
    replace(node.outputs[0], add.op("Concat", *parts, axis=1))


def rows(add: Builder, value: ir.Value, first: int, last: int) -> ir.Value:
    """Return some of the first axis of weights or of a bias, stored where they are stored."""
    stored = constant(value)
    return add.cut(value, 0, first, last) if stored is None else add.const(stored[first:last], stored.dtype)
