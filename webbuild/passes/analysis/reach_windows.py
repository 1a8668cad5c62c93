"""Tables of the input positions that convolutions, pools, Resize and Pad read along an axis."""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction

import numpy as np
import onnx_ir as ir

from webbuild.passes.analysis.reach import Table, UnknownReachError
from webbuild.passes.rewrite import constant, input_value, static_shape

_KERNEL_PLACE = {"QLinearConv": 3}
"""Input index of the weights, if it is not 1."""


def pool_tables(node: ir.Node) -> Iterator[Table]:
    """Yield, for each axis of a Conv or pool, the positions that output i reads: i s + k d - pad, k in the kernel."""
    for size, stride, dilation, pad, _, length in _windows(node):
        yield np.arange(length)[:, None] * stride + np.arange(size) * dilation - pad


def transposed_tables(node: ir.Node) -> Iterator[Table]:
    """Yield, for each axis of a ConvTranspose, the positions that output o reads: (o + pad - k d) / s if integer.

    If the kernel is smaller than the stride, some outputs read nothing; they are assumed to read the last position.
    """
    for size, stride, dilation, pad, _, length in _windows(node):
        last = np.arange(length) + pad
        first = last - (size - 1) * dilation
        from_place, to_place = -(-first // stride), last // stride
        count = int((to_place - from_place).max(initial=0)) + 1
        yield to_place[:, None] - np.minimum(np.arange(count), np.maximum(to_place - from_place, 0)[:, None])


def _windows(node: ir.Node) -> Iterator[tuple[int, int, int, int, int, int]]:
    """Yield (kernel, stride, dilation, pad at the start, input length, output length) of each axis."""
    data, out = static_shape(node.inputs[0]), static_shape(node.outputs[0])
    weights = static_shape(input_value(node, _KERNEL_PLACE.get(node.op_type, 1)))
    kernel = node.attributes.get_ints("kernel_shape", None) or (weights or [])[2:]
    if data is None or out is None or not kernel:
        raise UnknownReachError("has a size that is not known")
    rank = len(kernel)
    strides = node.attributes.get_ints("strides", [1] * rank)
    dilations = node.attributes.get_ints("dilations", [1] * rank)
    pads = node.attributes.get_ints("pads", [0] * 2 * rank)
    auto = node.attributes.get_string("auto_pad", "NOTSET")
    for axis, (size, stride, dilation) in enumerate(zip(kernel, strides, dilations, strict=True)):
        before, length = data[axis + 2], out[axis + 2]
        pad = pads[axis]
        if auto.startswith("SAME") or (node.op_type == "ConvTranspose" and "output_shape" in node.attributes):
            ends = (before, length) if node.op_type == "ConvTranspose" else (length, before)
            total = max(0, (ends[0] - 1) * stride + (size - 1) * dilation + 1 - ends[1])
            pad = (total + 1) // 2 if auto == "SAME_LOWER" else total // 2
        yield size, stride, dilation, pad, before, length


def resize_table(node: ir.Node, axis: int) -> Table:
    """Return the positions that a Resize reads along an axis: those that its mode interpolates."""
    scale, length = _resize_scale(node, axis)
    mode = _mode(node)
    places = [_source_position(node, at, scale) for at in range(length)]
    if mode == "nearest":
        return np.array([[_nearest(node, position)] for position in places])
    radius = {"linear": 1, "cubic": 2}[mode]
    if node.attributes.get_int("antialias", 0) and scale < 1:
        reads = math.ceil(radius / scale)
        return np.array(
            [range(math.floor(position) + 1 - reads, math.floor(position) + 1 + reads) for position in places]
        )
    return np.array(
        [range(math.floor(position) + 1 - radius, math.floor(position) + 1 + radius) for position in places]
    )


def rounds_places(node: ir.Node) -> bool:
    """Whether the sampling positions of a Resize are inexact in float32, so that rounding differs by position."""
    if node.op_type not in ("Resize", "Upsample") or _mode(node) == "nearest":
        return False
    scales = [_resize_scale(node, axis)[0] for axis in range(len(static_shape(node.outputs[0]) or ()))]
    # (i + 1/2) / s - 1/2 is exact for a power of two
    return any(each.numerator & (each.numerator - 1) or each.denominator & (each.denominator - 1) for each in scales)


def _resize_scale(node: ir.Node, axis: int) -> tuple[Fraction, int]:
    """Return the scale of a Resize along an axis, and the output's length.

    Raises:
        UnknownReachError: the scale is computed, or depends on the length.
    """
    data, out = static_shape(node.inputs[0]), static_shape(node.outputs[0])
    if data is None or out is None:
        raise UnknownReachError("has a size that is not known")
    scale = Fraction(out[axis], data[axis])
    scales = constant(input_value(node, 1 if node.op_type == "Upsample" else 2))
    if scales is not None and scales.size == len(data):
        scale = Fraction(float(scales[axis])).limit_denominator(1024)
    if scale * data[axis] != out[axis]:
        raise UnknownReachError(f"resizes {data[axis]} to {out[axis]}, by a scale that depends on the size")
    if scale != 1 and _mode_of_places(node) not in ("asymmetric", "half_pixel", "pytorch_half_pixel"):
        raise UnknownReachError(f"resizes with {_mode_of_places(node)}, where sampling positions depend on the size")
    return scale, out[axis]


def _mode(node: ir.Node) -> str:
    mode = node.attributes.get_string("mode", "nearest")
    if mode not in ("nearest", "linear", "cubic"):
        raise UnknownReachError(f"resizes in the mode {mode}")
    return mode


def _mode_of_places(node: ir.Node) -> str:
    usual = "asymmetric" if node.op_type == "Upsample" else "half_pixel"
    return node.attributes.get_string("coordinate_transformation_mode", usual)


def _source_position(node: ir.Node, at: int, scale: Fraction) -> Fraction:
    half = Fraction(0) if _mode_of_places(node) == "asymmetric" else Fraction(1, 2)
    return (at + half) / scale - half


def _nearest(node: ir.Node, position: Fraction) -> int:
    """Return the nearest position, rounded by `nearest_mode`."""
    mode = node.attributes.get_string("nearest_mode", "floor" if node.op_type == "Upsample" else "round_prefer_floor")
    match mode:
        case "floor":
            return math.floor(position)
        case "ceil":
            return math.ceil(position)
        case "round_prefer_ceil":
            return math.floor(position + Fraction(1, 2))
        case _:
            return math.ceil(position - Fraction(1, 2))


def pad_table(node: ir.Node, axis: int) -> Table:
    """Return the positions that a Pad reads along an axis; they continue beyond its ends.

    Raises:
        UnknownReachError: the pads are computed.
    """
    shape, out = static_shape(node.inputs[0]), static_shape(node.outputs[0])
    pads_array = constant(input_value(node, 1)) if len(node.inputs) > 1 else None
    pads = [int(each) for each in pads_array] if pads_array is not None else list(node.attributes.get_ints("pads", []))
    axes = constant(input_value(node, 3))
    if shape is None or out is None or not pads:
        raise UnknownReachError("has computed pads")
    places = [int(each) % len(shape) for each in axes] if axes is not None else list(range(len(shape)))
    front = pads[places.index(axis)] if axis in places else 0
    return np.arange(out[axis])[:, None] - front
