from __future__ import annotations

from functools import partial

import numpy as np
import onnx_ir as ir

from webbuild.passes.decompose.base import Decomposers, Decomposition, NotApplicableError, RewriteContext
from webbuild.passes.decompose.gathered_neighbours import add_interpolated, clamp, linear_neighbours
from webbuild.passes.rewrite import static_shape

_GRID_SAMPLE_OPSET = 16
"""First opset with GridSample."""


class DecomposeRoiAlign(Decomposition):
    """`RoiAlign(x, rois)` -> `AveragePool(GridSample(x, sampling points of all regions))`.

        RoiAlign<h, w, r>(x [1, C, H, W], rois [R, 4], batch [R])
            ->  Transpose(AveragePool<r>(GridSample(x, points [1, R h r, w r, 2]) * inside))  [R, C, h, w]

    Why: WebGPU has no kernel for RoiAlign, and with the RoiAlign of opset 22 no session can be created.

    How: the sampling grid is computed from the corners of the regions and constant positions within them.

    - Points are clamped to the feature map as in RoiAlign. Points more than one pixel outside become 0.
    - The number of regions may be dynamic.
    - Before opset 16, which added GridSample, Gathers read the four neighbours of each point, and a weighted sum
      follows.
    - If the sampled values exceed the buffer limit, 128 MiB on every device, the regions are processed in parts.

    Limits: batch size 1, a feature map of fixed size, mode avg and a fixed sampling_ratio, as in torchvision's
    detectors. Accurate to 1e-4 of the largest magnitude: positions are scaled to -1..1 and back.

    Source: ONNX's operator text and `onnxruntime/core/providers/cpu/object_detection/roialign.cc`; He et al., Mask
    R-CNN (arXiv 1703.06870).
    """

    code = "decompose-roi-align"
    after = ("downgrade-opset", "padded-detections")
    tolerance = 1e-4

    def decomposers(self) -> Decomposers:
        return {"RoiAlign": partial(_in_parts, largest=self.options.max_binding_size)}


