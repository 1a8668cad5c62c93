"""Operators that only change the shape: same elements, same order."""

from __future__ import annotations

import onnx_ir as ir

from webbuild.passes.rewrite import consumers

RESHAPES = frozenset({"Flatten", "Reshape", "Squeeze", "Unsqueeze"})


def before_reshapes(value: ir.Value | None) -> ir.Value | None:
    """Return the value before the reshapes that lead to this one."""
    while value is not None and (producer := value.producer()) is not None and producer.op_type in RESHAPES:
        value = producer.inputs[0]
    return value


def after_reshapes(value: ir.Value) -> ir.Value:
    """Return the value after the reshapes that follow this one, as long as each is the only reader."""
    while len(value.uses()) == 1 and not value.is_graph_output():
        (node,) = consumers(value)
        if node.op_type not in RESHAPES or node.inputs[0] is not value or node.graph is not value.graph:
            break
        value = node.outputs[0]
    return value
