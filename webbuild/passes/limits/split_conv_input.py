from __future__ import annotations

from collections.abc import Callable

import numpy as np
import onnx_ir as ir

from webbuild.passes.base import Pass, PassOptions, Rewrite
from webbuild.passes.builder import Builder
from webbuild.passes.rewrite import (
    attribute_values,
    constant,
    find_nodes,
    input_value,
    nbytes,
    opset_version,
    replace_output,
    static_shape,
)

_INTERPOLATIONS = ("nearest", "linear", "cubic")
"""Modes of Resize whose weights sum to 1, so that a bias can be added before or after."""


class SplitConvInput(Pass):
    """`Conv(Concat(a, b), w)` -> `Conv(a, w[:, a]) + Conv(b, w[:, b])`, if the input exceeds the buffer limit.

        Conv(Concat(a, b), w)       ->  Conv(a, w[:, a]) + Conv(b, w[:, b])
        Conv(Conv(x, v), w)         ->  Conv(Conv(x, v[first]), w[:, first]) + Conv(Conv(x, v[rest]), w[:, rest])
        Conv<1 x 1>(Resize(x), w)   ->  Resize(Conv<1 x 1>(x, w))

    Why: every device binds 128 MiB to a shader, many phones no more than that. Matting and segmentation end with a
    Concat of upsampled features at the image's size and a Conv to one channel: at 1024 x 1024, 120 channels take
    480 MiB, in addition to the concatenated tensors.

    How: a convolution is linear in its input channels.

    - Each operand of a Concat is convolved with its part of the weights, and the results are added.
    - The channels of a preceding Conv are processed likewise, in as few parts as fit.
    - A 1 x 1 Conv to fewer channels moves before a Resize of height and width.

    Limits: constant weights, one group, and an input that nothing else reads. Accurate to 1e-5 of the largest
    magnitude: sums are taken in another order.
    """

    code = "split-conv-input"
    after = ("fold-constants", "fold-deform-conv")
    target = "webgpu"
    tolerance = 1e-5

    def apply(self, model: ir.Model, options: PassOptions) -> list[Rewrite]:
        rewrites = []
        limit = options.max_binding_size
        waiting = list(find_nodes(model, "Conv"))
        while waiting:
            conv = waiting.pop(0)
            x = conv.inputs[0]
            maker = splittable_maker(conv, limit)
            if x is None or maker is None:
                continue
            mebibytes = (nbytes(x) or 0) >> 20
            if x.is_graph_output() or len(x.uses()) > 1:
                rewrites.append(self.skipped(conv, f"other nodes read '{x.name}', {mebibytes} MiB, too"))
                continue
            add = Builder(model.graph, conv, f"{conv.name or 'Conv'}/part", opset_version(model))
            result, parts = _WRITERS[maker.op_type](add, conv, maker, limit)
            replace_output(conv, result)
            model.graph.remove([conv, maker], safe=True)
            rewrites.append(self.applied(conv, f"'{x.name}', {mebibytes} MiB, is never computed as a whole"))
            waiting = [*parts, *waiting]
        return rewrites


def splittable_maker(conv: ir.Node, limit: int) -> ir.Node | None:
    """Return the producer of a Conv's input if that exceeds the limit and the Conv can be split."""
    x = input_value(conv, 0)
    maker = None if x is None else x.producer()
    if conv.op_type != "Conv" or maker is None or maker.op_type not in _CHECKS or maker.graph is not conv.graph:
        return None
    fits = (nbytes(x) or 0) <= limit
    return None if fits or not _is_plain(conv) or not _CHECKS[maker.op_type](conv, maker, limit) else maker


_Written = tuple[ir.Value, list[ir.Node]]
"""The value that replaces the Conv's output, and the Convs that were added."""


def _is_plain(conv: ir.Node) -> bool:
    """Whether a Conv has one group, constant weights and a static output shape."""
    weights, target = constant(input_value(conv, 1)), static_shape(conv.outputs[0])
    return weights is not None and conv.attributes.get_int("group", 1) == 1 and target is not None


def _is_joined_channels(_: ir.Node, concat: ir.Node, _limit: int) -> bool:
    shapes = [static_shape(part) for part in concat.inputs]
    rank = len(shapes[0] or [])
    return None not in shapes and len(shapes) > 1 and concat.attributes.get_int("axis", 0) in (1, 1 - rank)


def _is_conv_of_parts(_: ir.Node, before: ir.Node, limit: int) -> bool:
    bias = input_value(before, 2)
    return _is_plain(before) and (bias is None or constant(bias) is not None) and _channels_that_fit(before, limit) > 0