def _in_parts(add: RewriteContext, node: ir.Node, *, largest: int) -> ir.Value:
    """Process the regions in parts, so that the sampled values of each part fit into a buffer."""
    regions, channels, ratio = static_shape(node.inputs[1]), static_shape(node.inputs[0]), _ratio(node)
    if regions is None or channels is None or ratio < 1:
        return _sampled(add, node, node.inputs[1])
    rows, columns = _bins(node)
    # bytes of one region: float32 [1, C, r h, r w]
    fitting = max(1, largest // (4 * channels[1] * rows * columns * ratio**2))
    sizes = [min(fitting, regions[0] - first) for first in range(0, regions[0], fitting)]
    if len(sizes) < 2:
        return _sampled(add, node, node.inputs[1])
    parts = add.split_sizes(node.inputs[1], sizes, 0)
    for part, size in zip(parts, sizes, strict=True):
        part.shape = ir.Shape([size, 4])
    return add.op("Concat", *(_sampled(add, node, part) for part in parts), axis=0)


def _ratio(node: ir.Node) -> int:
    return node.attributes.get_int("sampling_ratio", 0)


def _bins(node: ir.Node) -> tuple[int, int]:
    return node.attributes.get_int("output_height", 1), node.attributes.get_int("output_width", 1)


def _sampled(add: RewriteContext, node: ir.Node, rois: ir.Value | None) -> ir.Value:
    x = node.inputs[0]
    shape, ratio = static_shape(x), _ratio(node)
    if shape is None or shape[0] != 1 or 0 in shape or ratio < 1:
        raise NotApplicableError("its feature map has no fixed size or several images, or its sampling_ratio is 0")
    if node.attributes.get_string("mode", "avg") != "avg" or x is None or x.dtype != ir.DataType.FLOAT:
        raise NotApplicableError("its mode is max, or it is not float32")
    rows, columns = _bins(node)
    corners = add.split_sizes(rois, [1, 1, 1, 1], 1)
    across, is_across = _sampling_points(add, node, corners[0], corners[2], columns, shape[3])
    down, is_down = _sampling_points(add, node, corners[1], corners[3], rows, shape[2])
    # [R, w r] -> [R, 1, w r]; [R, h r] -> [R, h r, 1]
    across, is_across = add.unsqueeze(across, 1), add.unsqueeze(is_across, 1)
    down, is_down = add.unsqueeze(down, 2), add.unsqueeze(is_down, 2)
    inside = add.op("Mul", is_down, is_across)
    sample = _grid_sampled if add.opset >= _GRID_SAMPLE_OPSET else _gathered
    points = sample(add, x, across, down, (rows * ratio, columns * ratio))
    # [R, h r, w r] -> [1, 1, R h r, w r]
    points = add.op("Mul", points, add.reshape(inside, [1, 1, -1, columns * ratio]))
    counted = static_shape(rois) is not None  # if not, R may be 0, which AveragePool allows only as its first axis
    if counted and ratio > 1:
        points = _averaged(add, points, ratio)
    # [1, C, R h r, w r] -> [C, R, h r, w r] -> [R, C, h r, w r]; r is 1 if already averaged
    rest = 1 if counted else ratio
    apart = add.reshape(points, [shape[1], -1, rows * rest, columns * rest])
    regions = add.op("Transpose", apart, perm=[1, 0, 2, 3])
    return regions if rest == 1 else _averaged(add, regions, ratio)


def _grid_sampled(
    add: RewriteContext, x: ir.Value, across: ir.Value, down: ir.Value, points: tuple[int, int]
) -> ir.Value:
    """Sample the feature map at all points with one GridSample, [1, C, R h r, w r]."""
    height, width = (static_shape(x) or [])[2:]
    full = add.const(np.zeros((1, *points)))
    ends = (_scaled(add, across, width), _scaled(add, down, height))
    grid = add.op("Concat", *(add.unsqueeze(add.op("Add", coordinate, full), 3) for coordinate in ends), axis=3)
    # [R, h r, w r, 2] -> [1, R h r, w r, 2]
    grid = add.reshape(grid, [1, -1, points[1], 2])
    return add.op("GridSample", x, grid, align_corners=1, padding_mode="border")


def _gathered(add: RewriteContext, x: ir.Value, across: ir.Value, down: ir.Value, points: tuple[int, int]) -> ir.Value:
    """Sample the feature map at all points with Gathers of their neighbours, [1, C, R h r, w r]."""
    channels, *sizes = (static_shape(x) or [])[1:]
    axes = [linear_neighbours(add, coordinate, size) for coordinate, size in zip((down, across), sizes, strict=True)]
    # [C, H W] -> [C, R, h r, w r]
    interpolated = add_interpolated(add, add.reshape(x, [channels, -1]), axes, sizes, None)
    return add.reshape(interpolated, [1, channels, -1, points[1]])


def _scaled(add: RewriteContext, coordinate: ir.Value, size: int) -> ir.Value:
    """Scale a coordinate from pixels to GridSample's -1..1, from the first pixel to the last."""
    # align_corners = 1: pixel p of n is at 2 p / (n - 1) - 1
    return add.op("Sub", add.op("Mul", coordinate, add.const(2 / max(size - 1, 1))), add.const(1.0))


def _averaged(add: RewriteContext, points: ir.Value, ratio: int) -> ir.Value:
    return add.op("AveragePool", points, kernel_shape=[ratio, ratio], strides=[ratio, ratio])


def _sampling_points(
    add: RewriteContext, node: ir.Node, first: ir.Value, last: ir.Value, bins: int, size: int
) -> tuple[ir.Value, ir.Value]:
    """Return the points' pixels along an axis, and 1 or 0 for on or off the feature map, [regions, points] each."""
    ratio, scale = _ratio(node), node.attributes.get_float("spatial_scale", 1.0)
    default = "half_pixel" if add.opset >= 16 else "output_half_pixel"
    halved = node.attributes.get_string("coordinate_transformation_mode", default) == "half_pixel"
    start, end = (add.op("Mul", corner, add.const(scale)) for corner in (first, last))
    if halved:
        start, end = (add.op("Sub", corner, add.const(0.5)) for corner in (start, end))
    length = add.op("Sub", end, start)
    if not halved:
        length = add.op("Max", length, add.const(1.0))
    # r points in each bin: coordinate = start + length * (i + 0.5) / (bins * r)
    steps = (np.arange(bins * ratio) + 0.5) / ratio / bins
    coordinate = add.op("Add", start, add.op("Mul", length, add.const(steps[None])))
    near = clamp(add, coordinate, size)
    one, none = add.const(1.0), add.const(0.0)
    below_end = add.op("Where", add.op("Greater", coordinate, add.const(size)), none, one)
    return near, add.op("Where", add.op("Less", coordinate, add.const(-1.0)), none, below_end)
