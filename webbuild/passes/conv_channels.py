"""Convolutions that the GPU computes wrongly for the number of their input channels."""

from __future__ import annotations

import math

import numpy as np
import onnx_ir as ir

from webbuild.passes._base import Edit, Options, Pass
from webbuild.passes._graph import Builder, constant, dims, nodes_of

_WIDTH = 4
"""Channels that the kernel reads at once where it can."""


class ConvChannels(Pass):
    """Gives a Conv of 6, 9, 15, 18, 21 ... input channels some more that are zero, up to a multiple of 4.

    Why: where the input channels are a multiple of 3 above 3 and not of 4, and the output channels a multiple of 4,
    onnxruntime-web's WebGPU reads three channels at once from memory laid out in fours. What comes out has nothing
    to do with the right answer, and nothing says so. A kernel of 1x1 is computed another way, and right, if it has
    neither strides nor padding; so are volumes.

    How: zeros behind the channels of the input and of the weights add nothing to any sum, so the result stays the
    same, to the last bits of rounding.
    """

    code = "conv-channels"
    after = ("fold-constants",)
    target = "webgpu"

    def apply(self, model: ir.Model, options: Options) -> list[Edit]:
        """Pad the data and the weights of each such Conv."""
        edits = []
        for node in nodes_of(model, "Conv"):
            shape, missing = dims(node.inputs[1]), 0
            if shape is not None and is_wrong(shape, node):
                missing = -shape[1] % _WIDTH
                self._pad(model, node, missing)
                edits.append(self.done(f"Conv '{node.name}'", f"{shape[1]} input channels and {missing} of zeros"))
        return edits

    def _pad(self, model: ir.Model, node: ir.Node, missing: int) -> None:
        add = Builder(model.graph, node, f"{node.name or 'Conv'}/channels")
        weights = constant(node.inputs[1])
        rank = len(dims(node.inputs[1]) or ())
        room = [missing if axis == 1 else 0 for axis in range(rank)]
        node.replace_input_with(0, add.pad(node.inputs[0], [0] * rank, room))
        if weights is None:
            node.replace_input_with(1, add.pad(node.inputs[1], [0] * rank, room))
        else:
            filled = np.pad(weights, [(0, more) for more in room])
            node.replace_input_with(1, add.const(filled, weights.dtype))


def is_wrong(weights: list[int], node: ir.Node) -> bool:
    """Whether the kernel gets the input channels of weights [outputs, inputs, *kernel] wrong."""
    if len(weights) < 3:  # of no convolution: the engine refuses it
        return False
    outputs, inputs, *kernel = weights
    reads_threes = inputs > 3 and inputs % 3 == 0 and inputs % _WIDTH != 0 and outputs % _WIDTH == 0
    return reads_threes and len(kernel) < 3 and not _is_product(kernel, node) and _one_group(node)


def _is_product(kernel: list[int], node: ir.Node) -> bool:
    """Whether the node is a product of matrices, one for each point."""
    strides, pads = node.attributes.get_ints("strides", [1]), node.attributes.get_ints("pads", [0])
    return math.prod([*kernel, *strides]) == 1 and not any(pads)


def _one_group(node: ir.Node) -> bool:
    return node.attributes.get_int("group", 1) == 1
