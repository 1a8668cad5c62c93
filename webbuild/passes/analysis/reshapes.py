"""Operators that name the same elements, in the same order, with another shape."""

from __future__ import annotations

import onnx_ir as ir

from webbuild.passes.rewrite import consumers

RESHAPES = frozenset({"Flatten", "Reshape", "Squeeze", "Unsqueeze"})


def before_reshapes(value: ir.Value | None) -> ir.Value | None:
    """Return what a value is before it gets its first shape."""
    while value is not None and (producer := value.producer()) is not None and producer.op_type in RESHAPES:
        value = producer.inputs[0]
    return value


def after_reshapes(value: ir.Value) -> ir.Value:
    """Return what a value is after it got its last shape, where nothing reads it before."""
    while len(value.uses()) == 1 and not value.is_graph_output():
        (node,) = consumers(value)
        if node.op_type not in RESHAPES or node.inputs[0] is not value or node.graph is not value.graph:
            break
        value = node.outputs[0]
    return value
