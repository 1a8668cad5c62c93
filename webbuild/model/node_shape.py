"""The output shape that onnx infers for a single node."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import onnx
import onnx_ir as ir
from numpy.typing import NDArray


def node_output_shape(
    node: ir.Node, shapes: Mapping[ir.Value, tuple[int, ...]], stored: Mapping[ir.Value, NDArray[Any]], opset: int
) -> tuple[int, ...] | None:
    """Return the static shape of a node's only output; None if onnx cannot infer it.

    Args:
        node: a node of a standard operator.
        shapes: shapes of its inputs.
        stored: the values of those inputs that decide sizes, such as the pads of a Pad.
        opset: opset of the standard operators.
    """
    proto = ir.to_proto(node)
    proto.output[:] = ["result"]
    inputs = [
        onnx.helper.make_tensor_value_info(value.name or "", int(value.dtype or ir.DataType.FLOAT), shape)
        for value, shape in shapes.items()
    ]
    initializers = [onnx.numpy_helper.from_array(array, value.name) for value, array in stored.items()]
    graph = onnx.helper.make_graph([proto], "node", inputs, [onnx.ValueInfoProto(name="result")], initializers)
    model = onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", opset)])
    inferred = onnx.shape_inference.infer_shapes(model).graph.output[0].type.tensor_type
    sizes = tuple(dim.dim_value for dim in inferred.shape.dim)
    return sizes if inferred.HasField("shape") and all(sizes) else None
