"""Transposed convolutions of one output a group, which the GPU computes wrongly."""

from __future__ import annotations

import numpy as np
import onnx_ir as ir

from webbuild.passes._base import Edit, Options, Pass
from webbuild.passes._graph import Builder, constant, dims, nodes_of, opset_of, replace


class TransposedOutputs(Pass):
    """Gives a ConvTranspose of one output a group a second one of zeros, and leaves it out behind.

    Why: where each of several groups has one output and an even number of inputs, onnxruntime-web's WebGPU reads two
    or four weights at once but counts them one by one: all groups but the first get the weights of others, and
    nothing says so. A single group, an odd number of inputs, and more outputs are right.

    How: with two outputs a group the kernel reads its weights another way, and right. The second of each two is cut
    off. Exact.
    """

    code = "transposed-outputs"
    after = ("fold-constants", "transposed-volumes")
    target = "webgpu"

    def apply(self, model: ir.Model, options: Options) -> list[Edit]:
        """Widen each such ConvTranspose."""
        edits = []
        for node in nodes_of(model, "ConvTranspose"):
            group, weights = node.attributes.get_int("group", 1), dims(node.inputs[1])
            if weights is None or not is_wrong(weights, group):
                continue
            where = f"ConvTranspose '{node.name}'"
            if opset_of(model) < 10:
                edits.append(self.left(where, "one output a group; a Slice with steps came in opset 10"))
                continue
            _widen(model, node, weights, group)
            edits.append(self.done(where, f"{weights[0] // group} inputs and one output a group: a second of zeros"))
        return edits


def is_wrong(weights: list[int], group: int) -> bool:
    """Whether the kernel gets the outputs of weights [inputs, outputs of a group, *kernel] wrong."""
    if len(weights) < 3:  # of no convolution: the engine refuses it
        return False
    inputs, outputs, *kernel = weights
    return len(kernel) < 3 and group > 1 and outputs == 1 and inputs // group % 2 == 0


def _widen(model: ir.Model, node: ir.Node, weights: list[int], group: int) -> None:
    add = Builder(model.graph, node, f"{node.name or 'ConvTranspose'}/outputs")
    source, bias = node.inputs[1], node.inputs[2] if len(node.inputs) > 2 else None
    stored = constant(source)
    if stored is not None:
        wide = add.const(np.concatenate([stored, np.zeros_like(stored)], 1), stored.dtype)
    else:
        rank = len(weights)
        wide = add.pad(source, [0] * rank, [int(axis == 1) for axis in range(rank)])
    others = dict(node.attributes.items())
    result = add.op("ConvTranspose", node.inputs[0], wide)
    made = result.producer()
    assert made is not None
    made.attributes.update(others)
    result = add.op("Slice", result, *(add.const([number], np.int64) for number in (0, 2 * group, 1, 2)))
    if bias is not None:
        result = add.op(
            "Add", result, add.op("Reshape", bias, add.const([1, group, *[1] * len(weights[2:])], np.int64))
        )
    replace(node.outputs[0], result)
