from __future__ import annotations

import numpy as np
import onnx_ir as ir
from numpy.typing import NDArray

from webbuild.passes.decompose.base import Decomposers, Decomposition, NotApplicableError, RewriteContext
from webbuild.passes.rewrite import constant, input_value, static_shape


class DecomposeDeformConv(Decomposition):
    """Writes a DeformConv as one GridSample of all taps and a Conv over them.

        DeformConv(x [N, C, H, W], w [M, C / g, kh, kw], offset [N, 2 G T, h, w], bias, mask [N, G T, h, w])
            ->  Conv(GridSample(x, taps + offset) * mask [N, C T, h, w], w [M, C / g T, 1, 1]),  T = kh * kw

    Why: WebGPU has no kernel for DeformConv, which samples the input at computed offsets. On the CPU it is slow, and
    its large inputs are copied there.

    How: the pass builds the grid from the offsets and the positions of the taps.

    - GridSample samples the input there, with zeros outside as in DeformConv.
    - A product applies the masks.
    - A 1 x 1 Conv, with each tap as a channel, sums over channels and taps.
    - Groups stay groups; groups of offsets become batches.

    Limits: fixed shapes and constant weights. Right to 1e-5 of the largest magnitude: positions are scaled to -1..1 and
    back.

    Source: ONNX's operator text; Zhu et al., Deformable ConvNets v2 (arXiv 1811.11168).
    """

    code = "decompose-deform-conv"
    tolerance = 1e-5

    def decomposers(self) -> Decomposers:
        return {"DeformConv": _sample_and_convolve}


def _sample_and_convolve(add: RewriteContext, node: ir.Node) -> ir.Value:
    x, offset = node.inputs[0], node.inputs[2]
    bias = input_value(node, 3)
    mask = input_value(node, 4)
    source, target, weights = static_shape(x), static_shape(node.outputs[0]), constant(node.inputs[1])
    if source is None or target is None or weights is None or len(source) != 4:
        raise NotApplicableError("its shapes are not fixed, or its weights are computed")
    groups = node.attributes.get_int("offset_group", 1)
    batch, channels, height, width = source
    rows, columns = target[2:]
    taps = weights.shape[2] * weights.shape[3]
    # [N, 2 G T, h, w] -> [N G, T, 2, h, w] -> [N G, T, h, w, 2], vertical first
    moved = add.reshape(offset, [batch * groups, taps, 2, rows, columns])
    moved = add.op("Transpose", moved, perm=[0, 1, 3, 4, 2])
    # align_corners = 0: pixel p of n lies at (p + 0.5) * 2 / n - 1
    scale = np.array([2 / height, 2 / width], np.float32)
    base = (_tap_coordinates(node, weights.shape[2:], (rows, columns)) + 0.5) * [2 / height, 2 / width] - 1
    grid = add.op("Add", add.op("Mul", moved, add.like(x, scale)), add.like(x, base))
    # GridSample takes horizontal first: [N G, T, h, w, 2] -> [N G, T * h, w, 2]
    grid = add.op("Gather", grid, add.const([1, 0], np.int64), axis=-1)
    grid = add.reshape(grid, [batch * groups, taps * rows, columns, 2])
    held = channels // groups
    picture = add.reshape(x, [batch * groups, held, height, width]) if groups > 1 else x
    # [N G, C / G, H, W] read at [N G, T h, w, 2] -> [N G, C / G, T h, w]
    read = add.op("GridSample", picture, grid, mode="bilinear", padding_mode="zeros", align_corners=0)
    if mask is not None:
        read = add.reshape(read, [batch * groups, held, taps, rows * columns])
        read = add.op("Mul", read, add.reshape(mask, [batch * groups, 1, taps, rows * columns]))
    # [N G, C / G, T, h w] -> [N, C * T, h, w]
    read = add.reshape(read, [batch, channels * taps, rows, columns])
    flat = add.like(x, weights.reshape(weights.shape[0], -1, 1, 1))
    inputs = [read, flat] if bias is None else [read, flat, bias]
    return add.op("Conv", *inputs, group=node.attributes.get_int("group", 1))


def _tap_coordinates(node: ir.Node, kernel: tuple[int, ...], sizes: tuple[int, int]) -> NDArray[np.float64]:
    """Return where each tap reads without an offset, [1, taps, rows, columns, 2], in pixels, vertical first."""
    strides = node.attributes.get_ints("strides", [1, 1])
    dilations = node.attributes.get_ints("dilations", [1, 1])
    pads = node.attributes.get_ints("pads", [0, 0, 0, 0])
    along = [
        np.arange(kernel[axis])[:, None] * dilations[axis] + np.arange(sizes[axis])[None] * strides[axis] - pads[axis]
        for axis in (0, 1)
    ]
    vertical, horizontal = along
    shape = (*kernel, *sizes)
    down = np.broadcast_to(vertical[:, None, :, None], shape)
    across = np.broadcast_to(horizontal[None, :, None, :], shape)
    return np.stack([down, across], -1).reshape(1, -1, *sizes, 2).astype(np.float64)
