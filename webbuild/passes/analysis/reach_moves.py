"""Rules of reach for operators that move elements: from input bounds to output bounds; see `reach`."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import onnx_ir as ir

from webbuild.passes.analysis.moved_elements import moved_elements
from webbuild.passes.analysis.reach import Bound, UnknownReachError, least, reduced, reshaped, windowed
from webbuild.passes.analysis.reach_windows import pad_table, resize_table
from webbuild.passes.rewrite import constant, input_value, known_rank, static_shape

Rule = Callable[[ir.Node, Sequence[Bound | None]], Sequence[Bound]]


def picture_bound(bounds: Sequence[Bound | None]) -> Bound:
    """Return the bound of the first input; the others must not depend on the image."""
    data = bounds[0]
    if data is None or any(each is not None for each in bounds[1:]):
        raise UnknownReachError("has weights or sizes that depend on the picture")
    return data


def _expand(node: ir.Node, bounds: Sequence[Bound | None]) -> Sequence[Bound]:
    data = picture_bound(bounds)
    rank = known_rank(node.outputs[0]) or data.ndim
    return [data.reshape((1,) * (rank - data.ndim) + data.shape)]


def _resize(node: ir.Node, bounds: Sequence[Bound | None]) -> Sequence[Bound]:
    resized = picture_bound(bounds)
    for axis in range(resized.ndim):
        if resized.shape[axis] > 1:
            resized = windowed(resized, axis, resize_table(node, axis))
    return [resized]


def _pad(node: ir.Node, bounds: Sequence[Bound | None]) -> Sequence[Bound]:
    if node.attributes.get_string("mode", "constant") == "wrap":
        raise UnknownReachError("reads the other end of the picture")
    padded = picture_bound(bounds)
    for axis in range(padded.ndim):
        if padded.shape[axis] > 1:
            padded = windowed(padded, axis, pad_table(node, axis))
    return [padded]


def _reshape(node: ir.Node, bounds: Sequence[Bound | None]) -> Sequence[Bound]:
    return [reshaped(picture_bound(bounds), _shape(node.inputs[0]), _shape(node.outputs[0]))]


def _transpose(node: ir.Node, bounds: Sequence[Bound | None]) -> Sequence[Bound]:
    return [picture_bound(bounds).transpose(node.attributes.get_ints("perm", None) or None)]


def _moved(node: ir.Node, bounds: Sequence[Bound | None]) -> Sequence[Bound]:
    moved = moved_elements(node, [np.broadcast_to(picture_bound(bounds), _shape(node.inputs[0]))])
    if moved is None:
        raise UnknownReachError("writes elements at computed indices")
    return [reduced(each) for each in moved]


def _gather(node: ir.Node, bounds: Sequence[Bound | None]) -> Sequence[Bound]:
    data, index = picture_bound(bounds), constant(input_value(node, 1))
    if index is None:
        raise UnknownReachError("reads elements at computed indices")
    axis = node.attributes.get_int("axis", 0) % data.ndim
    places = np.zeros_like(index, np.int64) if data.shape[axis] == 1 else index.astype(np.int64)
    return [reduced(data.take(places, axis))]


def _concat(node: ir.Node, bounds: Sequence[Bound | None]) -> Sequence[Bound]:
    """Return the bound of a Concat. If the parts vary only along other axes, the result is their common bound."""
    known = [each for each in bounds if each is not None]
    axis = node.attributes.get_int("axis", 0) % known[0].ndim
    if all(each.shape[axis] == 1 for each in known):
        return [least(known)]
    if len(known) < len(bounds):
        raise UnknownReachError("appends constants to the picture")
    shapes = [(*each.shape[:axis], _shape(value)[axis], *each.shape[axis + 1 :])
              for each, value in zip(known, node.inputs, strict=True)]  # fmt: skip
    others = np.broadcast_shapes(*((*shape[:axis], 1, *shape[axis + 1 :]) for shape in shapes))
    parts = [np.broadcast_to(each, (*others[:axis], shape[axis], *others[axis + 1 :]))
             for each, shape in zip(known, shapes, strict=True)]  # fmt: skip
    return [reduced(np.concatenate(parts, axis))]


def _depth_to_space(node: ir.Node, bounds: Sequence[Bound | None]) -> Sequence[Bound]:
    """[N, C, H, W] -> [N, 1, H * blocksize, W * blocksize]: the minimum over C, each row and column repeated."""
    data = picture_bound(bounds).min(axis=1, keepdims=True)
    size = node.attributes.get_int("blocksize", 1)
    for axis in (2, 3):
        data = data if data.shape[axis] == 1 else data.repeat(size, axis)
    return [data]


def _space_to_depth(node: ir.Node, bounds: Sequence[Bound | None]) -> Sequence[Bound]:
    data = picture_bound(bounds).min(axis=1, keepdims=True)
    size = node.attributes.get_int("blocksize", 1)
    for axis in (2, 3):
        places = np.arange(0, _shape(node.inputs[0])[axis], size)[:, None] + np.arange(size)
        data = windowed(data, axis, places)
    return [data]


def _tile(node: ir.Node, bounds: Sequence[Bound | None]) -> Sequence[Bound]:
    data, repeats = picture_bound(bounds), constant(input_value(node, 1))
    if repeats is None:
        raise UnknownReachError("repeats elements a computed number of times")
    return [np.tile(data, [int(each) if n > 1 else 1 for each, n in zip(repeats, data.shape, strict=True)])]


def _shape(value: ir.Value | None) -> list[int]:
    shape = static_shape(value)
    if shape is None:
        raise UnknownReachError("has a size that is not known")
    return shape


MOVES: dict[str, Rule] = {
    **dict.fromkeys(("Resize", "Upsample"), _resize),
    **dict.fromkeys(("Flatten", "Reshape", "Squeeze", "Unsqueeze"), _reshape),
    **dict.fromkeys(("Slice", "Split"), _moved),
    "Concat": _concat,
    "DepthToSpace": _depth_to_space,
    "Expand": _expand,
    "Gather": _gather,
    "Pad": _pad,
    "SpaceToDepth": _space_to_depth,
    "Tile": _tile,
    "Transpose": _transpose,
}
