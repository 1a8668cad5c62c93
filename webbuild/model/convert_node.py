"""Opset conversion of a single node by ONNX's version converter."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import onnx_ir as ir
    from numpy.typing import NDArray


def convert_node(
    node: ir.Node, constants: Mapping[ir.Value, NDArray[Any]], current: int, opset: int
) -> ir.Graph | None:
    """Return a graph of another opset that computes the same as a node; None if the converter has none.

    Its outputs are the node's named outputs, in order. Its inputs are the node's inputs without `constants`: these
    become initializers, since the converter may need the values of axes and sizes.
    """
    import onnx
    import onnx_ir as ir
    from onnx import version_converter

    inputs = [value for value in dict.fromkeys(node.inputs) if value is not None]
    nested = any(each.type == ir.AttributeType.GRAPH for each in node.attributes.values())
    if nested or any(value.dtype is None for value in inputs):
        return None
    graph = onnx.GraphProto(
        name="node",
        node=[ir.to_proto(node)],
        input=[ir.to_proto(value) for value in inputs if value not in constants],
        output=[ir.to_proto(value) for value in node.outputs if value.name],
        initializer=[onnx.numpy_helper.from_array(array, value.name) for value, array in constants.items()],
    )
    model = onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", current)], ir_version=4)
    try:
        return ir.from_proto(version_converter.convert_version(model, opset)).graph
    except Exception:  # the converter raises many types for nodes that it cannot convert
        return None
