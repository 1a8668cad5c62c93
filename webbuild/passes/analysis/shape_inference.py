"""Shapes of every value, inferred again."""

from __future__ import annotations

import onnx_ir as ir
import onnx_ir.passes.common as common

_SEQUENCES = {"SequenceEmpty", "SequenceConstruct", "SequenceInsert", "SequenceErase", "SplitToSequence", "Optional"}
"""Operators that give no tensor."""


def infer_shapes(model: ir.Model) -> None:
    """Forget the shapes of intermediate values and infer them again, with the values of shape tensors.

    Those of outputs are inferred too; what was declared of them stands where that gives no size.
    """
    declared = {value: value.shape for value in model.graph.outputs if value.shape is not None}
    for value in model.graph.initializers.values():
        if value.const_value is not None and not value.is_graph_input():  # what was folded may still have a free shape
            value.shape = ir.Shape(value.const_value.shape.numpy())
    for node in model.graph:
        for value in node.outputs:
            value.shape = None
    common.ShapeInferencePass(check_type=False, strict_mode=False, data_prop=True)(model)
    _forget_types_of_sequences(model)
    for value, shape in declared.items():
        value.shape = _merge_shapes(shape, value.shape)


def _forget_types_of_sequences(model: ir.Model) -> None:
    """Take back what onnx-ir writes of a sequence or an optional: that it is a tensor."""
    found: set[ir.Value | None] = set()
    for graph in reversed(list(model.graphs())):
        for node in graph:
            bodies = [a.as_graph() for a in node.attributes.values() if a.type == ir.AttributeType.GRAPH]
            carried = [list(body.outputs[1 if node.op_type == "Loop" else 0 :]) for body in bodies]
            copies = node.op_type in ("Identity", "OptionalGetElement") and node.inputs[0] in found
            for index, value in enumerate(node.outputs):
                inner = any(index < len(values) and values[index] in found for values in carried)
                if (node.op_type in _SEQUENCES or copies or inner) and isinstance(value.type, ir.TensorType):
                    value.type, value.shape = None, None
                if value.type is None or not isinstance(value.type, ir.TensorType):
                    found.add(value)


def _merge_shapes(declared: ir.Shape, inferred: ir.Shape | None) -> ir.Shape:
    """Return the sizes that were inferred, and those that were declared where none was.

    Exporters declare wrong ones: PyTorch gives RT-DETR's boxes the name of the batch as their last dimension too.
    """
    if inferred is None or len(inferred) != len(declared):
        return declared
    return ir.Shape([new if isinstance(new, int) else old for old, new in zip(declared, inferred, strict=True)])
