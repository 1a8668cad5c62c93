"""Output range of a picture (its values of black and white), read from the graph's last operators."""

from __future__ import annotations

import onnx_ir as ir
from msgspec import Struct

from webbuild.passes.rewrite import constant, input_value

_MAX_NODES = 16
"""Number of nodes before the output that are examined."""
_SAME_VALUES = frozenset(
    {"Identity", "Cast", "Transpose", "Reshape", "DepthToSpace", "Slice", "Round", "Squeeze", "Unsqueeze", "Floor"}
)
"""Operators that move or round values, and do not change their range."""
_BOUNDED = {"Sigmoid": (0.0, 1.0), "HardSigmoid": (0.0, 1.0), "Tanh": (-1.0, 1.0)}


class OutputRange(Struct, frozen=True):
    """The values of black and white, and the reason, which begins with its certainty (sure, likely, a guess)."""

    low: float
    high: float
    reason: str


def read_output_range(model: ir.Model, name: str) -> OutputRange | None:
    """Return the output range from the last operators (Clip, Sigmoid, Tanh), None if they have no bounds.

    `x -> Tanh -> Add 1 -> Div 2 -> y` gives 0..1.
    """
    value = next((each for each in model.graph.outputs if each.name == name), None)
    if value is None:
        return None
    if value.dtype == ir.DataType.UINT8:
        return OutputRange(0.0, 255.0, "sure: they are bytes")
    factor, summand = 1.0, 0.0  # output = value * factor + summand
    for _ in range(_MAX_NODES):
        node = value.producer()
        if node is None:
            return None
        bounds = _bounds(node)
        if bounds is not None:
            low, high = (bound * factor + summand for bound in bounds)
            return OutputRange(low, high, f"sure: the graph ends with {node.op_type}") if low < high else None
        if node.op_type not in _SAME_VALUES:
            step = _scaling(node)
            if step is None:
                return None
            summand += factor * step[1]
            factor *= step[0]
        before = input_value(node, 0 if node.op_type in _SAME_VALUES else _variable(node))
        if before is None:
            return None
        value = before
    return None


def _bounds(node: ir.Node) -> tuple[float, float] | None:
    if node.op_type != "Clip":
        return _BOUNDED.get(node.op_type)
    ends = [_number(node, 1), _number(node, 2)]
    if len(node.inputs) == 1:
        ends = [node.attributes[name].as_float() if name in node.attributes else None for name in ("min", "max")]
    low, high = ends
    return None if low is None or high is None else (low, high)


def _scaling(node: ir.Node) -> tuple[float, float] | None:
    """Return the factor and the summand of a node, value * factor + summand; None for other nodes."""
    if node.op_type not in ("Mul", "Div", "Add", "Sub") or len(node.inputs) != 2:
        return None
    variable = _variable(node)
    number = _number(node, 1 - variable)
    if number is None or (variable == 1 and node.op_type in ("Div", "Sub")):
        return None
    match node.op_type:
        case "Mul":
            return number, 0.0
        case "Div":
            return (1 / number, 0.0) if number else None
        case "Add":
            return 1.0, number
        case _:
            return 1.0, -number


def _variable(node: ir.Node) -> int:
    """Return the index of the input that is not a constant."""
    return 0 if constant(input_value(node, 0)) is None else 1


def _number(node: ir.Node, index: int) -> float | None:
    array = constant(input_value(node, index))
    return float(array.reshape(())) if array is not None and array.size == 1 else None
