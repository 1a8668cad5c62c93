"""Value ranges: interval analysis of the numbers in a graph."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable

import numpy as np
import onnx_ir as ir

from webbuild.passes.graphs import all_graphs
from webbuild.passes.rewrite import constant, consumers, static_shape

Interval = tuple[float, float]
"""(minimum, maximum), both included; integers are Python ints, so exact."""

UNBOUNDED: Interval = (-math.inf, math.inf)
_TYPES: dict[ir.DataType | None, Interval] = {
    ir.DataType.BOOL: (0, 1),
    **{ir.DataType[f"INT{bits}"]: (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1) for bits in (8, 16, 32)},
    **{ir.DataType[f"UINT{bits}"]: (0, 2**bits - 1) for bits in (8, 16, 32)},
}
_ROUNDING = 1e-6
"""Relative margin of float bounds that are cast to integers."""
DATA_MOVEMENT_OPS = {
    "Reshape", "Squeeze", "Unsqueeze", "Expand", "Transpose", "Flatten", "Identity", "Tile", "Gather", "GatherND",
    "GatherElements", "Slice", "Split", "ReduceMax", "ReduceMin", "ReduceMean", "MaxPool", "DepthToSpace", "TopK",
    "Dropout",
}  # fmt: skip
"""Operators whose output is within the bounds of their first input."""
_BOUNDED: dict[str, Interval] = {
    **dict.fromkeys(("Sigmoid", "Softmax", "HardSigmoid"), (0, 1)),
    **dict.fromkeys(("Tanh", "Sign", "Sin", "Cos"), (-1, 1)),
}
_BOOL_OPS = {"Equal", "Less", "Greater", "LessOrEqual", "GreaterOrEqual", "Not", "And", "Or", "Xor"}


def value_ranges(graph: ir.Graph) -> dict[ir.Value, Interval]:
    """Return the bounds of every node output, graph input and captured value of a graph.

    Values used as indices are within the indexed axis, or the model would not run. Indices that only a body uses are
    excepted, as the body may never run.
    """
    graphs = all_graphs(graph)
    intervals: dict[ir.Value, Interval] = {}
    for each in graphs[: graphs.index(graph)]:
        _add_ranges(each, intervals)
    for value, interval in intervals.items():
        intervals[value] = _index_interval(value, interval, graph)
    _add_ranges(graph, intervals)
    return intervals


def _add_ranges(graph: ir.Graph, intervals: dict[ir.Value, Interval]) -> None:
    for value in graph.inputs:
        intervals[value] = _index_interval(value, _TYPES.get(value.dtype, UNBOUNDED), graph)
    for node in graph:
        reads = [_input_interval(value, intervals) for value in node.inputs]
        for index, value in enumerate(node.outputs):
            interval = _output_interval(node, reads, index) or UNBOUNDED
            low, high = _TYPES.get(value.dtype, UNBOUNDED)
            if not low <= interval[0] <= interval[1] <= high:
                interval = (low, high)
            intervals[value] = _index_interval(value, interval, graph)


def _input_interval(value: ir.Value | None, intervals: dict[ir.Value, Interval]) -> Interval:
    array = constant(value)
    if array is not None and array.dtype != np.object_ and array.size and array.dtype.kind in "biuf":
        if array.dtype.kind == "f" and not np.isfinite(array).all():
            return UNBOUNDED
        return array.min().item(), array.max().item()
    return UNBOUNDED if value is None else intervals.get(value, _TYPES.get(value.dtype, UNBOUNDED))


def _index_interval(value: ir.Value, interval: Interval, graph: ir.Graph) -> Interval:
    """Return the bounds of a value, narrowed by the axes that nodes of a graph index with it."""
    for node in (node for node in consumers(value) if node.graph is graph):
        if len(node.inputs) > 1 and node.inputs[1] is value and node.inputs[0] is not value:
            size = _indexed_size(node)
            if size:
                interval = (max(interval[0], -size), min(interval[1], size - 1))
    return interval


def _indexed_size(node: ir.Node) -> int:
    """Return the size of the axis that a node's second input indexes, the largest of several; 0 if unknown."""
    shape, index = static_shape(node.inputs[0]), static_shape(node.inputs[1])
    if not shape or node.domain not in ("", "ai.onnx"):
        return 0
    if node.op_type in ("Gather", "GatherElements", "ScatterElements"):
        return shape[node.attributes.get_int("axis", 0)]
    if node.op_type in ("GatherND", "ScatterND") and index:
        # index [..., k]: one number for each of k axes
        first = node.attributes.get_int("batch_dims", 0)
        return max(shape[first : first + index[-1]], default=0)
    return 0


