"""The result type of a node, by its schema."""

from __future__ import annotations

from functools import cache


@cache
def result_type(op: str, opset: int, domain: str = "") -> int | str | None:
    """Return the index of the input with the same element type as the first output, or the output's only possible type.

    None if neither exists: an attribute decides the type, or the operator is unknown.
    """
    import onnx

    try:
        schema = onnx.defs.get_schema(op, opset, "" if domain == "ai.onnx" else domain)
    except onnx.defs.SchemaError:
        return None
    result = schema.outputs[0]
    for index, value in enumerate(schema.inputs):
        if value.type_str == result.type_str:
            return index
    only = list(result.types)
    return only[0].removeprefix("tensor(").removesuffix(")") if len(only) == 1 else None
