"""Lowering of int64 operators to operators with int32 kernels on the GPU."""

from __future__ import annotations

import numpy as np
import onnx_ir as ir

from webbuild.passes.analysis.python_slice import python_slice
from webbuild.passes.builder import Builder
from webbuild.passes.rewrite import attribute_values, constant, static_shape

INT32_MAX = 2**31 - 1

FLOAT32_EXACT_MAX = 1 << 24
"""Every integer up to this is exact in float32."""

DATA_MOVEMENT_OPS = {
    "Reshape", "Squeeze", "Unsqueeze", "Expand", "Tile", "Transpose", "Slice", "Flatten", "Gather", "Identity"
}  # fmt: skip
"""Operators with one output that move the elements of their first input, whatever they are."""
_FIRST_INPUT_OPS = DATA_MOVEMENT_OPS | {
    "GatherND", "GatherElements", "Split", "ReduceSum", "ReduceMax", "ReduceMin", "CumSum", "Trilu", "Abs", "Neg",
    "Sign", "Relu",
}  # fmt: skip
"""Operators whose only data input is the first."""
_ALL_INPUT_OPS = {"Add", "Sub", "Mul", "Div", "Mod", "Min", "Max", "Concat", "Clip"}
COMPARISON_OPS = {"Equal", "Less", "Greater", "LessOrEqual", "GreaterOrEqual"}
_SOME_INPUT_OPS = {"Where": (1, 2), "Pad": (0, 2), "ScatterElements": (0, 2), "ScatterND": (0, 2)}
_LOWERED_TO: dict[str, tuple[str, ...]] = {
    "Mod": ("Div", "Mul", "Sub", "Add"),
    "Abs": ("Sub", "Max"),
    "Neg": ("Sub",),
    "Sign": ("Min", "Max"),
    "Relu": ("Max",),
    "Slice": ("Gather",),
    "GatherElements": (),
}
"""Operators without an int32 kernel, and the operators that they are lowered to."""


def data_inputs(node: ir.Node) -> list[int]:
    """Return the indices of a node's data inputs, empty for an unknown operator."""
    if node.domain not in ("", "ai.onnx"):
        return []
    if node.op_type in _FIRST_INPUT_OPS or node.op_type == "Cast":
        return [0]
    if node.op_type in _ALL_INPUT_OPS | COMPARISON_OPS:
        return [index for index, value in enumerate(node.inputs) if value is not None]
    return [i for i in _SOME_INPUT_OPS.get(node.op_type, ()) if i < len(node.inputs) and node.inputs[i] is not None]


def required_int32_ops(node: ir.Node) -> tuple[str, ...]:
    """Return the operators whose int32 kernels a node needs."""
    return _LOWERED_TO.get(node.op_type, (node.op_type,))


def can_lower(node: ir.Node) -> bool:
    """Whether `lower_node` supports a node: its bounds, mode and reduction."""
    if node.op_type == "Slice":
        return sliced_indices(node) is not None
    if node.op_type in ("ScatterND", "ScatterElements"):
        return node.attributes.get_string("reduction", "none") == "none"
    return not (node.op_type == "Pad" and node.attributes.get_string("mode", "constant") != "constant")


def lower_node(add: Builder, node: ir.Node, inputs: list[ir.Value | None], *, natural: bool) -> list[ir.Value]:
    """Add the int32 form of an int64 node; `natural` means that no data is negative."""
    a, b = inputs[0], inputs[1] if len(inputs) > 1 else None
    match node.op_type:
        case "Mod":
            return [_remainder(add, a, b, as_it_is=natural or node.attributes.get_int("fmod", 0) == 1)]
        case "Neg":
            return [add.op("Sub", add.const(0, np.int32), a)]
        case "Abs":
            return [add.op("Max", a, add.op("Sub", add.const(0, np.int32), a))]
        case "Sign":
            one = add.const(1, np.int32)
            return [add.op("Max", add.op("Min", a, one), add.const(-1, np.int32))]
        case "Relu":
            return [add.op("Max", a, add.const(0, np.int32))]
        case "Slice":
            for places, axis in sliced_indices(node) or []:
                a = add.op("Gather", a, add.const(places, np.int64), axis=axis)
            assert a is not None
            return [a]
        case "GatherElements":
            # exact: narrow_int64 allows only magnitudes below 2^24 here
            floats = add.cast(a, ir.DataType.FLOAT)
            gathered = add.op("GatherElements", floats, b, axis=node.attributes.get_int("axis", 0))
            return [add.cast(gathered, ir.DataType.INT32)]
    return add.node(node.op_type, *inputs, outputs=len(node.outputs), **attribute_values(node))


def _remainder(add: Builder, a: ir.Value | None, b: ir.Value | None, *, as_it_is: bool) -> ir.Value:
    """Return the remainder of a / b with the sign of `b`, or if `as_it_is` with the sign of `a`."""
    # integer division truncates: r = a - a / b * b has the sign of a; the remainder of r + b has the sign of b
    truncated = add.op("Sub", a, add.op("Mul", add.op("Div", a, b), b))
    if as_it_is:
        return truncated
    above = add.op("Add", truncated, b)
    return add.op("Sub", above, add.op("Mul", add.op("Div", above, b), b))


def sliced_indices(node: ir.Node) -> list[tuple[list[int], int]] | None:
    """Return the indices that a Slice keeps, axis by axis; None if they are unknown or an axis becomes empty."""
    shape = static_shape(node.inputs[0])
    bounds = [constant(value) for value in node.inputs[1:]]
    if shape is None or len(bounds) < 2 or any(array is None for array in bounds):
        return None
    starts, ends, *rest = [[int(each) for each in array] for array in bounds if array is not None]
    axes = rest[0] if rest else list(range(len(starts)))
    steps = rest[1] if len(rest) > 1 else [1] * len(starts)
    indices = []
    for start, end, axis, step in zip(starts, ends, axes, steps, strict=True):
        places = list(range(shape[axis])[python_slice(shape[axis], start, end, step)])
        if not places:
            return None
        indices.append((places, axis))
    return indices
