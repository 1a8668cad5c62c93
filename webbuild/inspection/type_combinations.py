"""Operators whose kernels depend on a combination of types; a kernel table has only one type.

From native ONNX Runtime. Its web builds agree on the combinations in ONNX's own tests.
"""

from __future__ import annotations

import onnx_ir as ir

from webbuild.targets.table import KernelPlacement

_ONE_HOT = {
    ("int64", "int64", "int64"), ("int64", "int64", "float"), ("int64", "int64", "float16"),
    ("int64", "int64", "string"), ("int64", "int32", "float"), ("int64", "int32", "float16"),
    ("int64", "float", "int32"), ("int64", "float", "float"), ("int64", "float", "float16"),
    ("int32", "int32", "float"), ("int32", "int32", "float16"), ("int32", "float", "float"),
    ("int32", "float", "float16"), ("float", "int64", "int64"), ("float", "int64", "string"),
    ("float", "float", "float"), ("float", "float", "float16"),
}  # fmt: skip
"""Types of indices, depth and values."""

_PRODUCTS = {("int8", "int8", "int8"), ("uint8", "int8", "uint8"), ("uint8", "uint8", "uint8")}
"""Types of a QLinearMatMul's two matrices and of its output."""

_DECIDING_INPUTS = {"OneHot": ((0, 1, 2), _ONE_HOT), "QLinearMatMul": ((0, 3, 7), _PRODUCTS)}


def combined_type_placement(node: ir.Node) -> KernelPlacement | None:
    """Return whether the CPU has a kernel for a node's combination of types, None if that is not known."""
    places, known = _DECIDING_INPUTS.get(node.op_type, ((), set()))
    if not places or node.domain not in ("", "ai.onnx") or max(places) >= len(node.inputs):
        return None
    values = [node.inputs[index] for index in places]
    names = [value.dtype.name.lower() for value in values if value is not None and value.dtype is not None]
    if len(names) < len(places):
        return None
    return "cpu" if tuple(names) in known else "none"
