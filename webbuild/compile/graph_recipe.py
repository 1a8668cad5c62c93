"""Normalization inside a graph, which determines the pixel range of its input."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
import onnx_ir as ir
from msgspec import Struct
from numpy.typing import NDArray

from webbuild.compile.pixel_ranges import PLAIN, SIGNED, UNIT, PixelRange
from webbuild.manifest.manifest import CropInput, ImageInput
from webbuild.passes.rewrite import constant, consumers, input_value

_MAX_NODES = 16
"""Number of nodes after the input that are examined."""
_UNCHANGED = frozenset({"Identity", "Cast", "Resize", "Upsample", "Pad"})
"""Operators that do not change values."""
_MEANS = {"rgb": (123.675, 116.28, 103.53), "bgr": (103.939, 116.779, 123.68)}
"""ImageNet's mean by channel order, in 0..255."""
_MEAN_SLACK = 0.03
_NORMAL, _BYTES = (0.9, 8.0), (200.0, 300.0)
"""Plausible distance between black and white at the first layer: normalized values, or bytes."""

Numbers = NDArray[np.float64]


class GraphRecipe(Struct, frozen=True):
    """The pixel range that the graph expects, and its channel order if its means are ImageNet's.

    `low` and `high` are black and white after the graph's normalization. `zero` holds the levels of red, green and
    blue in 0..255 that the graph normalizes to 0.
    """

    values: PixelRange
    color: Literal["rgb", "bgr"] | None
    low: float
    high: float
    zero: tuple[float, ...]


def describe_graph_recipe(recipe: GraphRecipe) -> str:
    """Return the reason for the range as text."""
    return f"sure: the graph itself normalizes {recipe.values.name} to {recipe.low:.3g}..{recipe.high:.3g}"


def read_graph_recipe(model: ir.Model, image: ImageInput | CropInput) -> GraphRecipe | None:
    """Return the recipe from the graph's normalization; None if there is none, or if no or several ranges fit.

    `Sub 127.5, Div 128` maps 0..255 to -1..1; other ranges would become values that no network takes.
    """
    scaling = _first_scaling(model, image)
    if scaling is None:
        return None
    scale, offset = scaling
    color = _channel_order(scale, offset)
    fitting = [
        GraphRecipe(values, color, low, high, _zero_levels(scale, offset, values, color))
        for values, black, white in ((PLAIN, 0, 255), (UNIT, 0, 1), (SIGNED, -1, 1))
        for low, high in [(float((scale * black + offset).mean()), float((scale * white + offset).mean()))]
        if _is_normalized(low, high) and (image.dtype == "float32" or values is PLAIN)
    ]
    return fitting[0] if len(fitting) == 1 else None


def _zero_levels(
    scale: Numbers, offset: Numbers, values: PixelRange, color: Literal["rgb", "bgr"] | None
) -> tuple[float, ...]:
    """Return for red, green and blue the level in 0..255 at which value * scale + offset is 0."""
    zero_values = -offset / scale
    levels = (zero_values * np.resize(values.std, len(scale)) + np.resize(values.mean, len(scale))) / values.scale
    return tuple(float(level) for level in (levels[::-1] if color == "bgr" else levels))


def _is_normalized(low: float, high: float) -> bool:
    """Whether black and white are plausible at a first layer: around 0 or starting at 0, at a usual distance."""
    width = high - low
    if not any(least <= width <= most for least, most in (_NORMAL, _BYTES)):
        return False
    return abs(low) < 1e-3 * width or -0.6 * width <= low <= -0.1 * width


