from __future__ import annotations

import numpy as np
import onnx_ir as ir

from webbuild.passes.builder import Builder
from webbuild.passes.rewrite import constant, input_value, opset_version, replace_all_uses, static_shape
from webbuild.passes.workarounds.base import DefectContext, PassContext, Symptom, Workaround


class PadConvTransposeGroups(Workaround):
    """ConvTranspose(x, w [C, 1, *kernel], group=G) -> Slice(ConvTranspose(x, w' [C, 2, *kernel], group=G), step 2).

    Defect: the answer is wrong: a grouped ConvTranspose whose groups have one output and an even number of inputs.

    Why: the kernel reads two or four weights at once but counts them one by one, so all groups except the first read
    the weights of other groups. With two outputs per group the kernel reads its weights another way, which is right.

    Limits: opset 10 or newer, for a Slice with steps. A single group, an odd number of inputs, two and three outputs,
    and volumes are right and are not rewritten.

    Exact: the second output of each group is zero, and nothing reads it.

    Source: measured on 1.30.0 with 2, 4, 6, 8 and 10 inputs per group.
    """

    code = "pad-conv-transpose-groups"
    finding = "conv-transpose-depthwise"
    after = ("fold-constants", "conv-transpose-3d-to-conv")
    operators = ("ConvTranspose",)
    outcome = "wrong"
    fix = "give each group a second output of zeros, and cut it off after"
    probe = "conv_transpose_single_outputs"
    tolerance = 1e-6

    def affects(self, node: ir.Node, context: DefectContext) -> Symptom | None:
        weights, group = static_shape(node.inputs[1]), node.attributes.get_int("group", 1)
        if weights is None or not is_affected(weights, group):
            return None
        return Symptom(f"each of its {group} groups has one output and {weights[0] // group} inputs")

    def refusal(self, node: ir.Node, context: DefectContext) -> str | None:
        return "it needs a Slice with steps, which opset 10 added" if opset_version(context.model) < 10 else None

    def rewrite(self, node: ir.Node, context: PassContext) -> str:
        weights, group = static_shape(node.inputs[1]) or [], node.attributes.get_int("group", 1)
        _widen(context.model.graph, node, weights, group)
        return f"{weights[0] // group} inputs and one output a group: adds a second output of zeros"


def is_affected(weights: list[int], group: int) -> bool:
    """Whether the kernel is wrong for weights [inputs, outputs per group, *kernel]."""
    return len(weights) in (3, 4) and group > 1 and weights[1] == 1 and weights[0] // group % 2 == 0


def _widen(graph: ir.Graph, node: ir.Node, weights: list[int], group: int) -> None:
    add = Builder(graph, node, f"{node.name or 'ConvTranspose'}/outputs")
    source, bias = node.inputs[1], input_value(node, 2)
    stored = constant(source)
    if stored is not None:
        wide = add.const(np.concatenate([stored, np.zeros_like(stored)], 1), stored.dtype)
    else:
        rank = len(weights)
        wide = add.pad(source, [0] * rank, [int(axis == 1) for axis in range(rank)])
    others = dict(node.attributes.items())
    result = add.op("ConvTranspose", node.inputs[0], wide)
    producer = result.producer()
    assert producer is not None
    producer.attributes.update(others)
    result = add.op("Slice", result, *(add.const([number], np.int64) for number in (0, 2 * group, 1, 2)))
    if bias is not None:
        result = add.op("Add", result, add.reshape(bias, [1, group, *[1] * len(weights[2:])]))
    replace_all_uses(node.outputs[0], result)
