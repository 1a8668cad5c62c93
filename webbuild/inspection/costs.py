"""How much a node on the CPU weighs: arithmetic on a few numbers costs nothing."""

from __future__ import annotations

import onnx_ir as ir

from webbuild.findings import Severity
from webbuild.passes._graph import nbytes

LEAST_BINDING, MOST_BINDING = 128 << 20, 2 << 30
"""Bytes of a tensor that every device can give to a shader, and that none goes beyond."""

_LITTLE = 1024
"""Bytes that are copied for nothing."""


def weight(node: ir.Node) -> Severity:
    """Return `note` where all that a node reads and writes is small, else `warning`."""
    sizes = [nbytes(value) for value in (*node.inputs, *node.outputs) if value is not None]
    return "note" if all(taken is not None and taken <= _LITTLE for taken in sizes) else "warning"
