"""Blocks that are added up to a picture."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import onnx_ir as ir

from webbuild.passes._decompose import Decomposition, Draft, Form, UnfitError
from webbuild.passes._graph import constant, dims


class FoldedColumns(Decomposition):
    """Writes Col2Im as a ConvTranspose with one filter for each place in a block.

    Why: WebGPU has no kernel for Col2Im, which PyTorch's fold exports: patches put together, windows of a spectrum
    overlapped.

    How: each filter is 1 at its own place and 0 elsewhere, so that a block is set down, and blocks that overlap are
    added. Each channel is a picture of its own in the batch. Right to 1e-6 of the largest magnitude. Needs fixed shapes
    and pictures of two dimensions in float32.
    """

    code = "folded-columns"

    def forms(self) -> Mapping[str, Form]:
        """Return how to write it."""
        return {"Col2Im": _set_down}


def _set_down(add: Draft, node: ir.Node) -> ir.Value:
    shape, picture, block = dims(node.inputs[0]), constant(node.inputs[1]), constant(node.inputs[2])
    if shape is None or 0 in shape or picture is None or block is None or len(picture) != 2:
        raise UnfitError("its shapes are not fixed, or not of pictures")
    if node.inputs[0] is None or node.inputs[0].dtype != ir.DataType.FLOAT:
        raise UnfitError("it is not float32")
    strides, dilations = (list(node.attributes.get_ints(name, [1, 1])) for name in ("strides", "dilations"))
    pads = list(node.attributes.get_ints("pads", [0] * 4))
    (height, width), (rows, columns), places = picture.tolist(), block.tolist(), int(block.prod())
    spans = [dilation * (length - 1) + 1 for dilation, length in zip(dilations, (rows, columns), strict=True)]
    room = [size + pads[axis] + pads[axis + 2] - spans[axis] for axis, size in enumerate((height, width))]
    counts = [space // stride + 1 for space, stride in zip(room, strides, strict=True)]
    rest = [space % stride for space, stride in zip(room, strides, strict=True)]
    batch, channels = shape[0], shape[1] // places
    blocks = add.op("Reshape", node.inputs[0], add.const([batch * channels, places, *counts], np.int64))
    filters = add.const(np.eye(places).reshape(places, 1, rows, columns))
    form = {"strides": strides, "dilations": dilations, "pads": pads, "kernel_shape": [rows, columns]}
    added = add.op("ConvTranspose", blocks, filters, output_padding=rest, **form)
    return add.op("Reshape", added, add.const([batch, channels, height, width], np.int64))
