"""Shape inference of all values again, after rewrites."""

from __future__ import annotations

import onnx_ir as ir

from webbuild.model.inferred_shapes import add_inferred_shapes
from webbuild.passes.graphs import count_change, graphs_of


def infer_shapes(model: ir.Model) -> None:
    """Remove the shapes of intermediate values and infer them again, with the values of shape tensors.

    Shapes of outputs are inferred too; a declared size stays if none is inferred.
    """
    declared = {value: value.shape for value in model.graph.outputs if value.shape is not None}
    for value in model.graph.initializers.values():
        if value.const_value is not None and not value.is_graph_input():  # a folded one may still have a free shape
            value.shape = ir.Shape(value.const_value.shape.numpy())
            value.type = value.type or ir.TensorType(value.const_value.dtype)
    before = {value: value.shape for graph in graphs_of(model) for node in graph for value in node.outputs}
    for value in before:
        if value.graph is model.graph:
            value.shape = None
    add_inferred_shapes(model)
    for value, shape in declared.items():
        value.shape = _merge_shapes(shape, value.shape)
    if any(value.shape is not shape and value.shape != shape for value, shape in before.items()):
        count_change(model)


def _merge_shapes(declared: ir.Shape, inferred: ir.Shape | None) -> ir.Shape:
    """Return the inferred sizes, and the declared size where none is inferred.

    Exporters declare wrong sizes: PyTorch names the last dimension of RT-DETR's boxes like the batch. Some declare a
    wrong number of dimensions; onnxruntime-web then loads no session on WebAssembly.
    """
    if inferred is None:
        return declared
    if len(inferred) != len(declared):
        return inferred
    return ir.Shape([new if isinstance(new, int) else old for old, new in zip(declared, inferred, strict=True)])