def _output_interval(node: ir.Node, reads: list[Interval], index: int) -> Interval | None:
    kind = node.op_type
    if node.domain not in ("", "ai.onnx"):
        return None
    if kind in ("ArgMax", "ArgMin") or (kind == "TopK" and index == 1):
        shape = static_shape(node.inputs[0])
        axis = node.attributes.get_int("axis", -1 if kind == "TopK" else 0)
        return None if not shape else (0, max(shape[axis] - 1, 0))
    if kind in DATA_MOVEMENT_OPS:
        return reads[0] if index == 0 or kind == "Split" else None
    if kind in _BOUNDED or kind in _BOOL_OPS:
        return _BOUNDED.get(kind, (0, 1))
    if kind == "Shape":
        return (0, 2**31 - 1)
    if kind == "Sub" and (divisor := _modulo_divisor(node)) is not None:
        return _remainder(node, [reads[0], (divisor, divisor)]) if reads[0][0] >= 0 else None
    if kind in _BY_INPUTS:
        return _BY_INPUTS[kind](reads)
    return _BY_NODE[kind](node, reads) if kind in _BY_NODE else None


def _sum(reads: list[Interval]) -> Interval:
    return reads[0][0] + reads[1][0], reads[0][1] + reads[1][1]


def _difference(reads: list[Interval]) -> Interval:
    return reads[0][0] - reads[1][1], reads[0][1] - reads[1][0]


def _product(reads: list[Interval]) -> Interval:
    return _enclosing(0 if 0 in (a, b) else a * b for a in reads[0] for b in reads[1])


