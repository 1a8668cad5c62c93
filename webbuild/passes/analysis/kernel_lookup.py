"""Kernel lookup of a node in the target's table."""

from __future__ import annotations

import onnx_ir as ir

from webbuild.passes.base import PassOptions
from webbuild.passes.rewrite import opset_version
from webbuild.targets.schema import NO_TYPE_VARIABLE, find_schema
from webbuild.targets.table import KernelPlacement


def placement(model: ir.Model, node: ir.Node, options: PassOptions) -> KernelPlacement | None:
    """Return the placement (`gpu`, `cpu` or `none`) of a node on the target, by operator, opset and element type.

    None if it is unknown: there is no table, the table does not list the node, or its element type is unknown.
    """
    opset = model.graph.opset_imports.get("" if node.domain == "ai.onnx" else node.domain)
    return None if opset is None else placement_at_opset(node, opset, options)


def placement_at_opset(node: ir.Node, opset: int, options: PassOptions) -> KernelPlacement | None:
    """Return the placement that a node would have at another opset of its domain."""
    schema = find_schema(node.op_type, opset, node.domain)
    dtype = None if schema is None else kernel_dtype(node, schema.deciding_input, schema.deciding_output)
    if options.table is None or schema is None or dtype is None:
        return None
    return options.table.placement(node.op_type, schema.since, dtype, node.domain)


def has_kernel(model: ir.Model, op: str, dtype: str, options: PassOptions, least_opset: int = 1) -> bool:
    """Whether the GPU has a kernel for a standard operator and element type, by ONNX's name such as `float16`.

    The opset is the model's, but at least `least_opset`.
    """
    schema = find_schema(op, max(least_opset, opset_version(model)))
    return (
        schema is not None and options.table is not None and options.table.placement(op, schema.since, dtype) == "gpu"
    )


def kernel_dtype(node: ir.Node, index: int | None, output: int | None) -> str | None:
    """Return ONNX's name of the element type that selects a node's kernel."""
    if index is None and output is None:
        return NO_TYPE_VARIABLE
    value = None
    if index is not None and index < len(node.inputs):
        value = node.inputs[index]
    elif output is not None and output < len(node.outputs):
        value = node.outputs[output]
    if value is None or value.dtype is None:
        return None
    name = value.dtype.name.lower()
    if node.op_type == "Cast":
        name = f"{name}->{ir.DataType(node.attributes.get_int('to', 0)).name.lower()}"
    return name