def _commutes_with_resize(conv: ir.Node, resize: ir.Node, _limit: int) -> bool:
    source, target = static_shape(resize.inputs[0]), static_shape(conv.outputs[0])
    weights, large = constant(conv.inputs[1]), static_shape(resize.outputs[0])
    if source is None or target is None or large is None or weights is None:
        return False
    if any(size != 1 for size in weights.shape[2:]) or target[2:] != large[2:]:
        return False
    coordinate_mode = resize.attributes.get_string("coordinate_transformation_mode", "half_pixel")
    return (
        target[1] < source[1]
        and source[:2] == large[:2]
        and resize.attributes.get_string("mode", "nearest") in _INTERPOLATIONS
        and coordinate_mode != "tf_crop_and_resize"
        and (_has_sizes(resize) or constant(input_value(resize, 2)) is not None)
    )


def _over_concat(add: Builder, conv: ir.Node, concat: ir.Node, _limit: int) -> _Written:
    parts = [part for part in concat.inputs if part is not None]
    return _add_sum_of_convs(add, conv, parts, [(static_shape(part) or [])[1] for part in parts])


def _over_conv(add: Builder, conv: ir.Node, before: ir.Node, limit: int) -> _Written:
    weights, bias = constant(before.inputs[1]), constant(input_value(before, 2))
    x = before.outputs[0]
    shape = static_shape(x)
    assert weights is not None
    assert shape is not None
    count = -(-shape[1] // _channels_that_fit(before, limit))
    parts = []
    for rows in np.array_split(np.arange(shape[1]), count):
        inputs = [before.inputs[0], add.like(before.inputs[1], weights[rows])]
        inputs += [] if bias is None else [add.like(before.inputs[2], bias[rows])]
        part = add.op("Conv", *inputs, **attribute_values(before))
        part.type, part.shape = x.type, ir.Shape([shape[0], len(rows), *shape[2:]])
        parts.append(part)
    return _add_sum_of_convs(add, conv, parts, [(static_shape(part) or [])[1] for part in parts])


def _channels_that_fit(conv: ir.Node, limit: int) -> int:
    shape, size = static_shape(conv.outputs[0]), nbytes(conv.outputs[0])
    return 0 if shape is None or not size else limit * shape[1] // size


def _add_sum_of_convs(add: Builder, conv: ir.Node, parts: list[ir.Value], channels: list[int]) -> _Written:
    """Add a Conv of each part and their sum; the first Conv has the bias."""
    weights = constant(conv.inputs[1])
    assert weights is not None
    total, start, convs = None, 0, list[ir.Node]()
    for part, size in zip(parts, channels, strict=True):
        inputs: list[ir.Value | None] = [part, add.like(conv.inputs[1], weights[:, start : start + size])]
        start += size
        if total is None and input_value(conv, 2) is not None:
            inputs.append(conv.inputs[2])
        result = add.op("Conv", *inputs, **attribute_values(conv))
        convs.append(_producer(result))
        total = result if total is None else add.op("Add", total, result)
        for value in (result, total):
            value.type, value.shape = conv.outputs[0].type, conv.outputs[0].shape
    assert total is not None
    return total, convs


def _before_resize(add: Builder, conv: ir.Node, resize: ir.Node, _limit: int) -> _Written:
    source, target = static_shape(resize.inputs[0]), static_shape(conv.outputs[0])
    assert source is not None
    assert target is not None
    small = add.op("Conv", resize.inputs[0], *conv.inputs[1:], **attribute_values(conv))
    small.type, small.shape = conv.outputs[0].type, ir.Shape([source[0], target[1], *source[2:]])
    inputs = [small, *resize.inputs[1:]]
    if _has_sizes(resize):
        axes = resize.attributes.get_ints("axes", range(len(target)))
        inputs[3] = add.const([target[axis] for axis in axes], np.int64)
    return add.op("Resize", *inputs, **attribute_values(resize)), [_producer(small)]


def _has_sizes(resize: ir.Node) -> bool:
    sizes = input_value(resize, 3)
    return sizes is not None and bool(sizes.name)


def _producer(value: ir.Value) -> ir.Node:
    node = value.producer()
    assert node is not None
    return node


_CHECKS: dict[str, Callable[[ir.Node, ir.Node, int], bool]] = {
    "Concat": _is_joined_channels,
    "Conv": _is_conv_of_parts,
    "Resize": _commutes_with_resize,
}
"""By the operator that computes a Conv's input: whether the Conv can be split."""
_WRITERS: dict[str, Callable[[Builder, ir.Node, ir.Node, int], _Written]] = {
    "Concat": _over_concat,
    "Conv": _over_conv,
    "Resize": _before_resize,
}
"""By the operator that computes a Conv's input: the function that splits it."""
