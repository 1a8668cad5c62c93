"""Operators on int64, written with operators that the GPU has for int32."""

from __future__ import annotations

from typing import Any

import numpy as np
import onnx_ir as ir

from webbuild.passes._graph import Attribute, Builder, constant, dims

LARGEST = 2**31 - 1

EXACT = 1 << 24
"""Up to which float32 holds every whole number."""

FIRST = {
    "Reshape", "Squeeze", "Unsqueeze", "Expand", "Transpose", "Flatten", "Identity", "Tile", "Gather", "GatherND",
    "GatherElements", "Slice", "Split", "ReduceSum", "ReduceMax", "ReduceMin", "CumSum", "Trilu", "Abs", "Neg",
    "Sign", "Relu",
}  # fmt: skip
"""Operators that compute with their first input."""
ALL = {"Add", "Sub", "Mul", "Div", "Mod", "Min", "Max", "Concat", "Clip"}
COMPARING = {"Equal", "Less", "Greater", "LessOrEqual", "GreaterOrEqual"}
_SOME = {"Where": (1, 2), "Pad": (0, 2), "ScatterElements": (0, 2), "ScatterND": (0, 2)}
_WRITTEN: dict[str, tuple[str, ...]] = {
    "Mod": ("Div", "Mul", "Sub", "Add"),
    "Abs": ("Sub", "Max"),
    "Neg": ("Sub",),
    "Sign": ("Min", "Max"),
    "Relu": ("Max",),
    "Slice": ("Gather",),
    "GatherElements": (),
}
"""Operators without an int32 kernel, and those that take their place."""


def data_inputs(node: ir.Node) -> list[int]:
    """Return which inputs a node computes with, empty for an operator that is not known."""
    if node.domain not in ("", "ai.onnx"):
        return []
    if node.op_type in FIRST or node.op_type == "Cast":
        return [0]
    if node.op_type in ALL | COMPARING:
        return [index for index, value in enumerate(node.inputs) if value is not None]
    return [i for i in _SOME.get(node.op_type, ()) if i < len(node.inputs) and node.inputs[i] is not None]


def kernels(node: ir.Node) -> tuple[str, ...]:
    """Return the operators whose int32 kernels a node needs."""
    return _WRITTEN.get(node.op_type, (node.op_type,))


def is_writable(node: ir.Node) -> bool:
    """Whether what the form of a node has to know is known."""
    if node.op_type == "Slice":
        return slices(node) is not None
    if node.op_type in ("ScatterND", "ScatterElements"):
        return node.attributes.get_string("reduction", "none") == "none"
    return not (node.op_type == "Pad" and node.attributes.get_string("mode", "constant") != "constant")


def write(add: Builder, node: ir.Node, inputs: list[ir.Value | None], *, natural: bool) -> list[ir.Value]:
    """Add an operator with int32 in the place of int64; `natural` says that no data is negative."""
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
            for places, axis in slices(node) or []:
                a = add.op("Gather", a, add.const(places, np.int64), axis=axis)
            assert a is not None
            return [a]
        case "GatherElements":
            floats = add.op("Cast", a, to=ir.DataType.FLOAT.value)
            gathered = add.op("GatherElements", floats, b, axis=node.attributes.get_int("axis", 0))
            return [add.op("Cast", gathered, to=ir.DataType.INT32.value)]
    return add.node(node.op_type, *inputs, outputs=len(node.outputs), **plain(node))


def plain(node: ir.Node) -> dict[str, Attribute]:
    """Return a node's attributes as Python has them."""
    values: dict[str, Any] = {name: attribute.value for name, attribute in node.attributes.items()}
    return {name: list(value) if isinstance(value, tuple) else value for name, value in values.items()}


def _remainder(add: Builder, a: ir.Value | None, b: ir.Value | None, *, as_it_is: bool) -> ir.Value:
    """Return what division leaves, with the sign of `b` unless the remainder is wanted as the machine has it."""
    cut = add.op("Sub", a, add.op("Mul", add.op("Div", a, b), b))
    if as_it_is:
        return cut
    above = add.op("Add", cut, b)
    return add.op("Sub", above, add.op("Mul", add.op("Div", above, b), b))


def slices(node: ir.Node) -> list[tuple[list[int], int]] | None:
    """Return the places that a Slice keeps, axis by axis; None where they are not known, or none is kept."""
    shape = dims(node.inputs[0])
    given = [constant(value) for value in node.inputs[1:]]
    if shape is None or len(given) < 2 or any(array is None for array in given):
        return None
    starts, ends, *rest = [[int(each) for each in array] for array in given if array is not None]
    axes = rest[0] if rest else list(range(len(starts)))
    steps = rest[1] if len(rest) > 1 else [1] * len(starts)
    found = []
    for start, end, axis, step in zip(starts, ends, axes, steps, strict=True):
        places = list(range(shape[axis]))[slice(start, end, step)]
        if not places:
            return None
        found.append((places, axis))
    return found
