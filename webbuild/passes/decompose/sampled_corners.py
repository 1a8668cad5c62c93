"""The four neighbours that an unrolled deformable convolution reads for each position, and their weights."""

from __future__ import annotations

import onnx_ir as ir
from msgspec import Struct

from webbuild.passes.decompose.match_exported import Mismatch, producer, shape_of, unreshaped
from webbuild.passes.rewrite import constant, input_value


class Places(Struct, frozen=True):
    """The sampling positions, [N, G, T, 2, h, w] in pixels of the padded image, and one neighbour along an axis.

    `axis` is 0 for rows and 1 for columns; `after` is whether the neighbour is below or to the right.
    """

    places: ir.Value
    axis: int
    after: bool


class Corner(Struct, frozen=True, eq=False):
    """One of the four neighbours: its rows and columns, and the padded image [N, C, H, W] it is read from.

    `groups` is the image's batch and channels as [N, G, C / G].
    """

    rows: Places
    columns: Places
    picture: ir.Value
    groups: tuple[int, ...]


def read_share(value: ir.Value | None) -> Places:
    """Return the neighbour whose weight along an axis is p - Floor(p) (after) or 1 - (p - Floor(p)) (before)."""
    node = producer(value, "Slice", "Sub")
    after = node.op_type == "Slice"
    if not after:
        one = constant(node.inputs[0])
        if one is None or one.size != 1 or one.item() != 1:
            raise Mismatch
        node = producer(node.inputs[1], "Slice")
    rest = producer(node.inputs[0], "Sub")
    floor = producer(rest.inputs[1], "Floor")
    if floor.inputs[0] is not rest.inputs[0] or floor.inputs[0] is None:
        raise Mismatch
    return Places(floor.inputs[0], _sliced_axis(node), after)


def read_corner(value: ir.Value | None) -> Corner:
    """Return the corner that a Gather reads: GatherND of pairs, or GatherElements of flat indices."""
    node = producer(unreshaped(value), "Transpose", "GatherElements")
    if node.op_type == "GatherElements":
        return _flat_corner(node)
    # [N, G, T h w, C / G] -> [N, G, C / G, T h w]
    if list(node.attributes.get_ints("perm", [])) != [0, 1, 3, 2]:
        raise Mismatch
    gather = producer(unreshaped(node.inputs[0]), "GatherND")
    pairs = producer(gather.inputs[1], "Concat")
    move = producer(gather.inputs[0], "Transpose")
    grouped, picture = shape_of(move.inputs[0], 5), unreshaped(move.inputs[0])
    size = shape_of(picture, 4)
    axis = pairs.attributes.get_int("axis", 0)
    if (
        gather.attributes.get_int("batch_dims", 0) != 2
        or len(pairs.inputs) != 2
        or axis not in (-1, 3)
        or len(shape_of(pairs.outputs[0], 4)) != 4
        or list(move.attributes.get_ints("perm", [])) != [0, 1, 3, 4, 2]
        or grouped[3:] != size[2:]
    ):
        raise Mismatch
    rows, columns = (_neighbour(each, size[2 + at]) for at, each in enumerate(pairs.inputs))
    return Corner(_on_axis(rows, 0), _on_axis(columns, 1), picture, tuple(grouped[:3]))


def _flat_corner(gather: ir.Node) -> Corner:
    """Return the corner that a GatherElements reads: row * width + column, the same for all channels."""
    grouped, picture = shape_of(gather.inputs[0], 4), unreshaped(gather.inputs[0])
    _, _, height, width = shape_of(picture, 4)
    index = producer(gather.inputs[1], "Expand", "Add")  # one channel needs no Expand
    if index.op_type == "Expand":
        index = producer(index.inputs[0], "Add")
    if gather.attributes.get_int("axis", 0) not in (-1, 3) or grouped[3] != height * width:
        raise Mismatch
    if shape_of(index.outputs[0], 4)[2] != 1:
        raise Mismatch
    for high, low in (index.inputs, index.inputs[::-1]):
        product = producer(unreshaped(high))
        for one, other in (product.inputs, product.inputs[::-1]) if product.op_type == "Mul" else ():
            factor = constant(other)
            if factor is not None and factor.size == 1 and factor.item() == width:
                rows, columns = _neighbour(one, height), _neighbour(low, width)
                return Corner(_on_axis(rows, 0), _on_axis(columns, 1), picture, tuple(grouped[:3]))
    raise Mismatch


def _neighbour(value: ir.Value | None, size: int) -> Places:
    """Return the axis and the neighbour of Clip(Cast(Floor(p)) + (0 or 1), 0, size - 1)."""
    clip = producer(unreshaped(value), "Clip")
    low, high = (constant(input_value(clip, at)) for at in (1, 2))
    if low is None or high is None or low.item() != 0 or high.item() != size - 1:
        raise Mismatch
    node, after = producer(clip.inputs[0], "Slice", "Add"), False
    if node.op_type == "Add":
        step, after = constant(node.inputs[1]), True
        if step is None or step.size != 1 or step.item() != 1:
            raise Mismatch
        node = producer(node.inputs[0], "Slice")
    cast = producer(node.inputs[0], "Cast")
    if cast.attributes.get_int("to", 0) not in (ir.DataType.INT32, ir.DataType.INT64):
        raise Mismatch
    floor = producer(cast.inputs[0], "Floor")
    if floor.inputs[0] is None:
        raise Mismatch
    return Places(floor.inputs[0], _sliced_axis(node), after)


def _sliced_axis(node: ir.Node) -> int:
    """Return which half of the pairs of [N, G, T, 2, h, w] a Slice takes: 0 for rows, 1 for columns."""
    shape = shape_of(node.inputs[0], 6)
    bounds = [constant(value) for value in node.inputs[1:]]
    if len(bounds) < 3 or any(each is None or each.size != 1 for each in bounds) or shape[3] != 2:
        raise Mismatch
    start, end, axis, *step = (each.item() for each in bounds if each is not None)
    if axis not in (3, -3) or end != start + 1 or start not in (0, 1) or step not in ([], [1]):
        raise Mismatch
    return int(start)


def _on_axis(places: Places, axis: int) -> Places:
    if places.axis != axis:
        raise Mismatch
    return places