def _first_scaling(model: ir.Model, image: ImageInput | CropInput) -> tuple[Numbers, Numbers] | None:
    """Return factor and offset per channel, value * factor + offset; None if the graph does not scale its input."""
    value = next(graph_input for graph_input in model.graph.inputs if graph_input.name == image.name)
    axis = 1 if image.layout == "nchw" else 3
    channels = len(image.mean)
    scale, offset, order = np.ones(channels), np.zeros(channels), np.arange(channels)
    changed = branched = False
    for _ in range(_MAX_NODES):
        readers = [node for node in consumers(value) if node.op_type != "Shape"]
        if len(readers) > 1:
            readers = [node for node in readers if _scaling(node, value, axis, channels) is not None]
            branched = True
        if len(readers) != 1 or value.is_graph_output() or input_value(readers[0], 0) is None:
            break
        (node,) = readers
        if node.op_type == "Transpose":
            axis = _permutation(node).index(axis)
        elif _reverses_channels(node, axis, channels):
            order = order[::-1]
        elif node.op_type not in _UNCHANGED:
            step = _scaling(node, value, axis, channels)
            if step is None:
                break
            factor, summand = np.empty(channels), np.empty(channels)
            factor[order], summand[order] = step
            scale, offset, changed = scale * factor, offset * factor + summand, True
        value = node.outputs[0]
    # A matting network normalizes the frame for its encoder, and passes the unnormalized frame to the decoder. So with
    # several branches only a known mean, such as ImageNet's, proves the scaling.
    return (scale, offset) if changed and not (branched and _channel_order(scale, offset) is None) else None


def _permutation(node: ir.Node) -> list[int]:
    """Return the permutation of a Transpose on four axes; with three axes a batch axis is prepended."""
    axes = list(node.attributes.get_ints("perm", [3, 2, 1, 0]))
    return axes if len(axes) == 4 else [0, *(axis + 1 for axis in axes)]


def _scaling(node: ir.Node, value: ir.Value, axis: int, channels: int) -> tuple[Numbers, Numbers] | None:
    """Return the factor and the summand of a node for each channel, value * factor + summand; None for other nodes."""
    if node.op_type == "BatchNormalization":
        stored = [constant(input_value(node, index)) for index in range(1, 5)]
        if axis != 1 or any(array is None or array.size != channels for array in stored):
            return None
        gamma, beta, mean, variance = (np.asarray(array, np.float64) for array in stored)
        factor = gamma / np.sqrt(variance + node.attributes.get_float("epsilon", 1e-5))
        return factor, beta - mean * factor
    if node.op_type not in ("Sub", "Add", "Mul", "Div"):
        return None
    first = node.inputs[0] is value
    if not first and node.op_type in ("Sub", "Div"):
        return None
    numbers = _by_channel(constant(node.inputs[1 if first else 0]), axis, channels)
    one, zero = np.ones(channels), np.zeros(channels)
    match node.op_type:
        case _ if numbers is None:
            return None
        case "Sub":
            return one, -numbers
        case "Add":
            return one, numbers
        case "Mul":
            return numbers, zero
        case _:
            return (1 / numbers, zero) if (numbers != 0).all() else None


def _by_channel(array: NDArray[Any] | None, axis: int, channels: int) -> Numbers | None:
    """Broadcast a scalar, or values along the channels of [1, C, H, W] or [1, H, W, C], to [C]; None for others."""
    if array is None or array.size not in (1, channels) or array.ndim > 4:
        return None
    padded_shape = array.reshape([1] * (4 - array.ndim) + list(array.shape))
    if padded_shape.size > 1 and padded_shape.shape[axis] != channels:
        return None
    return np.broadcast_to(padded_shape.ravel().astype(np.float64), channels)


def _reverses_channels(node: ir.Node, axis: int, channels: int) -> bool:
    """Whether a node converts RGB to BGR: a Gather of the channels 2, 1, 0."""
    if node.op_type != "Gather" or node.attributes.get_int("axis", 0) % 4 != axis:
        return False
    indices = constant(node.inputs[1])
    return indices is not None and (indices.ravel() % channels).tolist() == list(range(channels))[::-1]


def _channel_order(scale: Numbers, offset: Numbers) -> Literal["rgb", "bgr"] | None:
    if len(scale) != 3:
        return None
    means = -offset / scale
    means = means * 255 if means.max() <= 1 else means
    if np.allclose(means, _MEANS["rgb"], rtol=_MEAN_SLACK):
        return "rgb"
    return "bgr" if np.allclose(means, _MEANS["bgr"], rtol=_MEAN_SLACK) else None
