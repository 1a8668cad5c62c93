"""The condition that a Loop's body returns."""

from __future__ import annotations

import onnx_ir as ir

from webbuild.passes.rewrite import constant


def stays_true(value: ir.Value, condition: ir.Value) -> bool:
    """Whether a body returns a true condition whenever it gets one."""
    node = value.producer()
    if value is condition:
        return True
    if node is not None and node.op_type in ("Identity", "Cast") and node.inputs[0] is not None:
        return stays_true(node.inputs[0], condition)
    array = constant(value)
    return array is not None and bool(array.all())
