"""Matches a deformable convolution exported as four Gathers of a padded image and their weighted sum."""

from __future__ import annotations

import numpy as np
import onnx_ir as ir
from msgspec import Struct
from numpy.typing import NDArray

from webbuild.passes.decompose.match_exported import Mismatch, producer, shape_of, unreshaped
from webbuild.passes.decompose.sampled_corners import Corner, Places, read_corner, read_share
from webbuild.passes.decompose.sampled_taps import SampledTaps
from webbuild.passes.rewrite import constant, input_value

_CORNERS = {(below, right) for below in (False, True) for right in (False, True)}


class UnrolledDeformConv(Struct, frozen=True, eq=False):
    """The operands of an unrolled deformable convolution; see `sample_and_convolve`."""

    form: SampledTaps
    x: ir.Value
    offset: ir.Value
    mask: ir.Value | None
    bias: ir.Value | None


def match_unrolled(conv: ir.Node) -> UnrolledDeformConv | None:
    """Return the deformable convolution that ends with a Conv, None if it ends none.

    deform_conv2d_onnx_exporter writes p = offset + base, in pixels of the padded image, and then

        sum over corners of weight(p - Floor(p)) * GatherND(picture, Clip(Cast(Floor(p))))   [N, G, C / G, T, h, w]
        -> Mul(mask) -> Transpose, Reshape [N, C, h * kh, w * kw] -> Conv<strides = kernel>

    With its other option it writes GatherElements of flat indices.
    """
    try:
        return _match(conv)
    except Mismatch:
        return None


def _match(conv: ir.Node) -> UnrolledDeformConv:
    weights = constant(input_value(conv, 1))
    if weights is None or weights.ndim != 4:
        raise Mismatch
    kernel = list(weights.shape[2:])
    value, mask = _masked(_untransposed(conv, kernel)), None
    if isinstance(value, tuple):
        value, mask = value
    corners = {}
    for term in _terms(value):
        weight, found = _weighted(term)
        corners[found.rows.after, found.columns.after] = found
        if [(each.axis, each.after) for each in weight] != [(0, found.rows.after), (1, found.columns.after)]:
            raise Mismatch
        _require_same(each.places for each in (*weight, found.rows, found.columns))
    first = next(iter(corners.values()))
    if set(corners) != _CORNERS:
        raise Mismatch
    places = first.rows.places
    _require_same(each.rows.places for each in corners.values())
    _require_same(each.picture for each in corners.values())
    if {each.groups for each in corners.values()} != {first.groups}:
        raise Mismatch
    x, pads = _unpadded(first.picture)
    source, shape = shape_of(x, 4), shape_of(places, 6)
    batch, groups, taps, _, rows, columns = shape
    whole = [batch, groups, source[1] // groups, taps, rows, columns]
    padded = [*source[:2], source[2] + sum(pads[::2]), source[3] + sum(pads[1::2])]
    if taps != kernel[0] * kernel[1] or batch != source[0] or source[1] % groups or shape_of(value, 6) != whole:
        raise Mismatch
    if shape_of(first.picture, 4) != padded or list(first.groups) != whole[:3]:
        raise Mismatch
    if mask is not None and shape_of(mask, 6) != [*whole[:2], 1, *whole[3:]]:
        raise Mismatch
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
    """Return the samples [N, C, kh, kw, h, w] that a Conv with strides equal to its kernel sums."""
    if list(conv.attributes.get_ints("strides", [1, 1])) != kernel:
        raise Mismatch
    if any(conv.attributes.get_ints("pads", [0] * 4)) or {*conv.attributes.get_ints("dilations", [1, 1])} != {1}:
        raise Mismatch
    if conv.attributes.get_string("auto_pad", "NOTSET") not in ("NOTSET", "VALID"):
        raise Mismatch
    value = unreshaped(conv.inputs[0])
    # [N, C, kh, kw, h, w] -> [N, C, h, kh, w, kw]
    if kernel == [1, 1] and producer(value).op_type != "Transpose":
        return value
    move = producer(value, "Transpose")
    if list(move.attributes.get_ints("perm", [])) != [0, 1, 4, 2, 5, 3] or shape_of(move.inputs[0], 6)[2:4] != kernel:
        raise Mismatch
    return unreshaped(move.inputs[0])


def _masked(value: ir.Value) -> ir.Value | tuple[ir.Value, ir.Value]:
    """Return the sum of samples, with its mask if it is multiplied by one."""
    node = producer(value)
    if node.op_type != "Mul":
        return value
    for total, mask in (node.inputs, node.inputs[::-1]):
        maker = None if total is None else total.producer()
        if total is not None and mask is not None and maker is not None and maker.op_type in ("Sum", "Add"):
            return total, mask
    raise Mismatch


def _terms(value: ir.Value) -> list[ir.Node]:
    """Return the four products that are added up."""
    waiting, products = [value], list[ir.Node]()
    while waiting:
        node = producer(waiting.pop(), "Sum", "Add", "Mul")
        if node.op_type == "Mul":
            products.append(node)
        else:
            waiting += [each for each in node.inputs if each is not None]
        if len(products) + len(waiting) > len(_CORNERS):
            raise Mismatch
    if len(products) != len(_CORNERS):
        raise Mismatch
    return products


def _weighted(term: ir.Node) -> tuple[list[Places], Corner]:
    """Return a product's weights along both axes, rows first, and the neighbour that they weight."""
    for weight, read in (term.inputs, term.inputs[::-1]):
        product = producer(unreshaped(weight))
        if product.op_type == "Mul":
            shares = sorted((read_share(each) for each in product.inputs), key=lambda each: each.axis)
            return shares, read_corner(read)
    raise Mismatch


def _unpadded(picture: ir.Value) -> tuple[ir.Value, tuple[int, ...]]:
    """Return the image before zero padding, and its padding above, left, below and right, each at least 1."""
    pad = producer(picture, "Pad")
    pads, fill = constant(input_value(pad, 1)), input_value(pad, 2)
    if pad.attributes.get_string("mode", "constant") != "constant" or pads is None or len(pads) != 8:
        raise Mismatch
    value = None if fill is None or not fill.name else constant(fill)
    if (fill is not None and fill.name and (value is None or value.item() != 0)) or pad.inputs[0] is None:
        raise Mismatch
    if any(pads[[0, 1, 4, 5]]) or min(pads[[2, 3, 6, 7]]) < 1 or input_value(pad, 3) is not None:
        raise Mismatch
    return pad.inputs[0], tuple(int(pads[at]) for at in (2, 3, 6, 7))


def _base(places: ir.Value, shape: list[int]) -> tuple[ir.Value, tuple[NDArray[np.float64], NDArray[np.float64]]]:
    """Return offset and base if the positions are their sum, else the positions and a base of zeros."""
    _, groups, taps, _, rows, columns = shape
    node = places.producer()
    if node is not None and node.op_type == "Add" and places.dtype == ir.DataType.FLOAT:
        for offset, fixed in (node.inputs, node.inputs[::-1]):
            base = constant(fixed)
            if base is None or base.ndim != 6 or offset is None or shape_of(offset, 6) != shape:
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


def _require_same(values: object) -> None:
    if len({id(value) for value in values}) != 1:  # type: ignore[attr-defined]
        raise Mismatch
