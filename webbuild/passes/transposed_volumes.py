"""Transposed convolutions over volumes."""

from __future__ import annotations

import numpy as np
import onnx_ir as ir

from webbuild.passes._base import Edit, Options, Pass
from webbuild.passes._graph import Builder, dims, nodes_of, replace
from webbuild.passes._transposed_weights import Weights


class TransposedVolumes(Pass):
    """Writes a ConvTranspose over volumes as a Conv.

    Why: the WebGPU kernel takes pictures and lines, and throws for volumes at run time. U-Nets for medical volumes go
    up with one at every level.

    How: where the kernel is as large as its stride, each cell makes a block of its own: a Conv of 1 x 1 has the cells
    of the block as channels, and a Transpose puts them in place. Else zeros are put between the cells, and a Conv with
    the kernel turned around runs over them. Right to 1e-5 of the largest magnitude. Needs fixed shapes.
    """

    code = "transposed-volumes"
    after = ("fold-constants",)
    target = "webgpu"

    def apply(self, model: ir.Model, options: Options) -> list[Edit]:
        """Write each as a Conv."""
        edits = []
        for node in nodes_of(model, "ConvTranspose"):
            source, target, shape = dims(node.inputs[0]), dims(node.outputs[0]), dims(node.inputs[1])
            if not any(_rank(value) == 5 for value in node.inputs[:2]):
                continue
            where = f"ConvTranspose '{node.name}'"
            if shape is None or source is None or target is None:
                edits.append(self.left(where, "its shapes are not fixed"))
                continue
            add, strides = Builder(model.graph, node, f"{node.name or 'ConvTranspose'}/conv"), _strides(node)
            weights, begin = Weights(add, node, shape), _begin(node, source, target, shape)
            if shape[2:] == strides and not any(begin) and _blocks(source, strides) == target[2:]:
                result, how = _by_blocks(add, node, weights, source, target), "each cell makes a block of its own"
            else:
                result, how = _by_zeros(add, node, weights, source, target, begin), "zeros between the cells"
            if len(node.inputs) > 2 and node.inputs[2] is not None:
                place = add.const([1, target[1], 1, 1, 1], np.int64)
                result = add.op("Add", result, add.op("Reshape", node.inputs[2], place))
            replace(node.outputs[0], result)
            edits.append(self.done(where, f"written as a Conv: {how}"))
        return edits


def _rank(value: ir.Value | None) -> int:
    return 0 if value is None or value.shape is None else len(value.shape)


def _strides(node: ir.Node) -> list[int]:
    return list(node.attributes.get_ints("strides", [1, 1, 1]))


def _blocks(source: list[int], strides: list[int]) -> list[int]:
    return [size * stride for size, stride in zip(source[2:], strides, strict=True)]


def _reach(node: ir.Node, weights: list[int]) -> list[int]:
    """Return how far each axis of the kernel reaches beyond a cell."""
    dilations = node.attributes.get_ints("dilations", [1, 1, 1])
    return [step * (size - 1) for step, size in zip(dilations, weights[2:], strict=True)]


def _begin(node: ir.Node, source: list[int], target: list[int], weights: list[int]) -> list[int]:
    """Return how many cells are cut off before each axis; where no pads are given, from the size of the result."""
    automatic = node.attributes.get_string("auto_pad", "NOTSET")
    if automatic in ("NOTSET", "VALID") and "output_shape" not in node.attributes:
        return list(node.attributes.get_ints("pads", [0] * 6))[:3]
    strides, reach = _strides(node), _reach(node, weights)
    extra = node.attributes.get_ints("output_padding", [0, 0, 0])
    total = [
        max(0, strides[axis] * (source[axis + 2] - 1) + extra[axis] + reach[axis] + 1 - target[axis + 2])
        for axis in range(3)
    ]
    return [cut // 2 if automatic == "SAME_UPPER" else cut - cut // 2 for cut in total]


def _by_blocks(add: Builder, node: ir.Node, weights: Weights, source: list[int], target: list[int]) -> ir.Value:
    """Return a 1 x 1 Conv with a channel for each cell of a block, and these put in place."""
    batch, channels, depth, height, width = source
    groups, block = weights.groups, weights.shape[2:]
    outputs = weights.shape[1] * groups
    cells = add.op("Reshape", node.inputs[0], add.const([batch, channels, depth * height, width], np.int64))
    made = add.op("Conv", cells, weights.by_cell(), group=groups)
    made = add.op("Reshape", made, add.const([batch * outputs, *block, depth, height, width], np.int64))
    made = add.op("Transpose", made, perm=[0, 4, 1, 5, 2, 6, 3])
    return add.op("Reshape", made, add.const(target, np.int64))


def _by_zeros(
    add: Builder, node: ir.Node, weights: Weights, source: list[int], target: list[int], begin: list[int]
) -> ir.Value:
    """Return a Conv with the kernel turned around, over the cells with stride - 1 zeros behind each."""
    strides, reach = _strides(node), _reach(node, weights.shape)
    data = node.inputs[0]
    if any(stride > 1 for stride in strides):
        apart = [batch_and_cell for size in source[2:] for batch_and_cell in (size, 1)]
        behind = [zeros for stride in strides for zeros in (0, stride - 1)]
        data = add.op("Reshape", data, add.const([source[0] * source[1], *apart], np.int64))
        data = add.pad(data, [0] * 7, [0, *behind])
        data = add.op("Reshape", data, add.const([*source[:2], *_blocks(source, strides)], np.int64))
    before = [far - cut for far, cut in zip(reach, begin, strict=True)]
    sizes = _blocks(source, strides)
    behind = [target[axis + 2] + reach[axis] - sizes[axis] - before[axis] for axis in range(3)]
    data = add.pad(data, [0, 0, *before], [0, 0, *behind])
    dilations = list(node.attributes.get_ints("dilations", [1, 1, 1]))
    return add.op("Conv", data, weights.turned(), group=weights.groups, dilations=dilations)
