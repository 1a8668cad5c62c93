"""Rules that evaluate operators on symbolic integers and images."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import onnx_ir as ir

from webbuild.passes.analysis.picture_terms import Picture, cut, resized, stacked, zeros
from webbuild.passes.analysis.size_terms import Term, known_number, largest, least, minus, number, plus
from webbuild.passes.rewrite import constant

Known = Picture | tuple[Term, ...]
"""An image, or the numbers of a vector or scalar."""
Reads = Sequence[Known | None]
"""The inputs of a node, None for an omitted one."""


def _same(node: ir.Node, reads: Reads) -> Known | None:
    """Return the input of a node that passes it on; leading axes of size 1 of an image may be added or removed."""
    data, is_cast, kind = reads[0], node.op_type == "Cast", node.outputs[0].dtype
    if isinstance(data, tuple):
        return data if not is_cast or kind in (ir.DataType.INT64, ir.DataType.BOOL) else None
    if data is None or node.op_type == "Reshape" or (is_cast and kind != ir.DataType.FLOAT):
        return None
    return data if is_cast or node.op_type == "Identity" else _with_axes(node, data, reads[1:])


def _with_axes(node: ir.Node, data: Picture, axes_term: Reads) -> Picture | None:
    """Return the output of a Squeeze or an Unsqueeze of leading axes: [1, H, W] -> [1, 1, H, W]."""
    axes = axes_term[0] if axes_term and isinstance(axes_term[0], tuple) else None
    places = node.attributes.get_ints("axes", []) if axes is None else [known_number(axis) for axis in axes]
    front, added = len(data.sizes) - 2, 1 if node.op_type == "Unsqueeze" else -1
    if not places or not set(places) <= set(range(front + (added == 1))):
        return None
    return Picture(data.term, (*[number(1)] * (front + added * len(places)), *data.sizes[-2:]))


def _gather(node: ir.Node, reads: Reads) -> Known | None:
    data, index = reads[0], reads[1]
    places = [known_number(each) for each in index] if isinstance(index, tuple) else []
    if not places or None in places or node.attributes.get_int("axis", 0) != 0:
        return None
    if isinstance(data, tuple):
        return tuple(
            data[position] for position in places if position is not None and -len(data) <= position < len(data)
        )
    is_first = constant(node.inputs[1]) is not None and places == [0]
    return Picture(data.term, data.sizes[1:]) if data is not None and is_first and len(data.sizes) > 2 else None


def _slice(_node: ir.Node, reads: Reads) -> Known | None:
    data, *bounds = reads
    numbers = [each for each in bounds if isinstance(each, tuple)]
    if len(numbers) < len(bounds) or len(numbers) < 2:
        return None
    starts, ends, *rest = numbers
    axes = [known_number(each) for each in rest[0]] if rest else list(range(len(starts)))
    if None in axes or (len(rest) > 1 and any(known_number(step) != 1 for step in rest[1])):
        return None
    if isinstance(data, tuple):
        first, last = known_number(starts[0]), known_number(ends[0])
        return data[first:last] if axes == [0] and None not in (first, last) else None
    for start, end, axis in zip(starts, ends, axes, strict=True):
        if data is None or axis is None:
            return None
        from_end = axis if axis < 0 else axis - len(data.sizes)
        if from_end not in (-2, -1):
            return None
        data = cut(data, from_end, start, end)
    return data


def _concat(node: ir.Node, reads: Reads) -> Known | None:
    numbers = [each for each in reads if isinstance(each, tuple)]
    pictures = [each for each in reads if isinstance(each, Picture)]
    axis = node.attributes.get_int("axis", 0)
    if len(numbers) == len(reads):
        return tuple(each for part in numbers for each in part) if axis in (0, -1) else None
    if len(pictures) != len(reads) or len(pictures) != 3:
        return None
    from_end = axis if axis < 0 else axis - len(pictures[1].sizes)
    return stacked(pictures, from_end) if from_end in (-2, -1) else None


def _resize(node: ir.Node, reads: Reads) -> Known | None:
    data, sizes = reads[0], reads[3] if len(reads) > 3 else None
    read = node.attributes
    mode = read.get_string("coordinate_transformation_mode", "half_pixel")
    plain = read.get_string("mode", "nearest") == "linear" and not read.get_int("antialias", 0) and "axes" not in read
    plain = plain and read.get_string("keep_aspect_ratio_policy", "stretch") == "stretch"
    if not plain or not isinstance(data, Picture) or not isinstance(sizes, tuple) or len(data.sizes) != len(sizes):
        return None
    return resized(data, sizes, mode or "")


def _expand(_node: ir.Node, reads: Reads) -> Known | None:
    """Return an image of the same size, with leading axes of size 1."""
    data, sizes = reads[0], reads[1]
    if not isinstance(data, Picture) or not isinstance(sizes, tuple) or sizes[-2:] != data.sizes[-2:]:
        return None
    return (
        Picture(data.term, sizes) if all(known_number(size) == 1 for size in (*data.sizes[:-2], *sizes[:-2])) else None
    )


def _constant_of_shape(node: ir.Node, reads: Reads) -> Known | None:
    filled = node.attributes.get_tensor("value", None)
    is_zero = filled is None or (filled.dtype == ir.DataType.FLOAT and not filled.numpy().any())
    return zeros(reads[0]) if is_zero and isinstance(reads[0], tuple) and len(reads[0]) == 2 else None


def _elementwise(rule: Callable[..., Term | None]) -> Callable[[ir.Node, Reads], Known | None]:
    def result(_node: ir.Node, reads: Reads) -> Known | None:
        numbers = [each for each in reads if isinstance(each, tuple)]
        length = max(map(len, numbers), default=0)
        if len(numbers) < len(reads) or any(len(each) not in (1, length) for each in numbers):
            return None
        results = [rule(*each) for each in zip(*(each * (length // len(each)) for each in numbers), strict=True)]
        terms = tuple(each for each in results if each is not None)
        return terms if len(terms) == length else None

    return result


def _equal(term: Term, other: Term) -> Term | None:
    difference = known_number(minus(term, other))
    return None if difference is None else number(int(difference == 0))


def _where(condition: Term, term: Term, other: Term) -> Term | None:
    true = known_number(condition)
    return None if true is None else term if true else other


def _reduced(rule: Callable[[Sequence[Term]], Term]) -> Callable[[ir.Node, Reads], Known | None]:
    return lambda _, reads: (rule(reads[0]),) if isinstance(reads[0], tuple) and reads[0] else None


def _sizes(node: ir.Node, reads: Reads) -> Known | None:
    plain = "start" not in node.attributes and "end" not in node.attributes
    return reads[0].sizes if isinstance(reads[0], Picture) and plain else None


TERM_RULES: Mapping[str, Callable[[ir.Node, Reads], Known | None]] = {
    **dict.fromkeys(("Identity", "Cast", "Squeeze", "Unsqueeze", "Reshape"), _same),
    "Gather": _gather,
    "Slice": _slice,
    "Concat": _concat,
    "Resize": _resize,
    "Expand": _expand,
    "ConstantOfShape": _constant_of_shape,
    "Shape": _sizes,
    "Add": _elementwise(plus),
    "Sub": _elementwise(minus),
    "Max": _elementwise(lambda *terms: largest(terms)),
    "Min": _elementwise(lambda *terms: least(terms)),
    "Equal": _elementwise(_equal),
    "Where": _elementwise(_where),
    "ReduceMax": _reduced(largest),
    "ReduceMin": _reduced(least),
}
