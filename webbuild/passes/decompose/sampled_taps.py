"""Deformable convolution: GridSample reads the value of every kernel tap, and a 1 x 1 Conv sums them."""

from __future__ import annotations

import numpy as np
import onnx_ir as ir
from msgspec import Struct
from numpy.typing import NDArray

from webbuild.passes.builder import Builder

_MAX_CONCAT_INPUTS = 7
"""Operands of one Concat: WebGPU guarantees 8 storage buffers per shader, and the output takes one."""


class SampledTaps(Struct, frozen=True, eq=False):
    """A deformable convolution.

    Attributes:
        source: the shape of the input, [N, C, H, W].
        target: the height and width of the output, [h, w].
        taps: T, the number of kernel taps.
        offset_groups: G, the groups of channels with separate offsets.
        group: the groups of the Conv.
        base: the positions of the taps without offset, in pixels of the input: rows [1 or G, T, h, 1], columns
            [1 or G, T, 1, w].
        weights: [M, C / group, kernel height, kernel width].
    """

    source: tuple[int, ...]
    target: tuple[int, int]
    taps: int
    offset_groups: int
    group: int
    base: tuple[NDArray[np.float64], NDArray[np.float64]]
    weights: NDArray[np.floating]


def sample_and_convolve(
    add: Builder,
    form: SampledTaps,
    x: ir.Value,
    offset: ir.Value,
    mask: ir.Value | None,
    bias: ir.Value | None,
    limit: int,
) -> ir.Value:
    """Add a deformable convolution, and return its output, [N, M, h, w].

    Args:
        add: the builder.
        form: the shapes and constants.
        x: the input, [N, C, H, W].
        offset: the offsets from the base in pixels, N G T pairs of [h, w], vertical first, in any shape.
        mask: a factor for each position, N G T of [h, w], in any shape; None for none.
        bias: the bias of the Conv.
        limit: bytes of the sampled values; above it, the output is computed a few rows at a time.
    """
    batch, channels, height, width = form.source
    rows, columns = form.target
    pictures, group_channels = batch * form.offset_groups, channels // form.offset_groups
    picture = add.reshape(x, [pictures, group_channels, height, width]) if form.offset_groups > 1 else x
    halves = x.dtype == ir.DataType.FLOAT16  # float16's 11 bits are too few for a coordinate
    if halves:
        picture, offset = (add.cast(each, ir.DataType.FLOAT) for each in (picture, offset))
    grid = _grid(add, form, offset)
    if mask is not None:
        mask = add.reshape(mask, [pictures, 1, form.taps, rows, columns])
    flat = add.like(x, form.weights.reshape(form.weights.shape[0], -1, 1, 1))
    parts = []
    for start, end in _row_ranges(form, limit):
        whole = end - start == rows
        # [N G, T, h, w, 2] -> [N G, T r, w, 2]: the taps become rows of the grid
        places = grid if whole else add.slice(grid, 2, start, end)
        places = add.reshape(places, [pictures, form.taps * (end - start), columns, 2])
        mode = "linear" if add.opset >= 20 else "bilinear"
        # [N G, C / G, H, W] sampled at [N G, T r, w, 2] -> [N G, C / G, T r, w]
        read = add.op("GridSample", picture, places, mode=mode, padding_mode="zeros", align_corners=0)
        if halves:
            read = add.cast(read, ir.DataType.FLOAT16)
        if mask is not None:
            factors = mask if whole else add.slice(mask, 3, start, end)
            factors = add.reshape(factors, [pictures, 1, form.taps * (end - start), columns])
            read = add.op("Mul", read, factors)
        # [N G, C / G, T r, w] -> [N, C T, r, w] -> [N, M, r, w]
        read = add.reshape(read, [batch, channels * form.taps, end - start, columns])
        parts.append(add.op("Conv", read, flat, *([] if bias is None else [bias]), group=form.group))
    while len(parts) > 1:
        some = [parts[first : first + _MAX_CONCAT_INPUTS] for first in range(0, len(parts), _MAX_CONCAT_INPUTS)]
        parts = [add.op("Concat", *each, axis=2) if len(each) > 1 else each[0] for each in some]
    return parts[0]


def _grid(add: Builder, form: SampledTaps, offset: ir.Value) -> ir.Value:
    """Add the grid of GridSample: -1..1 over the input, horizontal first, [N G, T, h, w, 2]."""
    batch, rows, columns = form.source[0], *form.target
    moved = add.reshape(offset, [batch * form.offset_groups, form.taps, 2, rows, columns])
    along = []
    for axis, size in enumerate(form.source[2:]):
        # align_corners = 0: pixel p of n is at (p + 0.5) * 2 / n - 1
        scale, base = 2 / size, (form.base[axis] + 0.5) * 2 / size - 1
        if len(base) > 1:
            base = np.tile(base, (batch, 1, 1, 1))
        coordinate = add.slice(moved, 2, axis, axis + 1)
        coordinate = add.op("Mul", coordinate, add.const(scale))
        coordinate = add.op("Add", coordinate, add.const(base[:, :, None]))
        along.append(add.reshape(coordinate, [batch * form.offset_groups, form.taps, rows, columns, 1]))
    return add.op("Concat", along[1], along[0], axis=4)


def _row_ranges(form: SampledTaps, limit: int) -> list[tuple[int, int]]:
    """Return the ranges of output rows that are computed together."""
    rows, columns = form.target
    row_bytes = form.source[0] * form.source[1] * form.taps * columns * form.weights.dtype.itemsize
    parts = -(-rows // max(1, limit // row_bytes))
    rows_per_part = -(-rows // parts)
    return [(start, min(start + rows_per_part, rows)) for start in range(0, rows, rows_per_part)]
