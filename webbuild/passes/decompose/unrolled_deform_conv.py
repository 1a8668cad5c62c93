"""The deformable convolution that exporters write out: four Gathers of a padded picture and their weighted sum."""

from __future__ import annotations

import numpy as np
import onnx_ir as ir
from msgspec import Struct
from numpy.typing import NDArray

from webbuild.passes.decompose.sampled_taps import SampledTaps
from webbuild.passes.rewrite import constant, input_value, static_shape

_CORNERS = {(below, right) for below in (False, True) for right in (False, True)}


class UnrolledDeformConv(Struct, frozen=True, eq=False):
    """What an unrolled deformable convolution computes; see `sample_and_convolve`."""

    form: SampledTaps
    x: ir.Value
    offset: ir.Value
    mask: ir.Value | None
    bias: ir.Value | None


class _Mismatch(Exception):  # noqa: N818 - no error: the graph is another one
    """The graph is not one that exporters write."""


class _Places(Struct, frozen=True):
    """The places that are read, [N, G, T, 2, h, w] in pixels of the padded picture, and the neighbour along an axis.

    `axis` is 0 for rows; `after` is whether it is the neighbour below or to the right.
    """

    places: ir.Value
    axis: int
    after: bool


class _Corner(Struct, frozen=True, eq=False):
    """A read of one of the four neighbours: where, and in which padded picture, [N, C, H, W].

    `groups` is the shape that the picture has for it, [N, G, C / G].
    """

    rows: _Places
    columns: _Places
    picture: ir.Value
    groups: tuple[int, ...]


def match_unrolled(conv: ir.Node) -> UnrolledDeformConv | None:
    """Return what a Conv and the nodes before it compute if they are an unrolled deformable convolution.

    deform_conv2d_onnx_exporter writes p = offset + base, in pixels of the padded picture, and then

        sum over corners of weight(p - Floor(p)) * GatherND(picture, Clip(Cast(Floor(p))))   [N, G, C / G, T, h, w]
        -> Mul(mask) -> Transpose, Reshape [N, C, h * kh, w * kw] -> Conv<strides = kernel>

    With its other option it writes GatherElements of flat places.
    """
    try:
        return _match(conv)
    except _Mismatch:
        return None