def _quotient(node: ir.Node, reads: list[Interval]) -> Interval | None:
    """Return the bounds of a quotient. Integer division truncates towards zero, and its divisor is never zero."""
    value = node.outputs[0]
    if value.dtype is None or not value.dtype.is_integer():
        if not (reads[1][0] > 0 or reads[1][1] < 0) or math.inf in map(abs, (*reads[0], *reads[1])):
            return None
        return _enclosing(a / b for a in reads[0] for b in reads[1])
    if math.inf in map(abs, (*reads[0], *reads[1])) or not (reads[1][0] > 0 or reads[1][1] < 0):
        most = max(map(abs, reads[0]))
        return -most, most
    # integer division truncates towards zero: the bounds are among the four quotients
    cut = [int(math.copysign(abs(int(a)) // abs(int(b)), a * b)) for a in reads[0] for b in reads[1]]
    return _enclosing([*cut, 0] if reads[0][0] < 0 < reads[0][1] else cut)


def _remainder(node: ir.Node, reads: list[Interval]) -> Interval:
    """Return the bounds of a remainder: its sign is the divisor's, or the dividend's with `fmod`."""
    most = max(map(abs, reads[1])) - (1 if node.outputs[0].dtype == ir.DataType.INT64 else 0)
    signed = reads[0] if node.attributes.get_int("fmod", 0) else reads[1]
    return (0 if signed[0] >= 0 else -most), (0 if signed[1] <= 0 else most)


def _modulo_divisor(node: ir.Node) -> int | None:
    """Return the divisor of a remainder in the form x - x / divisor * divisor, None for another Sub."""
    x, product = node.inputs
    times = None if product is None else product.producer()
    if times is None or times.op_type != "Mul" or node.outputs[0].dtype != ir.DataType.INT64:
        return None
    factors = [constant(value) for value in times.inputs]
    quotient = next((v for v, factor in zip(times.inputs, factors, strict=True) if factor is None), None)
    by = next((factor for factor in factors if factor is not None and factor.size == 1), None)
    divide = None if quotient is None else quotient.producer()
    while divide is not None and divide.op_type == "Cast" and divide.inputs[0] is not None:
        divide = divide.inputs[0].producer()
    if by is None or divide is None or divide.op_type != "Div" or divide.inputs[0] is not x:
        return None
    divisor = constant(divide.inputs[1])
    return int(by.item()) if divisor is not None and divisor.size == 1 and divisor.item() == by.item() > 0 else None


def _clip(node: ir.Node, reads: list[Interval]) -> Interval:
    low = node.attributes.get_float("min", -math.inf) if len(reads) < 2 or node.inputs[1] is None else reads[1][0]
    high = node.attributes.get_float("max", math.inf) if len(reads) < 3 or node.inputs[2] is None else reads[2][1]
    return min(max(reads[0][0], low), high), max(min(reads[0][1], high), low)


def _cast(node: ir.Node, reads: list[Interval]) -> Interval | None:
    """Return the bounds after a Cast; those of floats get a margin for float32 rounding."""
    if node.attributes.get_int("to", 0) == ir.DataType.BOOL.value:
        return (0, 1)
    source = node.inputs[0]
    if source is None or source.dtype is None or not source.dtype.is_floating_point():
        return reads[0]
    if math.inf in map(abs, reads[0]):
        return None
    low, high = reads[0][0] - abs(reads[0][0]) * _ROUNDING, reads[0][1] + abs(reads[0][1]) * _ROUNDING
    whole = not ir.DataType(node.attributes.get_int("to", 0)).is_floating_point()
    return (math.trunc(low), math.trunc(high)) if whole else (low, high)


def _sum_over_axes(node: ir.Node, reads: list[Interval]) -> Interval | None:
    """Return the bounds of a sum, from the number of elements that are reduced."""
    before, after = static_shape(node.inputs[0]), static_shape(node.outputs[0])
    if before is None or after is None or 0 in after:
        return None
    # [N, C] -> [N, 1]: C elements in each sum
    count = math.prod(before) // math.prod(after)
    if node.op_type == "CumSum":
        axis = constant(node.inputs[1])
        count = math.prod(before) if axis is None else before[int(axis.item())]
    return min(count * reads[0][0], 0, reads[0][0]), max(count * reads[0][1], 0, reads[0][1])


def _rounded(function: Callable[[float], int]) -> Callable[[list[Interval]], Interval]:
    def rule(reads: list[Interval]) -> Interval:
        low, high = (bound if math.isinf(bound) else function(bound) for bound in reads[0])
        return low, high

    return rule


def _enclosing(values: Iterable[float]) -> Interval:
    listed = list(values)
    return min(listed), max(listed)


def _magnitude(reads: list[Interval]) -> Interval:
    ends = [abs(bound) for bound in reads[0]]
    return (0 if reads[0][0] <= 0 <= reads[0][1] else min(ends)), max(ends)


def _padded(node: ir.Node, reads: list[Interval]) -> Interval:
    filled = reads[2] if len(reads) > 2 and node.inputs[2] is not None else (0, 0)
    return _enclosing((*reads[0], *filled))


def _scattered(node: ir.Node, reads: list[Interval]) -> Interval | None:
    combines = node.attributes.get_string("reduction", "none") in ("add", "mul")
    return None if combines else _enclosing((*reads[0], *reads[2]))


_BY_INPUTS: dict[str, Callable[[list[Interval]], Interval]] = {
    "Add": _sum,
    "Sub": _difference,
    "Mul": _product,
    "Floor": _rounded(math.floor),
    "Ceil": _rounded(math.ceil),
    "Round": _rounded(round),
    "Abs": _magnitude,
    "Neg": lambda reads: (-reads[0][1], -reads[0][0]),
    "Relu": lambda reads: (max(reads[0][0], 0), max(reads[0][1], 0)),
    "Min": lambda reads: (min(low for low, _ in reads), min(high for _, high in reads)),
    "Max": lambda reads: (max(low for low, _ in reads), max(high for _, high in reads)),
    "Concat": lambda reads: _enclosing(bound for pair in reads for bound in pair),
    "Where": lambda reads: _enclosing((*reads[1], *reads[2])),
    "Trilu": lambda reads: _enclosing((*reads[0], 0)),
}
"""Rules that need only the bounds of the inputs."""

_BY_NODE: dict[str, Callable[[ir.Node, list[Interval]], Interval | None]] = {
    "Div": _quotient,
    "Mod": _remainder,
    "Clip": _clip,
    "Cast": _cast,
    "CumSum": _sum_over_axes,
    "ReduceSum": _sum_over_axes,
    "Pad": _padded,
    "ScatterElements": _scattered,
    "ScatterND": _scattered,
}
