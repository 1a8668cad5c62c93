"""Outputs with all elements of an input: copies, and a key/value cache, which grows with each token."""

from __future__ import annotations

import onnx_ir as ir

_SAME_ELEMENTS = frozenset({"Cast", "Identity", "Reshape", "Squeeze", "Transpose", "Unsqueeze"})
"""Operators that keep all elements of their first input and add none."""
_APPEND = frozenset({"Concat", "Attention", "GroupQueryAttention", "MultiHeadAttention"})
"""Operators that append to an input; attention appends to its cache."""


def copies(model: ir.Model, input_name: str, output_name: str) -> bool:
    """Whether an output has the elements of an input and no others, such as a mask that an encoder passes on."""
    output = next(value for value in model.graph.outputs if value.name == output_name)
    return _without_moves(output).name == input_name


def grows(model: ir.Model, input_name: str, output_name: str) -> bool:
    """Whether an output is an input with elements appended, such as a key/value cache.

    past -> Concat(past, new) -> Transpose -> present
    """
    value: ir.Value | None = next(value for value in model.graph.outputs if value.name == output_name)
    source = next(value for value in model.graph.inputs if value.name == input_name)
    while value is not None and (node := value.producer()) is not None:
        parts = [part for part in node.inputs if part is not None]
        if node.op_type in _APPEND and len(parts) > 1:
            return any(_without_moves(part) is source for part in parts)
        value = node.inputs[0] if node.op_type in {*_SAME_ELEMENTS, "Concat"} else None
    return False


def _without_moves(value: ir.Value) -> ir.Value:
    """Return the value before the operators that only change the shape, order or type of its elements."""
    while (node := value.producer()) is not None and node.inputs and node.inputs[0] is not None:
        if node.op_type not in _SAME_ELEMENTS and not (node.op_type == "Concat" and len(node.inputs) == 1):
            break
        value = node.inputs[0]
    return value
