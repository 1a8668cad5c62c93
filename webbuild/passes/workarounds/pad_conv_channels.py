from __future__ import annotations

import math

import numpy as np
import onnx_ir as ir

from webbuild.passes.builder import Builder
from webbuild.passes.rewrite import constant, static_shape
from webbuild.passes.workarounds.base import DefectContext, PassContext, Symptom, Workaround
from webbuild.passes.workarounds.pad_conv_kernel import explicit_pads

_WIDTH = 4
"""Channels that the kernel reads at once if it can."""


class PadConvChannels(Workaround):
    """Conv(x [N, C, H, W], w [M, C, *kernel]) -> Conv(Pad(x) [N, C', H, W], Pad(w) [M, C', *kernel]), C' = 4*ceil(C/4).

    Defect: the answer is wrong: a Conv from 6, 9, 15 ... channels to a multiple of 4 reads the wrong weights.

    Why: the kernel reads three channels at a time from memory laid out in fours. It does so if the number of output
    channels is a multiple of 4, and the number of input channels is a multiple of 3, above 3 and not a multiple of 4.

    Limits: these are right and are not rewritten:

    - 3 channels, several groups, volumes
    - a Conv that runs as a matrix product: 1x1 without strides or pads, or a kernel as large as its input

    Exact: the added zeros change no sum, but a sum may be rounded in another order.

    Source: measured on 1.30.0.
    """

    code = "pad-conv-channels"
    finding = "conv-channels-mod-3"
    operators = ("Conv",)
    outcome = "wrong"
    fix = "pad the channels to a multiple of 4"
    probe = "conv/3x3 channels 15 to 4"
    tolerance = 1e-6

    def affects(self, node: ir.Node, context: DefectContext) -> Symptom | None:
        weights = static_shape(node.inputs[1])
        if weights is None or not is_affected(weights, node):
            return None
        return Symptom(f"it takes {weights[1]} channels in threes")

    def rewrite(self, node: ir.Node, context: PassContext) -> str:
        add = Builder(context.model.graph, node, f"{node.name or 'Conv'}/channels")
        shape, weights = static_shape(node.inputs[1]) or [], constant(node.inputs[1])
        missing = -shape[1] % _WIDTH
        padding = [missing if axis == 1 else 0 for axis in range(len(shape))]
        node.replace_input_with(0, add.pad(node.inputs[0], [0] * len(shape), padding))
        if weights is None:
            node.replace_input_with(1, add.pad(node.inputs[1], [0] * len(shape), padding))
        else:
            filled = np.pad(weights, [(0, more) for more in padding])
            node.replace_input_with(1, add.const(filled, weights.dtype))
        return f"{shape[1]} input channels and {missing} of zeros"


def is_affected(weights: list[int], node: ir.Node) -> bool:
    """Whether the kernel reads weights [outputs, inputs, *kernel] of the wrong input channels."""
    if len(weights) not in (3, 4) or node.attributes.get_int("group", 1) != 1:
        return False
    outputs, inputs, *kernel = weights
    reads_threes = inputs > 3 and inputs % 3 == 0 and inputs % _WIDTH != 0 and outputs % _WIDTH == 0
    return reads_threes and not _is_matmul(node, kernel)


def _is_matmul(node: ir.Node, kernel: list[int]) -> bool:
    """Whether the engine computes the node as a matrix product: 1x1, or a kernel as large as the input."""
    sizes, strides = static_shape(node.inputs[0]), node.attributes.get_ints("strides", [1] * len(kernel))
    one = math.prod([*kernel, *strides]) == 1 or (sizes is not None and sizes[2:] == kernel)
    pads = explicit_pads(node, sizes, kernel, strides)
    return one and pads is not None and not any(pads)
