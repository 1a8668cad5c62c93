from __future__ import annotations

from collections.abc import Sequence

import onnx_ir as ir

from webbuild.passes.builder import Builder
from webbuild.passes.rewrite import attribute_values, constant, replace_all_uses, static_shape
from webbuild.passes.workarounds.base import DefectContext, PassContext, Symptom, Workaround


class SplitGroupedConv(Workaround):
    """Conv(x [N, G*C, H, W], w [G*M, C, *kernel], group=G) -> Concat(Conv(x', w', group=G-1), Conv(x'', w''), axis=1).

    Defect: the answer is wrong: a grouped Conv computes some outputs from the inputs of the previous group.

    Why: if each group has at least 4 output channels, the kernel computes 4 of them at once if their total is a
    multiple of 4, and 2 if it is even. If the outputs of one group are not a multiple of that, such as 6 of 12 or 5 of
    10, a vector crosses the border between two groups.

    How: the pass computes the last group in a separate Conv. All groups except the last, and the last one alone, have
    totals that fit.

    Limits: the sizes of the weights must be known. Only 1-D and 2-D: volumes have no grouped kernel.

    Exact: each output is the same sum; it may be rounded in another order.

    Source: measured on 1.30.0.
    """

    code = "split-grouped-conv"
    finding = "grouped-conv-misaligned"
    operators = ("Conv",)
    outcome = "wrong"
    fix = "compute the last group on its own"
    probe = "conv/2 groups 4 to 12"
    tolerance = 1e-6

    def affects(self, node: ir.Node, context: DefectContext) -> Symptom | None:
        weights, group = static_shape(node.inputs[1]), node.attributes.get_int("group", 1)
        if weights is None or not is_affected(weights, group):
            return None
        outputs = f"{weights[0] // group} outputs of {weights[0]} a group"
        return Symptom(f"{outputs}: some are computed across the border of groups")

    def rewrite(self, node: ir.Node, context: PassContext) -> str:
        group, weights = node.attributes.get_int("group", 1), static_shape(node.inputs[1]) or []
        split_groups(context.model.graph, node, weights, [(0, group - 1), (group - 1, group)])
        return f"{group - 1} groups, and the last one separately: {weights[0] // group} outputs a group"


def is_affected(weights: list[int], group: int) -> bool:
    """Whether the kernel is wrong for weights [outputs, inputs per group, *kernel]."""
    if len(weights) not in (3, 4):
        return False
    outputs, outer = weights[0], weights[0] // group
    width = 4 if outputs % 4 == 0 else 2 if outputs % 2 == 0 else 1  # outputs that the kernel computes at once
    return group > 1 and outer >= 4 and outer % width != 0


def split_groups(graph: ir.Graph, node: ir.Node, weights: list[int], bounds: Sequence[tuple[int, int]]) -> None:
    """Replace a Conv by one Conv for each range of its groups, and a Concat.

    Conv(x [N, G*C, ...], w [G*M, C, ...]) -> Concat(Conv(x [N, g*C, ...], w [g*M, C, ...]), ..., axis=1)
    """
    add = Builder(graph, node, f"{node.name or 'Conv'}/groups")
    inner, outer = weights[1], weights[0] // node.attributes.get_int("group", 1)  # input and output channels per group
    others = {name: value for name, value in attribute_values(node).items() if name != "group"}
    parts = []
    for first, last in bounds:
        data = add.slice(node.inputs[0], 1, first * inner, last * inner)
        weights_and_bias = [
            _slice_outputs(add, each, first * outer, last * outer) for each in node.inputs[1:] if each is not None
        ]
        parts.append(add.op("Conv", data, *weights_and_bias, group=last - first, **others))
    replace_all_uses(node.outputs[0], add.op("Concat", *parts, axis=1))


def _slice_outputs(add: Builder, value: ir.Value, first: int, last: int) -> ir.Value:
    """Return a slice of weights or bias along the first axis; a constant stays a constant."""
    stored = constant(value)
    return add.slice(value, 0, first, last) if stored is None else add.const(stored[first:last], stored.dtype)
