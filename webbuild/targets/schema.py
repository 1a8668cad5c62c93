"""The schema version of a node's operator, and the value whose type selects the kernel."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from msgspec import Struct

if TYPE_CHECKING:
    import onnx

_TYPE_VARIABLE_OVERRIDES = {
    "ConstantOfShape": "T2",
    "OneHot": "T3",
    "QLinearMatMul": "T1",
    "QuantizeLinear": "T2",
    "Scan": "V",
    "Where": "T",
}

_LAYER_NORMALIZATION_OPSET = 17

NO_TYPE_VARIABLE = "-"
"""Placeholder for the element type of an operator without a type variable."""


class OperatorSchema(Struct, frozen=True):
    """A version of an operator, introduced in opset `since`.

    A type variable selects the kernel: the element type of input `deciding_input`, or of output `deciding_output` if no
    input has it. Both are None if the operator has no type variable.
    """

    since: int
    deciding_input: int | None
    deciding_output: int | None


@cache
def find_schema(op: str, opset: int, domain: str = "") -> OperatorSchema | None:
    """Return the schema of an operator at an opset; None if ONNX has no such operator.

    LayerNormalization is in ONNX since opset 17. ONNX Runtime has it in all opsets, and its optimizer inserts it.
    """
    import onnx

    if op == "LayerNormalization" and domain in ("", "ai.onnx"):
        opset = max(opset, _LAYER_NORMALIZATION_OPSET)
    try:
        schema = onnx.defs.get_schema(op, opset, "" if domain == "ai.onnx" else domain)
    except onnx.defs.SchemaError:
        return None
    variable = kernel_type_variable(schema)
    return OperatorSchema(schema.since_version, _first(schema.inputs, variable), _first(schema.outputs, variable))


def kernel_type_variable(schema: onnx.defs.OpSchema) -> str:
    """Return the type variable that selects the kernel: the operator's first, with a few exceptions."""
    variables = [constraint.type_param_str for constraint in schema.type_constraints]
    named = _TYPE_VARIABLE_OVERRIDES.get(schema.name, "")
    if schema.name == "QuantizeLinear" and "T3" in variables:
        named = "T3"  # since opset 23, where T2 is the scale's
    return named or (variables[0] if variables else "")


def _first(values: object, variable: str) -> int | None:
    assert isinstance(values, (list, tuple))
    return next((index for index, value in enumerate(values) if value.type_str == variable), None)