def _match(conv: ir.Node) -> UnrolledDeformConv:
    weights = constant(input_value(conv, 1))
    if weights is None or weights.ndim != 4:
        raise _Mismatch
    kernel = list(weights.shape[2:])
    value, mask = _masked(_untransposed(conv, kernel)), None
    if isinstance(value, tuple):
        value, mask = value
    corners = {}
    for term in _terms(value):
        weight, found = _weighted(term)
        corners[found.rows.after, found.columns.after] = found
        if [(each.axis, each.after) for each in weight] != [(0, found.rows.after), (1, found.columns.after)]:
            raise _Mismatch
        _require_same(each.places for each in (*weight, found.rows, found.columns))
    first = next(iter(corners.values()))
    if set(corners) != _CORNERS:
        raise _Mismatch
    places = first.rows.places
    _require_same(each.rows.places for each in corners.values())
    _require_same(each.picture for each in corners.values())
    if {each.groups for each in corners.values()} != {first.groups}:
        raise _Mismatch
    x, pads = _unpadded(first.picture)
    source, shape = _shape(x, 4), _shape(places, 6)
    batch, groups, taps, _, rows, columns = shape
    whole = [batch, groups, source[1] // groups, taps, rows, columns]
    padded = [*source[:2], source[2] + sum(pads[::2]), source[3] + sum(pads[1::2])]
    if taps != kernel[0] * kernel[1] or batch != source[0] or source[1] % groups or _shape(value, 6) != whole:
        raise _Mismatch
    if _shape(first.picture, 4) != padded or list(first.groups) != whole[:3]:
        raise _Mismatch
    if mask is not None and _shape(mask, 6) != [*whole[:2], 1, *whole[3:]]:
        raise _Mismatch
    offset, base = _base(places, shape)
    form = SampledTaps(
        tuple(source),
        (rows, columns),
        taps,
        groups,
        conv.attributes.get_int("group", 1),
        (base[0] - pads[0], base[1] - pads[1]),
        weights,
    )
    return UnrolledDeformConv(form, x, offset, mask, input_value(conv, 2))


def _untransposed(conv: ir.Node, kernel: list[int]) -> ir.Value:
    """Return the samples of all taps that a Conv with a stride of its kernel sums, before they lie next to another."""
    if list(conv.attributes.get_ints("strides", [1, 1])) != kernel:
        raise _Mismatch
    if any(conv.attributes.get_ints("pads", [0] * 4)) or {*conv.attributes.get_ints("dilations", [1, 1])} != {1}:
        raise _Mismatch
    if conv.attributes.get_string("auto_pad", "NOTSET") not in ("NOTSET", "VALID"):
        raise _Mismatch
    value = _unreshaped(conv.inputs[0])
    # [N, C, kh, kw, h, w] -> [N, C, h, kh, w, kw]
    if kernel == [1, 1] and _producer(value).op_type != "Transpose":
        return value
    move = _producer(value, "Transpose")
    if list(move.attributes.get_ints("perm", [])) != [0, 1, 4, 2, 5, 3] or _shape(move.inputs[0], 6)[2:4] != kernel:
        raise _Mismatch
    return _unreshaped(move.inputs[0])


def _masked(value: ir.Value) -> ir.Value | tuple[ir.Value, ir.Value]:
    """Return the sum of samples, and the mask where it is multiplied with one."""
    node = _producer(value)
    if node.op_type != "Mul":
        return value
    for total, mask in (node.inputs, node.inputs[::-1]):
        maker = None if total is None else total.producer()
        if total is not None and mask is not None and maker is not None and maker.op_type in ("Sum", "Add"):
            return total, mask
    raise _Mismatch


def _terms(value: ir.Value) -> list[ir.Node]:
    """Return the four products that are added up."""
    waiting, products = [value], list[ir.Node]()
    while waiting:
        node = _producer(waiting.pop(), "Sum", "Add", "Mul")
        if node.op_type == "Mul":
            products.append(node)
        else:
            waiting += [each for each in node.inputs if each is not None]
        if len(products) + len(waiting) > len(_CORNERS):
            raise _Mismatch
    if len(products) != len(_CORNERS):
        raise _Mismatch
    return products


def _weighted(term: ir.Node) -> tuple[list[_Places], _Corner]:
    """Return a product's weight as the shares along both axes, rows first, and the neighbour that it weighs."""
    for weight, read in (term.inputs, term.inputs[::-1]):
        product = _producer(_unreshaped(weight))
        if product.op_type == "Mul":
            shares = sorted((_share(each) for each in product.inputs), key=lambda each: each.axis)
            return shares, _corner(read)
    raise _Mismatch


def _share(value: ir.Value | None) -> _Places:
    """Return of which neighbour p - Floor(p), or 1 - (p - Floor(p)), is the share along an axis."""
    node = _producer(value, "Slice", "Sub")
    after = node.op_type == "Slice"
    if not after:
        one = constant(node.inputs[0])
        if one is None or one.size != 1 or one.item() != 1:
            raise _Mismatch
        node = _producer(node.inputs[1], "Slice")
    rest = _producer(node.inputs[0], "Sub")
    floor = _producer(rest.inputs[1], "Floor")
    if floor.inputs[0] is not rest.inputs[0] or floor.inputs[0] is None:
        raise _Mismatch
    return _Places(floor.inputs[0], _sliced_axis(node), after)


def _corner(value: ir.Value | None) -> _Corner:
    """Return where a Gather reads: GatherND of pairs, or GatherElements of flat places."""
    node = _producer(_unreshaped(value), "Transpose", "GatherElements")
    if node.op_type == "GatherElements":
        return _flat_corner(node)
    # [N, G, T h w, C / G] -> [N, G, C / G, T h w]
    if list(node.attributes.get_ints("perm", [])) != [0, 1, 3, 2]:
        raise _Mismatch
    gather = _producer(_unreshaped(node.inputs[0]), "GatherND")
    pairs = _producer(gather.inputs[1], "Concat")
    move = _producer(gather.inputs[0], "Transpose")
    grouped, picture = _shape(move.inputs[0], 5), _unreshaped(move.inputs[0])
    size = _shape(picture, 4)
    axis = pairs.attributes.get_int("axis", 0)
    if (
        gather.attributes.get_int("batch_dims", 0) != 2
        or len(pairs.inputs) != 2
        or axis not in (-1, 3)
        or len(_shape(pairs.outputs[0], 4)) != 4
        or list(move.attributes.get_ints("perm", [])) != [0, 1, 3, 4, 2]
        or grouped[3:] != size[2:]
    ):
        raise _Mismatch
    rows, columns = (_neighbour(each, size[2 + at]) for at, each in enumerate(pairs.inputs))
    return _Corner(_on_axis(rows, 0), _on_axis(columns, 1), picture, tuple(grouped[:3]))


def _flat_corner(gather: ir.Node) -> _Corner:
    """Return where a GatherElements of flat places reads: row * width + column, the same for all channels."""
    grouped, picture = _shape(gather.inputs[0], 4), _unreshaped(gather.inputs[0])
    _, _, height, width = _shape(picture, 4)
    index = _producer(gather.inputs[1], "Expand", "Add")  # one channel needs no Expand
    if index.op_type == "Expand":
        index = _producer(index.inputs[0], "Add")
    if gather.attributes.get_int("axis", 0) not in (-1, 3) or grouped[3] != height * width:
        raise _Mismatch
    if _shape(index.outputs[0], 4)[2] != 1:
        raise _Mismatch
    for high, low in (index.inputs, index.inputs[::-1]):
        product = _producer(_unreshaped(high))
        for one, other in (product.inputs, product.inputs[::-1]) if product.op_type == "Mul" else ():
            factor = constant(other)
            if factor is not None and factor.size == 1 and factor.item() == width:
                rows, columns = _neighbour(one, height), _neighbour(low, width)
                return _Corner(_on_axis(rows, 0), _on_axis(columns, 1), picture, tuple(grouped[:3]))
    raise _Mismatch


def _neighbour(value: ir.Value | None, size: int) -> _Places:
    """Return which neighbour along which axis Clip(Cast(Floor(p)) + 0 or 1, 0, size - 1) is."""
    clip = _producer(_unreshaped(value), "Clip")
    low, high = (constant(input_value(clip, at)) for at in (1, 2))
    if low is None or high is None or low.item() != 0 or high.item() != size - 1:
        raise _Mismatch
    node, after = _producer(clip.inputs[0], "Slice", "Add"), False
    if node.op_type == "Add":
        step, after = constant(node.inputs[1]), True
        if step is None or step.size != 1 or step.item() != 1:
            raise _Mismatch
        node = _producer(node.inputs[0], "Slice")
    cast = _producer(node.inputs[0], "Cast")
    if cast.attributes.get_int("to", 0) not in (ir.DataType.INT32, ir.DataType.INT64):
        raise _Mismatch
    floor = _producer(cast.inputs[0], "Floor")
    if floor.inputs[0] is None:
        raise _Mismatch
    return _Places(floor.inputs[0], _sliced_axis(node), after)


def _sliced_axis(node: ir.Node) -> int:
    """Return which half of the pairs of [N, G, T, 2, h, w] a Slice takes: 0 for rows, 1 for columns."""
    shape = _shape(node.inputs[0], 6)
    bounds = [constant(value) for value in node.inputs[1:]]
    if len(bounds) < 3 or any(each is None or each.size != 1 for each in bounds) or shape[3] != 2:
        raise _Mismatch
    start, end, axis, *step = (each.item() for each in bounds if each is not None)
    if axis not in (3, -3) or end != start + 1 or start not in (0, 1) or step not in ([], [1]):
        raise _Mismatch
    return int(start)


def _unpadded(picture: ir.Value) -> tuple[ir.Value, tuple[int, ...]]:
    """Return what was padded with zeros, and by how much above, left, below and right; no side may be without."""
    pad = _producer(picture, "Pad")
    pads, fill = constant(input_value(pad, 1)), input_value(pad, 2)
    if pad.attributes.get_string("mode", "constant") != "constant" or pads is None or len(pads) != 8:
        raise _Mismatch
    value = None if fill is None or not fill.name else constant(fill)
    if (fill is not None and fill.name and (value is None or value.item() != 0)) or pad.inputs[0] is None:
        raise _Mismatch
    if any(pads[[0, 1, 4, 5]]) or min(pads[[2, 3, 6, 7]]) < 1 or input_value(pad, 3) is not None:
        raise _Mismatch
    return pad.inputs[0], tuple(int(pads[at]) for at in (2, 3, 6, 7))


def _base(places: ir.Value, shape: list[int]) -> tuple[ir.Value, tuple[NDArray[np.float64], NDArray[np.float64]]]:
    """Return the offset and the base that were added to give the places; the places and zeros where that is not so."""
    _, groups, taps, _, rows, columns = shape
    node = places.producer()
    if node is not None and node.op_type == "Add" and places.dtype == ir.DataType.FLOAT:
        for offset, fixed in (node.inputs, node.inputs[::-1]):
            base = constant(fixed)
            if base is None or base.ndim != 6 or offset is None or _shape(offset, 6) != shape:
                continue
            down, across = (np.broadcast_to(base[:1], (1, groups, *shape[2:]))[0, :, :, axis] for axis in (0, 1))
            if len(base) == 1 and np.all(down == down[..., :1]) and np.all(across == across[..., :1, :]):
                same = base.shape[1] == 1
                return (
                    offset,
                    tuple(  # type: ignore[return-value]
                        each[:1].astype(np.float64) if same else each.astype(np.float64)
                        for each in (down[..., :1], across[..., :1, :])
                    ),
                )
    return places, (np.zeros((1, taps, rows, 1)), np.zeros((1, taps, 1, columns)))


def _on_axis(found: _Places, axis: int) -> _Places:
    if found.axis != axis:
        raise _Mismatch
    return found


def _require_same(values: object) -> None:
    if len({id(value) for value in values}) != 1:  # type: ignore[attr-defined]
        raise _Mismatch


def _unreshaped(value: ir.Value | None) -> ir.Value:
    """Return the value that this one is a Reshape of: its elements are in the same order."""
    while value is not None and (node := value.producer()) is not None and node.op_type == "Reshape":
        value = node.inputs[0]
    if value is None:
        raise _Mismatch
    return value


def _producer(value: ir.Value | None, *operators: str) -> ir.Node:
    node = None if value is None else value.producer()
    if node is None or node.domain not in ("", "ai.onnx") or (operators and node.op_type not in operators):
        raise _Mismatch
    return node


def _shape(value: ir.Value | None, rank: int) -> list[int]:
    shape = static_shape(value)
    if shape is None or len(shape) != rank:
        raise _Mismatch
    return shape
