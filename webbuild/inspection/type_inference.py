"""Infers element types that shape inference left open, from the type variables of operator schemas."""

from __future__ import annotations

import onnx_ir as ir

from webbuild.inspection.kernels import STANDARD_DOMAINS


def complete_types(nodes: list[tuple[ir.Node, int]]) -> None:
    """Set missing element types of outputs, for nodes in order, each with the opset of its domain."""
    for node, opset in nodes:
        if all(output.dtype is not None for output in node.outputs):
            continue
        known = _output_dtypes(node, opset)
        for index, output in enumerate(node.outputs):
            if output.dtype is None and (dtype := known[min(index, len(known) - 1)]) is not None:
                output.dtype = dtype


def _output_dtypes(node: ir.Node, opset: int) -> list[ir.DataType | None]:
    import onnx

    first = next((value.dtype for value in node.inputs if value is not None and value.dtype is not None), None)
    try:
        schema = onnx.defs.get_schema(node.op_type, opset, "" if node.domain in STANDARD_DOMAINS else node.domain)
    except onnx.defs.SchemaError:
        return [first]
    bound = {
        schema.inputs[min(index, len(schema.inputs) - 1)].type_str: value.dtype
        for index, value in enumerate(node.inputs)
        if value is not None and value.dtype is not None and schema.inputs
    }
    if node.op_type == "Cast":
        return [ir.DataType(node.attributes.get_int("to", 1))]
    return [bound.get(output.type_str, _fixed_dtype(output.type_str)) for output in schema.outputs] or [first]


def _fixed_dtype(type_str: str) -> ir.DataType | None:
    name = type_str.removeprefix("tensor(").removesuffix(")").upper()
    return ir.DataType[name] if name in ir.DataType.__members__ else None
