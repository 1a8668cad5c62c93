"""Shapes of every value, computed anew."""

from __future__ import annotations

import onnx_ir as ir
import onnx_ir.passes.common as common


def infer(model: ir.Model) -> None:
    """Forget the shapes of intermediate values and infer them again, with the values of shape tensors.

    Free dimensions of outputs are inferred too, and keep their names where that gives no size.
    """
    declared = {value: value.shape for value in model.graph.outputs if value.shape is not None}
    for value in model.graph.initializers.values():
        if value.const_value is not None and not value.is_graph_input():  # what was folded may still have a free shape
            value.shape = ir.Shape(value.const_value.shape.numpy())
    for node in model.graph:
        for value in node.outputs:
            if value not in model.graph.outputs or not _is_fixed(value.shape):
                value.shape = None
    common.ShapeInferencePass(check_type=False, strict_mode=False, data_prop=True)(model)
    for value, shape in declared.items():
        value.shape = _merged(shape, value.shape)


def _merged(declared: ir.Shape, inferred: ir.Shape | None) -> ir.Shape:
    """Return the declared shape with the sizes that were inferred for its free dimensions."""
    if inferred is None or len(inferred) != len(declared):
        return declared
    return ir.Shape(
        [
            old if isinstance(old, int) or not isinstance(new, int) else new
            for old, new in zip(declared, inferred, strict=True)
        ]
    )


def _is_fixed(shape: ir.Shape | None) -> bool:
    return shape is not None and all(isinstance(dim, int) for dim in shape)
