from __future__ import annotations

import numpy as np
import onnx_ir as ir

from webbuild.passes.base import PassOptions
from webbuild.passes.decompose.base import Decomposers, Decomposition, NotApplicableError, RewriteContext
from webbuild.passes.decompose.gathered_neighbours import (
    AxisNeighbors,
    add_interpolated,
    clamp,
    linear_neighbours,
    neighbour,
)
from webbuild.passes.dtypes.exact_ints import round_half_even
from webbuild.passes.rewrite import static_shape


class DecomposeGridSample3D(Decomposition):
    """3-D `GridSample(x, grid)` -> the weighted sum of 8 `Gather(x, corner)`, the corners around each point.

        GridSample(x [N, C, D, H, W], grid [N, d, h, w, 3])
            ->  sum over 8 corners of Gather(x [N D H W, C], place) * weight  [N, C, d, h, w]

    Why: WebGPU's GridSample kernel is 2-D only. A GridSample of volumes, which opset 20 added, runs on the CPU. Models
    for image registration and for 3-D features use it.

    How: each point has two neighbours and their weights along each axis, together eight corners. Outside the volume,
    weights are 0 or positions are clamped to the border. Nearest takes one neighbour and is exact; linear is accurate
    to 1e-5 of the largest magnitude.

    Limits: a float32 volume of fixed size, with padding mode zeros or border.

    Source: ONNX's operator text of GridSample-20, and `onnxruntime/core/providers/cpu/tensor/grid_sample.cc`.
    """

    code = "decompose-grid-sample-3d"
    tolerance = 1e-5

    def decomposers(self) -> Decomposers:
        return {"GridSample": _sampled}

    def matches(self, model: ir.Model, node: ir.Node, options: PassOptions) -> bool:
        """Whether a node samples volumes and runs on the CPU."""
        x = node.inputs[0]
        return x is not None and x.shape is not None and len(x.shape) == 5 and super().matches(model, node, options)


def _sampled(add: RewriteContext, node: ir.Node) -> ir.Value:
    x, grid, shape = node.inputs[0], node.inputs[1], static_shape(node.inputs[0])
    padding, mode = (node.attributes.get_string(*each) for each in (("padding_mode", "zeros"), ("mode", "linear")))
    if shape is None or 0 in shape or x is None or x.dtype != ir.DataType.FLOAT or np.prod(shape) >= 2**31:
        raise NotApplicableError("its size is not fixed, or it is not float32")
    if padding == "reflection" or mode not in ("linear", "nearest"):
        raise NotApplicableError("its padding_mode is reflection, or its mode is cubic")
    batch, channels, *sizes = shape
    axes = []
    for axis, size in enumerate(sizes):
        # the grid has x y z, the axes are D H W: component 2 - axis, [N, d, h, w, 3] -> [N, d, h, w]
        coordinate = add.op("Gather", grid, add.const(2 - axis, np.int64), axis=4)
        coordinate = _to_voxels(add, coordinate, size, bool(node.attributes.get_int("align_corners", 0)))
        if padding == "border":
            coordinate = clamp(add, coordinate, size)
        axes.append(_nearest(add, coordinate, size) if mode == "nearest" else linear_neighbours(add, coordinate, size))
    # [N, C, D, H, W] -> [N, D, H, W, C] -> [N D H W, C]
    rows = add.reshape(add.op("Transpose", x, perm=[0, 2, 3, 4, 1]), [-1, channels])
    begins = add.const(np.arange(batch).reshape(-1, 1, 1, 1), np.int32)
    total = add_interpolated(add, rows, axes, sizes, begins, 4)
    return add.op("Transpose", total, perm=[0, 4, 1, 2, 3])


def _to_voxels(add: RewriteContext, coordinate: ir.Value, size: int, aligned: bool) -> ir.Value:
    """Scale a coordinate from -1..1 to voxels."""
    # aligned: (p + 1) / 2 (n - 1); otherwise ((p + 1) n - 1) / 2
    above, two = add.op("Add", coordinate, add.const(1.0)), add.const(2.0)
    if aligned:
        return add.op("Mul", add.op("Div", above, two), add.const(size - 1))
    return add.op("Div", add.op("Sub", add.op("Mul", above, add.const(size)), add.const(1.0)), two)


def _nearest(add: RewriteContext, coordinate: ir.Value, size: int) -> AxisNeighbors:
    """Round half to even, after clamping to -2..size + 1, where rounding is exact."""
    near = add.op("Max", add.op("Min", coordinate, add.const(size + 1)), add.const(-2.0))
    return [neighbour(add, round_half_even(add, near), size, None)]
