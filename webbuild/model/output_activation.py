"""The last activation before an output, also if its values are moved, resized or cropped after it."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import onnx_ir as ir

_ACTIVATIONS = frozenset({"Sigmoid", "Softmax", "HardSigmoid"})
_KEEPS_VALUES = frozenset(
    {"Cast", "Flatten", "Identity", "Reshape", "Resize", "Slice", "Split", "Squeeze", "Transpose", "Unsqueeze"}
)
"""Operators whose first output has values of their first input, or interpolated between them."""
_MOST_NODES = 16


def output_activation(value: ir.Value) -> str:
    """Return the last activation before an output, such as `Sigmoid`; empty if its values change after it."""
    at: ir.Value | None = value
    for _ in range(_MOST_NODES):
        maker = None if at is None else at.producer()
        if maker is None:
            return ""
        if maker.op_type in _ACTIVATIONS:
            return maker.op_type
        if maker.op_type not in _KEEPS_VALUES:
            return ""
        at = maker.inputs[0]
    return ""
