"""Severity of a node on the CPU: small tensors cost nothing noticeable."""

from __future__ import annotations

import onnx_ir as ir

from webbuild.passes.rewrite import nbytes
from webbuild.passes.workarounds.base import Severity

MIN_BINDING_SIZE, MAX_BINDING_SIZE = 128 << 20, 2 << 30
"""Bytes of a tensor that every device can bind to a shader, and the most that any device can bind."""

_SMALL_BYTES = 1024
"""Bytes of a tensor that is copied at no noticeable cost."""


def cpu_severity(node: ir.Node) -> Severity:
    """Return `note` if all inputs and outputs of a node are small, else `warning`."""
    sizes = [nbytes(value) for value in (*node.inputs, *node.outputs) if value is not None]
    return "note" if all(taken is not None and taken <= _SMALL_BYTES for taken in sizes) else "warning"
