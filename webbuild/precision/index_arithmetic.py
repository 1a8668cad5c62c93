"""Index arithmetic: floats that become indices or coordinates."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import onnx_ir as ir

from webbuild.precision.castable_io import is_float32
from webbuild.precision.constant_overflow import is_stored_constant
from webbuild.precision.op_classes import INDEX_ARITHMETIC_OPS

_COORDINATE_INPUTS = {
    "GridSample": (1,),
    "RoiAlign": (1,),
    "NonMaxSuppression": (0,),
    "Resize": (1, 2),
    "MaxUnpool": (1,),
}
"""Inputs that hold coordinates or sizes, by operator."""


def find_index_arithmetic(nodes: Iterable[ir.Node]) -> dict[ir.Node, str]:
    """Return the nodes that compute positions, and the reason for each.

    The search starts at every float that is cast to an integer or used as a coordinate. It walks back through the
    producers up to an operator with weights, such as Conv or MatMul. GridSample itself is included, because it gave
    wrong boxes in float16 (onnxruntime #32275).
    """
    reasons: dict[ir.Node, str] = {}
    for node in nodes:
        reason = f"computes coordinates or indices for {node.op_type}"
        if node.op_type == "GridSample":
            reasons[node] = "its sampling coordinates need more digits than float16 has"
        elif node.op_type == "CumSum":
            reasons[node] = "a running sum: float16 is exact only up to 2048"
        for value in _coordinate_inputs(node):
            _trace_back(value, reason, reasons)
    return reasons


def _coordinate_inputs(node: ir.Node) -> Iterator[ir.Value]:
    if node.op_type == "Cast" and is_float32(node.inputs[0]):
        wanted = ir.DataType(node.attributes.get_int("to", 0))
        yield from (node.inputs[0],) if wanted.is_integer() and node.inputs[0] else ()
        return
    for index in _COORDINATE_INPUTS.get(node.op_type, ()):
        if index < len(node.inputs) and (value := node.inputs[index]) is not None and is_float32(value):
            yield value


def _trace_back(value: ir.Value, reason: str, reasons: dict[ir.Node, str]) -> None:
    waiting = [value]
    while waiting:
        maker = waiting.pop().producer()
        if maker is None or maker in reasons or maker.op_type not in INDEX_ARITHMETIC_OPS:
            continue
        reasons[maker] = reason
        waiting += [
            operand
            for operand in maker.inputs
            if is_float32(operand) and operand is not None and not is_stored_constant(operand)
        ]
