"""Value ranges of inputs that control the computation: indices, sizes, thresholds, counts."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Mapping

import onnx_ir as ir
from msgspec import Struct

from webbuild.passes.analysis.noise_inputs import noise_numbers
from webbuild.passes.rewrite import constant, static_shape

_HANDED_ON = {
    "Cast": (0,), "Identity": (0,), "Unsqueeze": (0,), "Squeeze": (0,), "Reshape": (0,), "Flatten": (0,),
    "Expand": (0,), "Transpose": (0,), "Slice": (0,), "Split": (0,), "Tile": (0,),
}  # fmt: skip
"""Operators that pass on the values of these inputs."""
_LONGEST = 16
"""The largest count or size if the graph sets no limit."""

_FIXED: Mapping[tuple[str, int], tuple[float, float]] = {
    ("NonMaxSuppression", 2): (1, _LONGEST),
    ("NonMaxSuppression", 3): (0, 1),
    ("NonMaxSuppression", 4): (0, 1),
    ("OneHot", 1): (1, _LONGEST),
    ("Resize", 2): (1, 1),
    ("Upsample", 1): (1, 1),
    ("Pad", 1): (0, 0),
    ("Range", 0): (0, 0),
    ("Range", 1): (1, _LONGEST),
    ("Range", 2): (1, 1),
    ("Slice", 1): (0, 0),
    ("Slice", 2): (1, _LONGEST),
    ("Slice", 3): (0, 0),
    ("Slice", 4): (1, 1),
    ("Tile", 1): (1, 1),
    ("Expand", 1): (1, 1),
    ("ConstantOfShape", 0): (1, _LONGEST),
    ("CumSum", 1): (0, 0),
    ("Trilu", 1): (0, 0),
    ("Loop", 0): (1, 4),
    ("Mod", 1): (1, _LONGEST),
}
"""(operator, input index): the range that is valid for every such node."""
_PARTS: Mapping[tuple[str, int], tuple[float, float]] = {
    ("Resize", 2): (0.5, 1),
    ("Resize", 3): (_LONGEST, 2 * _LONGEST),
    ("Upsample", 1): (1, 2),
}
"""The same for one element of a Concat: the height or the width."""

_OTHER_SCALES = (0.5, 1.0)
"""The range of the numbers beside those that scale noise, such as the speed of speech."""


class InputRange(Struct, frozen=True):
    """The range of an input, both ends included, and the operator that sets it.

    Attributes:
        values: its only values, if there are any.
        zeros: indices of the numbers that are 0.
    """

    low: float
    high: float
    operator: str
    values: tuple[float, ...] = ()
    zeros: tuple[int, ...] = ()

    def __str__(self) -> str:
        listed = " or ".join(f"{each:g}" for each in self.values)
        between = f"{self.low:g}" if self.low == self.high else f"{self.low:g} to {self.high:g}"
        return f"{listed or between}{' or 0' if self.zeros and self.high else ''}, for {self.operator}"


def input_ranges(model: ir.Model) -> dict[str, InputRange]:
    """Return the ranges of the inputs that a node bounds, directly or after Casts and reshapes.

    If the size of an axis is unknown, its only valid index is 0. If two ranges do not overlap, the first is used. A
    number without a range that is compared with constants, such as a sample rate, has these values and another one.
    The condition of an If has both values, so that both branches run.
    Numbers that scale random noise are 0.
    """
    ranges: dict[str, InputRange] = {}
    for value in model.graph.inputs:
        if value.is_initializer() or value.dtype in (None, ir.DataType.STRING):
            continue
        if value.dtype == ir.DataType.BOOL:
            if _is_condition(value):
                ranges[value.name or ""] = InputRange(0, 1, "If", (1, 0))
            continue
        for each in _ranges(value, part=False, seen=set()):
            known = ranges.get(value.name or "", each)
            low, high = max(known.low, each.low), min(known.high, each.high)
            narrower = InputRange(
                low, high, known.operator if (low, high) == (known.low, known.high) else each.operator
            )
            ranges[value.name or ""] = narrower if low <= high else known
        if value.name not in ranges and (values := _compared_values(value)):
            ranges[value.name or ""] = InputRange(min(values), max(values), "Equal", values)
    return {**_without_noise(model), **ranges}


def _without_noise(model: ir.Model) -> dict[str, InputRange]:
    """Return the ranges of the inputs that scale random noise: only runs without noise can be compared."""
    ranges: dict[str, InputRange] = {}
    inputs = {value.name: value for value in model.graph.inputs}
    for name, zeros in noise_numbers(model).items():
        has_others = len(zeros) < math.prod(static_shape(inputs[name]) or ())
        low, high = _OTHER_SCALES if has_others else (0.0, 0.0)
        ranges[name] = InputRange(low, high, "random noise", zeros=zeros)
    return ranges


def _compared_values(value: ir.Value) -> tuple[float, ...]:
    """Return the constants that Equal compares a single number with, and a value that differs from them."""
    shape = static_shape(value)
    if shape is None or math.prod(shape) != 1:
        return ()
    constants: dict[float, None] = {}
    pending, seen = [value], {value}
    while pending:
        for node, index in pending.pop().uses():
            if node.op_type == "Equal" and (other := constant(node.inputs[1 - index])) is not None:
                constants.update(dict.fromkeys(other.ravel().tolist()))
            elif index in _HANDED_ON.get(node.op_type, ()):
                pending += [each for each in node.outputs if each not in seen]
                seen.update(node.outputs)
    return (*constants, next(each for each in itertools.count() if each not in constants)) if constants else ()


def _is_condition(value: ir.Value) -> bool:
    """Whether an If takes its branch by a value, directly or after reshapes."""
    return any(
        node.op_type == "If" or (index in _HANDED_ON.get(node.op_type, ()) and any(map(_is_condition, node.outputs)))
        for node, index in value.uses()
    )


def _ranges(value: ir.Value, *, part: bool, seen: set[ir.Value]) -> Iterator[InputRange]:
    if value in seen:
        return
    seen.add(value)
    for use in value.uses():
        node, index = use.node, use.idx
        if node.domain not in ("", "ai.onnx"):
            continue
        if node.op_type == "Concat" or index in _HANDED_ON.get(node.op_type, ()):
            for output in node.outputs:
                yield from _ranges(output, part=part or node.op_type == "Concat", seen=seen)
        elif (bounds := _bounds(node, index, part=part)) is not None:
            yield InputRange(*bounds, node.op_type)


def _bounds(node: ir.Node, index: int, *, part: bool) -> tuple[float, float] | None:
    key = (node.op_type, index)
    if part and key in _PARTS:
        return _PARTS[key]
    axis = node.attributes.get_int("axis", -1 if node.op_type == "TopK" else 0)
    match key:
        case ("Gather" | "GatherElements" | "ScatterElements" | "Scatter" | "GatherND" | "ScatterND", 1):
            return 0, _axis_size(node, None if node.op_type.endswith("ND") else axis, 1) - 1
        case ("OneHot", 0):
            depth = constant(node.inputs[1])
            return 0, (_LONGEST if depth is None else max(1, int(depth.ravel()[0]))) - 1
        case ("TopK", 1):
            return 1, _axis_size(node, axis, 1)
        case ("Div", 1):
            whole = node.inputs[1] is not None and node.inputs[1].dtype in (ir.DataType.INT32, ir.DataType.INT64)
            return (1, _LONGEST) if whole else None
    return _FIXED.get(key)


def _axis_size(node: ir.Node, axis: int | None, unknown: int) -> int:
    """Return the size of an axis of a node's first input, of its smallest axis if `axis` is None."""
    sizes = static_shape(node.inputs[0])
    if not sizes or (axis is not None and not -len(sizes) <= axis < len(sizes)):
        return unknown
    return max(1, min(sizes) if axis is None else sizes[axis])
