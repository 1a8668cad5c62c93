from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import onnx_ir as ir

from webbuild.passes.builder import Builder
from webbuild.passes.rewrite import constant, static_shape
from webbuild.passes.workarounds.base import DefectContext, PassContext, Symptom, Workaround


class PadConvKernel(Workaround):
    """Conv(x, w [M, C, h, w], pads=[0, 0, b, r]) -> Conv(x, Concat(0, w) [M, C, 1+h, w], pads=[1, 0, b, r]).

    Defect: the answer is wrong: a Conv with end pads but no begin pads ignores the end pads.

    Why: the engine computes two kinds of Conv as a matrix product: a kernel as large as its input, and a 1x1 kernel
    with strides of 1. To decide, it looks only at the begin pads. It then fills one column, or as many as the input
    has. `SAME_UPPER` with an even kernel as large as its input shows the defect.

    Limits: the sizes must be fixed. Several groups, volumes, and a Conv that also has begin pads are right and are not
    rewritten.

    Exact: the row of zeros added to the kernel meets the pad added before the input.

    Source: measured on 1.30.0.
    """

    code = "pad-conv-kernel"
    finding = "conv-end-pads"
    operators = ("Conv",)
    outcome = "wrong"
    fix = "pad both sides, or put a Pad and something that is not fused before it"
    probe = "conv_padded_after_its_input"
    tolerance = 1e-6

    def affects(self, node: ir.Node, context: DefectContext) -> Symptom | None:
        pads = _affected_pads(node)
        if pads is None:
            return None
        return Symptom(f"its pads are {pads}, none of them before its input")

    def rewrite(self, node: ir.Node, context: PassContext) -> str:
        add = Builder(context.model.graph, node, f"{node.name or 'Conv'}/kernel")
        shape, pads, stored = static_shape(node.inputs[1]) or [], _affected_pads(node) or [], constant(node.inputs[1])
        row = np.zeros([*shape[:2], 1, *shape[3:]])
        if stored is None:
            # not a Pad: ONNX Runtime would fuse it into the Conv, although it pads the kernel
            wide = add.op("Concat", add.like(node.inputs[1], row), node.inputs[1], axis=2)
        else:
            wide = add.const(np.concatenate([row, stored], axis=2), stored.dtype)
        node.replace_input_with(1, wide)
        pads[0] += node.attributes.get_ints("dilations", [1])[0]
        node.attributes.pop("auto_pad", None)
        node.attributes["pads"] = ir.AttrInt64s("pads", pads)
        node.attributes["kernel_shape"] = ir.AttrInt64s("kernel_shape", [shape[2] + 1, *shape[3:]])
        return f"a kernel of {shape[2:]} gets a row of zeros, its pads become {pads}"


def _affected_pads(node: ir.Node) -> list[int] | None:
    """Return the pads of a Conv if the kernel ignores its end pads, else None."""
    weights, data = static_shape(node.inputs[1]), static_shape(node.inputs[0])
    if weights is None or len(weights) not in (3, 4) or node.attributes.get_int("group", 1) != 1:
        return None
    kernel = weights[2:]
    strides = node.attributes.get_ints("strides", [1] * len(kernel))
    pads = explicit_pads(node, data, kernel, strides)
    if pads is None or any(pads[: len(kernel)]) or not any(pads):
        return None
    if math.prod([*kernel, *strides]) == 1:
        return pads
    spread = any(dilation > 1 for dilation in node.attributes.get_ints("dilations", [1]))
    several = spread or any(pads[len(kernel) + axis] >= stride for axis, stride in enumerate(strides))
    return pads if several and data is not None and data[2:] == kernel else None


def explicit_pads(
    node: ir.Node, data: list[int] | None, kernel: Sequence[int], strides: Sequence[int]
) -> list[int] | None:
    """Return the pads of a Conv, also with auto_pad: those before each axis, then those after; None if not known."""
    rule = node.attributes.get_string("auto_pad", "NOTSET")
    if rule in ("NOTSET", "VALID"):
        return [*node.attributes.get_ints("pads", [0] * 2 * len(kernel))] if rule == "NOTSET" else [0] * 2 * len(kernel)
    if data is None:
        return None
    dilations = node.attributes.get_ints("dilations", [1] * len(kernel))
    spans = [dilation * (size - 1) + 1 for dilation, size in zip(dilations, kernel, strict=True)]
    steps = [(-(-size // stride) - 1) * stride for size, stride in zip(data[2:], strides, strict=True)]
    missing = [max(0, step + span - size) for step, span, size in zip(steps, spans, data[2:], strict=True)]
    larger, smaller = [-(-more // 2) for more in missing], [more // 2 for more in missing]
    return [*larger, *smaller] if rule == "SAME_LOWER" else [*smaller, *larger]
